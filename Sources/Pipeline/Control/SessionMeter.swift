import MediaIO
import Platform
import RateControl
import Reactions
import Synchronization

/// Measures the frame rate, latency and bit rate of a run for applications. The stages' threads record frames; any
/// thread reads ``statistics``.
package final class SessionMeter: Sendable {
    private struct State {
        /// The values of the last complete interval.
        var shown = SessionStatistics()
        var start: ContinuousClock.Instant?
        var frames = 0
        var latency = Duration.zero
        /// The bits that were written since `mediaStart`, the decoding time, in seconds, at which the interval began.
        var bits = 0
        var mediaStart: Double?
    }

    private static let window = Duration.milliseconds(500)
    /// The time without a frame after which the frame rate is reported as 0.
    private static let silence = Duration.seconds(2)

    private let state = Mutex(State())

    /// The values of the last half second.
    package var statistics: SessionStatistics {
        state.withLock { state in
            var shown = state.shown
            if let start = state.start, ContinuousClock.now - start > Self.silence { shown.framesPerSecond = 0 }
            return shown
        }
    }

    /// Counts a frame that is sent to the encoder.
    package func noteFrame(decodedAt arrival: ContinuousClock.Instant) {
        let now = ContinuousClock.now
        state.withLock { state in
            state.shown.frames += 1
            guard let start = state.start else {
                state.start = now
                return
            }
            state.frames += 1
            state.latency += now - arrival
            guard now - start >= Self.window else { return }
            state.shown.framesPerSecond = Double(state.frames) / ((now - start) / .seconds(1))
            state.shown.latency = state.latency / .seconds(1) / Double(state.frames)
            (state.start, state.frames, state.latency) = (now, 0, .zero)
        }
    }

    /// Adds the size of a frame in the file.
    ///
    /// - Parameter time: its decoding time in seconds.
    func noteWritten(bits: Int, at time: Double) {
        state.withLock { state in
            guard let start = state.mediaStart, time >= start else {
                (state.mediaStart, state.bits) = (time, bits)
                return
            }
            // The bits before this frame belong to the interval that ends with its time.
            if time - start >= 0.5 {
                state.shown.bitRate = Double(state.bits) / (time - start)
                (state.mediaStart, state.bits) = (time, 0)
            }
            state.bits += bits
        }
    }
}

/// Figures of a run in progress. Rates and latency are means over about the last half second.
///
/// The statistics depend on the machine. Nothing that is drawn or emitted depends on them.
public struct SessionStatistics: Sendable, Hashable {
    /// The number of frames that were planned and drawn so far.
    public var frames = 0
    /// Frames a second; 0 without input frames.
    public var framesPerSecond = 0.0
    /// The time from a frame's decoding until it is sent to the encoder, in seconds; `nil` before the first frames.
    public var latency: Double?
    /// The bits of video for each second of video; `nil` if nothing is written.
    public var bitRate: Double?

    /// Creates statistics before anything was measured.
    public init() {}
}

/// Measures the time that frames take in each stage, if ``Configuration/measuresLatency`` is set.
///
/// The stages call it on their threads.
final class LatencyMeter: Sendable {
    /// Seconds of video between two reports.
    static let interval = 5.0

    private struct State {
        var total: [ReactionEvent.LatencyStage: LatencyHistogram] = [:]
        var recent: [ReactionEvent.LatencyStage: LatencyHistogram] = [:]
        /// The frames that the encoder has received and that are not written yet, by their time stamps in microseconds:
        /// when each was decoded, and when it passed the last stage.
        var inside: [Int64: (arrival: ContinuousClock.Instant, passedAt: ContinuousClock.Instant)] = [:]
        /// The time of the video at the last report, in seconds.
        var lastReport: Double?

        mutating func add(_ seconds: Double, to stage: ReactionEvent.LatencyStage) {
            total[stage, default: LatencyHistogram()].add(seconds)
            recent[stage, default: LatencyHistogram()].add(seconds)
        }

        /// Records the time that a frame took in a stage, and returns the instant at which it was decoded; `nil` if the
        /// frame is unknown.
        mutating func pass(_ time: Double, _ stage: ReactionEvent.LatencyStage) -> ContinuousClock.Instant? {
            let key = LatencyMeter.key(time), now = ContinuousClock.now
            guard let entry = inside[key] else { return nil }
            inside[key]?.passedAt = now
            add(LatencyMeter.seconds(now - entry.passedAt), to: stage)
            return entry.arrival
        }
    }

    private let state = Mutex(State())

    /// Records that a frame has passed a stage before the encoder.
    func passed(_ stage: ReactionEvent.LatencyStage, _ item: inout PipelineFrame) {
        let now = ContinuousClock.now
        let seconds = Self.seconds(now - item.passedAt)
        item.passedAt = now
        state.withLock { $0.add(seconds, to: stage) }
    }

    /// Records that a frame is about to be sent to the encoder.
    func enters(_ item: borrowing PipelineFrame) {
        let entry = (item.arrival, ContinuousClock.now), time = item.time
        state.withLock {
            $0.add(Self.seconds(entry.1 - entry.0), to: .toEncoder)
            // Entries of frames that the encoder dropped are removed only here.
            if $0.inside.count > 1000 { $0.inside.removeAll() }
            $0.inside[Self.key(time)] = entry
        }
    }

    /// Records that the encoder returned a frame.
    func encoded(at time: Double) { state.withLock { _ = $0.pass(time, .encoding) } }

    /// Records that a frame was written.
    func written(at time: Double) {
        state.withLock { state in
            guard let arrival = state.pass(time, .writing) else { return }
            state.inside[Self.key(time)] = nil
            state.add(Self.seconds(ContinuousClock.now - arrival), to: .total)
        }
    }

    /// Returns the measurements since the last report, if one is due.
    func report(at time: Double) -> ReactionEvent.Statistics? {
        state.withLock { state in
            guard let last = state.lastReport, time >= last else {
                state.lastReport = time
                return nil
            }
            guard time - last >= Self.interval else { return nil }
            state.lastReport = time
            defer { state.recent.removeAll() }
            return ReactionEvent.Statistics(state.recent)
        }
    }

    /// The measurements of the whole run.
    var summary: ReactionEvent.Statistics { state.withLock { ReactionEvent.Statistics($0.total) } }

    private static func seconds(_ duration: Duration) -> Double { duration / .seconds(1) }

    /// Times of a damaged file may have any value, and are limited.
    private static func key(_ time: Double) -> Int64 { Int64(min(max(time * 1e6, -1e18), 1e18).rounded()) }
}

extension ReactionEvent.Statistics {
    fileprivate init(_ histograms: [ReactionEvent.LatencyStage: LatencyHistogram]) {
        self.init(
            stages: ReactionEvent.LatencyStage.allCases.compactMap { stage in
                histograms[stage].map {
                    .init(
                        stage: stage, count: $0.count, p50: $0.percentile(0.5), p95: $0.percentile(0.95),
                        p99: $0.percentile(0.99), max: $0.maximum)
                }
            })
    }
}

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
