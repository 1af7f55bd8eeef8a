internal import Synchronization

/// When work in this process last got on: a frame or a packet went from one stage to the next, bytes went into a file.
///
/// Who was asked to end and waits for what was begun can tell by it whether there is anything to wait for: a call into a
/// library that was given hostile data may never come back.
package enum LifeSign {
    private static let last = Atomic<UInt64>(0)
    private static let lately = Atomic<UInt64>(0)

    /// Work got on, now.
    package static func note() { last.store(MonotonicClock.now, ordering: .relaxed) }

    /// One step of honest work took so long, in nanoseconds. A long one is forgotten over the next few: one alone is a
    /// start, or another program's doing.
    package static func note(step: UInt64) {
        let former = lately.load(ordering: .relaxed)
        lately.store(max(step, former - former / 4), ordering: .relaxed)
        note()
    }

    /// How long nothing has got on, in nanoseconds, counted from a moment at the earliest.
    package static func silence(since moment: UInt64) -> UInt64 {
        let now = MonotonicClock.now
        return now - min(now, max(moment, last.load(ordering: .relaxed)))
    }

    /// How long a silence may be that comes from slow work alone, in nanoseconds: 1.8 s, and where an encoder lately took
    /// longer for a picture twice its time, up to 10 s.
    package static var patience: UInt64 {
        min(max(1_800_000_000, 2 * lately.load(ordering: .relaxed)), 10_000_000_000)
    }
}
