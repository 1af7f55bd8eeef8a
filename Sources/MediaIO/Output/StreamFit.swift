internal import CFFmpeg
internal import Raster

/// Decides which streams of a source fit into a container.
struct StreamFit {
    let container: ContainerFormat
    /// The container whose muxer writes the output.
    var form: ContainerFormat
    /// The output's path, or the source's if there is no output yet.
    let path: String

    /// The sound codecs that AVI cannot store correctly. The muxer accepts their headers, but the sound is played at
    /// wrong times.
    private static let soundUnfitForAVI: [AVCodecID] = [AV_CODEC_ID_VORBIS, AV_CODEC_ID_OPUS, AV_CODEC_ID_FLAC]

    /// Returns whether the output has a stream's content without a copy of the stream. Either the muxer creates the
    /// stream from the chapters or the tag `timecode`, or the container stores these directly.
    static func isRemade(_ info: StreamInfo, in container: ContainerFormat) -> Bool {
        info.derivedRole == .index || info.derivedRole != nil && container.holdsDescriptions
    }

    /// Returns the container whose muxer writes the output. QuickTime and MP4 share their boxes, but libavformat's
    /// QuickTime muxer omits some. If the source has content for these boxes, and MP4 can hold each stream that
    /// QuickTime can hold, the MP4 muxer writes the file under QuickTime's brand.
    ///
    /// Tested with FFmpeg 5.1, 7.1 and 9.0. From 7.1 on, the QuickTime muxer writes Apple's box `vexu`, which names
    /// neither the layout of a packed stereo picture nor the direction of a projection.
    static func form(
        of container: ContainerFormat, _ source: Demuxer?, _ path: String
    ) throws(MediaError) -> ContainerFormat {
        guard container == .mov, let source else { return container }
        let (quickTime, mp4) = (
            StreamFit(container: .mov, form: .mov, path: path), StreamFit(container: .mp4, form: .mp4, path: path)
        )
        var isRicher = source.input.stream(source.video.index).sideData.contains { writtenByMP4Only.contains($0.kind) }
        for info in source.streams where info.derivedRole == nil {
            let stream = source.input.stream(info.index)
            let fitsQuickTime = try quickTime.refusal(of: stream, info) == nil
            let fitsMP4 = try mp4.refusal(of: stream, info) == nil
            if fitsQuickTime, !fitsMP4 { return container }
            if info.kind == .data, fitsMP4, !fitsQuickTime { isRicher = true }
        }
        return isRicher ? .mp4 : container
    }

    /// The side data that the MP4 muxer writes and the QuickTime muxer omits, in the same boxes.
    private static let writtenByMP4Only: Set<StreamSideData.Kind> = [.dolbyVision, .stereo3D, .spherical]

    /// Returns the reason why a stream cannot be copied; nil if it can.
    ///
    /// - throws: ``MediaError`` of the code `internal` if there is no memory for the check.
    func refusal(of stream: StreamHandle, _ info: StreamInfo) throws(MediaError) -> String? {
        let refusal = "\(container.displayName) cannot hold \(info.contentName)"
        // Players would recognise a copy of such a stream neither as chapters nor as a time code.
        if info.derivedRole != nil { return refusal }
        let parameters = stream.parameters
        let id = parameters.codec_id
        if id == AV_CODEC_ID_NONE, [.video, .audio, .subtitle].contains(info.kind) {
            return "FFmpeg does not support \(info.contentName)"
        }
        switch container {
        case .mpegts:
            if id == AV_CODEC_ID_PCM_BLURAY, ContainerFormat.isBluRay(path) { return nil }
            return ContainerFormat.transportStreamCodecs.contains(id) && !info.isAttachedPicture ? nil : refusal
        case .yuv4mpegpipe, .rawvideo, .v4l2:
            return refusal
        case .whip:
            // A trial of the header would connect.
            if info.kind == .video { return info.isAttachedPicture || id != AV_CODEC_ID_H264 ? refusal : nil }
            let isStereo = unsafe parameters.ch_layout.nb_channels == 2
            let fits = id == AV_CODEC_ID_OPUS && isStereo && parameters.sample_rate == 48_000
            return fits ? nil : "\(refusal); its sound is stereo Opus"
        case .avi:
            let fits = info.kind == .video || info.kind == .audio
            if !fits || info.isAttachedPicture || Self.soundUnfitForAVI.contains(id) { return refusal }
        case .nut where info.kind == .audio && parameters.needsBlockSize:
            return refusal
        case .matroska:
            if info.isAttachedPicture || info.kind == .attachment { return nil }
        case .mp4, .mov:
            break
        default:
            if info.isAttachedPicture || info.kind == .attachment { return refusal }
        }
        return try accepts(stream, in: info.kind == .data ? form : container) ? nil : refusal
    }

    /// Returns whether a muxer accepts a stream: it writes the header of a file, in memory, with this stream alone.
    private func accepts(_ stream: StreamHandle, in container: ContainerFormat) throws(MediaError) -> Bool {
        // Matroska stores codecs of WAV and AVI under their numbers there, which libavformat regards as unofficial.
        let strictness = container == .matroska ? FF_COMPLIANCE_UNOFFICIAL : FF_COMPLIANCE_NORMAL
        let muxer = unsafe av_guess_format(container.muxerName, nil, nil)
        guard unsafe muxer != nil, unsafe avformat_query_codec(muxer, stream.parameters.codec_id, strictness) != 0
        else {
            return false
        }
        let trial = try OutputContext(format: container.muxerName, url: "", file: path)
        let to = try trial.addStream(file: path)
        to.disposition = stream.disposition
        var status = to.copyParameters(of: stream, for: container)
        if status >= 0 { status = to.copyTags(of: stream) }
        if status >= 0 { status = try trial.writeHeaderToMemory() }
        if status == cffmpeg_error_enomem { throw .outOfMemory(path) }
        return status >= 0
    }
}

extension OutputContext {
    /// Writes the header into memory, which is freed.
    ///
    /// - Returns: FFmpeg's code.
    fileprivate func writeHeaderToMemory() throws(MediaError) -> Int32 {
        let options = try OptionDictionary()
        let opening = unsafe avio_open_dyn_buf(&pointer.pointee.pb)
        if opening < 0 { return opening }
        let status = writeHeader(options)
        var bytes: UnsafeMutablePointer<UInt8>? = nil
        unsafe avio_close_dyn_buf(pointer.pointee.pb, &bytes)
        unsafe pointer.pointee.pb = nil
        unsafe av_free(bytes)
        return status
    }
}

extension StreamParameters {
    /// True if sound cannot be decoded without the size of its blocks, as Windows Media Audio. NUT does not store it.
    fileprivate var needsBlockSize: Bool { self.block_align > 0 && isDecodable() && !isDecodable(blockSize: 0) }

    private func isDecodable(blockSize: Int32? = nil) -> Bool {
        guard let codec = DecoderList.decoder(for: self.codec_id, preferring: nil),
            let context = try? CodecContext(codec),
            unsafe context.setParameters(pointer) >= 0
        else { return false }
        if let blockSize { context.block_align = blockSize }
        return context.open() >= 0
    }
}

extension Muxer {
    /// Returns the reason why a source's own video cannot be copied into a container; nil if it can.
    package static func incompatibility(copyingVideoOf source: Demuxer, into container: ContainerFormat) -> String? {
        guard let info = source.streams.first(where: { $0.index == source.video.index }) else { return nil }
        if source.video.orientation != .upright, !container.holdsDisplayMatrix {
            return "\(container.displayName) does not support rotation metadata"
        }
        let stream = source.input.stream(info.index)
        if container == .mpegts {
            // In MPEG-TS, only the codec states the sample aspect ratio.
            let stated = Rational(stream.sample_aspect_ratio)
            let coded = Rational(stream.parameters.sample_aspect_ratio)
            if stated.isPositive, stated != (coded.isPositive ? coded : Rational(1, 1)) {
                return "\(container.displayName) does not support the pixel aspect ratio"
            }
        }
        do throws(MediaError) {
            return try StreamFit(container: container, form: container, path: source.path).refusal(of: stream, info)
        } catch {
            return error.message
        }
    }
}

/// Copies the parameters of a stream that is not encoded again.
extension StreamHandle {
    /// Sound codecs whose coded samples have no fixed size.
    private static let soundWithoutSampleSize: [AVCodecID] = [
        AV_CODEC_ID_AC3, AV_CODEC_ID_MP2, AV_CODEC_ID_MP3, AV_CODEC_ID_AAC,
    ]

    /// `WAVE_FORMAT_MPEG_ADTS_AAC` of Windows' `mmreg.h`.
    private static let tagOfAACWithHeaders: UInt32 = 0x1600

    /// Copies the codec parameters of a stream. The source's tag is kept if it denotes the same codec in the container.
    ///
    /// - Returns: FFmpeg's code, below 0 if there is no memory.
    func copyParameters(of source: StreamHandle, for container: ContainerFormat) -> Int32 {
        let isCover = source.disposition & AV_DISPOSITION_ATTACHED_PIC != 0
        if isCover, container == .matroska { return attachCover(of: source) }
        let parameters = parameters
        let status = unsafe avcodec_parameters_copy(parameters.pointer, source.codecpar)
        if status < 0 { return status }
        if UnprobedSound.isUnknown(parameters) { parameters.assumeSound() }
        // For these codecs, AVI states the size of a frame, or of a second of frames. Another muxer would interpret the
        // number as the size of a sample.
        if Self.soundWithoutSampleSize.contains(parameters.codec_id) { parameters.block_align = 0 }
        if !container.hidesPictures { parameters.excludeHiddenSound() }
        let tag = parameters.codec_tag
        parameters.codec_tag = 0
        self.time_base = source.time_base
        // The container's sample aspect ratio takes precedence over the codec's, as in players. Some muxers write only
        // one of the two, and others reject streams in which they differ.
        parameters.sample_aspect_ratio = unsafe av_guess_sample_aspect_ratio(nil, source.pointer, nil)
        self.sample_aspect_ratio = parameters.sample_aspect_ratio
        if let format = unsafe av_guess_format(container.muxerName, nil, nil),
            let tags = unsafe format.pointee.codec_tag, unsafe av_codec_get_id(tags, tag) == parameters.codec_id
        {
            parameters.codec_tag = tag
        }
        // AAC with a header on every frame has a tag of its own in AVI; FFmpeg 9 refuses it under the other one.
        if container == .avi, parameters.codec_id == AV_CODEC_ID_AAC, parameters.extradata_size == 0 {
            parameters.codec_tag = Self.tagOfAACWithHeaders
        }
        return 0
    }

    /// Converts cover art to an attached file, as Matroska stores it.
    private func attachCover(of source: StreamHandle) -> Int32 {
        let parameters = parameters
        let picture = unsafe source.attached_pic
        parameters.codec_type = AVMEDIA_TYPE_ATTACHMENT
        parameters.codec_id = source.parameters.codec_id
        let status = parameters.setHeader(unsafe Array(picture.data, count: Int(picture.size)))
        if status < 0 { return status }
        self.disposition = 0
        let isPNG = parameters.codec_id == AV_CODEC_ID_PNG
        let naming = setTag("filename", isPNG ? "cover.png" : "cover.jpg", AV_DICT_DONT_OVERWRITE)
        if naming < 0 { return naming }
        return setTag("mimetype", isPNG ? "image/png" : "image/jpeg", AV_DICT_DONT_OVERWRITE)
    }
}

extension StreamParameters {
    /// Replaces the codec's header.
    ///
    /// - Returns: FFmpeg's code, below 0 if there is no memory.
    func setHeader(_ bytes: [UInt8]) -> Int32 {
        guard let memory = unsafe av_mallocz(bytes.count + Int(AV_INPUT_BUFFER_PADDING_SIZE)) else {
            return cffmpeg_error_enomem
        }
        let data = unsafe memory.bindMemory(to: UInt8.self, capacity: bytes.count)
        for i in bytes.indices { unsafe data[i] = bytes[i] }
        unsafe av_free(pointer.pointee.extradata)
        unsafe pointer.pointee.extradata = unsafe data
        self.extradata_size = Int32(bytes.count)
        return 0
    }

    /// Sets assumed parameters for unknown sound. They are replaced before a header with them is written.
    fileprivate func assumeSound() {
        self.sample_rate = 48_000
        unsafe av_channel_layout_default(&pointer.pointee.ch_layout, 2)
    }

    /// Excludes sound before the beginning from the delay of a codec. FFmpeg 9 counts all sound that an edit list hides as
    /// delay, but only the last hidden packet is written (``HiddenPackets``), and decoders skip as much as the delay.
    fileprivate func excludeHiddenSound() {
        let (delay, rate) = (self.initial_padding, self.sample_rate)
        guard rate > 0, Double(delay) > HiddenPackets.longestDelay * Double(rate) else { return }
        self.initial_padding = self.frame_size > 0 ? (delay - 1) % self.frame_size + 1 : 0
    }
}
