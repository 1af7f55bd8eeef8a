import Platform

/// Sends bytes to a port of this machine, and reads the answer.
enum WebClient {
    /// - Returns: the bytes before the end, or within two seconds; nil if the connection fails.
    static func ask(port: UInt16, _ bytes: [UInt8]) -> [UInt8]? {
        #if canImport(Glibc)
        let kind = Int32(SOCK_STREAM.rawValue)
        #else
        let kind = SOCK_STREAM
        #endif
        let socket = socket(AF_INET, kind, 0)
        guard socket >= 0 else { return nil }
        defer { close(socket) }
        var limit = timeval(tv_sec: 2, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            unsafe setsockopt(socket, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let status = unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { return nil }
        var rest = bytes[...]
        while !rest.isEmpty {
            let sent = unsafe rest.withUnsafeBytes { unsafe write(socket, $0.baseAddress, $0.count) }
            guard sent > 0 else { break }
            rest = rest.dropFirst(sent)
        }
        shutdown(socket, Int32(SHUT_WR))
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while answer.count < 1 << 22 {
            let count = unsafe read(socket, &buffer, buffer.count)
            guard count > 0 else { break }
            answer += buffer[..<count]
        }
        return answer
    }
}

/// Text operations for bytes that may not be text.
enum Bytes {
    static func replacing(_ word: String, with other: String, in bytes: [UInt8]) -> [UInt8] {
        let word = Array(word.utf8)
        var result: [UInt8] = []
        var place = 0
        while place < bytes.count {
            if bytes[place...].starts(with: word) {
                result += Array(other.utf8)
                place += word.count
            } else {
                result.append(bytes[place])
                place += 1
            }
        }
        return result
    }
}
