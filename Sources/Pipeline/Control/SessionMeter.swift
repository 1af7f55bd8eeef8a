import MediaIO
import Platform
import RateControl
import Reactions
import Synchronization

/// Measures a run for its observers.
package final class SessionMeter: Sendable {
    private struct State {
        /// The values of the last complete interval.
        var shown = SessionStatistics()
        var start: ContinuousClock.Instant?
        var frames = 0
        var latency = Duration.zero
        /// Bits that were written since `mediaStart`, and until when in seconds of the video.
        var bits = 0
        var mediaStart: Double?
    }

    private static let window = Duration.milliseconds(500)
    /// After so long without a frame there is no rate any more.
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
            // The bits written until now last until this frame.
            if time - start >= 0.5 {
                state.shown.bitRate = Double(state.bits) / (time - start)
                (state.mediaStart, state.bits) = (time, 0)
            }
            state.bits += bits
        }
    }
}

/// Measures the time of frames from stage to stage.
///
/// All stages hand in their times; any thread may.
final class LatencyMeter: Sendable {
    /// Seconds of video between two reports.
    static let interval = 5.0

    private struct State {
        var total: [ReactionEvent.LatencyStage: LatencyHistogram] = [:]
        var recent: [ReactionEvent.LatencyStage: LatencyHistogram] = [:]
        /// The frames inside the encoder and after it, by their time stamps in microseconds.
        var inside: [Int64: (arrival: ContinuousClock.Instant, passedAt: ContinuousClock.Instant)] = [:]
        var lastReport: Double?

        mutating func add(_ seconds: Double, to stage: ReactionEvent.LatencyStage) {
            total[stage, default: LatencyHistogram()].add(seconds)
            recent[stage, default: LatencyHistogram()].add(seconds)
        }

        /// Records a hop and begins the next.
        mutating func pass(_ time: Double, _ stage: ReactionEvent.LatencyStage) -> ContinuousClock.Instant? {
            let key = LatencyMeter.key(time), now = ContinuousClock.now
            guard let entry = inside[key] else { return nil }
            inside[key]?.passedAt = now
            add(LatencyMeter.seconds(now - entry.passedAt), to: stage)
            return entry.arrival
        }
    }

    private let state = Mutex(State())

    /// A frame has passed a stage before the encoder.
    func passed(_ stage: ReactionEvent.LatencyStage, _ item: inout PipelineFrame) {
        let now = ContinuousClock.now
        let seconds = Self.seconds(now - item.passedAt)
        item.passedAt = now
        state.withLock { $0.add(seconds, to: stage) }
    }

    /// A frame is about to be given to the encoder.
    func enters(_ item: borrowing PipelineFrame) {
        let entry = (item.arrival, ContinuousClock.now), time = item.time
        state.withLock {
            $0.add(Self.seconds(entry.1 - entry.0), to: .toEncoder)
            // A frame that an encoder drops never leaves it, so its entry would stay.
            if $0.inside.count > 1000 { $0.inside.removeAll() }
            $0.inside[Self.key(time)] = entry
        }
    }

    /// Records that the encoder returned a frame.
    func encoded(at time: Double) { state.withLock { _ = $0.pass(time, .encoding) } }

    /// A frame was written.
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

    private static func key(_ time: Double) -> Int64 { Int64((time * 1e6).rounded()) }
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

/// The current state of a run: means over about the last half second.
///
/// The statistics depend on the machine. Nothing that is drawn or emitted depends on them.
public struct SessionStatistics: Sendable, Hashable {
    /// Frames that were decided on and drawn so far.
    public var frames = 0
    /// Frames a second; 0 without input frames.
    public var framesPerSecond = 0.0
    /// The time from a frame's decoding until it is sent to the encoder, in seconds; `nil` before the first frames.
    public var latency: Double?
    /// Bits of video a second of video; `nil` if nothing is written.
    public var bitRate: Double?

    /// Nothing has happened yet.
    public init() {}
}

/// The time that each processing stage has worked, without waiting.
package final class StageLoad: Sendable {
    private let decoding = Atomic<UInt64>(0)
    private let drawing = Atomic<UInt64>(0)
    private let encoding = Atomic<UInt64>(0)

    func addDecoding(since start: UInt64) { Self.add(start, to: decoding) }
    func addDrawing(since start: UInt64) { Self.add(start, to: drawing) }
    func addEncoding(since start: UInt64) { Self.add(start, to: encoding) }

    /// The stages in the order of ``seconds``.
    static let names = ["decoding", "drawing", "encoding"]

    /// Seconds, a value for each stage.
    var seconds: [Double] {
        [decoding.load(ordering: .relaxed), drawing.load(ordering: .relaxed), encoding.load(ordering: .relaxed)]
            .map { Double($0) / 1e9 }
    }

    private static func add(_ start: UInt64, to total: borrowing Atomic<UInt64>) {
        total.add(MonotonicClock.now &- start, ordering: .relaxed)
    }
}
