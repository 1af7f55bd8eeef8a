import Platform
import TestSupport
import Testing

@testable import FlourishControl

/// A page that is served, and its client.
protocol PageBench: Sendable {
    /// The page's address.
    var url: String { get }
    /// The number of lines until the event stream has sent all topics once.
    var eventLines: Int { get }
}

extension PageBench {
    var eventLines: Int { 19 }
    static var json: String { "Content-Type: application/json" }

    var host: String { String(url.split(separator: "/")[1]) }
    var token: String { String(url.split(separator: "/")[2]) }

    /// Returns the answer: the head as text, and the body.
    func ask(
        _ method: String, _ name: String, _ fields: [String] = [], body: String = "", host: String? = nil,
        token: String? = nil
    ) async throws -> (head: String, body: [UInt8]) {
        let lines =
            ["\(method) /\(token ?? self.token)/\(name) HTTP/1.1", "Host: \(host ?? self.host)", "Connection: close"]
            + fields + (body.isEmpty ? [] : ["Content-Length: \(body.utf8.count)"])
        let request = lines.joined(separator: "\r\n") + "\r\n\r\n" + body
        let port = try #require(UInt16(self.host.split(separator: ":")[1]))
        let bytes = try await StageThread.run { () throws(ControlError) in
            try TCPCall.bytes(port: port, request)
        }.get()
        let end = bytes.firstRange(of: Array("\r\n\r\n".utf8))
        return (
            String(decoding: bytes[..<(end?.lowerBound ?? bytes.count)], as: UTF8.self),
            Array(bytes[(end?.upperBound ?? bytes.count)...])
        )
    }

    func status(
        _ method: String, _ name: String, _ fields: [String] = [], body: String = "", host: String? = nil,
        token: String? = nil
    ) async throws -> Int {
        let head = try await ask(method, name, fields, body: body, host: host, token: token).head
        return head.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    }

    /// Waits for an event of a topic that meets a condition, and returns it.
    func event(_ topic: String, until holds: (String) -> Bool) async throws -> String {
        for _ in Hang.rounds(milliseconds: 100) {
            let port = try #require(UInt16(host.split(separator: ":")[1]))
            let lines = eventLines
            let request = "GET /\(token)/events HTTP/1.1\r\nHost: \(host)\r\n\r\n"
            let text = try await StageThread.run { () throws(ControlError) in
                try TCPCall.ask(port: port, request, lines: lines)
            }.get()
            let told = text.split(whereSeparator: \.isNewline)
            if let index = told.firstIndex(of: "event: \(topic)"), index + 1 < told.count,
                holds(String(told[index + 1]))
            {
                return String(told[index + 1])
            }
            try await Task.sleep(for: .milliseconds(100))
        }
        throw ControlError(.failed, "\(topic) was never reported so")
    }
}
