import MediaIO

/// Encodes frames; the first one opens the encoder and writes the output's header.
///
/// Inputs: frames in the order in which they are shown, consumed. Outputs: packets
/// in the order in which they are decoded.
struct EncodeStage {
    let encoder: VideoEncoder
    /// Adjusts the encoder while effects run.
    var steering: EncoderSteering?
    let muxer: Muxer
    let output: Channel<Packet>
    let outlet: EventOutlet

    /// Encodes everything that comes.
    /// - Throws: `MediaError`.
    mutating func run(_ input: Channel<PipelineFrame>) throws {
        var hasBegun = false
        while let item = input.receive() {
            let (time, index, events) = (item.time, item.index, item.events)
            // Before the first frame there is no encoder yet that could be steered.
            let adjusted = hasBegun ? steering?.prepare(for: item.loads, at: time) : nil
            try encoder.send(item.takeFrame())
            for adjustment in encoder.takeAdjustments() {
                outlet.add(adjustment.warning.event(time: time, frame: index))
            }
            for event in events { outlet.add(event) }
            if let adjusted {
                outlet.add(ReactionEvent(time: time, frame: index, kind: .encoderAdjusted(adjusted)))
            }
            if !hasBegun {
                try muxer.begin(encoder)
                hasBegun = true
            }
            guard try passOn() else { return }
        }
        try encoder.finish()
        _ = try passOn()
    }

    /// Hands on what the encoder has ready; says whether anybody still wants it.
    private mutating func passOn() throws -> Bool {
        while let packet = try encoder.receive() {
            steering?.observe(packet)
            guard output.send(packet) else { return false }
        }
        return true
    }
}

extension SkippedStream {
    /// What people are told of it.
    var warning: PipelineWarning {
        PipelineWarning(
            code: .streamSkipped,
            message: "stream \(stream.index) (\(stream.kind.rawValue), \(stream.codec)) is left out: \(reason)")
    }
}

extension PictureAdjustment {
    /// What people are told of it.
    var warning: PipelineWarning {
        switch self {
        case .padded(let fromWidth, let fromHeight, let toWidth, let toHeight):
            PipelineWarning(
                code: .sizeChanged,
                message: "the codec takes even sizes only: \(fromWidth)×\(fromHeight) became \(toWidth)×\(toHeight) by repeating the last row or column")
        case .scaled(let fromWidth, let fromHeight, let toWidth, let toHeight):
            PipelineWarning(
                code: .sizeChanged,
                message: "the picture changed to \(fromWidth)×\(fromHeight): it is scaled to fit \(toWidth)×\(toHeight) from here on")
        case .converted(let from, let to):
            PipelineWarning(
                code: .formatConverted, message: "the codec does not take \(from): the pictures are converted to \(to)")
        case .turnedUpright:
            PipelineWarning(
                code: .formatConverted,
                message: "the container cannot say how to turn the picture: it was turned upright")
        }
    }
}
