import MediaIO
import Platform
import RateControl
import Reactions
import Synchronization

/// Adds up the time that each processing stage works, without the time for which it waits. The stages' threads add to
/// it, and ``LiveQuality`` reads it.
package final class StageLoad: Sendable {
    private let decoding = Atomic<UInt64>(0)
    private let drawing = Atomic<UInt64>(0)
    private let encoding = Atomic<UInt64>(0)

    /// Adds the time since `start`, in nanoseconds of ``MonotonicClock``, as do the two functions below.
    func addDecoding(since start: UInt64) { Self.add(start, to: decoding) }
    package func addDrawing(since start: UInt64) { Self.add(start, to: drawing) }
    func addEncoding(since start: UInt64) { Self.add(start, to: encoding) }

    /// The stages in the order of ``seconds``.
    static let names = ["decoding", "drawing", "encoding"]

    /// The seconds of work of each stage.
    var seconds: [Double] {
        [decoding.load(ordering: .relaxed), drawing.load(ordering: .relaxed), encoding.load(ordering: .relaxed)]
            .map { Double($0) / 1e9 }
    }

    private static func add(_ start: UInt64, to total: borrowing Atomic<UInt64>) {
        total.add(MonotonicClock.now &- start, ordering: .relaxed)
    }
}
