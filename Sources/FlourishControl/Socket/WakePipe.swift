import Flourish
import Synchronization
import Platform

/// A pipe that wakes a thread that polls.
final class WakePipe: Sendable {
    let readEnd: Int32
    private let writeEnd: Int32
    private let isRung = Atomic(false)

    init?() {
        var ends: [Int32] = [0, 0]
        guard unsafe pipe(&ends) == 0 else { return nil }
        (readEnd, writeEnd) = (ends[0], ends[1])
        for end in ends {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
    }

    deinit {
        close(readEnd)
        close(writeEnd)
    }

    /// Wakes the thread; costs next to nothing where it was woken already.
    func ring() {
        guard !isRung.exchange(true, ordering: .acquiringAndReleasing) else { return }
        _ = DescriptorOutput.write([1], to: writeEnd)
    }

    /// To be called by the thread before it looks for what there is to do.
    func silence() {
        var byte: UInt8 = 0
        while unsafe read(readEnd, &byte, 1) > 0 {}
        isRung.store(false, ordering: .sequentiallyConsistent)
    }
}
