import SessionSettings
import Frames
import MediaIO
import RateControl
import Reactions

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
