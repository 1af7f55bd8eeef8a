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
@safe
package final class VideoDecoder: @unchecked Sendable {
    package let stream: VideoStreamInfo
    /// The pool for converted copies of pictures that are not in a native format.
    package let pool: FramePool

    private let path: String
    private let context: UnsafeMutablePointer<AVCodecContext>
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
    ///   - exportsQuantisers: Whether pictures have a ``VideoFrame/quantiser``, if the decoder can report it.
    ///   - isLowDelay: Whether threads share a picture instead of decoding one picture each. Each picture is then
    ///     output as soon as it is decoded.
    ///   - isFrugal: Whether to save time because pictures are only analysed. Unreferenced pictures are then skipped,
    ///     unless the frame rate is low. The loop filter is off, if the codec supports that. Damage is still detected.
    ///   - header: The codec parameters of an encoder whose packets replace the demuxer's; the demuxer's own if nil.
    /// - throws: ``MediaError`` of the codes `noDecoder`, `refused`, `damaged`, `internal`.
    package init(
        _ demuxer: Demuxer, threads: Int = 0, isLowDelay: Bool = false, exportsQuantisers: Bool = false,
        isFrugal: Bool = false, header: VideoHeader? = nil,
        pool: FramePool = FramePool()
    ) throws(MediaError) {
        let source = unsafe demuxer.videoStream
        let parameters = unsafe header?.parameters ?? source.pointee.codecpar!
        let path = demuxer.path
        let name = demuxer.video.codec
        guard let codec = unsafe DecoderList.decoder(for: parameters.pointee.codec_id, in: demuxer.context) else {
            if unsafe parameters.pointee.codec_id == AV_CODEC_ID_NONE {
                if demuxer.formatName == "flv", let reason = FLVVideo.unreadCodec(in: path) {
                    throw MediaError(.noDecoder, file: path, "\(path): \(reason); convert it with a newer FFmpeg first")
                }
                throw .unknownCodec(path, tag: unsafe parameters.pointee.codec_tag)
            }
            throw DecoderList.missing(unsafe parameters.pointee.codec_id, path, "video codec, \(name)")
        }
        guard let fresh = unsafe avcodec_alloc_context3(codec) else { throw .outOfMemory(path) }
        let copied = unsafe avcodec_parameters_to_context(fresh, parameters)
        unsafe fresh.pointee.pkt_timebase = source.pointee.time_base
        unsafe fresh.pointee.framerate = source.pointee.avg_frame_rate
        // The limit is needed because the picture size may grow midway.
        unsafe fresh.pointee.max_pixels = Int64(demuxer.maxCodedPixels)
        unsafe fresh.pointee.thread_count = Int32(threads)
        unsafe fresh.pointee.thread_type = isLowDelay ? FF_THREAD_SLICE : FF_THREAD_FRAME | FF_THREAD_SLICE
        if exportsQuantisers { unsafe fresh.pointee.export_side_data |= AV_CODEC_EXPORT_DATA_VIDEO_ENC_PARAMS }
        if isFrugal {
            unsafe fresh.pointee.skip_loop_filter = AVDISCARD_ALL
            if unsafe av_q2d(fresh.pointee.framerate) >= Self.minimumFrugalFrameRate {
                unsafe fresh.pointee.skip_frame = AVDISCARD_NONREF
            }
        }
        let status = unsafe copied < 0 ? copied : avcodec_open2(fresh, codec, nil)
        if status < 0 {
            var closing: UnsafeMutablePointer<AVCodecContext>? = unsafe fresh
            unsafe avcodec_free_context(&closing)
            if status == cffmpeg_error_enomem { throw .tooMuchMemory(path) }
            throw MediaError(
                .damaged, file: path, "\(path): its video (\(name)) cannot be decoded; its header is damaged",
                detail: MediaError.text(of: status))
        }
        self.path = path
        self.pool = pool
        stream = demuxer.video
        statesAspectRatio = unsafe Rational(source.pointee.sample_aspect_ratio).isPositive
        hasSeparateAlpha = demuxer.hasSeparateAlpha
        isStillImage = demuxer.isStillImage
        unsafe context = unsafe fresh
        clock = FrameClock(
            timeBase: demuxer.video.timeBase, frameRate: demuxer.video.averageFrameRate, first: demuxer.shift ?? .zero)
    }

    deinit {
        var closing: UnsafeMutablePointer<AVCodecContext>? = unsafe context
        unsafe avcodec_free_context(&closing)
    }

    /// Sends the next packet of the stream to the decoder.
    /// - throws: ``MediaError`` of the code `internal`. Damaged data is not an error.
    ///
    /// `avcodec_send_packet`
    package func send(_ packet: borrowing Packet) throws(MediaError) {
        let status = unsafe avcodec_send_packet(context, packet.av.pointer)
        consecutiveFailures = 0
        if packet.isCorrupt {
            record(.concealed, packet.presentationTime ?? packet.decodingTime, "the packet is incomplete")
        }
        if isStillImage {
            still = packet.withBytes { StillFile($0, codec: stream.codec) }
            if still?.isCutShort == true { record(.concealed, nil, "the picture is truncated") }
        }
        try check(status, at: packet.presentationTime ?? packet.decodingTime)
    }

    /// Signals the end of the stream: ``receive()`` then returns the remaining pictures.
    package func finish() throws(MediaError) {
        let status = unsafe avcodec_send_packet(context, nil)
        if status == cffmpeg_error_eof { return }
        try check(status, at: nil)
    }

    /// Prepares the decoder, after ``finish()``, for packets of a later part of the stream, which begins with a key
    /// frame.
    ///
    /// `avcodec_flush_buffers`
    package func restart() { unsafe avcodec_flush_buffers(context) }

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
        guard let frame = unsafe av_frame_alloc() else { throw .outOfMemory(path) }
        var owned: UnsafeMutablePointer<AVFrame>? = unsafe frame
        while true {
            let status = unsafe avcodec_receive_frame(context, frame)
            if status >= 0 { break }
            if status == cffmpeg_error_eagain || status == cffmpeg_error_eof {
                unsafe av_frame_free(&owned)
                return nil
            }
            do throws(MediaError) { try check(status, at: clock.next) } catch {
                unsafe av_frame_free(&owned)
                throw error
            }
        }
        consecutiveFailures = 0
        return unsafe try finished(frame)
    }

    /// True if the codec's loop filter is on, as the standard requires. Without the filter, each picture with
    /// references deviates a little more from the correct picture. With one thread, a change takes effect with the next
    /// packet.
    package var smoothsBlocks: Bool {
        get { unsafe context.pointee.skip_loop_filter == AVDISCARD_DEFAULT }
        set { unsafe context.pointee.skip_loop_filter = newValue ? AVDISCARD_DEFAULT : AVDISCARD_ALL }
    }

    /// True if unreferenced pictures are skipped. All other pictures are unchanged.
    package var leavesOutUnreferenced: Bool {
        get { unsafe context.pointee.skip_frame == AVDISCARD_NONREF }
        set { unsafe context.pointee.skip_frame = newValue ? AVDISCARD_NONREF : AVDISCARD_DEFAULT }
    }

    /// Returns the damage since the last call.
    package func dequeueDamage() -> [DecodingDamage] {
        defer { damage = [] }
        return damage
    }

    /// Sets the time and orientation of a decoded picture, and converts it to a native format if needed.
    @unsafe
    private func finished(_ decoded: UnsafeMutablePointer<AVFrame>) throws(MediaError) -> VideoFrame {
        var frame = unsafe decoded
        let duration = unsafe cffmpeg_frame_duration(frame)
        let time = unsafe clock.time(bestEffort: frame.pointee.best_effort_timestamp, duration: duration)
        if unsafe statesAspectRatio || !Rational(frame.pointee.sample_aspect_ratio).isPositive {
            unsafe frame.pointee.sample_aspect_ratio = stream.sampleAspectRatio.avRational
        }
        let format = unsafe AVPixelFormat(rawValue: frame.pointee.format)
        let isForeign = PixelFormat.native(format) == nil
        let isBottomUp = unsafe frame.pointee.linesize.0 < 0
        if isForeign || isBottomUp {
            var original: UnsafeMutablePointer<AVFrame>? = unsafe frame
            defer { unsafe av_frame_free(&original) }
            unsafe frame = unsafe try converter.convert(
                frame, width: frame.pointee.width, height: frame.pointee.height,
                to: PixelFormat.nearestNative(to: format), pool: pool)
        }
        var result = unsafe VideoFrame(
            owned: frame, time: time,
            duration: duration > 0 ? MediaTime(value: duration, timeBase: stream.timeBase) : nil,
            orientation: orientation(of: frame))
        // Every picture of a GIF has an alpha channel, even if it is opaque.
        if isForeign, stream.codec != "gif" { result.decodedFormat = format }
        if hasSeparateAlpha { result.decodedFormat = AV_PIX_FMT_YUVA420P }
        if result.isDamaged { record(.concealed, time, "parts of the picture are missing") }
        return result
    }

    /// Returns the file's orientation, or else the picture's own.
    @unsafe
    private func orientation(of frame: UnsafeMutablePointer<AVFrame>) -> Orientation {
        guard stream.orientation == .upright else { return stream.orientation }
        guard let data = unsafe av_frame_get_side_data(frame, AV_FRAME_DATA_DISPLAYMATRIX) else {
            return still?.orientation ?? .upright
        }
        return unsafe Orientation(displayMatrixBytes: data.pointee.data, count: Int(data.pointee.size)) ?? .upright
    }

    private func check(_ status: Int32, at time: MediaTime?) throws(MediaError) {
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
