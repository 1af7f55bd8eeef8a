/// A lock file whose regions processes, and runs within one, hold for themselves. Whoever ends, however that may be, lets
/// go of all.
///
/// `F_OFD_SETLK`: a lock belongs to the file that was opened, not to the process.
package final class RegionLock: Sendable {
    private let descriptor: Int32

    /// Takes over an open descriptor.
    package init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Takes a region, if nobody else has it.
    package func take(_ region: Int64) -> Bool { set(region, Int16(F_WRLCK), Self.tryIt) == 0 }

    /// Waits for a region.
    package func wait(for region: Int64) {
        while set(region, Int16(F_WRLCK), Self.waitForIt) != 0, errno == EINTR {}
    }

    /// Lets go of a region.
    package func release(_ region: Int64) { _ = set(region, Int16(F_UNLCK), Self.tryIt) }

    /// The region for a name: FNV-1a, and never 0.
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
