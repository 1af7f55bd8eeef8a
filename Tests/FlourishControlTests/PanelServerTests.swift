import Foundation
import Platform
import Reactions
import TestSupport
import Testing

@testable import Flourish
@testable import FlourishControl
@testable import Pipeline

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

@Suite struct PanelServerTests {
    /// Serves a session that does not run.
    private func withPanel(_ body: (_ panel: PageServer, _ handler: CommandHandler) async throws -> Void) async throws {
        var configuration = Configuration()
        configuration.resources = Resources(assets: Repository.root.appending(path: "Assets").path)
        let handler = CommandHandler(session: ReactionSession(configuration: configuration))
        let panel = try await PageServer(address: .loopback, handler: handler)
        do { try await body(panel, handler) } catch {
            await panel.stop()
            throw error
        }
        handler.feed.close()
        await panel.stop()
    }

    /// Returns a server's answer as text.
    private func reply(_ panel: PageServer, _ request: String, lines: Int = .max) async throws -> String {
        let port = try #require(UInt16(panel.url.split(separator: "/")[1].split(separator: ":")[1]))
        // It blocks, and the server needs the threads on which tests run.
        return try await StageThread.run { () throws(ControlError) in
            try TCPCall.ask(port: port, request, lines: lines)
        }.get()
    }

    private func path(_ panel: PageServer) -> String { "/" + panel.url.split(separator: "/")[2] + "/" }
    private func host(_ panel: PageServer) -> String { String(panel.url.split(separator: "/")[1]) }

    private func get(_ panel: PageServer, _ name: String, _ headers: String = "", host: String? = nil) async throws
        -> String
    {
        try await reply(
            panel,
            "GET \(path(panel))\(name) HTTP/1.1\r\nHost: \(host ?? self.host(panel))\r\nConnection: close\r\n\(headers)\r\n"
        )
    }

    private func post(_ panel: PageServer, _ body: String, type: String = "application/json") async throws -> String {
        try await reply(
            panel,
            "POST \(path(panel))command HTTP/1.1\r\nHost: \(host(panel))\r\nConnection: close\r\nContent-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        )
    }

    @Test func thePageAndItsResourcesAreServed() async throws {
        try await withPanel { (panel, _) async throws in
            let page = try await get(panel, "")
            #expect(page.hasPrefix("HTTP/1.1 200") && page.contains("<!doctype html>"))
            #expect(page.contains("default-src 'none'") && page.contains("no-referrer") && page.contains("no-store"))
            #expect(!page.contains("Access-Control"))
            for name in [
                "panel.js", "page.js", "names.js", "words.js", "stage.js", "reactions.js", "settings.js",
                "background.js", "camera.js",
                "log.js",
                "status.js", "photographs.js", "picture.js", "panel.css", "icons/rain.png",
                "icons/balloons.png",
                "state", "overlay.html", "overlay.js", "overlay.css",
            ] {
                #expect(try await get(panel, name).hasPrefix("HTTP/1.1 200"), "\(name)")
            }
            #expect(try await get(panel, "../Reactions/rain.json").hasPrefix("HTTP/1.1 404"))
            #expect(try await get(panel, "preview.jpg").hasPrefix("HTTP/1.1 204"), "there is no picture yet")
        }
    }

    /// The numbers of a record of the browser source, and its pixels.
    private struct OverlayRecord {
        var width: Int, height: Int, left: Int, top: Int, columns: Int, rows: Int
        var pixels: ArraySlice<UInt8>

        /// Takes a record from the front of the bytes.
        init?(_ bytes: inout ArraySlice<UInt8>) {
            guard bytes.count >= 24 else { return nil }
            let numbers = (0..<6).map { index in
                bytes.dropFirst(4 * index).prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
            }
            (width, height, left, top) = (numbers[0], numbers[1], numbers[2], numbers[3])
            (columns, rows) = (numbers[4], numbers[5])
            pixels = bytes.dropFirst(24).prefix(columns * rows * 4)
            bytes = bytes.dropFirst(24 + columns * rows * 4)
        }

        var isEmpty: Bool { pixels.isEmpty }
    }

    @Test func framesAreSentOnlyWhileEffectsAreInProgress() async throws {
        try await withPanel { (panel, handler) async throws in
            let port = try #require(UInt16(host(panel).split(separator: ":")[1]))
            let request = """
                GET \(path(panel))overlay.rgba?width=160&height=100&dim=0.6 HTTP/1.1\r
                Host: \(host(panel))\r\nConnection: close\r\n\r\n
                """
            let (arrivals, arrived) = AsyncStream<Void>.makeStream()
            async let received = StageThread.run { () throws(ControlError) in
                defer { arrived.finish() }
                return try TCPCall.bytes(port: port, request) { answer in
                    if let end = answer.firstRange(of: Array("\r\n\r\n".utf8)), answer.count > end.upperBound {
                        arrived.yield()
                    }
                }
            }
            // The effects begin after the page's first record.
            _ = await arrivals.first { _ in true }
            var plan = FramePlan(time: 1, id: 30)
            plan.effects = [
                PlannedEffect(
                    id: 1, reactionType: .balloons, startTime: 0, endTime: 60, origin: PicturePoint(x: 0.5, y: 0.5),
                    trigger: .request, gesture: nil)
            ]
            handler.session.control.publish(plan)
            try await Task.sleep(for: .seconds(2 * Sanitizer.timeoutFactor))
            handler.session.control.endEffects()
            try await Task.sleep(for: .milliseconds(500))
            handler.feed.close()
            let answer = try await received.get()
            let end = try #require(answer.firstRange(of: Array("\r\n\r\n".utf8)))
            #expect(String(decoding: answer[..<end.lowerBound], as: UTF8.self).hasPrefix("HTTP/1.1 200"))
            var bytes = TCPCall.unchunked(Array(answer[end.upperBound...]))[...]
            var records: [OverlayRecord] = []
            while let record = OverlayRecord(&bytes) { records.append(record) }
            #expect(records.count > 3 && bytes.isEmpty)
            // One is empty at the beginning and one after the effects, and nothing follows.
            #expect(records.first?.isEmpty == true && records.last?.isEmpty == true)
            let drawn = records.filter { !$0.isEmpty }
            #expect(drawn.count == records.count - 2)
            for record in drawn {
                #expect(record.width == 160 && record.height == 100)
                #expect(record.left + record.columns <= 160 && record.top + record.rows <= 100)
                #expect(record.pixels.count == record.columns * record.rows * 4)
            }
            #expect(Set(drawn.map(\.pixels)).count > 1, "the effect moves")
        }
    }

    @Test func theReasonForAMissingPictureIsShown() async throws {
        try await withPanel { (panel, handler) async throws in
            #expect(try await get(panel, "state").contains(#""noPicture":"the input has not delivered a frame yet""#))
            handler.record(SessionProgress(frames: 1, seconds: 0, duration: nil, effects: 0))
            #expect(try await get(panel, "state").contains(#""noPicture":null"#))
            handler.cameraChoice = CameraChoice(
                cameras: { [] }, camera: { nil }, absence: { "no camera is connected" }, choose: { _ in })
            #expect(try await get(panel, "state").contains(#""noPicture":"no camera is connected""#))
        }
    }

    @Test func pagesOfNoSizeAreRefused() async throws {
        try await withPanel { (panel, _) async throws in
            for query in ["", "?width=0&height=100&dim=1", "?width=100&height=99999&dim=1", "?width=9&height=9&dim=2"] {
                #expect(try await get(panel, "overlay.rgba\(query)").hasPrefix("HTTP/1.1 400"), "\(query)")
            }
        }
    }

    @Test func unauthenticatedClientsAreRejected() async throws {
        try await withPanel { (panel, handler) async throws in
            let wrong =
                "GET /\(String(repeating: "0", count: 32))/ HTTP/1.1\r\nHost: \(host(panel))\r\nConnection: close\r\n\r\n"
            #expect(try await reply(panel, wrong).hasPrefix("HTTP/1.1 404"))
            #expect(try await get(panel, "", host: "rebound.example:80").hasPrefix("HTTP/1.1 403"))
            #expect(try await get(panel, "state", "Origin: http://evil.example\r\n").hasPrefix("HTTP/1.1 403"))
            let events = try await get(panel, "events", "Sec-Fetch-Site: cross-site\r\n")
            #expect(events.hasPrefix("HTTP/1.1 403"))
            #expect(
                try await post(panel, #"{"command":"set","name":"calm","value":true}"#, type: "text/plain").hasPrefix(
                    "HTTP/1.1 415"))
            #expect(!handler.session.style.isCalm)
        }
    }

    @Test func commandsAreExecutedAndErrorsReported() async throws {
        try await withPanel { (panel, handler) async throws in
            #expect(try await post(panel, #"{"command":"set","name":"calm","value":true}"#).contains("success"))
            #expect(handler.session.style.isCalm)
            #expect(try await post(panel, "nonsense").contains("not a JSON object"))
            for command in ["observe", "snapshot"] {
                #expect(try await post(panel, #"{"command":"\#(command)"}"#).contains("control socket only"))
            }
            #expect(!handler.hasQuit)
            #expect(try await post(panel, #"{"command":"quit"}"#).contains("success"))
            #expect(handler.hasQuit)
            #expect(try await post(panel, String(repeating: "x", count: 5000)).hasPrefix("HTTP/1.1 413"))
        }
    }

    @Test func eventsAreStreamed() async throws {
        try await withPanel { (panel, handler) async throws in
            let request = "GET \(path(panel))events HTTP/1.1\r\nHost: \(host(panel))\r\n\r\n"
            async let text = reply(panel, request, lines: 24)
            try await Task.sleep(for: .milliseconds(100))
            handler.feed.publishChange(of: "calm", to: .flag(true))
            let seen = try await text
            #expect(seen.contains("text/event-stream"))
            #expect(seen.contains("data: {\"effects\":[],\"event\":\"effectsInProgress\""))
            #expect(seen.contains("event: status"))
        }
    }

    /// A client that connects late receives earlier events, marked as past.
    @Test func pastEventsAreMarked() async throws {
        try await withPanel { (panel, handler) async throws in
            handler.feed.publishChange(of: "calm", to: .flag(true))
            handler.feed.publishChange(of: "calm", to: .flag(false))
            let request = "GET \(path(panel))events HTTP/1.1\r\nHost: \(host(panel))\r\n\r\n"
            let seen = try await reply(panel, request, lines: 24)
            let lines = seen.split(whereSeparator: \.isNewline)
            let past = try #require(lines.firstIndex { $0 == "event: past" })
            #expect(lines[past + 1].hasPrefix("data: [{") && lines[past + 1].contains("},{"))
            #expect(lines[past + 2] == "id: 1" && lines[past + 3].contains("effectsInProgress"))
            #expect(!lines.contains { $0.hasPrefix("data: {") && $0.contains("propertyChanged") })
        }
    }

    /// Limits also apply to a browser, or any client with the token.
    @Test func requestsHaveLimits() async throws {
        try await withPanel { (panel, handler) async throws in
            let start = "GET \(path(panel))state HTTP/1.1\r\nHost: \(host(panel))\r\n"
            let long = "X-Long: \(String(repeating: "x", count: 10_000))\r\n"
            #expect(try await reply(panel, start + long + "\r\n").hasPrefix("HTTP/1.1 400"))
            let many = (0..<100).map { "X-\($0): 1\r\n" }.joined()
            #expect(try await reply(panel, start + many + "\r\n").hasPrefix("HTTP/1.1 400"))
            #expect(try await reply(panel, start + "no header\r\n\r\n").hasPrefix("HTTP/1.1 400"))
            #expect(try await post(panel, String(repeating: "x", count: 1_000_000)).hasPrefix("HTTP/1.1 413"))
            #expect(try await post(panel, String(repeating: "x", count: 9_000_000)).isEmpty, "it is cut off")
            // Two requests on one connection, in sequence and pipelined.
            let two = try await reply(panel, start + "\r\n" + start + "Connection: close\r\n\r\n")
            #expect(two.components(separatedBy: "HTTP/1.1 200").count == 3)
        }
    }

    @Test func halfClosedConnectionsGetAnswers() async throws {
        try await withPanel { (panel, _) async throws in
            let port = try #require(UInt16(panel.url.split(separator: "/")[1].split(separator: ":")[1]))
            let request = "GET \(path(panel))state HTTP/1.1\r\nHost: \(host(panel))\r\n\r\n"
            let answer = try await StageThread.run { () throws(ControlError) in
                try TCPCall.ask(port: port, request, lines: .max, endsSending: true)
            }.get()
            #expect(answer.hasPrefix("HTTP/1.1 200"))
        }
    }

    /// A client without the token is rejected by its check, whatever it sends.
    @Test func unauthenticatedClientsUseNoResources() async throws {
        try await DescriptorTestLock.exclusively { try await openUnauthenticatedConnections() }
    }

    private func openUnauthenticatedConnections() async throws {
        try await withPanel { (panel, _) async throws in
            #expect(try await reply(panel, "\u{1}\u{2}nonsense\n").hasPrefix("HTTP/1.1 404"))
            #expect(try await reply(panel, "GET / HTTP/1.1\r\n\r\n").hasPrefix("HTTP/1.1 404"))
            let endless = String(repeating: "x", count: 100_000)
            // The rest of it is not read, so that the answer may not arrive.
            #expect(try await !reply(panel, endless).contains("200"))
            #expect(try await !reply(panel, "GET /\(endless)/ HTTP/1.1\r\n\r\n").contains("200"))
            let port = try #require(UInt16(panel.url.split(separator: "/")[1].split(separator: ":")[1]))
            let held = (0..<600).compactMap { _ in try? TCPCall.connect(port: port, wait: 100) }
            // Silent connections are closed, which frees their slots.
            var answer = ""
            for _ in Hang.rounds(milliseconds: 100) {
                guard !answer.hasPrefix("HTTP/1.1 200") else { break }
                answer = (try? await get(panel, "state")) ?? ""
                if !answer.hasPrefix("HTTP/1.1 200") { try await Task.sleep(for: .milliseconds(100)) }
            }
            #expect(answer.hasPrefix("HTTP/1.1 200"))
            for descriptor in held { close(descriptor) }
        }
    }

    @Test func anAddressInUseIsReported() async throws {
        try await withPanel { (panel, handler) async throws in
            let error = await #expect(throws: FlourishError.self) {
                _ = try await PageServer(address: PanelAddress(host(panel)), handler: handler)
            }
            #expect(error?.code == .outputUnavailable)
        }
    }
}

/// One conversation over TCP with this machine.
enum TCPCall {
    /// - Parameter lines: the number of lines to wait for; all there are by default.
    static func ask(
        port: UInt16, _ request: String, lines: Int, endsSending: Bool = false
    ) throws(ControlError) -> String {
        String(decoding: try bytes(port: port, request, lines: lines, endsSending: endsSending), as: UTF8.self)
    }

    /// The same, as bytes.
    ///
    /// - Parameter observe: called with all bytes so far, whenever some arrive.
    static func bytes(
        port: UInt16, _ request: String, lines: Int = .max, endsSending: Bool = false,
        observe: ([UInt8]) -> Void = { _ in }
    ) throws(ControlError) -> [UInt8] {
        let socket = LocalSocket(owning: try connect(port: port))
        var rest = Array(request.utf8)[...]
        while !rest.isEmpty, let count = socket.write(rest) { rest = rest.dropFirst(count) }
        if endsSending { shutdown(socket.descriptor, Int32(SHUT_WR)) }
        var text: [UInt8] = []
        while text.count(where: { $0 == UInt8(ascii: "\n") }) < lines {
            guard let bytes = socket.read(maximum: 65536), !bytes.isEmpty else { break }
            text += bytes
            observe(text)
        }
        return text
    }

    /// Returns a body without the lengths of its chunks.
    static func unchunked(_ body: [UInt8]) -> [UInt8] {
        var (rest, result): (ArraySlice<UInt8>, [UInt8]) = (body[...], [])
        while let end = rest.firstRange(of: Array("\r\n".utf8)),
            let size = Int(String(decoding: rest[..<end.lowerBound], as: UTF8.self), radix: 16), size > 0
        {
            result += rest[end.upperBound...].prefix(size)
            rest = rest[end.upperBound...].dropFirst(size + 2)
        }
        return result
    }

    /// Opens a connection that waits for answers for a bounded time, and returns its descriptor.
    ///
    /// - Parameter wait: the time in milliseconds, if necessary, for which it waits while the server has no free
    ///   slot: the system tries again after seconds.
    static func connect(port: UInt16, wait: Int? = nil) throws(ControlError) -> Int32 {
        #if canImport(Darwin)
        let kind = SOCK_STREAM
        #else
        let kind = Int32(SOCK_STREAM.rawValue)
        #endif
        let descriptor = socket(AF_INET, kind, 0)
        var limit = timeval(tv_sec: 20 * Sanitizer.timeoutFactor, tv_usec: 0)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        if let wait {
            limit = timeval(tv_sec: wait / 1000, tv_usec: .init(wait % 1000 * 1000))
            unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let status = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                #if canImport(Darwin)
                unsafe Darwin.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                #else
                unsafe Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                #endif
            }
        }
        guard status == 0 else {
            close(descriptor)
            throw ControlError(.failed, "no connection")
        }
        return descriptor
    }
}
