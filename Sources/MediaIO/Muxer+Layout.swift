internal import CFFmpeg

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

extension Muxer {
    /// Which streams the output has.
    struct StreamLayout {
        var places: [Int: Int] = [:]
        var videoPlace = 0
        var skipped: [SkippedStream] = []
    }

    /// Creates the output's streams, in the source's order.
    @unsafe
    static func layOut(
        _ output: UnsafeMutablePointer<AVFormatContext>, container: ContainerFormat, source: Demuxer?,
        audio: AudioEncoder?, path: String
    ) throws(MediaError) -> StreamLayout {
        var layout = StreamLayout()
        guard let source else {
            guard unsafe avformat_new_stream(output, nil) != nil else { throw .outOfMemory(path) }
            layout.places = [0: 0]
            if let audio {
                guard let stream = unsafe avformat_new_stream(output, nil) else { throw .outOfMemory(path) }
                let status = unsafe avcodec_parameters_from_context(stream.pointee.codecpar, audio.context)
                if status < 0 { throw .writing(path, status: status) }
                unsafe stream.pointee.time_base = audio.context.pointee.time_base
                layout.places[AudioEncoder.streamIndex] = unsafe Int(stream.pointee.index)
            }
            return layout
        }
        let input = unsafe source.context
        for info in source.streams {
            let from = unsafe input.pointee.streams[info.index]!
            let isVideo = info.index == source.video.index
            if !isVideo, let reason = unsafe obstacle(from, container: container, output) {
                layout.skipped.append(SkippedStream(stream: info, reason: reason))
                continue
            }
            guard let to = unsafe avformat_new_stream(output, nil) else { throw .outOfMemory(path) }
            layout.places[info.index] = unsafe Int(to.pointee.index)
            if isVideo {
                layout.videoPlace = unsafe Int(to.pointee.index)
            } else {
                unsafe avcodec_parameters_copy(to.pointee.codecpar, from.pointee.codecpar)
                unsafe to.pointee.codecpar.pointee.codec_tag = 0
                unsafe to.pointee.time_base = from.pointee.time_base
            }
            unsafe copyDescription(to, from)
        }
        unsafe av_dict_copy(&output.pointee.metadata, input.pointee.metadata, 0)
        unsafe copyChapters(output, input)
        return layout
    }

    /// Why a stream cannot be copied into a container; nil where it can.
    @unsafe
    private static func obstacle(
        _ stream: UnsafeMutablePointer<AVStream>, container: ContainerFormat,
        _ output: UnsafeMutablePointer<AVFormatContext>
    ) -> String? {
        let id = unsafe stream.pointee.codecpar.pointee.codec_id
        let name = unsafe String(cString: avcodec_get_name(id))
        let fits = unsafe avformat_query_codec(output.pointee.oformat, id, FF_COMPLIANCE_NORMAL)
        return fits == 0 ? "\(container.rawValue) cannot hold \(name)" : nil
    }

    @unsafe
    private static func copyDescription(_ to: UnsafeMutablePointer<AVStream>, _ from: UnsafeMutablePointer<AVStream>) {
        unsafe av_dict_copy(&to.pointee.metadata, from.pointee.metadata, 0)
        unsafe to.pointee.disposition = from.pointee.disposition
        unsafe to.pointee.avg_frame_rate = from.pointee.avg_frame_rate
        unsafe to.pointee.r_frame_rate = from.pointee.r_frame_rate
        unsafe to.pointee.sample_aspect_ratio = from.pointee.sample_aspect_ratio
        _ = unsafe cffmpeg_stream_copy_side_data(to, from)
    }

    @unsafe
    private static func copyChapters(
        _ output: UnsafeMutablePointer<AVFormatContext>, _ input: UnsafeMutablePointer<AVFormatContext>
    ) {
        let count = unsafe Int(input.pointee.nb_chapters)
        guard count > 0, let raw = unsafe av_calloc(count, MemoryLayout<UnsafeMutablePointer<AVChapter>?>.stride)
        else { return }
        let list = unsafe raw.bindMemory(to: UnsafeMutablePointer<AVChapter>?.self, capacity: count)
        for index in 0..<count {
            let from = unsafe input.pointee.chapters[index]!
            guard let memory = unsafe av_mallocz(MemoryLayout<AVChapter>.size) else { break }
            let to = unsafe memory.bindMemory(to: AVChapter.self, capacity: 1)
            unsafe to.pointee.id = from.pointee.id
            unsafe to.pointee.time_base = from.pointee.time_base
            unsafe to.pointee.start = from.pointee.start
            unsafe to.pointee.end = from.pointee.end
            unsafe av_dict_copy(&to.pointee.metadata, from.pointee.metadata, 0)
            unsafe list[index] = unsafe to
            unsafe output.pointee.nb_chapters += 1
        }
        unsafe output.pointee.chapters = list
    }

    /// Fills in the video stream from the opened encoder.
    @unsafe
    func addParameters(of encoder: VideoEncoder) throws(MediaError) {
        guard let codec = unsafe encoder.context else {
            preconditionFailure("the encoder must be given its first frame before the muxer begins")
        }
        let stream = unsafe context.pointee.streams[videoPlace]!
        let status = unsafe avcodec_parameters_from_context(stream.pointee.codecpar, codec)
        if status < 0 { throw .writing(path, status: status) }
        unsafe stream.pointee.time_base = codec.pointee.time_base
        unsafe stream.pointee.sample_aspect_ratio = codec.pointee.sample_aspect_ratio
        if container == .avi, encoder.source.averageFrameRate.isPositive {
            // AVI knows frame numbers only.
            unsafe stream.pointee.time_base = encoder.source.averageFrameRate.inverse.avRational
        }
        let fits = unsafe avformat_query_codec(context.pointee.oformat, codec.pointee.codec_id, FF_COMPLIANCE_NORMAL)
        if fits == 0 {
            throw MediaError(
                .unsupportedInContainer, file: path,
                "\(path): a \(container.rawValue) file cannot hold \(encoder.settings.codec.rawValue) video; choose another codec or extension")
        }
    }

    func writeHeader() throws(MediaError) {
        var options: OpaquePointer? = nil
        defer { unsafe av_dict_free(&options) }
        switch container {
        case .mp4, .mov:
            unsafe av_dict_set(&options, "movflags", "+faststart", 0)
        case .mpegts:
            unsafe av_dict_set(&options, "mpegts_copyts", "1", 0)
        default:
            break
        }
        let status = unsafe avformat_write_header(context, &options)
        if status == cffmpeg_averror(EINVAL) || status == cffmpeg_error_patch_welcome {
            throw MediaError(
                .unsupportedInContainer, file: path,
                "\(path): a \(container.rawValue) file cannot hold one of these streams; choose another extension",
                detail: MediaError.text(of: status))
        }
        if status < 0 { throw .writing(path, status: status) }
    }
}
