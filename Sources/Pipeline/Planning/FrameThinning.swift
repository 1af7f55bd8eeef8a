import MediaIO
import RateControl
import Reactions
import Synchronization

/// Drops frames while effects run at a lower rate.
///
/// Every frame that stays keeps its time stamp.
package struct FrameThinning {
    private var pacer: FramePacer?
    /// The nominal rate of the input in frames a second; `nil` if the input does not state it.
    let inputRate: Double?
    /// The times at which every second frame is dropped because the machine is too slow.
    enum Halving: Sendable, Hashable {
        case never, duringEffects, always
    }

    var halving = Halving.never
    /// A Boolean value that indicates whether the next frame is dropped while every second frame is dropped.
    private var isSecond = false
    private var isPacing = false

    /// - Parameter limit: the requested frame rate. An input that is not faster keeps all frames.
    init(limit: EffectsFrameRate?, inputRate: Double?) {
        self.inputRate = inputRate
        if let rate = limit?.rate(forInput: inputRate), inputRate.map({ $0 > rate }) ?? true {
            pacer = FramePacer(rate: rate)
        }
    }

    /// - Parameters:
    ///   - limit: As for ``init(limit:inputRate:)``.
    ///   - video: The input.
    init(limit: EffectsFrameRate?, of video: VideoStreamInfo) {
        let rate = video.averageFrameRate
        self.init(limit: limit, inputRate: rate.isPositive ? rate.value : nil)
    }

    /// The rate while effects run; `nil` if it does not change.
    var rate: Double? { pacer?.rate }

    /// Returns whether the frame at a time, in seconds, stays.
    ///
    /// - Parameter effects: the effects in progress at the last kept frame.
    mutating func keeps(_ time: Double, during effects: [PlannedEffect]) -> Bool {
        let isRunning = effects.contains { $0.startTime <= time && time < $0.endTime }
        return pacer?.keeps(time, isPacing: isRunning) ?? true && survivesHalving(isRunning)
    }

    private mutating func survivesHalving(_ isRunning: Bool) -> Bool {
        guard halving == .always || halving == .duringEffects && isRunning else {
            isSecond = false
            return true
        }
        defer { isSecond.toggle() }
        return !isSecond
    }

    /// Returns the change of the frame rate at a kept frame.
    ///
    /// - Parameters:
    ///   - showsEffects: whether any is in progress at it.
    ///   - step: the time from the previous frame to this one, in seconds.
    mutating func follow(showsEffects: Bool, step: Double) -> ReactionEvent.FrameRateChange? {
        guard let rate, showsEffects != isPacing else { return nil }
        isPacing = showsEffects
        let usual = inputRate ?? (step > 0 ? 1 / step : rate)
        return showsEffects
            ? .init(from: usual, to: rate, reason: "effectsInProgress")
            : .init(from: rate, to: usual, reason: "effectsEnded")
    }

    /// Returns the time for which a kept frame is shown to replace the dropped frames after it; `nil` if its duration
    /// does not change.
    func minimumDuration(showsEffects: Bool, step: Double) -> Double? {
        let isHalved = halving == .always || halving == .duringEffects && showsEffects
        let durations = [isHalved ? 2 * step : nil, showsEffects ? rate.map { 1 / $0 } : nil]
        return durations.compactMap(\.self).max()
    }
}

/// Decides what a live run omits while the machine is too slow for it.
///
/// The drawing thread updates it; other threads read the values that concern them.
package final class LiveQuality: Sendable {
    /// The work of the stages, which they report.
    let load = StageLoad()
    private let ladder = Mutex(QualityLadder())

    private var level: QualityLadder.Level { ladder.withLock { $0.level } }

    /// Takes a frame.
    /// - Returns: the step to take before it, if any.
    func advance(to time: Double) -> QualityLadder.Step? {
        let busy = load.seconds
        return ladder.withLock { $0.observe(time: time, busy: busy) }
    }

    /// The current level, and the load that led to it.
    var state: SessionQuality {
        ladder.withLock { ladder in
            SessionQuality(
                level: "\(ladder.level)",
                lowered: QualityLadder.Level.allCases.filter { $0 > .full && $0 <= ladder.level }.map { "\($0)" },
                load: ladder.busiest?.load, busiestStage: ladder.busiest.map { StageLoad.names[$0.stage] })
        }
    }

    /// By how much looks for hands are further apart than usual.
    var analysisIntervalScale: Double { level >= .analysis ? 2 : 1 }
    /// By how much looks for people are further apart than usual.
    var maskIntervalScale: Double { level >= .mask ? 2 : 1 }
    /// The share of an effect's pieces that is drawn.
    var detail: Double { level >= .detail ? 0.5 : 1 }
    /// The times at which every second frame is dropped.
    var halving: FrameThinning.Halving {
        level >= .frameRate ? .always : level >= .effectFrameRate ? .duringEffects : .never
    }
}
