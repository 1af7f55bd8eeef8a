import Platform

/// A Unix domain socket that owns its descriptor. It blocks unless ``makeNonblocking()`` is called.
struct LocalSocket: ~Copyable, Sendable {
    let descriptor: Int32

    /// Takes ownership of an open descriptor.
    init(owning descriptor: Int32) { self.descriptor = descriptor }

    /// Opens an unconnected stream socket; returns `nil` if the process has no free descriptors.
    init?() {
        #if canImport(Darwin)
        let kind = SOCK_STREAM
        #else
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        #endif
        let descriptor = socket(AF_UNIX, kind, 0)
        guard descriptor >= 0 else { return nil }
        self.init(owning: descriptor)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        // Darwin has no `MSG_NOSIGNAL`.
        #if canImport(Darwin)
        var on: Int32 = 1
        _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
        #endif
    }

    deinit { close(descriptor) }

    /// Makes reads and writes return at once.
    func makeNonblocking() {
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    }

    /// Binds the socket; returns 0, or an error number.
    func bind(to path: String) -> Int32 {
        unsafe Self.withAddress(path) { address, length in
            #if canImport(Darwin)
            unsafe Darwin.bind(descriptor, address, length)
            #else
            unsafe Glibc.bind(descriptor, address, length)
            #endif
        }
    }

    /// Connects the socket; returns 0, or an error number.
    func connect(to path: String) -> Int32 {
        unsafe Self.withAddress(path) { address, length in
            #if canImport(Darwin)
            unsafe Darwin.connect(descriptor, address, length)
            #else
            unsafe Glibc.connect(descriptor, address, length)
            #endif
        }
    }

    /// Reads up to `maximum` bytes. Returns an empty array at the end. Returns `nil`, with `errno` set, if there are no
    /// bytes yet or reading failed.
    func read(maximum: Int) -> [UInt8]? {
        var status = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: maximum) { buffer, count in
            repeat {
                status = unsafe recv(descriptor, buffer.baseAddress, maximum, 0)
            } while status < 0 && errno == EINTR
            count = max(status, 0)
        }
        return status < 0 ? nil : bytes
    }

    /// Writes until the socket's buffer is full. Returns the number of written bytes, or `nil` after an error, with
    /// `errno` set.
    func write(_ bytes: ArraySlice<UInt8>) -> Int? {
        #if canImport(Darwin)
        let flags: Int32 = 0
        #else
        let flags = Int32(MSG_NOSIGNAL)
        #endif
        var status = 0
        unsafe bytes.withUnsafeBytes { buffer in
            repeat {
                status = unsafe send(descriptor, buffer.baseAddress, buffer.count, flags)
            } while status < 0 && errno == EINTR
        }
        return status < 0 ? nil : status
    }

    /// The largest length of a path, in bytes of UTF-8.
    static let longestPath = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    /// - Returns: 0, or the error number of the call. For a path that does not fit, it is `ENAMETOOLONG`, without a
    ///   call.
    private static func withAddress(
        _ path: String, _ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count <= longestPath, !bytes.contains(0) else { return ENAMETOOLONG }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        let status = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe call($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        return status == 0 ? 0 : errno
    }
}
