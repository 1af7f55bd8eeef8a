import MediaIO
import RateControl

/// Asks the governor before each frame and passes its advice on to the encoder.
///
/// Its input is the order of frames and packets on the encoder's own thread, so that
/// two runs steer alike.
struct EncoderSteering {
    private var governor: EncoderGovernor
    private let encoder: VideoEncoder
    /// What the encoder could not do is said once.
    private var hasRefused = false

    /// - Returns: `nil` where the options ask for nothing that could be steered.
    init?(_ options: EncodingOptions, encoder: VideoEncoder) {
        if let bitrate = options.bitrate {
            let limit = options.maxBitrate ?? bitrate * EncodingOptions.defaultRaise
            guard limit > bitrate else { return nil }
            governor = EncoderGovernor(mode: .rate(bitRate: bitrate, limit: limit))
        } else if let budget = options.effectBits {
            governor = EncoderGovernor(mode: .quality(crf: encoder.settings.usedCRF, budget: budget))
        } else {
            return nil
        }
        self.encoder = encoder
    }

    /// Steers for a frame that is about to be sent.
    /// - Returns: what is to be told of it.
    mutating func prepare(for loads: [EffectLoad], at time: Double) -> ReactionEvent.EncoderAdjustment? {
        guard !hasRefused, let change = governor.advance(to: time, loads: loads) else { return nil }
        let refusal = encoder.adjust(change.requested.adjustment)
        hasRefused = refusal != nil
        return ReactionEvent.EncoderAdjustment(
            reason: change.reason.rawValue, previous: .init(change.previous),
            requested: .init(change.requested), notAdjustable: refusal)
    }

    /// Learns from a packet that the encoder gave back.
    mutating func observe(_ packet: borrowing Packet) {
        governor.observe(EncodedFrame(
            time: packet.presentationTime?.seconds ?? 0, duration: packet.duration?.seconds ?? 0,
            bits: packet.size * 8, qp: packet.quantiser))
    }
}

extension EncoderTargets {
    fileprivate var adjustment: VideoEncoder.Adjustment {
        if let bitRate { .bitRate(bitRate) } else { .crf(crf ?? 0) }
    }
}

extension ReactionEvent.EncoderTargets {
    fileprivate init(_ targets: EncoderTargets) {
        self.init(bitRate: targets.bitRate, crf: targets.crf.map { JSONLine.rounded($0, places: 2) })
    }
}
