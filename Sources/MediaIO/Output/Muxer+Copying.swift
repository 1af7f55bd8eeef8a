internal import CFFmpeg
import Platform
internal import Raster

/// Configures copied streams of an output: compatibility with the container, codec parameters, metadata.
extension Muxer {
    /// The sound codecs that AVI cannot store correctly. The muxer accepts their headers, but the sound is played at
    /// wrong times.
    private static let soundUnfitForAVI: [AVCodecID] = [AV_CODEC_ID_VORBIS, AV_CODEC_ID_OPUS, AV_CODEC_ID_FLAC]

    /// Sound codecs whose coded samples have no fixed size.
    private static let soundWithoutSampleSize: [AVCodecID] = [
        AV_CODEC_ID_AC3, AV_CODEC_ID_MP2, AV_CODEC_ID_MP3, AV_CODEC_ID_AAC,
    ]

    /// `WAVE_FORMAT_MPEG_ADTS_AAC` of Windows' `mmreg.h`.
    private static let tagOfAACWithHeaders: UInt32 = 0x1600

    /// Returns whether the output has a stream's content without a copy of the stream. Either the muxer creates the
    /// stream from the chapters or the tag `timecode`, or the container stores these directly.
    static func isRemade(_ info: StreamInfo, in container: ContainerFormat) -> Bool {
        info.derivedRole == .index || info.derivedRole != nil && container.holdsDescriptions
    }

    /// Returns the reason why a stream cannot be copied into a container; nil if it can.
    ///
    /// - Parameter form: See ``form(of:_:_:)``.
    /// - throws: ``MediaError`` of the code `internal` if there is no memory for the check.
    @unsafe
    static func incompatibility(
        _ stream: UnsafeMutablePointer<AVStream>, _ info: StreamInfo, _ container: ContainerFormat,
        form: ContainerFormat? = nil, _ path: String
    ) throws(MediaError) -> String? {
        let refusal = "\(container.displayName) cannot hold \(info.contentName)"
        // Players would recognise a copy of such a stream neither as chapters nor as a time code.
        if info.derivedRole != nil { return refusal }
        let id = unsafe stream.pointee.codecpar.pointee.codec_id
        if id == AV_CODEC_ID_NONE, [.video, .audio, .subtitle].contains(info.kind) {
            return "FFmpeg does not support \(info.contentName)"
        }
        switch container {
        case .mpegts:
            let isBluRay = id == AV_CODEC_ID_PCM_BLURAY && ContainerFormat.isBluRay(path)
            if isBluRay { return nil }
            return ContainerFormat.transportStreamCodecs.contains(id) && !info.isAttachedPicture ? nil : refusal
        case .yuv4mpegpipe, .rawvideo, .v4l2:
            return refusal
        case .whip:
            // A trial of the header would connect.
            let parameters = unsafe stream.pointee.codecpar!
            let isStereo = unsafe parameters.pointee.ch_layout.nb_channels == 2
            let fits = unsafe isStereo && parameters.pointee.sample_rate == 48_000
            if info.kind == .video { return info.isAttachedPicture || id != AV_CODEC_ID_H264 ? refusal : nil }
            return id == AV_CODEC_ID_OPUS && fits ? nil : "\(refusal); its sound is stereo Opus"
        case .avi:
            let fits = info.kind == .video || info.kind == .audio
            if !fits || info.isAttachedPicture || soundUnfitForAVI.contains(id) { return refusal }
        case .nut where unsafe info.kind == .audio && needsBlockSize(stream.pointee.codecpar):
            return refusal
        case .matroska:
            if info.isAttachedPicture || info.kind == .attachment { return nil }
        case .mp4, .mov:
            break
        default:
            if info.isAttachedPicture || info.kind == .attachment { return refusal }
        }
        let format = info.kind == .data ? form ?? container : container
        return unsafe try acceptsHeader(stream, format, path) ? nil : refusal
    }

    /// Returns whether sound cannot be decoded without the size of its blocks, as Windows Media Audio. NUT does not store
    /// it.
    @unsafe
    private static func needsBlockSize(_ parameters: UnsafeMutablePointer<AVCodecParameters>) -> Bool {
        func isDecodable(withSize keepsSize: Bool) -> Bool {
            guard let codec = unsafe DecoderList.decoder(for: parameters.pointee.codec_id, preferring: nil),
                let context = try? CodecContext(codec), unsafe context.setParameters(parameters) >= 0
            else { return false }
            if !keepsSize { context.block_align = 0 }
            return context.open() >= 0
        }
        let hasSize = unsafe parameters.pointee.block_align > 0
        return hasSize && isDecodable(withSize: true) && !isDecodable(withSize: false)
    }

    /// Returns the reason why a source's own video cannot be copied into a container; nil if it can.
    package static func incompatibility(copyingVideoOf source: Demuxer, into container: ContainerFormat) -> String? {
        guard let info = source.streams.first(where: { $0.index == source.video.index }) else { return nil }
        if source.video.orientation != .upright, !container.holdsDisplayMatrix {
            return "\(container.displayName) does not support rotation metadata"
        }
        let stream = unsafe source.context.pointee.streams[info.index]!
        if container == .mpegts {
            // In MPEG-TS, only the codec states the sample aspect ratio.
            let stated = unsafe Rational(stream.pointee.sample_aspect_ratio)
            let coded = unsafe Rational(stream.pointee.codecpar.pointee.sample_aspect_ratio)
            if stated.isPositive, stated != (coded.isPositive ? coded : Rational(1, 1)) {
                return "\(container.displayName) does not support the pixel aspect ratio"
            }
        }
        do throws(MediaError) {
            return unsafe try incompatibility(stream, info, container, source.path)
        } catch {
            return error.message
        }
    }

    /// Returns whether the muxer accepts a stream: it writes the header of a file, in memory, with this stream alone.
    @unsafe
    private static func acceptsHeader(
        _ stream: UnsafeMutablePointer<AVStream>, _ container: ContainerFormat, _ path: String
    ) throws(MediaError) -> Bool {
        var fresh: UnsafeMutablePointer<AVFormatContext>? = nil
        let created = unsafe avformat_alloc_output_context2(&fresh, nil, container.muxerName, nil)
        if created == cffmpeg_error_enomem { throw .outOfMemory(path) }
        guard created >= 0, let trial = unsafe fresh else { return false }
        defer { unsafe avformat_free_context(trial) }
        let id = unsafe stream.pointee.codecpar.pointee.codec_id
        // Matroska stores codecs of WAV and AVI under their numbers there, which libavformat regards as unofficial.
        let strictness = container == .matroska ? FF_COMPLIANCE_UNOFFICIAL : FF_COMPLIANCE_NORMAL
        if unsafe avformat_query_codec(trial.pointee.oformat, id, strictness) == 0 { return false }
        guard let to = unsafe avformat_new_stream(trial, nil),
            unsafe avio_open_dyn_buf(&trial.pointee.pb) >= 0
        else { throw .outOfMemory(path) }
        unsafe to.pointee.disposition = stream.pointee.disposition
        var status = unsafe copyParameters(to, stream, container)
        if status >= 0 { status = unsafe av_dict_copy(&to.pointee.metadata, stream.pointee.metadata, 0) }
        if status >= 0 { status = unsafe avformat_write_header(trial, nil) }
        var bytes: UnsafeMutablePointer<UInt8>? = nil
        unsafe avio_close_dyn_buf(trial.pointee.pb, &bytes)
        unsafe trial.pointee.pb = nil
        unsafe av_free(bytes)
        if status == cffmpeg_error_enomem { throw .outOfMemory(path) }
        return status >= 0
    }

    /// Copies the codec parameters of a stream. The source's tag is kept if it denotes the same codec in the container.
    ///
    /// - Returns: FFmpeg's code, below 0 if there is no memory.
    @unsafe
    static func copyParameters(
        _ to: UnsafeMutablePointer<AVStream>, _ from: UnsafeMutablePointer<AVStream>, _ container: ContainerFormat
    ) -> Int32 {
        let parameters = unsafe to.pointee.codecpar!
        let isCover = unsafe from.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC != 0
        if isCover, container == .matroska {
            return unsafe makeAttachment(to, from)
        }
        let status = unsafe avcodec_parameters_copy(parameters, from.pointee.codecpar)
        if status < 0 { return status }
        if unsafe parameters.pointee.codec_type == AVMEDIA_TYPE_AUDIO, unsafe parameters.pointee.sample_rate == 0 {
            unsafe assumeSound(parameters)
        }
        // For these codecs, AVI states the size of a frame, or of a second of frames. Another muxer would interpret the
        // number as the size of a sample.
        if unsafe soundWithoutSampleSize.contains(parameters.pointee.codec_id) {
            unsafe parameters.pointee.block_align = 0
        }
        if !container.hidesPictures { unsafe excludeHiddenSound(from: parameters) }
        let tag = unsafe parameters.pointee.codec_tag
        unsafe parameters.pointee.codec_tag = 0
        unsafe to.pointee.time_base = from.pointee.time_base
        // The container's sample aspect ratio takes precedence over the codec's, as in players. Some muxers write only
        // one of the two, and others reject streams in which they differ.
        unsafe parameters.pointee.sample_aspect_ratio = av_guess_sample_aspect_ratio(nil, from, nil)
        unsafe to.pointee.sample_aspect_ratio = parameters.pointee.sample_aspect_ratio
        if let format = unsafe av_guess_format(container.muxerName, nil, nil),
            let tags = unsafe format.pointee.codec_tag,
            unsafe av_codec_get_id(tags, tag) == parameters.pointee.codec_id
        {
            unsafe parameters.pointee.codec_tag = tag
        }
        // AAC with a header on every frame has a tag of its own in AVI; FFmpeg 9 refuses it under the other one.
        if container == .avi, unsafe parameters.pointee.codec_id == AV_CODEC_ID_AAC,
            unsafe parameters.pointee.extradata_size == 0
        {
            unsafe parameters.pointee.codec_tag = tagOfAACWithHeaders
        }
        return 0
    }

    /// Excludes sound before the beginning from the delay of a codec. FFmpeg 9 counts all sound that an edit list hides as
    /// delay, but only the last hidden packet is written (``HiddenPackets``), and decoders skip as much as the delay.
    @unsafe
    private static func excludeHiddenSound(from parameters: UnsafeMutablePointer<AVCodecParameters>) {
        let (delay, rate) = unsafe (parameters.pointee.initial_padding, parameters.pointee.sample_rate)
        guard rate > 0, Double(delay) > HiddenPackets.longestDelay * Double(rate) else { return }
        let samplesInPacket = unsafe parameters.pointee.frame_size
        unsafe parameters.pointee.initial_padding = samplesInPacket > 0 ? (delay - 1) % samplesInPacket + 1 : 0
    }

    /// Converts cover art to an attached file, as Matroska stores it.
    @unsafe
    private static func makeAttachment(
        _ to: UnsafeMutablePointer<AVStream>, _ from: UnsafeMutablePointer<AVStream>
    ) -> Int32 {
        let parameters = unsafe to.pointee.codecpar!
        let picture = unsafe from.pointee.attached_pic
        unsafe parameters.pointee.codec_type = AVMEDIA_TYPE_ATTACHMENT
        unsafe parameters.pointee.codec_id = from.pointee.codecpar.pointee.codec_id
        let size = unsafe Int(picture.size)
        guard let memory = unsafe av_mallocz(size + Int(AV_INPUT_BUFFER_PADDING_SIZE)) else {
            return cffmpeg_error_enomem
        }
        unsafe memory.copyMemory(from: picture.data, byteCount: size)
        unsafe parameters.pointee.extradata = unsafe memory.assumingMemoryBound(to: UInt8.self)
        unsafe parameters.pointee.extradata_size = picture.size
        let isPNG = unsafe parameters.pointee.codec_id == AV_CODEC_ID_PNG
        unsafe to.pointee.disposition = 0
        let status = unsafe av_dict_set(
            &to.pointee.metadata, "filename", isPNG ? "cover.png" : "cover.jpg", AV_DICT_DONT_OVERWRITE)
        if status < 0 { return status }
        return unsafe av_dict_set(
            &to.pointee.metadata, "mimetype", isPNG ? "image/png" : "image/jpeg", AV_DICT_DONT_OVERWRITE)
    }

    /// Copies id, disposition, frame rates and tags of a stream.
    ///
    /// - Returns: FFmpeg's code, below 0 if there is no memory.
    @unsafe
    static func copyDescription(
        _ to: UnsafeMutablePointer<AVStream>, _ from: UnsafeMutablePointer<AVStream>
    ) -> Int32 {
        unsafe to.pointee.id = from.pointee.id
        unsafe to.pointee.disposition = from.pointee.disposition
        unsafe to.pointee.avg_frame_rate = from.pointee.avg_frame_rate
        unsafe to.pointee.r_frame_rate = from.pointee.r_frame_rate
        return unsafe av_dict_copy(&to.pointee.metadata, from.pointee.metadata, 0)
    }

    /// Removes the tags that describe the source's coding of the video.
    ///
    /// - Parameter keepsEncoder: Whether every frame was encoded by the source's encoder.
    /// - Returns: FFmpeg's code, below 0 if there is no memory.
    @unsafe
    static func dropCodingTags(_ stream: UnsafeMutablePointer<AVStream>, keepsEncoder: Bool) -> Int32 {
        var stale = ["duration", "bps", "number_of_", "_statistics", "rotate"]
        if !keepsEncoder { stale.append("encoder") }
        for key in unsafe Demuxer.dictionary(stream.pointee.metadata).keys.sorted() {
            let name = key.lowercased()
            guard stale.contains(where: { name.hasPrefix($0) }) else { continue }
            let status = unsafe av_dict_set(&stream.pointee.metadata, key, nil, 0)
            if status < 0 { return status }
        }
        return 0
    }
}

/// Decides which packets that the source's edit list hides are copied, so that the output does not show them either.
///
/// The edit list that libavformat writes hides only packets before the beginning. Hidden packets elsewhere are dropped,
/// except for pictures at the end to which shown pictures refer: ``MP4EditList`` hides such pictures.
struct HiddenPackets: Sendable {
    /// The start and end of the video, and the end of its shown part, in ticks of the output.
    private var video: (start: Int64, shownEnd: Int64, end: Int64)?
    private var streams: [Int: StreamState] = [:]
    /// The longest silence that encoders insert before the sound, in seconds: three packets of AAC, or 80 ms of Opus.
    static let longestDelay = 0.1

    private struct StreamState {
        var hasBegun = false
        /// True if the hidden sound before the beginning is longer than an encoder's delay; nil before the first hidden
        /// packet.
        var isCut: Bool?
        /// True if packets are dropped until the next key packet.
        var awaitsKey = false
    }

    enum Decision {
        case kept, hidden
        /// The packet is shown in the source, but cannot be decoded without hidden packets.
        case undecodable
    }

    /// Decides about the next packet of a copied stream other than the video.
    ///
    /// - Parameter hidesBeginning: Whether the output hides packets before its beginning.
    mutating func classify(_ packet: borrowing Packet, isSound: Bool, hidesBeginning: Bool) -> Decision {
        var state = streams[packet.streamIndex] ?? StreamState()
        defer { streams[packet.streamIndex] = state }
        if packet.isHidden {
            if state.hasBegun {
                state.awaitsKey = true
                return .hidden
            }
            guard isSound, let time = packet.presentationTime else { return .kept }
            let duration = packet.duration?.seconds ?? 0
            // libavformat's edit list hides packets before 0, not packets before the first shown one.
            if hidesBeginning, time.seconds + duration <= packet.timeBase.value { return .kept }
            let isCut = state.isCut ?? (time.seconds < -Self.longestDelay)
            state.isCut = isCut
            if time.seconds >= 0 { return .hidden }
            // After a cut, a sound decoder needs the last hidden packet, which overlaps the first shown packet.
            return isCut && time.seconds + duration < -packet.timeBase.value ? .hidden : .kept
        }
        if state.awaitsKey, !packet.isKeyFrame { return .undecodable }
        state.hasBegun = true
        state.awaitsKey = false
        return .kept
    }

    /// Records a packet of the video as it is written.
    @unsafe
    mutating func add(video packet: UnsafeMutablePointer<AVPacket>) {
        guard unsafe packet.pointee.pts != cffmpeg_no_pts else { return }
        let (start, isShown) = unsafe (packet.pointee.pts, packet.pointee.flags & AV_PKT_FLAG_DISCARD == 0)
        let end = unsafe start &+ packet.pointee.duration
        var known = video ?? (start, .min, .min)
        known.start = min(known.start, start)
        known.end = max(known.end, end)
        if isShown { known.shownEnd = max(known.shownEnd, end) }
        video = known
    }

    /// Returns the video's track in an MP4 file if there are hidden pictures at its end.
    func trackWithHiddenEnd(id: UInt32, timeBase: TimeBase) -> MP4EditList.Track? {
        guard let video, video.shownEnd > .min, video.shownEnd < video.end else { return nil }
        return MP4EditList.Track(
            id: id, timeBase: timeBase, start: video.start, shownEnd: video.shownEnd, end: video.end)
    }
}

extension Muxer {
    /// Hides pictures at the end that were copied as references only.
    func hideEnd(_ hidden: HiddenPackets, in file: String) throws(MediaError) {
        let timeBase = unsafe Rational(context.pointee.streams[videoPlace]!.pointee.time_base)
        guard container.hidesPictures,
            let track = hidden.trackWithHiddenEnd(id: UInt32(videoPlace + 1), timeBase: timeBase)
        else { return }
        guard try MP4EditList.hideEnd(of: track, in: file) else { throw unfit(cffmpeg_error_invalid_data) }
    }
}
