import Flourish
import Platform

extension LocalSocket {
    /// A TCP socket that listens.
    ///
    /// - Returns: it, and the port that it got; or an error number.
    static func listening(on address: PanelAddress) -> Result<(port: UInt16, descriptor: Int32), SystemFailure> {
        #if canImport(Darwin)
        let kind = SOCK_STREAM
        #else
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        #endif
        let descriptor = socket(address.isIPv6 ? AF_INET6 : AF_INET, kind, 0)
        guard descriptor >= 0 else { return .failure(SystemFailure(code: errno)) }
        var on: Int32 = 1
        _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        let port = address.isIPv6 ? bindIPv6(descriptor, to: address) : bindIPv4(descriptor, to: address)
        #if canImport(Darwin)
        let isListening = port != nil && Darwin.listen(descriptor, 64) == 0
        #else
        let isListening = port != nil && Glibc.listen(descriptor, 64) == 0
        #endif
        guard let port, isListening else {
            let code = errno
            close(descriptor)
            return .failure(SystemFailure(code: code))
        }
        return .success((port, descriptor))
    }

    private static func bindIPv4(_ descriptor: Int32, to address: PanelAddress) -> UInt16? {
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = address.port.bigEndian
        guard unsafe inet_pton(AF_INET, address.host, &name.sin_addr) == 1 else { errno = EINVAL; return nil }
        guard unsafe bind(descriptor, &name) else { return nil }
        return UInt16(bigEndian: name.sin_port)
    }

    private static func bindIPv6(_ descriptor: Int32, to address: PanelAddress) -> UInt16? {
        var name = sockaddr_in6()
        name.sin6_family = sa_family_t(AF_INET6)
        name.sin6_port = address.port.bigEndian
        guard unsafe inet_pton(AF_INET6, address.host, &name.sin6_addr) == 1 else { errno = EINVAL; return nil }
        guard unsafe bind(descriptor, &name) else { return nil }
        return UInt16(bigEndian: name.sin6_port)
    }

    /// Binds, and fills in what the system chose.
    @unsafe
    private static func bind<Name>(_ descriptor: Int32, _ name: inout Name) -> Bool {
        var length = socklen_t(MemoryLayout<Name>.size)
        return unsafe withUnsafeMutablePointer(to: &name) { name in
            unsafe name.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
                #if canImport(Darwin)
                let status = unsafe Darwin.bind(descriptor, name, length)
                #else
                let status = unsafe Glibc.bind(descriptor, name, length)
                #endif
                return unsafe status == 0 && getsockname(descriptor, name, &length) == 0
            }
        }
    }
}

/// What a call of the system left in `errno`.
struct SystemFailure: Error {
    let code: Int32
    var message: String { systemMessage(code) }
}
