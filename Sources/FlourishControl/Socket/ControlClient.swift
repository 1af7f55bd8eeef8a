package import Flourish
import FoundationEssentials
import Platform

/// A program's end of a control socket: sends requests and reads lines, one after the other.
package final class ControlClient {
    private let path: String
    private let socket: LocalSocket
    private var input: [UInt8] = []

    /// Connects.
    ///
    /// - Throws: ``FlourishError/Code/inputUnavailable`` where nobody listens.
    package init(path: String) throws(FlourishError) {
        self.path = path
        guard let socket = LocalSocket() else {
            throw FlourishError(.unavailable, "\(path): no socket can be made (\(systemMessage(errno)))")
        }
        let status = socket.connect(to: path)
        guard status == 0 else {
            let advice =
                status == ENOENT || status == ECONNREFUSED
                ? "no flourish listens there; start one with --control \(path)"
                : "nobody can be reached there (\(systemMessage(status)))"
            throw FlourishError(.inputUnavailable, "\(path): \(advice)")
        }
        self.socket = socket
    }

    /// Asks for something and waits for the answer. Events that come before it are dropped.
    ///
    /// - Parameter fields: the request; `request_id` is added.
    /// - Returns: the answer to a request that was granted.
    /// - Throws: ``FlourishError/Code/usage`` with the other side's words where it refuses.
    package func ask(_ fields: [String: ControlValue]) throws(FlourishError) -> ControlAnswer {
        try send(fields)
        while let line = try nextLine() {
            guard let answer = ControlAnswer(line: line) else { continue }
            if answer.error != "success" { throw FlourishError(.usage, answer.error) }
            return answer
        }
        throw FlourishError(.inputOutput, "\(path): closed before it answered")
    }

    /// Sends a request without waiting.
    package func send(_ fields: [String: ControlValue]) throws(FlourishError) {
        var rest = Array((ControlLine.encode(.object(fields)) + "\n").utf8)[...]
        while !rest.isEmpty {
            guard let count = socket.write(rest) else {
                throw FlourishError(.inputOutput, "\(path): the other side has closed")
            }
            rest = rest.dropFirst(count)
        }
    }

    /// Waits for the next line; `nil` at the end.
    package func nextLine() throws(FlourishError) -> String? {
        while true {
            if let end = input.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: input[..<end], as: UTF8.self)
                input.removeFirst(end + 1)
                return line
            }
            guard let bytes = socket.read(most: 64 * 1024) else {
                if errno == ECONNRESET { return nil }
                throw FlourishError(.inputOutput, "\(path): reading failed (\(systemMessage(errno)))")
            }
            if bytes.isEmpty { return nil }
            input += bytes
        }
    }
}

/// What a server said to a request.
package struct ControlAnswer: Decodable {
    /// `success`, or what went wrong in words.
    package let error: String
    /// What the answer holds beside that; `nil` where there is nothing.
    package let data: ControlData?

    /// - Returns: `nil` for a line that is no answer, such as an event.
    package init?(line: String) {
        guard let answer = try? JSONDecoder().decode(ControlAnswer.self, from: Data(line.utf8)) else { return nil }
        self = answer
    }
}

/// Data of any shape from a server that is trusted.
package enum ControlData: Decodable, Sendable {
    case value(ControlValue)
    case list([ControlData])
    case object([String: ControlData])

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let value = try? container.decode(ControlValue.self) {
            self = .value(value)
        } else if let list = try? container.decode([ControlData].self) {
            self = .list(list)
        } else {
            self = .object(try container.decode([String: ControlData].self))
        }
    }

    /// The same as a value.
    package var value: ControlValue {
        switch self {
        case .value(let value): value
        case .list(let list): .list(list.map(\.value))
        case .object(let object): .object(object.mapValues(\.value))
        }
    }
}
