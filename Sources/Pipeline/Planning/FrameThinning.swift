import MediaIO
import RateControl
import Reactions
import Synchronization

/// Drops frames: down to a configured rate while effects run, and every second frame if the machine is too slow.
///
/// Kept frames keep their time stamps.
package struct FrameThinning {
    private var pacer: FramePacer?
    /// The nominal rate of the input in frames a second; `nil` if the input does not state it.
    let inputRate: Double?
    /// The times at which every second frame is dropped because the machine is too slow.
    enum Halving: Sendable, Hashable {
        case never, duringEffects, always
    }

    var halving = Halving.never
    /// True if the next frame is dropped, if ``halving`` applies.
    private var isSecond = false
    /// True if the last reported frame rate is the lower one.
    private var isPacing = false

    /// - Parameter limit: the requested frame rate. An input that is not faster keeps all its frames.
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

    /// Returns whether the frame at a time, in seconds, is kept.
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
    ///   - showsEffects: whether an effect is in progress at the frame.
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
