internal import CFFmpeg
import Platform
internal import Raster

/// Turns pictures into the packets of one stream.
///
/// The codec is opened by the first frame, whose size and pixel format hold for
/// the whole stream. Call ``send(_:)``, then ``receive()`` until it gives nil;
/// at the end ``finish()``, and ``receive()`` until nil once more. Packets carry the
/// frames' own times, in the source's time base. An encoder is used by one
/// thread at a time.
///
/// `AVCodecContext`
@safe
package final class VideoEncoder: @unchecked Sendable {
    package let settings: VideoEncoderSettings
    package let source: VideoStreamInfo
    package let container: ContainerFormat
    /// Takes the copies of pictures that the encoder cannot take as they are.
    package let pool: FramePool

    let path: String
    var context: UnsafeMutablePointer<AVCodecContext>?
    let converter = FrameConverter()
    /// Set by the first frame.
    var target: Target?
    /// How players must turn the coded picture.
    var codedOrientation = Orientation.upright
    /// What the first picture says of the screen that all of them were graded on.
    var grading: [StreamSideData] = []
    private var adjustments: [PictureAdjustment] = []
    private var newAdjustments: [PictureAdjustment] = []
    private var hasFinished = false
    /// The durations of the frames inside, by presentation time. Not every encoder hands them
    /// on, and without one the last frame of an MP4 file lasts no time and is not shown.
    private var durations: [Int64: Int64] = [:]
    /// The last frame that was sent.
    private var lastSent: Int64?

    /// - Parameters:
    ///   - path: The output's name, for messages.
    ///   - source: The stream that the frames come from: gives time base and frame rate.
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
        unsafe context = nil
    }

    deinit { unsafe avcodec_free_context(&context) }

    /// FFmpeg's name of the encoder in use, once the first frame was sent.
    package var encoderName: String? {
        unsafe context.map { unsafe String(cString: $0.pointee.codec.pointee.name) }
    }

    /// Gives a picture away to be encoded. Its pixels are not copied, unless the encoder
    /// needs another format or size than it has.
    ///
    /// - throws: ``MediaError`` of the codes `noEncoder`, `encoderRefused`,
    ///   `sizeUnsupported`, `unsupportedInContainer`, `internal`.
    ///
    /// `avcodec_send_frame`
    package func send(_ frame: consuming VideoFrame) throws(MediaError) {
        if unsafe context == nil { try open(for: frame) }
        guard let context = unsafe context, let target else { throw .outOfMemory(path) }
        let time = frame.time.rescaled(to: source.timeBase)
        let duration = duration(of: frame)
        durations[time.value] = duration
        lastSent = time.value
        let forcesKeyFrame = frame.forcesKeyFrame
        // Regions are places in the picture as it came.
        let keepsPlaces = !target.turns && frame.width == target.width && frame.height == target.height
        let heedsRegions = settings.usesRegions && keepsPlaces && Self.heedsRegions(settings.codec)
        let regions = heedsRegions ? frame.regions : []
        let sendable = try adapted(frame, to: target)
        unsafe try attach(regions.isEmpty ? neutralRegions(sendable) : regions, to: sendable.av)
        unsafe sendable.av.pointee.pts = time.value
        unsafe cffmpeg_frame_set_duration(sendable.av, duration)
        // A decoded frame says how its source coded it, which the encoder would take for a wish.
        unsafe sendable.av.pointee.pict_type = forcesKeyFrame ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_NONE
        let began = MonotonicClock.now
        let status = unsafe avcodec_send_frame(context, sendable.av)
        LifeSign.note(step: MonotonicClock.now - began)
        if status < 0 { throw failed(status) }
    }

    /// Makes up for a frame that is left out: the one before it lasts on, if it has not come out yet.
    package func skip(_ frame: consuming VideoFrame) {
        guard let lastSent, durations[lastSent] != nil else { return }
        durations[lastSent] = frame.time.rescaled(to: source.timeBase).value + duration(of: frame) - lastSent
    }

    /// In ticks; where the frame does not say, what the frame rate makes likely.
    private func duration(of frame: borrowing VideoFrame) -> Int64 {
        if let known = frame.duration { return known.rescaled(to: source.timeBase).value }
        guard source.averageFrameRate.isPositive else { return 0 }
        return MediaTime(value: 1, timeBase: source.averageFrameRate.inverse).rescaled(to: source.timeBase).value
    }

    /// Says that no frame follows: ``receive()`` then gives what is still inside.
    package func finish() throws(MediaError) {
        guard let context = unsafe context, !hasFinished else { return }
        hasFinished = true
        let status = unsafe avcodec_send_frame(context, nil)
        if status < 0, status != cffmpeg_error_eof { throw failed(status) }
    }

    /// The next packet in order of decoding; nil when more frames are needed or, after
    /// ``finish()``, at the end.
    ///
    /// `avcodec_receive_packet`
    package func receive() throws(MediaError) -> Packet? {
        guard let context = unsafe context else { return nil }
        guard let packet = unsafe av_packet_alloc() else { throw .outOfMemory(path) }
        let owned = unsafe Packet(owned: packet)
        let status = unsafe avcodec_receive_packet(context, packet)
        if status == cffmpeg_error_eagain || status == cffmpeg_error_eof { return nil }
        if status < 0 { throw failed(status) }
        // It says 0 of every frame; to say nothing is truer.
        if encoderName == "libaom-av1" { unsafe av_packet_shrink_side_data(packet, AV_PKT_DATA_QUALITY_STATS, 0) }
        unsafe packet.pointee.stream_index = Int32(source.index)
        unsafe packet.pointee.time_base = context.pointee.time_base
        let duration = unsafe durations.removeValue(forKey: packet.pointee.pts) ?? 0
        if unsafe packet.pointee.duration <= 0 { unsafe packet.pointee.duration = duration }
        return owned
    }

    /// What had to be done to pictures since the last call, each kind of it told once.
    package func takeAdjustments() -> [PictureAdjustment] {
        defer { newAdjustments = [] }
        return newAdjustments
    }

    func note(_ adjustment: PictureAdjustment) {
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

    /// Whether two formats differ in name only, as `yuvj420p` and full-range `yuv420p` do.
    static func areSameSamples(_ a: AVPixelFormat, _ b: AVPixelFormat) -> Bool {
        guard let a = PixelFormat.native(a), let b = PixelFormat.native(b) else { return false }
        return a.bitDepth == b.bitDepth && a.chroma == b.chroma
    }
}

extension VideoEncoder {
    /// What can be asked of an encoder that runs.
    package enum Adjustment: Sendable, Hashable {
        /// Bits a second; only where the rate was constant from the start.
        case bitRate(Int)
        /// Constant quality; only where it was that from the start.
        case crf(Double)
    }

    /// Changes what the encoder aims at, from the next frame that is sent. An encoder that looks
    /// ahead applies it to the frames that wait inside, too.
    ///
    /// - Returns: why that cannot be; nil where it was done.
    ///
    /// `reconfig_encoder` in FFmpeg's `libavcodec/libx264.c`, which compares these fields with
    /// x264's before each frame.
    package func adjust(_ adjustment: Adjustment) -> String? {
        guard let name = encoderName else { return "no frame was encoded yet" }
        guard name == "libx264" else { return "\(name) cannot be adjusted while it runs" }
        switch adjustment {
        case .bitRate:
            // x264 ignores a new rate without a buffer, and cannot get one later.
            guard settings.isConstantRate, settings.bitRate != nil else {
                return "\(name) was not opened with a constant bit rate"
            }
        case .crf:
            guard settings.bitRate == nil else { return "\(name) was opened with a bit rate" }
        }
        return apply(adjustment) ? nil : "\(name) does not take \(adjustment)"
    }

    /// Sets what is asked for, whether the encoder heeds it or not.
    /// - Returns: whether it can be set.
    func apply(_ adjustment: Adjustment) -> Bool {
        guard let context = unsafe context else { return false }
        switch adjustment {
        case .bitRate(let rate):
            unsafe setRate(rate, in: context)
            return true
        case .crf(let crf):
            return unsafe av_opt_set_double(context.pointee.priv_data, "crf", crf, 0) >= 0
        }
    }

    /// Sets the rate and, for a constant one, the buffer of one second that holds it.
    @unsafe
    func setRate(_ rate: Int, in context: UnsafeMutablePointer<AVCodecContext>) {
        unsafe context.pointee.bit_rate = Int64(rate)
        guard settings.isConstantRate else { return }
        unsafe context.pointee.rc_max_rate = Int64(rate)
        unsafe context.pointee.rc_buffer_size = Int32(clamping: rate)
    }
}

extension VideoEncoder {
    /// Encoders that heed regions: libx264 and libx265, with adaptive quantisation on.
    package static func heedsRegions(_ codec: VideoCodec) -> Bool { codec == .h264 || codec == .hevc }

    /// What a frame without regions is handed on with.
    ///
    /// libx265 takes memory for regions with the first frames, if these bear any, and writes those of later frames there
    /// without a look: where the first bore none, the program dies (`Frame::create` and `Encoder::encode` in x265 3.5).
    func neutralRegions(_ frame: borrowing VideoFrame) -> [QualityRegion] {
        guard settings.usesRegions, settings.codec == .hevc else { return [] }
        return [QualityRegion(columns: 0..<frame.width, rows: 0..<frame.height, quantiserOffset: 0)]
    }

    /// Hands regions on with a frame.
    ///
    /// `AV_FRAME_DATA_REGIONS_OF_INTEREST`
    @unsafe
    func attach(_ regions: [QualityRegion], to frame: UnsafeMutablePointer<AVFrame>) throws(MediaError) {
        guard !regions.isEmpty else { return }
        let size = MemoryLayout<AVRegionOfInterest>.stride
        guard
            let data = unsafe av_frame_new_side_data(
                frame, AV_FRAME_DATA_REGIONS_OF_INTEREST, size * regions.count)
        else { throw .outOfMemory(path) }
        for (index, region) in regions.enumerated() {
            let place = unsafe UnsafeMutableRawPointer(data.pointee.data) + index * size
            // FFmpeg counts in shares of the range of quantisers, 0…51.
            let offset = Int32((region.quantiserOffset * 100).rounded())
            unsafe place.storeBytes(
                of: AVRegionOfInterest(
                    self_size: UInt32(size), top: Int32(region.rows.lowerBound), bottom: Int32(region.rows.upperBound),
                    left: Int32(region.columns.lowerBound), right: Int32(region.columns.upperBound),
                    qoffset: AVRational(num: offset, den: 5100)),
                as: AVRegionOfInterest.self)
        }
    }
}
