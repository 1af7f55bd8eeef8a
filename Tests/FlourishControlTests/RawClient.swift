import Foundation
import TestSupport
import Testing

@testable import FlourishControl

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A client that sends arbitrary bytes, and waits for lines for a bounded time.
final class RawClient {
    let socket: LocalSocket
    private var input: [UInt8] = []

    init(_ path: String) throws {
        guard let socket = LocalSocket() else { throw ControlError("no socket") }
        var limit = timeval(tv_sec: 20 * Sanitizer.timeoutFactor, tv_usec: 0)
        unsafe setsockopt(
            socket.descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        // While the listen queue is full, connecting fails on a non-blocking socket.
        guard socket.connect(to: path) == 0 else { throw ControlError("no connection") }
        self.socket = socket
    }

    func send(_ bytes: some Sequence<UInt8>) {
        var rest = Array(bytes)[...]
        while !rest.isEmpty, let count = socket.write(rest) { rest = rest.dropFirst(count) }
    }

    func send(_ line: String) { send((line + "\n").utf8) }

    /// Closes the sending direction.
    func endSending() { shutdown(socket.descriptor, Int32(SHUT_WR)) }

    /// The next line; `nil` at the end, or when none comes.
    func line() throws -> JSONValue? {
        while true {
            if let end = input.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: input[..<end], as: UTF8.self)
                input.removeFirst(end + 1)
                return try JSONValue(parsing: line)
            }
            guard let bytes = socket.read(maximum: 65536), !bytes.isEmpty else { return nil }
            input += bytes
        }
    }

    /// Sends a request and waits for the answer.
    func ask(_ line: String) throws -> JSONValue? {
        send(line)
        return try self.line()
    }
}
