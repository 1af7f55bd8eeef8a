internal import CFFmpeg
import Platform
internal import Raster

/// Configures the video stream of an output, and writes the container's header.
extension Muxer {
    /// Fills in the output's video stream from an encoder's parameters.
    func add(_ header: VideoHeader) throws(MediaError) {
        let stream = unsafe context.pointee.streams[videoPlace]!
        let status = unsafe avcodec_parameters_copy(stream.pointee.codecpar, header.parameters)
        if status < 0 { throw .writing(path, status: status) }
        try MediaError.demandMemory(unsafe Self.dropCodingTags(stream, keepsEncoder: false), path)
        for entry in videoSideData where entry.kind.outlivesEncoding && holds(entry.kind) {
            try MediaError.demandMemory(unsafe entry.add(to: stream), path)
        }
        for entry in header.grading where !videoSideData.contains(where: { $0.kind == entry.kind }) {
            try MediaError.demandMemory(unsafe entry.add(to: stream), path)
        }
        let parameters = unsafe stream.pointee.codecpar!
        let hasMatrix = videoSideData.contains { $0.kind == .displayMatrix }
        if !hasMatrix, header.orientation != .upright {
            let matrix = unsafe header.orientation.displayMatrix(
                width: Int(parameters.pointee.width), height: Int(parameters.pointee.height))
            let bytes = matrix.flatMap { (number: Int32) in
                (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
            }
            try MediaError.demandMemory(
                unsafe StreamSideData(kind: .displayMatrix, bytes: bytes).add(to: stream), path)
        }
        if !PixelFormat.hasAlpha(unsafe AVPixelFormat(rawValue: parameters.pointee.format)) {
            try MediaError.demandMemory(unsafe av_dict_set(&stream.pointee.metadata, "alpha_mode", nil, 0), path)
        }
        let codec = unsafe parameters.pointee.codec_id
        if container == .mp4 || container == .mov, codec == AV_CODEC_ID_HEVC {
            unsafe parameters.pointee.codec_tag = Self.appleHEVC
        }
        unsafe stream.pointee.time_base = header.timeBase.avRational
        unsafe stream.pointee.sample_aspect_ratio = unsafe parameters.pointee.sample_aspect_ratio
        if container.countsFrames, header.frameRate.isPositive {
            // These containers only number frames. Their time base is the duration of a frame.
            unsafe stream.pointee.time_base = header.frameRate.inverse.avRational
        }
        if !container.supports(codec) {
            throw MediaError(
                .unsupportedInContainer, file: path, "\(path): \(container.refusal(of: header.codec))")
        }
    }

    /// Fills in the video stream from the source's, with the parameter sets of encoded segments.
    @unsafe
    func addParameters(of source: Demuxer, with encoder: SpliceEncoder?) throws(MediaError) {
        let from = unsafe source.videoStream
        let stream = unsafe context.pointee.streams[videoPlace]!
        try MediaError.demandMemory(unsafe Self.copyParameters(stream, from, form), path)
        try MediaError.demandMemory(unsafe Self.dropCodingTags(stream, keepsEncoder: encoder == nil), path)
        let parameters = unsafe stream.pointee.codecpar!
        if let sets = encoder?.sets, !sets.isEmpty {
            let codec = NALCodec(rawValue: source.video.codec) ?? .h264
            var configuration = StreamConfiguration(source.videoConfiguration, codec: codec)
            configuration.add(sets)
            unsafe try setConfiguration(configuration.bytes, of: parameters)
        }
        let isHEVC = unsafe parameters.pointee.codec_id == AV_CODEC_ID_HEVC
        if container == .mp4 || container == .mov, isHEVC, unsafe parameters.pointee.codec_tag == 0 {
            unsafe parameters.pointee.codec_tag = Self.appleHEVC
        }
        for entry in videoSideData where holds(entry.kind) {
            try MediaError.demandMemory(unsafe entry.add(to: stream), path)
        }
    }

    private func holds(_ kind: StreamSideData.Kind) -> Bool { kind != .displayMatrix || container.holdsDisplayMatrix }

    /// The tag "hvc1", the only one of the two tags for HEVC that Apple's players accept.
    private static let appleHEVC: UInt32 = 0x3163_7668

    @unsafe
    func setConfiguration(
        _ bytes: [UInt8], of parameters: UnsafeMutablePointer<AVCodecParameters>
    ) throws(MediaError) {
        guard let memory = unsafe av_mallocz(bytes.count + Int(AV_INPUT_BUFFER_PADDING_SIZE)) else {
            throw .outOfMemory(path)
        }
        let data = unsafe memory.bindMemory(to: UInt8.self, capacity: bytes.count)
        for i in bytes.indices { unsafe data[i] = bytes[i] }
        unsafe av_free(parameters.pointee.extradata)
        unsafe parameters.pointee.extradata = unsafe data
        unsafe parameters.pointee.extradata_size = Int32(bytes.count)
    }

    /// The kinds of side data in the output's streams.
    var sideDataKinds: Set<StreamSideData.Kind> {
        Set(
            (0..<Int(unsafe context.pointee.nb_streams)).flatMap { index in
                unsafe StreamSideData.all(of: context.pointee.streams[index]!).map(\.kind)
            })
    }

    /// The environment variable with the token that a WHIP server expects ("Bearer"). A process's arguments, unlike
    /// its environment, are readable by all users.
    private static let tokenVariable = "FLOURISH_WHIP_TOKEN"

    /// The muxer's options, by FFmpeg's names.
    private var headerOptions: [(name: String, value: String)] {
        switch container {
        case .mp4, .mov:
            var flags = writesMetadataKeys ? "+use_metadata_tags" : ""
            if !sideDataKinds.isDisjoint(with: Self.preferredOverColours) { flags += "+prefer_icc" }
            let brand = (form == container ? [] : [(name: "brand", value: "qt  ")]) + movieTimeScale
            guard sink.isStream else { return brand + [("movflags", flags + "+faststart")] }
            // Outputs without seeking are written in fragments.
            let opensEmpty = !opensWithPictures && undescribedSound.isEmpty
            // `skip_trailer` omits the table of all fragments at the end. Readers of a stream cannot seek to it, and it
            // would grow in memory.
            let fragments = "+frag_keyframe+default_base_moof+skip_trailer" + (opensEmpty ? "+empty_moov" : "")
            return brand + [("movflags", flags + fragments)]
        case .mpegts:
            let isBluRay = ContainerFormat.isBluRay(path)
            // `mpegts_copyts` keeps times. If decoding would begin below zero, which this format cannot store,
            // libavformat moves all streams by the same amount.
            return [("mpegts_copyts", "1"), ("mpegts_m2ts_mode", isBluRay ? "1" : "0")]
        case .matroska, .webm:
            // By default, libavformat moves all streams until no time is negative, although blocks before zero are
            // allowed.
            return [("avoid_negative_ts", "disabled")]
        case .flv:
            // The header omits duration and size, which are unknown, since it cannot be updated later.
            return sink.isStream ? [("flvflags", "no_duration_filesize")] : []
        case .nut:
            // The index is written at the end, and grows in memory until then: streams omit it.
            return sink.isStream ? [("write_index", "0")] : []
        case .whip:
            let token = unsafe getenv(Self.tokenVariable).map { unsafe String(cString: $0) } ?? ""
            return token.isEmpty ? [] : [("authorization", token)]
        default:
            return []
        }
    }

    /// The option for the ticks in which MP4 and QuickTime state at what time their tracks begin. By default they are
    /// milliseconds, which moves pictures and sound with other starts against each other.
    private var movieTimeScale: [(name: String, value: String)] {
        let starts = sourceStarts.filter { abs(($0.seconds * 1000).rounded() / 1000 - $0.seconds) > 1e-6 }
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
        var options: OpaquePointer? = nil
        defer { unsafe av_dict_free(&options) }
        for (name, value) in headerOptions {
            try MediaError.demandMemory(unsafe av_dict_set(&options, name, value, 0), path)
        }
        if !sideDataKinds.isDisjoint(with: Self.unofficial) {
            unsafe context.pointee.strict_std_compliance = FF_COMPLIANCE_UNOFFICIAL
        }
        // FFmpeg 8 and 9 mark this muxer as experimental.
        if container == .whip { unsafe context.pointee.strict_std_compliance = FF_COMPLIANCE_EXPERIMENTAL }
        watch.begin()
        // Chapters that the header contains could not be extended at the end.
        let chapterCount = unsafe context.pointee.nb_chapters
        if addsChapters, holdsAddedChapters { unsafe context.pointee.nb_chapters = 0 }
        let status = unsafe avformat_write_header(context, &options)
        unsafe context.pointee.nb_chapters = chapterCount
        // The codecs fit, and the muxer connects only now.
        if status < 0, container == .whip { throw Self.opening(path, sink, status: status, watch) }
        if status == cffmpeg_averror(EINVAL) || status == cffmpeg_error_patch_welcome {
            throw MediaError(
                .unsupportedInContainer, file: path,
                "\(path): \(container.displayName) does not support one of these streams; choose another container",
                detail: MediaError.text(of: status))
        }
        if status == cffmpeg_error_invalid_data { throw unfit(status) }
        if status < 0 { throw failed(status) }
    }
}
