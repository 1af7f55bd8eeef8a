import MediaIO

/// Writes packets of all streams and tells what the video's cost.
///
/// Inputs: copied packets from the reader and encoded ones from the encoder, in one
/// channel; the muxer interleaves them.
final class MuxStage {
    private let muxer: Muxer
    private let videoIndex: Int
    private let outlet: EventOutlet
    private let meter: SessionMeter
    private let latency: LatencyMeter?
    private let progress: (_ frames: Int, _ time: Double) -> Void
    /// Video packets written so far.
    private(set) var frameCount = 0

    init(
        muxer: Muxer, videoIndex: Int, outlet: EventOutlet, meter: SessionMeter, latency: LatencyMeter? = nil,
        progress: @escaping (_ frames: Int, _ time: Double) -> Void
    ) {
        self.muxer = muxer
        self.videoIndex = videoIndex
        self.outlet = outlet
        self.meter = meter
        self.latency = latency
        self.progress = progress
    }

    /// Writes everything that comes.
    /// - Throws: `MediaError`.
    func run(_ input: Channel<Packet>) throws {
        while let packet = input.receive() {
            guard packet.streamIndex == videoIndex else {
                try muxer.write(packet)
                continue
            }
            let feedback = Self.feedback(of: packet)
            try muxer.write(packet)
            frameCount += 1
            outlet.add(feedback)
            meter.noteWritten(bits: feedback.bits, at: feedback.decodingTime)
            tellLatency(at: feedback.presentationTime)
            progress(frameCount, feedback.presentationTime)
        }
    }

    private func tellLatency(at time: Double) {
        guard let latency else { return }
        latency.written(at: time)
        guard let statistics = latency.report(at: time) else { return }
        outlet.add(ReactionEvent(time: time, frame: frameCount - 1, kind: .statistics(statistics)))
    }

    private static func feedback(of packet: borrowing Packet) -> EventSequencer.Feedback {
        let time = packet.presentationTime?.seconds ?? 0
        return EventSequencer.Feedback(
            presentationTime: time, decodingTime: packet.decodingTime?.seconds ?? time,
            bits: packet.size * 8, qp: packet.quantiser)
    }
}
