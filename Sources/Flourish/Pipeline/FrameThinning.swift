import Gestures
import MediaIO
import RateControl

/// Leaves frames out while effects run at a lower rate, and hands on what those frames bore.
///
/// Every frame that stays keeps its time stamp. What happened in one that is left out is told
/// with the next that stays.
struct FrameThinning {
    private var pacer: FramePacer?
    /// The nominal rate of the input in frames a second; `nil` where it does not say.
    private let inputRate: Double?
    /// When every second frame is left out because the machine is too slow.
    enum Halving: Sendable, Hashable {
        case never, duringEffects, always
    }

    var halving = Halving.never
    /// Whether the frame before was one that stayed, of those that are halved.
    private var isSecond = false
    private var isPacing = false
    private var findings = GestureFindings()
    private var warnings: [PipelineWarning] = []
    /// How many frames were left out.
    private(set) var count = 0

    /// - Parameter limit: what is wished for; an input that is not faster is left whole.
    init(limit: EffectsFrameRate?, inputRate: Double?) {
        self.inputRate = inputRate
        if let rate = limit?.rate(forInput: inputRate), inputRate.map({ $0 > rate }) ?? true {
            pacer = FramePacer(rate: rate)
        }
    }

    /// The rate while effects run; `nil` where it stays as it is.
    var rate: Double? { pacer?.rate }

    /// Whether a frame stays; if so, it gets its place in the output and what others left behind.
    ///
    /// - Parameter effects: those in progress at the last frame that stayed.
    mutating func keeps(_ item: inout PipelineFrame, during effects: [PlannedEffect]) -> Bool {
        guard pacer != nil || halving != .never || count > 0 else { return true }
        let isRunning = effects.contains { $0.startTime <= item.time && item.time < $0.endTime }
        guard pacer?.keeps(item.time, isPacing: isRunning) ?? true, survivesHalving(isRunning) else {
            count += 1
            findings = findings + item.findings
            warnings += item.warnings
            return false
        }
        if !findings.isEmpty || !warnings.isEmpty {
            item.findings = findings + item.findings
            item.warnings = warnings + item.warnings
            findings = GestureFindings()
            warnings.removeAll()
        }
        item.index -= count
        return true
    }

    private mutating func survivesHalving(_ isRunning: Bool) -> Bool {
        guard halving == .always || halving == .duringEffects && isRunning else {
            isSecond = false
            return true
        }
        defer { isSecond.toggle() }
        return !isSecond
    }

    /// What went wrong with frames at the end that were left out.
    mutating func takeWarnings() -> [PipelineWarning] {
        defer { warnings.removeAll() }
        return warnings
    }

    /// The change of rate that a frame with these effects brings, and its longer duration.
    ///
    /// - Parameter step: the time from the frame before it to this one, in seconds.
    mutating func follow(
        _ item: inout PipelineFrame, showsEffects: Bool, step: Double
    ) -> ReactionEvent.FrameRateChange? {
        if halving == .always || halving == .duringEffects && showsEffects { item.frame.lengthen(to: 2 * step) }
        guard let rate else { return nil }
        if showsEffects { item.frame.lengthen(to: 1 / rate) }
        guard showsEffects != isPacing else { return nil }
        isPacing = showsEffects
        let usual = inputRate ?? (step > 0 ? 1 / step : rate)
        return showsEffects
            ? .init(from: usual, to: rate, reason: "effectsInProgress")
            : .init(from: rate, to: usual, reason: "effectsEnded")
    }
}

extension VideoFrame {
    /// Makes up for frames after it that are left out.
    fileprivate mutating func lengthen(to seconds: Double) {
        if let duration, duration.seconds < seconds { self.duration = MediaTime(seconds: seconds) }
    }
}
