import MediaIO
import RateControl
import Reactions

/// Adjusts the encoder while it runs. Before each frame, it asks the governor for the rate or quality, asks the ceiling
/// whether to drop the frame, and applies both decisions to the encoder.
///
/// Its decisions depend only on the sequence of frames and packets on the encoder's thread, so two runs make the same
/// adjustments.
struct EncoderSteering {
    private var governor: EncoderGovernor?
    private var ceiling: FrameCeiling?
    /// Corrects the rate of an encoder that counts frames instead of seconds; `nil` for other encoders.
    private var pace: PaceCorrection?
    /// The encoder's target in bits a second, if a rate is enforced.
    private var bitRate: Int?
    private let encoder: VideoEncoder
    /// True if the encoder refused a change. Steering then ends, so the refusal is reported once.
    private var hasRefused = false

    /// - Returns: `nil` if the options request nothing that can be controlled during encoding.
    init?(_ options: EncodingOptions, encoder: VideoEncoder) {
        if let bitrate = options.bitrate {
            governor = EncoderGovernor(mode: .rate(bitRate: bitrate, limit: options.bitRateLimit ?? bitrate))
            ceiling = FrameCeiling(options, bitRate: bitrate)
            let frameRate = encoder.source.averageFrameRate
            if encoder.settings.isLowLatency, encoder.settings.isConstantRate, frameRate.isPositive {
                pace = PaceCorrection(frameRate: frameRate.value)
            }
            bitRate = bitrate
        } else if let budget = options.effectBits {
            governor = EncoderGovernor(mode: .quality(crf: encoder.settings.usedCRF, budget: budget))
        }
        guard governor != nil || ceiling != nil || pace != nil else { return nil }
        self.encoder = encoder
    }

    /// The statistics of the frames without effects.
    var quietFrames: QuietFrames? { governor?.quietFrames }

    /// Adjusts the encoder for a frame that is about to be sent.
    /// - Returns: The adjustment to report, if any.
    mutating func prepare(for item: borrowing PipelineFrame) -> ReactionEvent.EncoderAdjustment? {
        governor?.shortage = ceiling?.shortage ?? 0
        guard !hasRefused, let change = governor?.advance(to: item.time, demands: item.plan.demands) else { return nil }
        let refusal = apply(change.requested)
        hasRefused = refusal != nil
        return ReactionEvent.EncoderAdjustment(
            reason: change.reason.rawValue, previous: .init(change.previous),
            requested: .init(change.requested), notAdjustable: refusal)
    }

    /// Returns whether a frame is encoded, and the frame rate change to report with the next encoded frame.
    ///
    /// - Parameter mustStay: Whether this frame has events.
    mutating func keeps(
        _ item: borrowing PipelineFrame, mustStay: Bool
    ) -> (stays: Bool, change: ReactionEvent.FrameRateChange?) {
        let choice = ceiling?.keeps(item, mustStay: mustStay) ?? (stays: true, change: nil)
        if choice.stays, !hasRefused, pace?.advance(to: item.time) == true, let bitRate {
            hasRefused = apply(EncoderTargets(bitRate: bitRate)) != nil
        }
        return choice
    }

    /// Passes targets to the encoder.
    /// - Returns: The reason for a refusal; `nil` if the targets were applied.
    private mutating func apply(_ targets: EncoderTargets) -> String? {
        guard let rate = targets.bitRate else { return encoder.adjust(.crf(targets.crf ?? 0)) }
        if let refusal = encoder.adjust(.bitRate(Int(Double(rate) * (pace?.factor ?? 1)))) { return refusal }
        bitRate = rate
        ceiling?.bitRate = rate
        return nil
    }

    /// Records a frame that the encoder has finished.
    mutating func observe(_ frame: EncodedFrame) {
        governor?.observe(frame)
        ceiling?.observe(frame)
    }
}

extension ReactionEvent.EncoderTargets {
    fileprivate init(_ targets: EncoderTargets) {
        self.init(bitRate: targets.bitRate, crf: targets.crf.map { JSONLine.rounded($0, places: 2) })
    }
}

/// Drops frames so that the encoder can keep the others within the configured limit of the quantiser (QP). It is a part
/// of ``EncoderSteering``.
struct FrameCeiling {
    /// The maximum quantiser while no effect runs, and while effects run.
    private let usual: Double
    private let duringEffects: Double
    private var pacer = CeilingPacer()
    /// The encoder's target, in bits a second.
    var bitRate: Int
    /// The time of the last dropped frame; `nil` while all frames are kept.
    private var lastDrop: Double?
    private var pending: ReactionEvent.FrameRateChange?
    private var reportedRate = 0.0

    /// The seconds without a dropped frame after which all frames are kept.
    private static let calm = 1.0
    /// The steps of the quantiser by which the target is below the usual ceiling, if the ceiling during effects is
    /// looser. The encoder itself enforces only the looser ceiling. The usual one can be enforced only by dropping
    /// frames, so a margin is needed.
    private static let margin = 2.0

    /// - Returns: `nil` if no ceiling is requested.
    init?(_ options: EncodingOptions, bitRate: Int) {
        guard let limit = options.maxFrameQP else { return nil }
        let loose = options.maxFrameQPDuringEffects ?? limit
        duringEffects = Double(loose)
        usual = loose > limit ? Double(limit) - Self.margin : Double(limit)
        self.bitRate = bitRate
    }

    /// The binary logarithm of the factor by which the bit rate is too low for all frames; 0 if it suffices.
    var shortage: Double { pacer.shortage }

    /// Returns whether a frame is encoded, and the frame rate change to report with it.
    mutating func keeps(
        _ item: borrowing PipelineFrame, mustStay: Bool
    ) -> (stays: Bool, change: ReactionEvent.FrameRateChange?) {
        let time = item.time
        let shown = item.plan.demands.filter { $0.startTime <= time }
        let stays = pacer.keeps(
            CeilingPacer.Frame(
                time: time, ceiling: shown.isEmpty ? usual : duringEffects, bitRate: bitRate,
                complexity: EffectDemand.complexity(of: shown)),
            mustStay: mustStay)
        noteDrops(at: time, stays: stays)
        guard stays else { return (false, nil) }
        defer { pending = nil }
        return (true, pending)
    }

    mutating func observe(_ frame: EncodedFrame) { pacer.observe(frame) }

    /// Prepares a report when dropping begins, and when no frame was dropped for a while.
    private mutating func noteDrops(at time: Double, stays: Bool) {
        let rate = 1 / pacer.step
        if !stays {
            if lastDrop == nil {
                reportedRate = rate * pacer.share
                pending = .init(from: rate, to: reportedRate, reason: "frameQPAtLimit")
            }
            lastDrop = time
        } else if let last = lastDrop, time - last >= Self.calm {
            lastDrop = nil
            pending = .init(from: reportedRate, to: rate, reason: "frameQPBelowLimit")
        }
    }
}
