internal import CFFmpeg
internal import Raster

/// Describes the streams and chapters of an opened input, from libavformat's structures.
extension Demuxer {
    /// The settings that open another file, or this one again, with the same limits.
    var limits: InputSettings {
        InputSettings(maxPixels: maxPixels, decoders: unsafe DecoderList.allowed(in: context))
    }

    /// The framing of H.264 and HEVC units in packets.
    package var videoFraming: NALFraming {
        NALFraming(configuration: videoConfiguration, codec: NALCodec(rawValue: video.codec) ?? .h264)
    }

    /// The decoder configuration in the video's header, in the codec's own form ("extradata").
    var videoConfiguration: [UInt8] {
        let parameters = unsafe videoStream.pointee.codecpar!
        let size = unsafe Int(parameters.pointee.extradata_size)
        guard size > 0, let data = unsafe parameters.pointee.extradata else { return [] }
        return unsafe Array(UnsafeBufferPointer(start: data, count: size))
    }

    @unsafe
    static func describeStreams(
        _ context: UnsafeMutablePointer<AVFormatContext>, unread: [String] = []
    ) -> [StreamInfo] {
        let isOgg = unsafe String(cString: context.pointee.iformat.pointee.name) == "ogg"
        var names = unread[...]
        return (0..<Int(unsafe context.pointee.nb_streams)).map { index in
            let stream = unsafe context.pointee.streams[index]!
            let parameters = unsafe stream.pointee.codecpar!
            let base = unsafe Rational(stream.pointee.time_base)
            var info = unsafe StreamInfo(
                index: index, kind: kind(parameters.pointee.codec_type),
                codec: String(cString: avcodec_get_name(parameters.pointee.codec_id)),
                codecTag: StreamInfo.text(ofTag: parameters.pointee.codec_tag),
                isAttachedPicture: stream.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC != 0,
                timeBase: base, startTime: time(stream.pointee.start_time, base),
                duration: time(stream.pointee.duration, base),
                metadata: dictionary(stream.pointee.metadata))
            if unsafe parameters.pointee.codec_id == AV_CODEC_ID_NONE {
                info.isSkeleton = isOgg && info.kind == .data
                info.unknownCodec = info.isSkeleton ? nil : names.popFirst()
            }
            return info
        }
    }

    private static func kind(_ type: AVMediaType) -> StreamInfo.Kind {
        switch type {
        case AVMEDIA_TYPE_VIDEO: .video
        case AVMEDIA_TYPE_AUDIO: .audio
        case AVMEDIA_TYPE_SUBTITLE: .subtitle
        case AVMEDIA_TYPE_DATA: .data
        case AVMEDIA_TYPE_ATTACHMENT: .attachment
        default: .unknown
        }
    }

    @unsafe
    static func describeVideo(
        _ context: UnsafeMutablePointer<AVFormatContext>, _ index: Int
    ) -> VideoStreamInfo {
        let stream = unsafe context.pointee.streams[index]!
        let parameters = unsafe stream.pointee.codecpar!
        let base = unsafe Rational(stream.pointee.time_base)
        var rate = unsafe Rational(stream.pointee.avg_frame_rate)
        if !rate.isPositive { rate = unsafe Rational(av_guess_frame_rate(context, stream, nil)) }
        if !rate.isPositive { rate = Rational(0, 1) }
        var ratio = unsafe Rational(av_guess_sample_aspect_ratio(context, stream, nil))
        if !ratio.isPositive { ratio = Rational(1, 1) }

        var info = unsafe VideoStreamInfo(
            width: Int(parameters.pointee.width), height: Int(parameters.pointee.height),
            frameRate: rate, timeBase: base)
        info.index = index
        info.codec = unsafe String(cString: avcodec_get_name(parameters.pointee.codec_id))
        info.sampleAspectRatio = ratio
        info.orientation = unsafe Orientation(of: stream) ?? .upright
        info.startTime = unsafe time(stream.pointee.start_time, base)
        // FFmpeg reports 0 for YUV4MPEG2 from a pipe.
        let duration = unsafe time(stream.pointee.duration, base).flatMap { $0 > .zero ? $0 : nil }
        info.duration = unsafe duration ?? length(of: context, from: info.startTime)
        info.frameCount = unsafe stream.pointee.nb_frames > 0 ? Int(stream.pointee.nb_frames) : nil
        return info
    }

    /// Returns the file's duration. For Matroska files, libavformat's duration counts from time 0, wherever the first
    /// picture is.
    @unsafe
    private static func length(
        of context: UnsafeMutablePointer<AVFormatContext>, from start: MediaTime?
    ) -> MediaTime? {
        guard let length = unsafe microseconds(context.pointee.duration) else { return nil }
        let format = unsafe String(cString: context.pointee.iformat.pointee.name)
        guard format.hasPrefix("matroska"), let start = start?.rescaled(to: length.timeBase).value,
            start > 0, start < length.value
        else { return length }
        return MediaTime(value: length.value - start, timeBase: length.timeBase)
    }

    @unsafe
    static func describeChapters(_ context: UnsafeMutablePointer<AVFormatContext>) -> [Chapter] {
        (0..<Int(unsafe context.pointee.nb_chapters)).map { index in
            let chapter = unsafe context.pointee.chapters[index]!
            let base = unsafe Rational(chapter.pointee.time_base)
            return unsafe Chapter(
                start: MediaTime(value: chapter.pointee.start, timeBase: base),
                end: MediaTime(value: chapter.pointee.end, timeBase: base),
                title: dictionary(chapter.pointee.metadata)["title"])
        }
    }

    static func time(_ value: Int64, _ base: TimeBase) -> MediaTime? {
        value == cffmpeg_no_pts || !base.isPositive ? nil : MediaTime(value: value, timeBase: base)
    }

    static func microseconds(_ value: Int64) -> MediaTime? {
        time(value, Rational(1, 1_000_000))
    }

    /// Returns the content of an `AVDictionary`.
    @unsafe
    static func dictionary(_ source: OpaquePointer?) -> [String: String] {
        var result: [String: String] = [:]
        var entry: UnsafeMutablePointer<AVDictionaryEntry>? = nil
        while true {
            unsafe entry = unsafe av_dict_get(source, "", entry, AV_DICT_IGNORE_SUFFIX)
            guard let entry = unsafe entry else { return result }
            unsafe result[String(cString: entry.pointee.key)] = unsafe String(cString: entry.pointee.value)
        }
    }
}

extension Demuxer {
    /// True if each packet has separate alpha data, which Matroska declares for VP8 and VP9.
    var hasSeparateAlpha: Bool {
        streams[video.index].metadata.contains { $0.key.lowercased() == "alpha_mode" && $0.value == "1" }
    }

    /// True if the input is one picture, such as a JPEG or PNG file, not a video.
    package var isStillImage: Bool {
        if formatName == "image2" || formatName.hasSuffix("_pipe") { return true }
        // Files of these formats contain one picture or many.
        return (formatName == "gif" || metadata["major_brand"] == "avif") && video.frameCount == 1
    }
}
