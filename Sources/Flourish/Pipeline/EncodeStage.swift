import MediaIO

/// Encodes frames; the first one opens the encoder and writes the output's header.
///
/// Inputs: frames in the order in which they are shown, consumed. Outputs: packets
/// in the order in which they are decoded.
struct EncodeStage {
    let encoder: VideoEncoder
    let muxer: Muxer
    let output: Channel<Packet>

    /// Encodes everything that comes.
    /// - Throws: `MediaError`.
    func run(_ input: Channel<PipelineFrame>) throws {
        var hasBegun = false
        while let item = input.receive() {
            try encoder.send(item.takeFrame())
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
    private func passOn() throws -> Bool {
        while let packet = try encoder.receive() {
            guard output.send(packet) else { return false }
        }
        return true
    }
}

extension PipelineFrame {
    /// The frame alone, at the end of its way.
    consuming func takeFrame() -> VideoFrame { frame }
}
