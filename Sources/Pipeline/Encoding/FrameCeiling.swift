import RateControl
import Reactions

/// Leaves frames out so that the others need be no coarser than somebody demands.
struct FrameCeiling {
    /// The coarsest quantiser while no effect runs, and while one does.
    private let usual: Double
    private let duringEffects: Double
    private var pacer = CeilingPacer()
    /// What the encoder aims at, in bits a second.
    var bitRate: Int
    /// When the last frame was left out; `nil` while all stay.
    private var lastDrop: Double?
    private var pending: ReactionEvent.FrameRateChange?
    private var toldRate = 0.0

    /// After so many seconds without a frame left out, all stay.
    private static let calm = 1.0
    /// The encoder holds the looser ceiling by itself; where a tighter one is held by leaving frames
    /// out alone, it is aimed below.
    private static let margin = 2.0

    /// - Returns: `nil` where nothing is demanded.
    init?(_ options: EncodingOptions, bitRate: Int) {
        guard let limit = options.maxFrameQP else { return nil }
        let loose = options.maxFrameQPDuringEffects ?? limit
        duringEffects = Double(loose)
        usual = loose > limit ? Double(limit) - Self.margin : Double(limit)
        self.bitRate = bitRate
    }

    /// By how many powers of two the rate is too low for all frames.
    var shortage: Double { pacer.shortage }

    /// Whether a frame is encoded, and what is to be told of the frame rate with it.
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

    private mutating func noteDrops(at time: Double, stays: Bool) {
        let rate = 1 / pacer.step
        if !stays {
            if lastDrop == nil {
                toldRate = rate * pacer.share
                pending = .init(from: rate, to: toldRate, reason: "frameQPAtLimit")
            }
            lastDrop = time
        } else if let last = lastDrop, time - last >= Self.calm {
            lastDrop = nil
            pending = .init(from: toldRate, to: rate, reason: "frameQPBelowLimit")
        }
    }
}
