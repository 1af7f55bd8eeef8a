import MediaIO

/// Reads packets and decodes the video's; the others go straight to the muxer.
///
/// Inputs: a demuxer and its decoder. Outputs: frames in the order in which they
/// are shown, and copied packets in the order of the file.
///
/// Used by one thread at a time.
final class ReadStage: @unchecked Sendable {
    private let demuxer: Demuxer
    private let decoder: VideoDecoder
    private let interrupt: InterruptFlag
    /// Whether the other streams are wanted at all.
    private let copiesOtherStreams: Bool
    private let load: StageLoad?
    private var damage = DamageReport()
    private var frameIndex = 0
    private var reachedEnd = false

    init(
        demuxer: Demuxer, decoder: VideoDecoder, copiesOtherStreams: Bool, load: StageLoad? = nil,
        interrupt: InterruptFlag
    ) {
        self.load = load
        self.demuxer = demuxer
        self.decoder = decoder
        self.copiesOtherStreams = copiesOtherStreams
        self.interrupt = interrupt
    }

    /// Whether the run was stopped before the input ended.
    private(set) var wasInterrupted = false

    /// Reads on to the next frame.
    ///
    /// - Parameter copy: takes the packets of other streams that come before it; its
    ///   answer says whether to go on.
    /// - Returns: `nil` at the end of the input, when stopped, and when `copy` said no.
    /// - Throws: `MediaError`.
    func nextFrame(copy: (consuming Packet) -> Bool) throws -> PipelineFrame? {
        while true {
            let start = MonotonicClock.now
            let frame = try decoder.receive()
            load?.addDecoding(since: start)
            if let frame { return dress(frame) }
            if reachedEnd { return nil }
            guard let packet = try readPacket() else {
                reachedEnd = true
                try decoder.finish()
                continue
            }
            if packet.streamIndex == demuxer.video.index {
                let start = MonotonicClock.now
                try decoder.send(packet)
                load?.addDecoding(since: start)
            } else if copiesOtherStreams {
                guard copy(packet) else { return nil }
            }
        }
    }

    /// What went wrong after the last frame.
    func trailingWarnings() -> [PipelineWarning] {
        var warnings = damage.add(decoder.takeDamage(), isClean: true)
        if let early = demuxer.endedEarly {
            warnings.append(PipelineWarning(code: .damagedInput, message: early.description))
        }
        if wasInterrupted {
            warnings.append(PipelineWarning(
                code: .interrupted, message: "stopped before the end of \(demuxer.path)"))
        }
        return warnings
    }

    private func readPacket() throws -> Packet? {
        do throws(MediaError) {
            if !interrupt.isRaised, let packet = try demuxer.readPacket() { return packet }
        } catch {
            // An interrupted input ends as if it were complete.
            guard error.code == .interrupted else { throw error }
        }
        wasInterrupted = interrupt.isRaised
        return nil
    }

    private func dress(_ frame: consuming VideoFrame) -> PipelineFrame {
        let warnings = damage.add(decoder.takeDamage(), isClean: !frame.isDamaged)
        defer { frameIndex += 1 }
        let time = frame.time.seconds
        return PipelineFrame(frame: frame, index: frameIndex, time: time, warnings: warnings)
    }
}
