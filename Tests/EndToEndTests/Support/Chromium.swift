import Foundation
import Synchronization
import TestSupport

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A headless Chromium, driven by the DevTools protocol over a pair of pipes: messages of JSON, each
/// ended by a zero byte (https://chromedevtools.github.io/devtools-protocol/).
final class Chromium: Sendable {
    private struct State {
        var nextID = 1
        var waiting: [Int: CheckedContinuation<JSONValue, any Error>] = [:]
        var events: [JSONValue] = []
        var isGone = false
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let process = Process()
    private let commands: FileHandle
    private let state = Mutex(State())
    private let session = Mutex<String?>(nil)

    /// The installed program, if there is one.
    static let program = ["chromium", "chromium-browser", "google-chrome"].lazy
        .compactMap { try? Program.onPath($0) }.first

    /// Starts it with a page of its own.
    static func open(_ program: Program, profile: URL) async throws -> Chromium {
        let chromium = try Chromium(program, profile: profile)
        let targets = try await chromium.call("Target.getTargets")["targetInfos"]?.array ?? []
        guard let page = targets.first(where: { $0["type"]?.string == "page" })?["targetId"]?.string else {
            throw Failure(description: "Chromium has no page")
        }
        try await chromium.attach(to: page)
        return chromium
    }

    /// One of its pages.
    struct Page: Sendable, Hashable {
        fileprivate let session: String?
    }

    /// The page that commands refer to.
    var page: Page { Page(session: session.withLock { $0 }) }

    /// Brings another page to the front: a hidden page is throttled.
    func turn(to page: Page) async throws {
        session.withLock { $0 = page.session }
        try await call("Page.bringToFront")
    }

    /// Opens another page, and turns to it.
    func addPage() async throws {
        // The browser creates it, not the page.
        session.withLock { $0 = nil }
        let target = try await call("Target.createTarget", ["url": "about:blank"])["targetId"]?.string
        guard let target else { throw Failure(description: "Chromium has no second page") }
        try await attach(to: target)
        try await turn(to: page)
    }

    private func attach(to target: String) async throws {
        let session = try await call("Target.attachToTarget", ["targetId": target, "flatten": true])["sessionId"]?
            .string
        self.session.withLock { $0 = session }
        for domain in ["Page", "Runtime", "Log"] { try await call(domain + ".enable") }
    }

    private init(_ program: Program, profile: URL) throws {
        let (input, output) = (Pipe(), Pipe())
        commands = input.fileHandleForWriting
        process.executableURL = URL(filePath: "/bin/sh")
        // The protocol's pipes are descriptors 3 and 4.
        process.arguments =
            [
                "-c", "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1", program.executable.path,
                "--headless=new", "--remote-debugging-pipe", "--disable-gpu", "--no-first-run",
                // WebGL without a graphics processor.
                "--enable-unsafe-swiftshader", "--disable-dev-shm-usage", "--user-data-dir=\(profile.path)",
            ] + (geteuid() == 0 ? ["--no-sandbox"] : []) + ["about:blank"]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let reader = output.fileHandleForReading
        Thread { [weak self] in
            var buffer = Data()
            while case let bytes = reader.availableData, !bytes.isEmpty {
                buffer += bytes
                while let end = buffer.firstIndex(of: 0) {
                    self?.take(String(decoding: buffer[..<end], as: UTF8.self))
                    buffer = Data(buffer[(end + 1)...])
                }
            }
            self?.end()
        }.start()
    }

    /// Closes the browser.
    func close() async {
        _ = try? await call("Browser.close")
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
    }

    /// The errors of the page: exceptions in its script, and violations of its content security policy.
    var complaints: [String] {
        state.withLock { $0.events }.compactMap { event in
            switch event["method"]?.string {
            case "Runtime.exceptionThrown": "\(event)"
            case "Log.entryAdded" where event["params"]?["entry"]?["level"]?.string == "error": "\(event)"
            default: nil
            }
        }
    }

    // MARK: The page

    /// Navigates to an address.
    func open(_ url: String) async throws { try await call("Page.navigate", ["url": url]) }

    /// Evaluates a script in the page.
    func evaluate(_ script: String) async throws -> JSONValue {
        let answer = try await call(
            "Runtime.evaluate", ["expression": script, "awaitPromise": true, "returnByValue": true])
        if let exception = answer["exceptionDetails"] { throw Failure(description: "\(exception)") }
        return answer["result"]?["value"] ?? .null
    }

    /// Waits until a condition holds in the page; returns whether it did in time.
    func waits(for condition: String, seconds: Int = 60) async throws -> Bool {
        try await evaluate(
            """
            new Promise((resolve) => {
              const end = performance.now() + \(seconds)000;
              const check = () => (\(condition)) ? resolve(true)
                : performance.now() > end ? resolve(false) : setTimeout(check, 50);
              check();
            })
            """) == .flag(true)
    }

    /// Clicks on an element like a mouse.
    ///
    /// - Parameters:
    ///   - place: the position in it, 0…1 of its width and height.
    ///   - time: the time for which the button is held.
    func click(
        _ selector: String, at place: (x: Double, y: Double) = (0.5, 0.5), holding time: Duration = .zero
    ) async throws {
        let find = """
            (() => {
              const element = document.querySelector('\(selector)');
              element.scrollIntoView({ block: 'center' });
              const box = element.getBoundingClientRect();
              return { x: box.x + box.width * \(place.x), y: box.y + box.height * \(place.y) };
            })()
            """
        // An element that still moves, because a picture loaded or a line was added, would be missed.
        var point = try await evaluate(find)
        for _ in 0..<20 {
            try await Task.sleep(for: .milliseconds(50))
            let before = point
            point = try await evaluate(find)
            if point == before { break }
        }
        for type in ["mousePressed", "mouseReleased"] {
            try await call(
                "Input.dispatchMouseEvent",
                [
                    "type": type, "x": point["x"]?.number ?? 0, "y": point["y"]?.number ?? 0, "button": "left",
                    "clickCount": 1,
                ])
            if type == "mousePressed", time > .zero { try await Task.sleep(for: time) }
        }
    }

    /// Presses a key on the focused element.
    func press(key: String, code: Int, text: String) async throws {
        for type in ["keyDown", "keyUp"] {
            try await call(
                "Input.dispatchKeyEvent",
                [
                    "type": type, "key": key, "code": key, "windowsVirtualKeyCode": code,
                    "text": type == "keyDown" ? text : "",
                ])
        }
    }

    // MARK: The protocol

    /// Sends a command and waits for its result.
    @discardableResult
    func call(_ method: String, _ parameters: [String: any Sendable] = [:]) async throws -> JSONValue {
        let session = session.withLock { $0 }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let id: Int? = state.withLock { state in
                    guard !state.isGone else { return nil }
                    defer { state.nextID += 1 }
                    state.waiting[state.nextID] = continuation
                    return state.nextID
                }
                guard let id else { return continuation.resume(throwing: Failure(description: "Chromium has ended")) }
                var message: [String: Any] = ["id": id, "method": method, "params": parameters]
                if let session { message["sessionId"] = session }
                guard let data = try? JSONSerialization.data(withJSONObject: message) else { return }
                try? commands.write(contentsOf: data + [0])
            }
        } onCancel: {
            kill(process.processIdentifier, SIGKILL)
        }
    }

    private func take(_ text: String) {
        guard let message = try? JSONValue(parsing: text) else { return }
        guard let id = message["id"]?.integer else {
            state.withLock { $0.events.append(message) }
            return
        }
        let continuation = state.withLock { $0.waiting.removeValue(forKey: id) }
        if let error = message["error"] {
            continuation?.resume(throwing: Failure(description: "\(error)"))
        } else {
            continuation?.resume(returning: message["result"] ?? .null)
        }
    }

    private func end() {
        let waiting = state.withLock { state in
            state.isGone = true
            defer { state.waiting.removeAll() }
            return Array(state.waiting.values)
        }
        for continuation in waiting { continuation.resume(throwing: Failure(description: "Chromium has ended")) }
    }
}
