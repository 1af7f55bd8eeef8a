package import Flourish
import FoundationEssentials
import Platform

/// The client's end of a control socket: sends requests and reads lines, one after the other. Calls block.
///
/// ```swift
/// let client = try ControlClient(path: "/run/user/1000/flourish.sock")
/// try client.ask(["command": .text("perform"), "reactionType": .text("balloons")])
/// try client.send(["command": .text("observe")])
/// while let line = try client.nextLine() { print(line) }
/// ```
package final class ControlClient {
    private let path: String
    private let socket: LocalSocket
    private var input: [UInt8] = []

    /// Connects to a server.
    ///
    /// - Throws: ``FlourishError/Code/inputUnavailable`` if no server listens.
    package init(path: String) throws(FlourishError) {
        self.path = path
        guard let socket = LocalSocket() else {
            throw FlourishError(.unavailable, "\(path): the socket cannot be created (\(systemMessage(errno)))")
        }
        let status = socket.connect(to: path)
        guard status == 0 else {
            let advice =
                status == ENOENT || status == ECONNREFUSED
                ? "no flourish is listening; start one with --control \(path)"
                : "connecting failed (\(systemMessage(status)))"
            throw FlourishError(.inputUnavailable, "\(path): \(advice)")
        }
        self.socket = socket
    }

    /// Sends a request and waits for the reply. Events that arrive before the reply are dropped.
    ///
    /// - Returns: The reply's data; `.null` if it has none.
    /// - Throws: ``FlourishError/Code/usage`` with the server's message if it refuses the request.
    @discardableResult
    package func ask(_ fields: [String: JSONValue]) throws(FlourishError) -> JSONValue {
        try send(fields)
        while let line = try nextLine() {
            guard let answer = try? JSONDecoder().decode(Answer.self, from: Data(line.utf8)) else { continue }
            if answer.error != "success" { throw FlourishError(.usage, answer.error) }
            return answer.data ?? .null
        }
        throw FlourishError(.inputOutput, "\(path): the connection was closed before the answer")
    }

    /// Sends a request without waiting for the reply.
    package func send(_ fields: [String: JSONValue]) throws(FlourishError) {
        var rest = Array((JSONValue.object(fields).json + "\n").utf8)[...]
        while !rest.isEmpty {
            guard let count = socket.write(rest) else {
                throw FlourishError(.inputOutput, "\(path): the connection was closed")
            }
            rest = rest.dropFirst(count)
        }
    }

    /// Waits for the next line, and returns it; `nil` at the end.
    package func nextLine() throws(FlourishError) -> String? {
        while true {
            if let end = input.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: input[..<end], as: UTF8.self)
                input.removeFirst(end + 1)
                return line
            }
            guard let bytes = socket.read(maximum: 64 * 1024) else {
                if errno == ECONNRESET { return nil }
                throw FlourishError(.inputOutput, "\(path): reading failed (\(systemMessage(errno)))")
            }
            if bytes.isEmpty { return nil }
            input += bytes
        }
    }
}

/// The server's reply to a request. Other lines, such as events, have no field `error`.
private struct Answer: Decodable {
    /// `success`, or the reason for the refusal.
    let error: String
    let data: JSONValue?
}
