package import MediaIO
import Platform
import RateControl
import Reactions

/// Encodes frames, and adds their events to the event emitter. The first frame opens the encoder.
///
/// Source: frames in the order in which they are shown. Sink: the stream's header, then packets in the order in which
/// they are decoded.
struct EncodeStage: Stage, ~Copyable {
    private let source: Channel<PipelineFrame>
    private let sink: Channel<OutputItem>
    private let encoder: VideoEncoder
    /// Adjusts the encoder while effects run.
    private var steering: EncoderSteering?
    private let outlet: EventEmitter
    private let numbering: FrameNumbering
    /// Receives the encoder's statistics of frames without effects.
    private let statistics: DelayedEncoderStatistics?
    private let load: StageLoad?
    private let latency: LatencyMeter?
    /// Measures how long the encoder takes to return to its usual quantiser after an effect.
    private var recovery = RecoveryMeter()

    init(
        _ source: Channel<PipelineFrame>, into sink: Channel<OutputItem>, encoder: VideoEncoder,
        steering: EncoderSteering?, outlet: EventEmitter, numbering: FrameNumbering,
        statistics: DelayedEncoderStatistics? = nil,
        load: StageLoad? = nil,
        latency: LatencyMeter? = nil
    ) {
        self.source = source
        self.sink = sink
        self.numbering = numbering
        self.statistics = statistics
        self.load = load
        self.latency = latency
        self.encoder = encoder
        self.steering = steering
        self.outlet = outlet
    }

    /// - Throws: `MediaError`.
    consuming func run() throws {
        let (sink, statistics) = (sink, statistics)
        defer { sink.finish() }
        var hasBegun = false
        while var item = source.receive() {
            let start = MonotonicClock.now
            let frame = item.plan.id
            defer { statistics?.note(steering?.quietFrames) }
            // Before the first frame there is no encoder to control.
            if hasBegun, !steer(&item) {
                numbering.leaveOut(frame)
                encoder.skip(item.takeFrame())
                continue
            }
            latency?.enters(item)
            let (time, events) = (item.time, item.takeEvents())
            try encoder.send(item.takeFrame())
            if !hasBegun { guard sink.send(.header(try encoder.header())) else { return } }
            hasBegun = true
            outlet.pass(time: time, frame: frame)
            for adjustment in encoder.dequeueAdjustments() {
                outlet.add(adjustment.warning.event(time: time, frame: frame))
            }
            for event in events { outlet.add(event) }
            load?.addEncoding(since: start)
            guard try passOn() else { return }
        }
        try encoder.finish()
        _ = try passOn()
    }

    /// Adjusts the encoder for a frame, and adds the events about the adjustment.
    /// - Returns: Whether the frame is kept. A frame with events is always kept.
    private mutating func steer(_ item: inout PipelineFrame) -> Bool {
        let time = item.time
        let showsEffects = item.plan.demands.contains { $0.startTime <= time }
        if let back = recovery.advance(to: time, showsEffects: showsEffects) {
            item.emit(
                .encoderRecovered(
                    .init(
                        endTime: back.endTime, seconds: back.seconds, usualQP: back.usualQP)))
        }
        guard steering != nil else { return true }
        if let adjusted = steering!.prepare(for: item) { item.emit(.encoderAdjusted(adjusted)) }
        let mustStay = !item.plan.events.isEmpty || item.frame.requestedType != nil
        let (stays, change) = steering!.keeps(item, mustStay: mustStay)
        if let change { item.emit(.frameRateChanged(change)) }
        return stays
    }

    /// Sends the packets that the encoder has finished. Returns `false` if the sink accepts no more.
    private mutating func passOn() throws -> Bool {
        while let packet = try encoder.receive() {
            let frame = EncodedFrame(packet)
            recovery.observe(frame)
            steering?.observe(frame)
            latency?.encoded(at: frame.time)
            guard sink.send(.packet(packet)) else { return false }
        }
        return true
    }
}

extension EncodedFrame {
    fileprivate init(_ packet: borrowing Packet) {
        self.init(
            time: packet.presentationTime?.seconds ?? 0, duration: packet.duration?.seconds ?? 0,
            bits: packet.size * 8, qp: packet.quantiser, isKeyFrame: packet.isKeyFrame)
    }
}

extension SkippedStream {
    package var warning: PipelineWarning {
        // For a data stream, the reason already names the content.
        let coding = stream.kind == .data || stream.codec == "none" ? "" : ", \(stream.codec)"
        return PipelineWarning(
            code: .streamSkipped,
            message: "stream \(stream.index) (\(stream.kind.rawValue)\(coding)) was omitted: \(reason)")
    }
}

extension Muxer {
    /// Returns the warning about what a completed output lacks of the input; nil if it lacks nothing.
    ///
    /// - Parameter read: The output, after all its packets were read; nil to read it now.
    package func lossWarning(in read: Demuxer? = nil) -> PipelineWarning? {
        losses(in: read).map { PipelineWarning(code: .metadataLost, message: $0) }
    }
}

extension PictureAdjustment {
    /// The warning about the adjustment.
    package var warning: PipelineWarning {
        switch self {
        case .padded(let fromWidth, let fromHeight, let toWidth, let toHeight):
            PipelineWarning(
                code: .sizeChanged,
                message:
                    "the codec supports only even sizes: \(fromWidth)×\(fromHeight) became \(toWidth)×\(toHeight) by repeating the last row or column"
            )
        case .scaled(let fromWidth, let fromHeight, let toWidth, let toHeight):
            PipelineWarning(
                code: .sizeChanged,
                message:
                    "the picture size changed to \(fromWidth)×\(fromHeight); frames are scaled to \(toWidth)×\(toHeight) from here on"
            )
        case .converted(let from, let to):
            PipelineWarning(
                code: .formatConverted, message: "the codec does not support \(from): frames are converted to \(to)")
        case .redrawn(let from, let to, let loss):
            PipelineWarning(
                code: .formatConverted,
                message: "effects cannot be drawn on \(from): frames are converted to \(to), \(loss)")
        case .interlaced:
            PipelineWarning(
                code: .formatConverted,
                message:
                    "the video is interlaced and becomes progressive; for smooth motion, deinterlace it first (ffmpeg -vf bwdif)"
            )
        case .withoutData(let name):
            PipelineWarning(
                code: .metadataLost,
                message: "the video is re-encoded without its pictures' data: \(name)")
        case .turnedUpright:
            PipelineWarning(
                code: .formatConverted,
                message: "the container does not support rotation metadata: frames were rotated upright")
        }
    }
}
