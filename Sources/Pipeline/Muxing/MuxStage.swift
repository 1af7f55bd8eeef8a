import MediaIO
import Platform
import Reactions

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
    private let isLive: Bool
    private let progress: (_ frames: Int, _ time: Double) -> Void
    /// Video packets written so far.
    private(set) var frameCount = 0
    private var damage = CopyDamage()
    /// How the threads take turns decides when packets come here, so a recording's damage is told at the end.
    private var warnings: [PipelineWarning] = []

    init(
        muxer: Muxer, videoIndex: Int, outlet: EventOutlet, meter: SessionMeter, latency: LatencyMeter? = nil,
        isLive: Bool = false, progress: @escaping (_ frames: Int, _ time: Double) -> Void
    ) {
        self.muxer = muxer
        self.videoIndex = videoIndex
        self.outlet = outlet
        self.meter = meter
        self.latency = latency
        self.isLive = isLive
        self.progress = progress
    }

    /// Writes everything that comes.
    /// - Throws: `MediaError`.
    func run(_ input: Channel<Packet>) throws {
        while let packet = input.receive() {
            let stream = packet.streamIndex
            defer { note(damage.add(muxer.takeDamage(), stream: stream, joins: warnings.count >= Self.mostWarnings)) }
            guard stream == videoIndex else {
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
        try muxer.flush()
        note(damage.finish(muxer.takeDamage()))
        for warning in warnings { outlet.tell(warning) }
    }

    /// What comes after so many is told as one stretch.
    private static let mostWarnings = 100

    private func note(_ new: [PipelineWarning]) {
        if isLive { for warning in new { outlet.tell(warning) } } else { warnings += new }
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
