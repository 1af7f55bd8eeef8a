internal import CFFmpeg
import Platform
internal import Raster

/// Describes the video stream of an output, and writes the container's header.
extension OutputLayout {
    /// Fills in the video stream from an encoder's parameters.
    func describeVideo(_ header: VideoHeader) throws(MediaError) {
        let stream = video, parameters = stream.parameters
        let status = unsafe avcodec_parameters_copy(parameters.pointer, header.parameters)
        if status < 0 { throw .writing(path, status: status) }
        try dropCodingTags(keepsEncoder: false)
        for entry in videoSideData where entry.kind.outlivesEncoding && holds(entry.kind) { try add(entry) }
        for entry in header.grading where !hasSource(entry.kind) { try add(entry) }
        if header.orientation != .upright, !hasSource(.displayMatrix) {
            let matrix = header.orientation.displayMatrix(
                width: Int(parameters.width), height: Int(parameters.height))
            let bytes = matrix.flatMap { (number: Int32) in
                (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
            }
            try add(StreamSideData(kind: .displayMatrix, bytes: bytes))
        }
        if !PixelFormat.hasAlpha(AVPixelFormat(rawValue: parameters.format)) {
            try MediaError.demandMemory(stream.setTag("alpha_mode", nil), path)
        }
        if target.isMP4, parameters.codec_id == AV_CODEC_ID_HEVC { parameters.codec_tag = Self.appleHEVC }
        stream.sample_aspect_ratio = parameters.sample_aspect_ratio
        // Containers that only number frames have the duration of a frame as their time base.
        let countsFrames = container.countsFrames && header.frameRate.isPositive
        stream.time_base = (countsFrames ? header.frameRate.inverse : header.timeBase).avRational
        if !container.supports(parameters.codec_id) {
            throw MediaError(
                .unsupportedInContainer, file: path, "\(path): \(container.refusal(of: header.codec))")
        }
    }

    /// Fills in the video stream from the source's, with the parameter sets of encoded segments.
    func describeVideo(copiedFrom source: Demuxer, with encoder: SpliceEncoder?) throws(MediaError) {
        let stream = video, parameters = stream.parameters
        try MediaError.demandMemory(stream.copyParameters(of: source.videoTrack, for: target.form), path)
        try dropCodingTags(keepsEncoder: encoder == nil)
        let isHEVC = parameters.codec_id == AV_CODEC_ID_HEVC
        if let sets = encoder?.headerSets, !sets.isEmpty {
            var configuration = StreamConfiguration(source.videoConfiguration, codec: isHEVC ? .hevc : .h264)
            configuration.add(sets)
            try MediaError.demandMemory(parameters.setHeader(configuration.bytes), path)
        }
        if target.isMP4, isHEVC, parameters.codec_tag == 0 { parameters.codec_tag = Self.appleHEVC }
        for entry in videoSideData where holds(entry.kind) { try add(entry) }
    }

    /// The tag "hvc1", the only one of the two tags for HEVC that Apple's players accept.
    private static let appleHEVC: UInt32 = 0x3163_7668

    private func holds(_ kind: StreamSideData.Kind) -> Bool { kind != .displayMatrix || container.holdsDisplayMatrix }

    private func hasSource(_ kind: StreamSideData.Kind) -> Bool { videoSideData.contains { $0.kind == kind } }

    private func add(_ entry: StreamSideData) throws(MediaError) {
        try MediaError.demandMemory(video.add(entry), path)
    }

    /// The environment variable with the token that a WHIP server expects ("Bearer"). A process's arguments, unlike
    /// its environment, are readable by all users.
    private static let tokenVariable = "FLOURISH_WHIP_TOKEN"

    /// The muxer's options, by FFmpeg's names.
    private var headerOptions: [(String, String)] {
        let isStream = target.sink.isStream
        switch container {
        case .mp4, .mov: return movieOptions
        case .mpegts:
            let isBluRay = ContainerFormat.isBluRay(path)
            // `mpegts_copyts` keeps times. If decoding would begin below zero, which this format cannot store,
            // libavformat moves all streams by the same amount.
            return [("mpegts_copyts", "1"), ("mpegts_m2ts_mode", isBluRay ? "1" : "0")]
        // By default, libavformat moves all streams until no time is negative, although blocks before zero are allowed.
        case .matroska, .webm: return [("avoid_negative_ts", "disabled")]
        // The header omits duration and size, which are unknown, since it cannot be updated later.
        case .flv: return isStream ? [("flvflags", "no_duration_filesize")] : []
        // The index is written at the end, and grows in memory until then: streams omit it.
        case .nut: return isStream ? [("write_index", "0")] : []
        case .whip:
            let token = unsafe getenv(Self.tokenVariable).map { unsafe String(cString: $0) } ?? ""
            return token.isEmpty ? [] : [("authorization", token)]
        default: return []
        }
    }

    /// The options of MP4 and QuickTime.
    private var movieOptions: [(String, String)] {
        var flags = context.tags.keys.contains(where: MovieTags.needsMetadataKeys) ? "+use_metadata_tags" : ""
        // The profile is stored in the same box as the colour tags, and takes precedence.
        if hasSideData([.iccProfile]) { flags += "+prefer_icc" }
        if target.sink.isStream {
            // Outputs without seeking are written in fragments. `skip_trailer` omits the table of all fragments at the
            // end. Readers of a stream cannot seek to it, and it would grow in memory.
            flags += "+frag_keyframe+default_base_moof+skip_trailer"
            if !target.options.opensWithPictures, undescribedSound.isEmpty { flags += "+empty_moov" }
        } else {
            flags += "+faststart"
        }
        return (target.form == container ? [] : [("brand", "qt  ")]) + movieTimeScale + [("movflags", flags)]
    }

    /// The option for the ticks in which MP4 and QuickTime state at what time their tracks begin. By default they are
    /// milliseconds, which moves pictures and sound with other starts against each other.
    private var movieTimeScale: [(String, String)] {
        let starts = target.sourceStarts.filter { abs(($0.seconds * 1000).rounded() / 1000 - $0.seconds) > 1e-6 }
        if starts.isEmpty { return [] }
        let scale = starts.reduce(1) { scale, start in
            let rate = Int(start.timeBase.denominator)
            var (a, b) = (scale, rate)
            while b != 0 { (a, b) = (b, a % b) }
            return min(scale / a * rate, Self.finestTimeScale)
        }
        return [("movie_timescale", "\(scale)")]
    }

    /// The most ticks a second: a day of them fits into 40 bits.
    private static let finestTimeScale = 10_000_000

    func writeHeader() throws(MediaError) {
        let options = try OptionDictionary(headerOptions, file: path)
        // These are written only if strict compliance with the file's standard is not required.
        if hasSideData([.dolbyVision, .stereo3D, .spherical]) {
            context.strict_std_compliance = FF_COMPLIANCE_UNOFFICIAL
        }
        // FFmpeg 8 and 9 mark this muxer as experimental.
        if container == .whip { context.strict_std_compliance = FF_COMPLIANCE_EXPERIMENTAL }
        target.watch.begin()
        // Chapters that the header contains could not be extended at the end.
        let chapterCount = context.nb_chapters
        if target.options.addsChapters, target.holdsAddedChapters { context.nb_chapters = 0 }
        let status = context.writeHeader(options)
        context.nb_chapters = chapterCount
        // The codecs fit, and the muxer connects only now.
        if status < 0, container == .whip { throw target.unopened(status) }
        if status == cffmpeg_averror(EINVAL) || status == cffmpeg_error_patch_welcome {
            throw MediaError(
                .unsupportedInContainer, file: path,
                "\(path): \(container.displayName) does not support one of these streams; choose another container",
                detail: MediaError.text(of: status))
        }
        if status == cffmpeg_error_invalid_data { throw target.unfit(status) }
        if status < 0 { throw target.failed(status) }
    }
}
