internal import CFFmpeg
internal import Raster

/// An interval or an instant of the input that could not be decoded cleanly, or could not be copied.
package struct DecodingDamage: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        /// A packet from which nothing could be decoded.
        case undecodable
        /// A picture with concealed parts.
        case concealed
        /// A packet of another stream that was dropped, since the output's container does not accept it.
        case notCopied
    }
    package var kind: Kind
    /// The place in the recording, if the file states it.
    package var time: MediaTime?
    package var detail: String
}

/// Decodes the packets of one stream.
///
/// Call ``send(_:)`` with a packet, then ``receive()`` until it returns nil. At the end call ``finish()``, and
/// ``receive()`` until it returns nil again. Damaged data does not stop a decoder; ``dequeueDamage()`` reports it. A
/// decoder is used by one thread at a time; FFmpeg decodes on its own threads.
///
/// `AVCodecContext`
package final class VideoDecoder: @unchecked Sendable {
    package struct Options: OptionSet, Sendable {
        package let rawValue: Int
        package init(rawValue: Int) { self.rawValue = rawValue }

        /// Threads share a picture instead of decoding one picture each. Each picture is then output as soon as it is
        /// decoded.
        package static let lowDelay = Options(rawValue: 1)
        /// Pictures have a ``VideoFrame/quantiser``, if the decoder can report it.
        package static let quantisers = Options(rawValue: 2)
        /// Time is saved because pictures are only analysed. Unreferenced pictures are skipped, unless the frame rate
        /// is low. The loop filter is off, if the codec supports that. Damage is still detected.
        package static let frugal = Options(rawValue: 4)
    }

    package let stream: VideoStreamInfo
    /// The pool for converted copies of pictures that are not in a native format.
    package let pool: FramePool

    private let path: String
    private let context: CodecContext
    private let converter = FrameConverter()
    private var clock: FrameClock
    private var damage: [DecodingDamage] = []
    /// True if each packet is a whole image file, and the properties of the last file.
    private let isStillImage: Bool
    private var still: StillFile?
    /// True if the container states the shape of pixels. It then takes precedence over the codec, as in players.
    private let statesAspectRatio: Bool
    /// True if packets have separate alpha data, which is not decoded.
    private let hasSeparateAlpha: Bool
    private var consecutiveFailures = 0

    /// The smallest frame rate at which unreferenced pictures are skipped, in frames a second. Up to three of four
    /// pictures are skipped, and a hand must still be detected before it disappears.
    private static let minimumFrugalFrameRate = 20.0

    /// Opens the decoder for a demuxer's ``Demuxer/video``.
    ///
    /// - Parameters:
    ///   - threads: The number of FFmpeg's decoding threads; 0 for one per core.
    ///   - header: The codec parameters of an encoder whose packets replace the demuxer's; the demuxer's own if nil.
    /// - throws: ``MediaError`` of the codes `noDecoder`, `refused`, `damaged`, `internal`.
    package init(
        _ demuxer: Demuxer, threads: Int = 0, options: Options = [], header: VideoHeader? = nil,
        pool: FramePool = FramePool()
    ) throws(MediaError) {
        let source = demuxer.videoTrack
        let parameters = unsafe header?.parameters ?? source.parameters.pointer
        let path = demuxer.path
        let name = demuxer.video.codec
        guard let codec = DecoderList.decoder(for: unsafe parameters.pointee.codec_id, in: demuxer.input) else {
            if unsafe parameters.pointee.codec_id == AV_CODEC_ID_NONE {
                if demuxer.formatName == "flv", let reason = FLVVideo.unreadCodec(in: path) {
                    throw MediaError(.noDecoder, file: path, "\(path): \(reason); convert it with a newer FFmpeg first")
                }
                throw .unknownCodec(path, tag: unsafe parameters.pointee.codec_tag)
            }
            throw DecoderList.missing(unsafe parameters.pointee.codec_id, path, "video codec, \(name)")
        }
        let context = try CodecContext(codec, file: path)
        let copied = unsafe context.setParameters(parameters)
        context.pkt_timebase = source.time_base
        context.framerate = source.avg_frame_rate
        // The limit is needed because the picture size may grow midway.
        context.max_pixels = Int64(demuxer.maxCodedPixels)
        context.thread_count = Int32(threads)
        context.thread_type = options.contains(.lowDelay) ? FF_THREAD_SLICE : FF_THREAD_FRAME | FF_THREAD_SLICE
        if options.contains(.quantisers) { context.export_side_data |= AV_CODEC_EXPORT_DATA_VIDEO_ENC_PARAMS }
        if options.contains(.frugal) {
            context.skip_loop_filter = AVDISCARD_ALL
            if av_q2d(context.framerate) >= Self.minimumFrugalFrameRate { context.skip_frame = AVDISCARD_NONREF }
        }
        try check(copied < 0 ? copied : context.open()) { status in
            if status == cffmpeg_error_enomem { return .tooMuchMemory(path) }
            return MediaError(
                .damaged, file: path, "\(path): its video (\(name)) cannot be decoded; its header is damaged",
                detail: MediaError.text(of: status))
        }
        self.path = path
        self.pool = pool
        stream = demuxer.video
        statesAspectRatio = Rational(source.sample_aspect_ratio).isPositive
        hasSeparateAlpha = demuxer.hasSeparateAlpha
        isStillImage = demuxer.isStillImage
        self.context = context
        clock = FrameClock(
            timeBase: demuxer.video.timeBase, frameRate: demuxer.video.averageFrameRate, first: demuxer.shift ?? .zero)
    }

    /// Sends the next packet of the stream to the decoder.
    /// - throws: ``MediaError`` of the code `internal`. Damaged data is not an error.
    ///
    /// `avcodec_send_packet`
    package func send(_ packet: borrowing Packet) throws(MediaError) {
        let status = context.send(packet.av)
        consecutiveFailures = 0
        if packet.isCorrupt {
            record(.concealed, packet.presentationTime ?? packet.decodingTime, "the packet is incomplete")
        }
        if isStillImage {
            still = StillFile(packet.bytes, codec: stream.codec)
            if still?.isCutShort == true { record(.concealed, nil, "the picture is truncated") }
        }
        try record(status, at: packet.presentationTime ?? packet.decodingTime)
    }

    /// Signals the end of the stream: ``receive()`` then returns the remaining pictures.
    package func finish() throws(MediaError) {
        try record(context.sendEnd(), at: nil)
    }

    /// Prepares the decoder, after ``finish()``, for packets of a later part of the stream, which begins with a key
    /// frame.
    ///
    /// `avcodec_flush_buffers`
    package func restart() { context.flush() }

    /// Prepares the decoder for packets after a seek, whose times may decrease.
    package func leap() {
        restart()
        clock.forget()
    }

    /// Returns the next picture in presentation order; nil if more packets are needed or, after ``finish()``, at the
    /// end.
    ///
    /// `avcodec_receive_frame`
    package func receive() throws(MediaError) -> VideoFrame? {
        guard let decoded = try receiveDecoded() else { return nil }
        return try finished(decoded)
    }

    /// Returns the next picture in the decoder's own format, otherwise as ``receive()``.
    func receiveDecoded() throws(MediaError) -> FrameHandle? {
        let frame = try FrameHandle(file: path)
        while true {
            switch context.receive(frame) {
            case .done:
                consecutiveFailures = 0
                return frame
            case .again, .end: return nil
            case .failed(let status): try record(status, at: clock.next)
            }
        }
    }

    /// True if the codec's loop filter is on, as the standard requires. Without the filter, each picture with
    /// references deviates a little more from the correct picture. With one thread, a change takes effect with the next
    /// packet.
    package var smoothsBlocks: Bool {
        get { context.skip_loop_filter == AVDISCARD_DEFAULT }
        set { context.skip_loop_filter = newValue ? AVDISCARD_DEFAULT : AVDISCARD_ALL }
    }

    /// True if unreferenced pictures are skipped. All other pictures are unchanged.
    package var leavesOutUnreferenced: Bool {
        get { context.skip_frame == AVDISCARD_NONREF }
        set { context.skip_frame = newValue ? AVDISCARD_NONREF : AVDISCARD_DEFAULT }
    }

    /// Returns the damage since the last call.
    package func dequeueDamage() -> [DecodingDamage] {
        defer { damage = [] }
        return damage
    }

    /// Returns the time of a picture that was just received, and completes its shape of pixels.
    func place(_ decoded: borrowing FrameHandle) -> MediaTime {
        if statesAspectRatio || !Rational(decoded.sample_aspect_ratio).isPositive {
            decoded.sample_aspect_ratio = stream.sampleAspectRatio.avRational
        }
        return clock.time(bestEffort: decoded.best_effort_timestamp, duration: decoded.duration)
    }

    /// Sets the time and orientation of a decoded picture, and converts it to a native format if needed.
    private func finished(_ decoded: consuming FrameHandle) throws(MediaError) -> VideoFrame {
        let duration = decoded.duration
        let time = place(decoded)
        let format = decoded.pixelFormat
        let isForeign = PixelFormat.native(format) == nil
        let isBottomUp = decoded.stride(0) < 0
        let frame =
            isForeign || isBottomUp
            ? try converter.convert(
                decoded, width: Int(decoded.width), height: Int(decoded.height),
                to: PixelFormat.nearestNative(to: format), pool: pool)
            : decoded
        let orientation = orientation(of: frame)
        var result = VideoFrame(
            frame, time: time, duration: duration > 0 ? MediaTime(value: duration, timeBase: stream.timeBase) : nil,
            orientation: orientation)
        // Every picture of a GIF has an alpha channel, even if it is opaque.
        if isForeign, stream.codec != "gif" { result.decodedFormat = format }
        if hasSeparateAlpha { result.decodedFormat = AV_PIX_FMT_YUVA420P }
        if result.isDamaged { record(.concealed, time, "parts of the picture are missing") }
        return result
    }

    /// Returns the file's orientation, or else the picture's own.
    func orientation(of frame: borrowing FrameHandle) -> Orientation {
        guard stream.orientation == .upright else { return stream.orientation }
        guard let matrix = frame.sideData(AV_FRAME_DATA_DISPLAYMATRIX) else { return still?.orientation ?? .upright }
        return Orientation(displayMatrix: matrix) ?? .upright
    }

    /// Records the damage that FFmpeg reports with a status.
    private func record(_ status: Int32, at time: MediaTime?) throws(MediaError) {
        if status >= 0 { return }
        if status == cffmpeg_error_enomem { throw .tooMuchMemory(path) }
        consecutiveFailures += 1
        record(.undecodable, time, MediaError.text(of: status))
        // A decoder that always fails without consuming input would never end.
        if consecutiveFailures > 100_000 {
            throw MediaError(.damaged, file: path, "\(path): no frame of its video can be decoded")
        }
    }

    private func record(_ kind: DecodingDamage.Kind, _ time: MediaTime?, _ detail: String) {
        damage.append(DecodingDamage(kind: kind, time: time, detail: detail))
    }
}
