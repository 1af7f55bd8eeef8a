internal import CFFmpeg
internal import Raster

/// The properties of an input: its streams and chapters, from libavformat's structures.
extension Demuxer {
    /// The settings that open another file, or this one again, with the same limits.
    var limits: InputSettings {
        InputSettings(maxPixels: maxPixels, decoders: DecoderList.allowed(in: input))
    }

    /// The framing of H.264 and HEVC units in packets.
    package var videoFraming: NALFraming {
        NALFraming(configuration: videoConfiguration, codec: NALCodec(rawValue: video.codec) ?? .h264)
    }

    /// The decoder configuration in the video's header, in the codec's own form ("extradata").
    var videoConfiguration: [UInt8] { videoTrack.parameters.header }

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

    /// The subtitles of a playlist, which FFmpeg's HLS demuxer does not read, as streams after the others.
    var unreadSubtitles: [SkippedStream] {
        guard formatName == "hls" else { return [] }
        return warnings.unread.enumerated().map { number, address in
            let info = StreamInfo(
                index: streams.count + number, kind: .subtitle, codec: "webvtt", isAttachedPicture: false,
                timeBase: Rational(1, 1000), metadata: [:])
            return SkippedStream(stream: info, reason: "FFmpeg does not read the subtitles of a playlist (\(address))")
        }
    }

    static func describeStreams(_ input: InputContext, unread: [String] = []) -> [StreamInfo] {
        let isOgg = input.formatName == "ogg"
        var names = unread[...]
        return input.streams.enumerated().map { index, stream in
            let parameters = stream.parameters
            let base = Rational(stream.time_base)
            var info = StreamInfo(
                index: index, kind: kind(parameters.codec_type),
                codec: unsafe String(cString: avcodec_get_name(parameters.codec_id)),
                codecTag: StreamInfo.text(ofTag: parameters.codec_tag),
                isAttachedPicture: stream.disposition & AV_DISPOSITION_ATTACHED_PIC != 0,
                timeBase: base, startTime: time(stream.start_time, base), duration: time(stream.duration, base),
                metadata: stream.tags)
            if parameters.codec_id == AV_CODEC_ID_NONE {
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

    static func describeVideo(_ input: InputContext, _ index: Int) -> VideoStreamInfo {
        let stream = input.stream(index), parameters = stream.parameters
        let base = Rational(stream.time_base)
        var rate = Rational(stream.avg_frame_rate)
        if !rate.isPositive { rate = unsafe Rational(av_guess_frame_rate(input.pointer, stream.pointer, nil)) }
        if !rate.isPositive { rate = Rational(0, 1) }
        var ratio = unsafe Rational(av_guess_sample_aspect_ratio(input.pointer, stream.pointer, nil))
        if !ratio.isPositive { ratio = Rational(1, 1) }

        var info = VideoStreamInfo(
            width: Int(parameters.width), height: Int(parameters.height), frameRate: rate, timeBase: base)
        info.index = index
        info.codec = unsafe String(cString: avcodec_get_name(parameters.codec_id))
        info.sampleAspectRatio = ratio
        info.orientation = stream.sideData(.displayMatrix).flatMap { Orientation(displayMatrix: $0) } ?? .upright
        info.startTime = time(stream.start_time, base)
        // FFmpeg reports 0 for YUV4MPEG2 from a pipe.
        let duration = time(stream.duration, base).flatMap { $0 > .zero ? $0 : nil }
        info.duration = duration ?? length(of: input, from: info.startTime)
        info.frameCount = stream.nb_frames > 0 ? Int(stream.nb_frames) : nil
        return info
    }

    /// Returns the file's duration. For Matroska files, libavformat's duration counts from time 0, wherever the first
    /// picture is.
    private static func length(of input: InputContext, from start: MediaTime?) -> MediaTime? {
        guard let length = microseconds(input.duration) else { return nil }
        guard input.formatName.hasPrefix("matroska"), let start = start?.rescaled(to: length.timeBase).value,
            start > 0, start < length.value
        else { return length }
        return MediaTime(value: length.value - start, timeBase: length.timeBase)
    }

    static func describeChapters(_ input: InputContext) -> [Chapter] {
        (0..<Int(input.nb_chapters)).map { index in
            let chapter = unsafe input.pointer.pointee.chapters[index]!
            let base = unsafe Rational(chapter.pointee.time_base)
            return unsafe Chapter(
                start: MediaTime(value: chapter.pointee.start, timeBase: base),
                end: MediaTime(value: chapter.pointee.end, timeBase: base),
                title: [String: String](chapter.pointee.metadata)["title"])
        }
    }

    static func time(_ value: Int64, _ base: TimeBase) -> MediaTime? {
        value == cffmpeg_no_pts || !base.isPositive ? nil : MediaTime(value: value, timeBase: base)
    }

    static func microseconds(_ value: Int64) -> MediaTime? {
        time(value, Rational(1, 1_000_000))
    }
}

/// The faults of an input, and the repairs that were made, so far.
extension Demuxer {
    /// Returns the error for reading that ended before the end of the recording; nil if it is complete.
    func earlyEnd(_ status: Int32) -> MediaError? {
        // FFmpeg's demuxer of separate JPEG pictures expects a header after each picture, and reports the missing header
        // at the end as invalid data (`mpjpeg_read_packet`).
        let endsAfterBoundary =
            status == cffmpeg_error_invalid_data && formatName == "mpjpeg" && input.hasReachedEnd && input.isSound
        if status == cffmpeg_error_eof || endsAfterBoundary { return missingEnd }
        return .reading(path, status: status, isSound: input.isSound)
    }

    /// The error for a file that ends before the duration in its header, or within a frame; nil if it is complete.
    ///
    /// FFmpeg reports no error if a file of Matroska or another format is truncated between two packets.
    private var missingEnd: MediaError? {
        let end = progress.end
        if progress.hasRead, formatName == "yuv4mpegpipe", let pb = unsafe input.pointer.pointee.pb,
            unsafe avio_tell(pb) > lastByte
        {
            return MediaError(.damaged, file: path, "\(path): is truncated within a frame, at \(Self.text(end)) s")
        }
        guard input.duration_estimation_method == AVFMT_DURATION_FROM_STREAM, input.duration > 0 else { return nil }
        // Text and data may pause after their last packet, so pictures and sound count where their durations are known.
        let dense = streams.filter { $0.kind == .video && !$0.isAttachedPicture || $0.kind == .audio }
            .compactMap { $0.duration?.seconds }
        let announced = dense.max() ?? Double(input.duration) / Double(AV_TIME_BASE)
        guard end < announced - Self.tolerance else { return nil }
        return MediaError(
            .damaged, file: path, "\(path): is truncated at \(Self.text(end)) s of \(Self.text(announced)) s")
    }

    /// The tolerance for durations in headers, in seconds.
    private static let tolerance = 0.5

    /// All faults of the container so far.
    package var faults: [MediaError] { [passedOver, formatChange, endedEarly].compactMap(\.self) }

    /// The damaged parts of the container that FFmpeg has skipped so far, as one error; nil if there are none.
    package var passedOver: MediaError? { warnings.error(path) }

    /// The changes of the format of copied streams so far, as one error; nil if there are none.
    package var formatChange: MediaError? {
        formats.error(path, offset: (shift ?? .zero) - (startTime ?? .zero))
    }

    /// The assumptions and changes about the times of the input so far, in words.
    package var clockRepairs: [String] { [rawFrameRate?.assumption].compactMap(\.self) + closedGaps }

    /// The forward leaps of the clock that were closed so far, in words.
    package var closedGaps: [String] {
        (timestampRepair?.gaps ?? []).compactMap { gap in
            let time = gap.time + (shift ?? .zero) - (startTime ?? .zero)
            // The leap is before the beginning of the trim range.
            if time < .zero { return nil }
            return "\(path): a gap of \(Self.text(gap.length.seconds)) s in the time stamps at "
                + "\(Self.text(time.seconds)) s was closed"
        }
    }

    /// Returns seconds with one decimal place.
    static func text(_ seconds: Double) -> String { "\((seconds * 10).rounded() / 10)" }

    /// True if the end of the data is the end of the recording, rather than the end of a connection.
    package var endsProperly: Bool {
        switch MediaAddress(path) {
        case .network(let scheme, _): endedEarly == nil && (scheme == .http || scheme == .https)
        default: true
        }
    }

    /// True if no picture was read because the index of an MP4 or QuickTime file is at the end. The input cannot seek
    /// back from the index to the pictures.
    package var hasIndexTooLate: Bool {
        guard formatName.hasPrefix("mov"), !progress.hasRead, endedEarly != nil, !input.canSeek,
            let io = unsafe input.pointer.pointee.pb,
            let first = unsafe avformat_index_get_entry(videoTrack.pointer, 0)
        else { return false }
        return unsafe first.pointee.pos < io.pointee.bytes_read
    }
}
