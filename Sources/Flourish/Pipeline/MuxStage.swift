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
    private let progress: (_ frames: Int, _ time: Double) -> Void
    /// Video packets written so far.
    private(set) var frameCount = 0

    init(
        muxer: Muxer, videoIndex: Int, outlet: EventOutlet, meter: SessionMeter,
        progress: @escaping (_ frames: Int, _ time: Double) -> Void
    ) {
        self.muxer = muxer
        self.videoIndex = videoIndex
        self.outlet = outlet
        self.meter = meter
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
            progress(frameCount, feedback.presentationTime)
        }
    }

    private static func feedback(of packet: borrowing Packet) -> EventSequencer.Feedback {
        let time = packet.presentationTime?.seconds ?? 0
        return EventSequencer.Feedback(
            presentationTime: time, decodingTime: packet.decodingTime?.seconds ?? time,
            bits: packet.size * 8, qp: packet.quantiser)
    }
}
