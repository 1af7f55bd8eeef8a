import FlourishControl
import Foundation
import Testing
import TestSupport

/// A video that is processed in real time, grey unless it is a file, with its panel open in a browser.
struct PanelRun: Sendable {
    let browser: Chromium
    let bench: Workbench
    private let program: RunningProgram
    private let url: String

    /// Starts it, and waits until the page is ready.
    ///
    /// - Parameters:
    ///   - isFile: indicates whether the video is a file, of two minutes, or comes through a pipe.
    ///   - extra: additional arguments.
    static func with(
        ofFile isFile: Bool = false, _ extra: String = "--no-gestures",
        _ body: @Sendable (PanelRun) async throws -> Void
    ) async throws {
        try await Workbench.with { bench in
            let (program, url) = try await start(ofFile: isFile, extra, address: "", in: bench)
            defer { program.send(signal: SIGKILL) }
            let browser = try await Chromium.open(#require(Chromium.program), profile: bench.file("profile"))
            let run = PanelRun(browser: browser, bench: bench, program: program, url: url)
            do {
                try await run.open()
                try await body(run)
            } catch {
                await browser.close()
                throw error
            }
            await browser.close()
        }
    }

    /// Starts the program, and waits until the page is served.
    private static func start(
        ofFile isFile: Bool, _ extra: String, address: String, in bench: Workbench
    ) async throws -> (RunningProgram, url: String) {
        // A grey file would go into the pipe's buffers at once.
        let video = "-f lavfi -i \(isFile ? "testsrc2=" : "color=gray:")s=320x180:r=15"
        let coding = "-c:v libx264 -preset ultrafast"
        let options = "\(extra) --preset ultrafast --panel=\(address) --control c.sock --events events.jsonl"
        // The program takes the place of the shell, so that signals reach it.
        let flourish = "exec '\(Program.flourish.executable.path)' filter"
        let quiet = "ffmpeg -v error -nostdin"
        // Both end by themselves, should the test fail.
        let script =
            isFile
            ? """
            \(quiet) \(video) -t 120 \(coding) call.mp4
            \(flourish) call.mp4 - --output-format nut \(options) > >(exec \(quiet) -re -i - -f null -)
            """
            : "\(flourish) - out.mkv \(options) < <(exec \(quiet) -re \(video) -t 1800 \(coding) -f nut -)"
        let program = try Program(executable: URL(filePath: "/bin/bash")).start(["-c", script], in: bench.folder)
        try await Hang.wait(milliseconds: 50) { program.isRunning && !program.standardErrorSoFar.contains("/\n") }
        let url = program.standardErrorSoFar.split(whereSeparator: \.isWhitespace).first { $0.hasPrefix("http://") }
        guard let url else {
            program.send(signal: SIGKILL)
            throw Chromium.Failure(description: program.standardErrorSoFar)
        }
        return (program, String(url))
    }

    /// Kills the program, and starts another one at the same address. The caller kills that one.
    ///
    /// - Parameter extra: additional arguments, with `--panel-token` as at first.
    func startAgain(_ extra: String) async throws -> RunningProgram {
        kill()
        _ = try? await program.result()
        let authority = String(url.split(separator: "/")[1])
        let (program, url) = try await Self.start(ofFile: false, "-y \(extra)", address: authority, in: bench)
        #expect(url == self.url)
        return program
    }

    /// Opens the panel on the browser's page, with retries.
    func open() async throws {
        // A browser that is still starting on a busy machine may lose the navigation.
        var isOpen = false
        for _ in 0..<3 where !isOpen {
            try await browser.open(url)
            isOpen = try await browser.waits(for: Self.isReady, seconds: 20)
        }
        let page = try await browser.evaluate("document.documentElement.outerHTML").string ?? ""
        try #require(isOpen, "\(page.prefix(300))")
        // Scripts of tests call the functions of the page's modules.
        _ = try await browser.evaluate(
            """
            Promise.all(["panel", "words", "stage", "photographs"].map((name) => import(`./${name}.js`)))
              .then((modules) => { for (const module of modules) Object.assign(globalThis, module); })
            """)
    }

    /// Opens the page of the browser source on the browser's page, and waits until it can draw.
    ///
    /// - Parameter query: the page's options, such as `?dim=1`.
    func openOverlay(_ query: String = "") async throws {
        try await browser.open(url + "overlay.html" + query)
        try #require(try await browser.waits(for: OverlayPage.isReady, seconds: 120))
    }

    private static let isReady = """
        document.querySelectorAll('#buttons button').length === 8
            && document.body.classList.contains('live') && !document.getElementById('preview').hidden
        """

    func client() throws -> ControlClient { try ControlClient(path: bench.folder.path + "/c.sock") }

    /// Ends the run and returns its events.
    ///
    /// - Parameter asks: indicates whether the end is still to be requested.
    func end(asks: Bool = true) async throws -> EventLines {
        if asks { _ = try client().ask(["command": .text("quit")]) }
        #expect(
            try await browser.waits(for: "document.getElementById('status').textContent === 'The video has ended'"))
        _ = try await program.result()
        return try EventLines(String(decoding: bench.bytes("events.jsonl"), as: UTF8.self))
    }

    /// Kills the program.
    func kill() { program.send(signal: 9) }
}
