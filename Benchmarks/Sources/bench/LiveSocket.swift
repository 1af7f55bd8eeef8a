import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A client of the control socket.
final class LiveSocket {
    let descriptor: Int32
    private var input: [UInt8] = []

    /// Connects once the socket exists.
    init(_ path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: Array(path.utf8)) }
        for _ in 0..<2000 {
            let status = unsafe withUnsafePointer(to: &address) { address in
                unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            if status == 0 { return }
            usleep(5000)
        }
        throw BenchError("nobody listens at \(path)")
    }

    deinit { close(descriptor) }

    func say(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        // A closed socket is detected by the missing answer: SIGPIPE is ignored.
        _ = unsafe write(descriptor, bytes, bytes.count)
    }

    /// Waits for the next line that contains a text.
    func line(with text: String) throws -> String {
        while true {
            while let end = input.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: input[..<end], as: UTF8.self)
                input.removeFirst(end + 1)
                if line.contains(text) { return line }
            }
            var buffer = [UInt8](repeating: 0, count: 65536)
            let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { throw BenchError("the control socket was closed") }
            input += buffer[..<count]
        }
    }

    /// Discards the received data.
    func drain() {
        var buffer = [UInt8](repeating: 0, count: 65536)
        while unsafe recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT)) > 0 {}
    }
}
