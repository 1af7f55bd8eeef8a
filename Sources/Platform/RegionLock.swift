/// A lock file whose regions are locks: each region, one byte at an offset, stands for a name. Processes, and runs
/// within a process, exclude one another by locking a region. When a process ends for any reason, the system releases
/// all its locks.
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

    /// Returns the region for a name, from its FNV-1a hash. The number is odd, so even numbers are free for other uses.
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
