import Flourish
import Foundation
import Platform
import TestSupport
import Testing

@testable import FlourishControl

/// Requests by the thousand, connections by the hundred, and deliberately slow clients, on the pages of the panel and
/// of the review.
@Suite("Many clients of the pages", .serialized, .timeLimit(.minutes(Hang.minutes))) struct PageLoadTests {
    enum Page: String, CaseIterable {
        case panel, review
    }

    /// A page that is served, and its requests.
    struct Place: Sendable {
        let host: String, token: String, port: UInt16
        /// A resource that always exists.
        let name: String

        init(url: String, name: String) throws {
            let parts = url.split(separator: "/")
            (host, token, self.name) = (String(parts[1]), String(parts[2]), name)
            port = try #require(UInt16(parts[1].split(separator: ":")[1]))
        }

        func request(_ line: String, _ fields: [String] = [], body: String = "") -> String {
            let length = body.isEmpty ? [] : ["Content-Length: \(body.utf8.count)"]
            return (["\(line) HTTP/1.1", "Host: \(host)"] + fields + length).joined(separator: "\r\n") + "\r\n\r\n"
                + body
        }

        /// Returns the answer to a single request.
        func answer(_ line: String, _ fields: [String] = [], body: String = "") async throws -> String {
            let text = request(line, fields + ["Connection: close"], body: body)
            return try await StageThread.run { [port] () throws(ControlError) in
                try TCPCall.ask(port: port, text, lines: .max)
            }.get()
        }

        /// Waits until the page is served.
        func isServed() async throws -> Bool {
            for _ in Hang.rounds(milliseconds: 100) {
                if (try? await answer("GET /\(token)/\(name)").hasPrefix("HTTP/1.1 200")) == true { return true }
                try await Task.sleep(for: .milliseconds(100))
            }
            return false
        }
    }

    private func with(_ page: Page, _ body: @escaping @Sendable (Place) async throws -> Void) async throws {
        switch page {
        case .panel:
            var configuration = Configuration()
            configuration.resources = Resources(assets: Repository.root.appending(path: "Assets").path)
            let handler = CommandHandler(session: ReactionSession(configuration: configuration))
            let panel = try await PageServer(address: .loopback, handler: handler)
            do { try await body(Place(url: panel.url, name: "state")) } catch {
                await panel.stop()
                throw error
            }
            handler.feed.close()
            await panel.stop()
        case .review:
            try await ReviewBench.with { bench in try await body(Place(url: bench.server.url, name: "session")) }
        }
    }

    @Test(arguments: Page.allCases) func tenThousandRequestsAreAnswered(_ page: Page) async throws {
        try await with(page) { place async throws in
            let request = place.request("GET /\(place.token)/nothing")
            let count = try await StageThread.run { () throws(ControlError) in
                var count = 0
                for _ in 0..<20 {
                    let socket = LocalSocket(owning: try TCPCall.connect(port: place.port))
                    for _ in 0..<10 { count += Self.answers(socket, to: request, times: 50) }
                }
                return count
            }.get()
            #expect(count == 10_000)
            #expect(try await place.isServed())
        }
    }

    /// Sends a request many times at once, and counts the answers.
    private static func answers(_ socket: borrowing LocalSocket, to request: String, times: Int) -> Int {
        var rest = Array(String(repeating: request, count: times).utf8)[...]
        while !rest.isEmpty, let count = socket.write(rest) { rest = rest.dropFirst(count) }
        let start = Array("HTTP/1.1 404".utf8)
        var (bytes, count) = ([UInt8](), 0)
        while count < times, let more = socket.read(maximum: 65536), !more.isEmpty {
            bytes += more
            count += bytes.ranges(of: start).count
            // These bytes may begin the next answer.
            bytes = Array(bytes.suffix(start.count - 1))
        }
        return count
    }

    /// The clients know the token, and send half of a request.
    @Test(arguments: Page.allCases) func fiveHundredConnectionsAreBounded(_ page: Page) async throws {
        try await DescriptorTestLock.exclusively { try await fillUp(page) }
    }

    private func fillUp(_ page: Page) async throws {
        try await with(page) { place async throws in
            let half = Array("GET /\(place.token)/\(place.name) HTTP/1.1\r\nHost: ".utf8)
            let held = (0..<500).compactMap { _ in try? TCPCall.connect(port: place.port, wait: 100) }
            for descriptor in held {
                let socket = LocalSocket(owning: dup(descriptor))
                _ = socket.write(half[...])
            }
            #expect(held.count > 96)
            for descriptor in held { close(descriptor) }
            #expect(try await place.isServed())
        }
    }

    /// Unauthenticated clients that send a byte now and then are disconnected after five seconds, and the page is
    /// served meanwhile.
    @Test(arguments: Page.allCases) func slowClientsAreDisconnected(_ page: Page) async throws {
        try await with(page) { place async throws in
            let slow = try (0..<80).map { _ in try TCPCall.connect(port: place.port) }
            defer { for descriptor in slow { close(descriptor) } }
            let line = Array("GET /0000000000000000000000000000000000000000".utf8)
            var open = slow
            for byte in line where !open.isEmpty {
                open = open.filter { descriptor in
                    let socket = LocalSocket(owning: dup(descriptor))
                    return socket.write([byte][...]) != nil
                }
                if !open.isEmpty { #expect(try await place.isServed()) }
                try await Task.sleep(for: .milliseconds(400))
            }
            // The line takes 16 seconds at least: three times as long as they have.
            #expect(open.isEmpty)
        }
    }

    @Test(arguments: Page.allCases) func longOrDeepRequestsAreRefused(_ page: Page) async throws {
        try await with(page) { place async throws in
            let json = ["Content-Type: application/json", "If-Match: \"1\""]
            let line = page == .panel ? "POST /\(place.token)/command" : "PATCH /\(place.token)/plan"
            for depth in [1000, 4000, 60_000, 100_000] {
                let answer = try await place.answer(line, json, body: String(repeating: "[", count: depth))
                #expect(!answer.contains("\"success\"") && !answer.hasPrefix("HTTP/1.1 5"), "\(depth): \(answer)")
            }
            // A few of a campaign's hundred megabytes are sent before the server closes the connection.
            let endless = String(repeating: "x", count: ClientLoadTests.isCampaign ? 100 << 20 : 4 << 20)
            #expect(try await !place.answer(line, json, body: endless).contains("HTTP/1.1 200"))
            #expect(try await !place.answer("GET /\(place.token)/\(endless)").contains("HTTP/1.1 200"))
            #expect(try await !place.answer("GET /\(endless)").contains("HTTP/1.1 200"))
            #expect(try await place.isServed())
        }
    }
}
