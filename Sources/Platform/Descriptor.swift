/// Reads from an open file descriptor.
package enum DescriptorInput {
    /// Returns whether the descriptor is a regular file, which has an end.
    package static func isPlainFile(_ descriptor: Int32) -> Bool {
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// Reads to the end, or to one byte beyond a limit.
    ///
    /// - Returns: `nil` if reading fails.
    package static func readAll(_ descriptor: Int32, limit: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count <= limit {
            let count = unsafe read(descriptor, &buffer, buffer.count)
            if count < 0 && errno == EINTR { continue }
            if count < 0 { return nil }
            if count == 0 { break }
            bytes += buffer[..<count]
        }
        return bytes
    }
}

/// Writes to an open file descriptor without a buffer.
package enum DescriptorOutput {
    /// Writes all bytes, with repeated system calls if needed.
    ///
    /// - Returns: 0, or the error number of the write that failed.
    package static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { buffer in
                unsafe Platform.write(descriptor, buffer.baseAddress, buffer.count)
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return count < 0 ? errno : EIO }
            rest = rest.dropFirst(count)
        }
        return 0
    }

    /// Returns the open descriptor that a path denotes, such as `/dev/stderr` or `/dev/fd/3`; `nil` for other paths.
    ///
    /// Opening such a path would write a file from its beginning, over the output of other writers.
    package static func descriptor(named path: String) -> Int32? {
        switch path {
        case "-", "/dev/stdout": return STDOUT_FILENO
        case "/dev/stderr": return STDERR_FILENO
        default:
            let folders = ["/dev/fd/", "/proc/self/fd/"]
            guard let folder = folders.first(where: path.hasPrefix) else { return nil }
            let number = path.dropFirst(folder.count)
            return number.allSatisfy(\.isWholeNumber) ? Int32(number) : nil
        }
    }
}

/// A lock file. Processes, and runs within a process, can lock regions of it. When a process ends for any reason, the
/// system releases all its locks.
///
/// `F_OFD_SETLK`: a lock belongs to the open file, not to the process.
package final class RegionLock: Sendable {
    private let descriptor: Int32

    /// Takes ownership of an open descriptor.
    package init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Locks a region if it is free.
    ///
    /// - Returns: Whether the region was locked.
    package func acquire(_ region: Int64) -> Bool { set(region, Int16(F_WRLCK), Self.tryIt) == 0 }

    /// Waits for a region and locks it.
    package func wait(for region: Int64) {
        while set(region, Int16(F_WRLCK), Self.waitForIt) != 0, errno == EINTR {}
    }

    /// Unlocks a region.
    package func release(_ region: Int64) { _ = set(region, Int16(F_UNLCK), Self.tryIt) }

    /// Returns the region for a name: FNV-1a, and never 0.
    package static func region(_ name: some Sequence<UInt8>) -> Int64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in name { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return Int64(hash >> 2) | 1
    }

    private func set(_ region: Int64, _ type: Int16, _ command: Int32) -> Int32 {
        var lock = flock()
        lock.l_type = type
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = off_t(region)
        lock.l_len = 1
        return unsafe fcntl(descriptor, command, &lock)
    }

    #if canImport(Darwin)
    private static let (tryIt, waitForIt): (Int32, Int32) = (90, 91)
    #else
    private static let (tryIt, waitForIt): (Int32, Int32) = (37, 38)
    #endif
}
