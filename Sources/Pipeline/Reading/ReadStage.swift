import MediaIO
import Platform

/// Hands on the frames that a reader gives, and copied packets between them.
struct ReadStage: Stage, ~Copyable {
    let reader: any FrameReading
    let frames: Channel<PipelineFrame>
    /// Takes the packets of other streams; `nil` where nothing is written.
    let copies: Channel<OutputItem>?

    consuming func run() throws -> ReadOutcome {
        let (frames, copies) = (frames, copies)
        defer {
            frames.finish()
            copies?.finish()
        }
        while let frame = try reader.nextFrame(copy: { copies?.send(.packet($0)) ?? true }) {
            guard frames.send(frame) else { break }
        }
        return reader.outcome
    }
}
