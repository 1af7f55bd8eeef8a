import Frames
import MediaIO
import Platform
import RateControl
import Reactions
import Synchronization

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
