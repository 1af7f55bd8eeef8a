internal import CFFmpeg
import Platform
internal import Raster

/// Encodes pictures as the packets of one stream.
///
/// The first frame opens the codec and determines size and pixel format of the whole stream. Call ``send(_:)``, then
/// ``receive()`` until it returns nil. At the end call ``finish()``, and ``receive()`` until it returns nil again.
/// Packets have the frames' own times, in the source's time base. An encoder is used by one thread at a time.
///
/// `AVCodecContext`
package final class VideoEncoder: @unchecked Sendable {
    package let settings: VideoEncoderSettings
    package let source: VideoStreamInfo
    package let container: ContainerFormat
    /// The pool for copies of pictures that the encoder cannot accept unchanged.
    package let pool: FramePool

    let path: String
    var context: CodecContext?
    let converter = FrameConverter()
    /// The form of all pictures, which the first frame determines.
    var target: Target?
    /// The orientation that players must apply to the coded picture.
    var codedOrientation = Orientation.upright
    /// The mastering display metadata of the first picture.
    var grading: [StreamSideData] = []
    private var adjustments: [PictureAdjustment] = []
    private var newAdjustments: [PictureAdjustment] = []
    private var hasFinished = false
    /// The durations of the frames in the encoder, by presentation time. Some encoders drop durations. Without a
    /// duration, the last frame of an MP4 file is not shown.
    private var durations: [Int64: Int64] = [:]
    /// The times of the frames in an encoder that accepts their numbers only, and the number of the next frame.
    private var numberedTimes: [Int64: Int64] = [:]
    private var nextNumber: Int64 = 0
    /// Writes captions; nil for segments between copied packets, to which the source's messages are added, and for codecs
    /// without captions.
    private var captions: CaptionWriter?
    /// The time of the last frame that was sent, in ticks.
    private var lastSent: Int64?

    /// - Parameters:
    ///   - path: The output's name, for messages.
    ///   - source: The stream of the frames, which determines the time base and the frame rate.
    package init(
        settings: VideoEncoderSettings, source: VideoStreamInfo, container: ContainerFormat, path: String,
        pool: FramePool = FramePool()
    ) {
        MediaLog.prepare()
        self.settings = settings
        self.source = source
        self.container = container
        self.path = path
        self.pool = pool
        captions = settings.spliced == nil ? CaptionWriter(settings.codec) : nil
    }

    /// FFmpeg's name of the encoder; nil before the first frame was sent.
    package var encoderName: String? { context?.codecName }

    /// Sends a picture to the encoder. Its pixels are not copied, unless the encoder requires another format or size.
    ///
    /// - throws: ``MediaError`` of the codes `noEncoder`, `encoderRefused`, `sizeUnsupported`,
    ///   `unsupportedInContainer`, `internal`.
    ///
    /// `avcodec_send_frame`
    package func send(_ frame: consuming VideoFrame) throws(MediaError) {
        if target == nil { try open(for: frame) }
        guard let target else { throw .outOfMemory(path) }
        let time = frame.time.rescaled(to: source.timeBase)
        let duration = duration(of: frame)
        durations[time.value] = duration
        lastSent = time.value
        let type = frame.requestedType
        // Regions are in pixels of the original picture, so they are dropped if the encoder rotates or scales it.
        let keepsPlaces = !target.turns && frame.width == target.width && frame.height == target.height
        let keepsRegions = settings.usesRegions && keepsPlaces && Self.supportsRegions(settings.codec)
        let regions = keepsRegions ? frame.regions : []
        recordData(of: frame)
        captions?.add(frame, at: time.value)
        let sendable = try adapted(frame, to: target)
        if captions != nil { sendable.av.removeSideData(AV_FRAME_DATA_A53_CC) }
        try attach(regions.isEmpty ? neutralRegions(sendable) : regions, to: sendable.av)
        sendable.av.pts = settings.spliced?.numbersFrames == true ? number(of: time.value) : time.value
        sendable.av.duration = duration
        // A decoded frame has the picture type of its source, which the encoder would treat as a request.
        sendable.av.pict_type =
            switch type {
            case .key: AV_PICTURE_TYPE_I
            case .predicted: AV_PICTURE_TYPE_P
            case nil: AV_PICTURE_TYPE_NONE
            }
        let began = MonotonicClock.now
        let status = context!.send(sendable.av)
        ProgressHeartbeat.record(step: MonotonicClock.now - began)
        try check(status, failed)
    }

    /// Returns the number under which an encoder gets a frame, and records its time, in ticks.
    private func number(of time: Int64) -> Int64 {
        defer { nextNumber += 1 }
        numberedTimes[nextNumber] = time
        return nextNumber
    }

    /// Extends the previous frame's duration over a dropped frame, if the encoder has not output the previous frame
    /// yet.
    package func skip(_ frame: consuming VideoFrame) {
        captions?.skip(frame)
        guard let lastSent, durations[lastSent] != nil else { return }
        durations[lastSent] = frame.time.rescaled(to: source.timeBase).value &+ duration(of: frame) &- lastSent
    }

    /// Returns a frame's duration in ticks; if unknown, the duration according to the frame rate.
    private func duration(of frame: borrowing VideoFrame) -> Int64 {
        if let known = frame.duration { return known.rescaled(to: source.timeBase).value }
        guard source.averageFrameRate.isPositive else { return 0 }
        return MediaTime(value: 1, timeBase: source.averageFrameRate.inverse).rescaled(to: source.timeBase).value
    }

    /// Signals the end of the stream: ``receive()`` then returns the remaining packets.
    package func finish() throws(MediaError) {
        guard target != nil, !hasFinished else { return }
        hasFinished = true
        try check(context!.sendEnd(), failed)
    }

    /// Returns the next packet in decoding order; nil if more frames are needed or, after ``finish()``, at the end.
    ///
    /// `avcodec_receive_packet`
    package func receive() throws(MediaError) -> Packet? {
        guard target != nil else { return nil }
        let packet = try PacketHandle(file: path)
        switch context!.receive(packet) {
        case .done: break
        case .again, .end: return nil
        case .failed(let status): throw failed(status)
        }
        // libaom reports a quantiser of 0 for every frame. This wrong value is removed.
        if encoderName == "libaom-av1" {
            unsafe av_packet_shrink_side_data(packet.pointer, AV_PKT_DATA_QUALITY_STATS, 0)
        }
        if settings.spliced?.numbersFrames == true {
            packet.pts = numberedTimes.removeValue(forKey: packet.pts) ?? cffmpeg_no_pts
            (packet.dts, packet.duration) = (cffmpeg_no_pts, 0)
            packet.time_base = source.timeBase.avRational
        }
        packet.stream_index = Int32(source.index)
        let duration = durations.removeValue(forKey: packet.pts) ?? 0
        if packet.duration <= 0 { packet.duration = duration }
        let finished = Packet(packet)
        guard captions != nil else { return finished }
        return try captions!.finished(finished)
    }

    /// Records the data of a picture that the encoder does not write.
    private func recordData(of frame: borrowing VideoFrame) {
        if settings.spliced != nil || settings.transparency != nil { return }
        for name in frame.unwrittenData { record(.withoutData(name)) }
        if captions == nil, !frame.captions.isEmpty { record(.withoutData("closed captions")) }
    }

    /// Returns the changes to pictures since the last call. Each kind of change is returned once per stream.
    package func dequeueAdjustments() -> [PictureAdjustment] {
        defer { newAdjustments = [] }
        return newAdjustments
    }

    func record(_ adjustment: PictureAdjustment) {
        guard !adjustments.contains(adjustment) else { return }
        adjustments.append(adjustment)
        newAdjustments.append(adjustment)
    }

    private func failed(_ status: Int32) -> MediaError {
        if status == cffmpeg_error_enomem { return .outOfMemory(path) }
        return MediaError(
            .encoderRefused, file: path, "\(path): the video encoder \(encoderName ?? "") failed",
            detail: MediaError.text(of: status))
    }

    /// Returns whether two formats differ in name only, as `yuvj420p` and full-range `yuv420p` do.
    static func areSameSamples(_ a: AVPixelFormat, _ b: AVPixelFormat) -> Bool {
        guard let a = PixelFormat.native(a), let b = PixelFormat.native(b) else { return false }
        return a.bitDepth == b.bitDepth && a.chroma == b.chroma
    }
}

extension VideoEncoder {
    /// A change of a running encoder's target.
    package enum Adjustment: Sendable, Hashable {
        /// Bits a second; possible only if the rate was constant from the start.
        case bitRate(Int)
        /// Constant quality; possible only if the quality was constant from the start.
        case crf(Double)
    }

    /// Changes the encoder's target. The change takes effect with the next frame that is sent. An encoder with
    /// look-ahead applies the target to waiting frames, too.
    ///
    /// - Returns: The reason why the change is not possible; nil if it was made.
    ///
    /// `reconfig_encoder` in FFmpeg's `libavcodec/libx264.c`, which compares these fields with x264's before each
    /// frame.
    package func adjust(_ adjustment: Adjustment) -> String? {
        guard let name = encoderName else { return "no frame was encoded yet" }
        guard name == "libx264" else { return "\(name) does not support changes while it runs" }
        switch adjustment {
        case .bitRate:
            // x264 ignores a new rate without a buffer, and a buffer cannot be added later.
            guard settings.isConstantRate, settings.bitRate != nil else {
                return "\(name) was not opened with a constant bit rate"
            }
        case .crf:
            guard settings.bitRate == nil else { return "\(name) was opened with a bit rate" }
        }
        return apply(adjustment) ? nil : "\(name) does not support \(adjustment)"
    }

    /// Sets the target, regardless of whether the encoder applies it.
    /// - Returns: Whether it can be set.
    func apply(_ adjustment: Adjustment) -> Bool {
        guard target != nil else { return false }
        switch adjustment {
        case .bitRate(let rate):
            setRate(rate, in: context!)
            return true
        case .crf(let crf):
            return context!.setOption("crf", crf) >= 0
        }
    }

    /// Sets the rate and, for a constant rate, the buffer of one second that maintains it.
    func setRate(_ rate: Int, in context: borrowing CodecContext) {
        context.bit_rate = Int64(rate)
        guard settings.isConstantRate else { return }
        context.rc_max_rate = Int64(rate)
        context.rc_buffer_size = Int32(clamping: rate)
    }
}

extension VideoEncoder {
    /// Returns whether the encoders of a codec support regions: libx264 and libx265, with adaptive quantisation.
    package static func supportsRegions(_ codec: VideoCodec) -> Bool { codec == .h264 || codec == .hevc }

    /// Returns the regions for a frame that has none.
    ///
    /// libx265 allocates memory for regions with the first frame, if that frame has regions. It writes the regions of
    /// later frames there unchecked, and crashes if the first frame had none (`Frame::create` and `Encoder::encode` in
    /// x265 3.5).
    func neutralRegions(_ frame: borrowing VideoFrame) -> [QualityRegion] {
        guard settings.usesRegions, settings.codec == .hevc else { return [] }
        return [QualityRegion(columns: 0..<frame.width, rows: 0..<frame.height, quantiserOffset: 0)]
    }

    /// Attaches regions to a frame.
    ///
    /// `AV_FRAME_DATA_REGIONS_OF_INTEREST`
    func attach(_ regions: [QualityRegion], to frame: borrowing FrameHandle) throws(MediaError) {
        guard !regions.isEmpty else { return }
        let size = MemoryLayout<AVRegionOfInterest>.stride
        let entries = regions.map { region in
            // FFmpeg's unit is the range of quantisers, 0…51.
            let offset = Int32((region.quantiserOffset * 100).rounded())
            return AVRegionOfInterest(
                self_size: UInt32(size), top: Int32(region.rows.lowerBound), bottom: Int32(region.rows.upperBound),
                left: Int32(region.columns.lowerBound), right: Int32(region.columns.upperBound),
                qoffset: AVRational(num: offset, den: 5100))
        }
        try frame.addSideData(
            AV_FRAME_DATA_REGIONS_OF_INTEREST, unsafe entries.withUnsafeBytes { unsafe Array($0) }, file: path)
    }
}
