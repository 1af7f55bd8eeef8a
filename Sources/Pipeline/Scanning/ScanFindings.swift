import MediaIO
import Platform
import Reactions
import Synchronization

/// Collects the results and the progress of all scanning threads.
final class ScanFindings: Sendable {
    /// The progress of a thread in its segment.
    struct Watch {
        fileprivate var time: Double?
    }

    private struct State {
        var intervals: CandidateIntervals? = CandidateIntervals()
        var layouts: [ScannedLayouts] = []
        var frames = 0
        var seconds = 0.0
    }

    private let state = Mutex(State())
    private let duration: Double?
    private let progress: (@Sendable (SessionProgress) -> Void)?

    init(_ video: VideoStreamInfo, progress: (@Sendable (SessionProgress) -> Void)?) {
        duration = video.duration?.seconds
        self.progress = progress
    }

    /// The intervals found; `nil` if a coarse scan was not sufficient.
    var intervals: CandidateIntervals? { state.withLock { $0.intervals } }

    func add(_ found: CandidateIntervals) {
        state.withLock { $0.intervals?.add(found) }
    }

    func add(_ found: ScannedLayouts) {
        state.withLock { $0.layouts.append(found) }
    }

    /// The tiles found, over the whole recording.
    var layouts: LayoutTimeline { ScannedLayouts.joined(state.withLock { $0.layouts }) }

    /// Ends the scan of all threads, because a coarse scan is not sufficient.
    func give(up segments: Channel<CodedSegment>) {
        state.withLock { $0.intervals = nil }
        segments.cancel()
    }

    /// Begins measuring the progress in a segment.
    func watch() -> Watch { Watch() }

    /// Adds the time since the segment's previous frame to the progress, and reports it. The progress never decreases.
    func reportProgress(_ watch: inout Watch, time: Double) {
        let step = watch.time.map { max(time - $0, 0) } ?? 0
        watch.time = time
        state.withLock { state in
            state.frames += 1
            state.seconds += step
            progress?(SessionProgress(frames: state.frames, seconds: state.seconds, duration: duration, effects: 0))
        }
    }
}
