internal import CFFmpeg
import Platform
internal import Raster

/// Opens the video encoder for the first frame: selects the codec, the pixel format and the options.
extension VideoEncoder {
    /// Opens the codec for the size, format and colours of the first frame.
    func open(for frame: borrowing VideoFrame) throws(MediaError) {
        let codec = try findEncoder(for: frame)
        let format = try choosePixelFormat(codec, for: frame)
        let name = codec.name
        if let preset = settings.preset, !container.isUncompressed, !Self.presets(of: name).contains(preset) {
            let known = Self.presets(of: name).joined(separator: ", ")
            throw MediaError(
                .encoderRefused, file: path,
                "\(path): the encoder \(name) has no preset \(preset); use one of \(known)")
        }
        let target = makeTarget(for: frame, name, format)
        let values = encoderOptions(name, width: target.codedWidth).sorted { $0.key < $1.key }
        let options = try OptionDictionary(values.map { ($0.key, $0.value) }, file: path)
        let opening = try CodecContext(codec, file: path)
        describe(frame, target, in: opening)
        // x264's macroblock tree reads groups of eight macroblocks past the end of a row, and uses uninitialised
        // memory. Two runs then give different bytes (version 164, widths of 440, 480 and 854).
        if name == "libx264", (target.codedWidth + 15) / 16 % 8 != 0 { MediaMemory.clearNewMemory() }
        try check(Self.keepingSchedule { opening.open(options) }) { refusal(name, target, $0) }
        if let unused = options.unused.first {
            throw MediaError(.encoderRefused, file: path, "\(path): the encoder \(name) has no option \(unused)")
        }
        self.target = target
        codedOrientation = target.turns ? .upright : frame.orientation
        grading = StreamSideData.grading(of: frame.av)
        context = consume opening
    }

    /// Returns the header of the stream, which is available after the first frame.
    /// - throws: ``MediaError`` of the code `internal`.
    package func header() throws(MediaError) -> VideoHeader {
        precondition(target != nil, "an encoder knows its stream once it was given a frame")
        return try VideoHeader(
            context!, codec: settings.codec, frameRate: source.averageFrameRate, orientation: codedOrientation,
            grading: grading, path: path)
    }

    /// Returns the form of all coded pictures, which the first frame determines. Pictures are rotated upright if the
    /// container cannot state an orientation. The coded size is even where the encoder requires it.
    private func makeTarget(for frame: borrowing VideoFrame, _ encoder: String, _ format: AVPixelFormat) -> Target {
        let turns = mustTurn(frame)
        let isSideways = turns && frame.orientation.quarterTurns % 2 == 1
        var (width, height) = isSideways ? (frame.height, frame.width) : (frame.width, frame.height)
        if let maximum = settings.shorterSide, min(width, height) > maximum {
            let share = Double(maximum) / Double(min(width, height))
            (width, height) = (Int(Double(width) * share / 2) * 2, Int(Double(height) * share / 2) * 2)
        }
        let ratio = isSideways ? frame.sampleAspectRatio.inverse : frame.sampleAspectRatio
        var (codedWidth, codedHeight) = (width, height)
        // H.264 and HEVC can crop by whole chroma samples only; libvpx and libaom accept any size.
        if encoder == "libx264" || encoder == "libx265", let chroma = PixelFormat.native(format)?.chroma {
            codedWidth += width & chroma.shiftX
            codedHeight += height & chroma.shiftY
        }
        return Target(
            turns: turns, width: width, height: height, codedWidth: codedWidth, codedHeight: codedHeight,
            pixelFormat: format, sampleAspectRatio: ratio)
    }

    /// The frame rates that encoders can be expected to accept, in frames a second.
    private static let usualRates = 0.001...10_000

    private func refusal(_ name: String, _ target: Target, _ status: Int32) -> MediaError {
        let size = "\(target.codedWidth)×\(target.codedHeight)"
        let detail = MediaError.text(of: status)
        let smallest = min(target.codedWidth, target.codedHeight), largest = max(target.codedWidth, target.codedHeight)
        if smallest < 32 || largest > 8192 {
            return MediaError(
                .sizeUnsupported, file: path, "\(path): the encoder \(name) does not support the picture size \(size)",
                detail: detail)
        }
        let rate = source.averageFrameRate
        if rate.isPositive, !Self.usualRates.contains(rate.value) {
            return MediaError(
                .damaged, file: path,
                "\(path): the encoder \(name) does not support the input's frame rate of \(rate.numerator)/\(rate.denominator); correct it, or choose another codec"
            )
        }
        if status == cffmpeg_error_enomem { return .outOfMemory(path) }
        let format = PixelFormat.name(target.pixelFormat) ?? "?"
        let preset = settings.preset.map { ", preset \($0)" } ?? ""
        return MediaError(
            .encoderRefused, file: path,
            "\(path): the encoder \(name) rejected its settings (\(size), \(format)\(preset))",
            detail: detail)
    }

    private func describe(
        _ frame: borrowing VideoFrame, _ target: Target, in context: borrowing CodecContext
    ) {
        context.width = Int32(target.codedWidth)
        context.height = Int32(target.codedHeight)
        context.pix_fmt = target.pixelFormat
        let numbersFrames = settings.spliced?.numbersFrames == true && source.averageFrameRate.isPositive
        context.time_base = (numbersFrames ? source.averageFrameRate.inverse : source.timeBase).avRational
        if source.averageFrameRate.isPositive { context.framerate = source.averageFrameRate.avRational }
        context.sample_aspect_ratio = target.sampleAspectRatio.avRational
        context.color_primaries = frame.av.color_primaries
        context.color_trc = frame.av.color_trc
        context.colorspace = frame.av.colorspace
        context.color_range = frame.pictureFormat.range == .full ? AVCOL_RANGE_JPEG : frame.av.color_range
        if settings.transparency == .raw {
            context.colorspace = AVCOL_SPC_RGB
            context.color_range = AVCOL_RANGE_JPEG
        }
        context.chroma_sample_location = frame.av.chroma_location
        // An encoder's own choice is the machine's core count, although the process may be limited to fewer cores.
        context.thread_count = Int32(
            settings.threads == 0 && Machine.isShared ? Machine.cores : settings.threads)
        // With frame threads, raw video is output a frame late.
        if settings.isLowLatency { context.thread_type = FF_THREAD_SLICE }
        if settings.isLowLatency, source.averageFrameRate.isPositive {
            // Clients that join a stream wait two seconds at most for a key frame.
            context.gop_size = Int32(clamping: Int((source.averageFrameRate.value * 2).rounded(.up)))
        }
        if let rate = settings.bitRate { setRate(rate, in: context) }
        if let maxQP = settings.maxQP { context.qmax = Int32(maxQP) }
        if settings.spliced?.isInterlaced == true {
            context.flags |= AV_CODEC_FLAG_INTERLACED_DCT | (numbersFrames ? AV_CODEC_FLAG_INTERLACED_ME : 0)
        }
        if !container.keepsReorderedTimes { context.max_b_frames = 0 }
        let needsHeader = settings.spliced.map { !$0.numbersFrames } ?? container.wantsGlobalHeader
        if needsHeader { context.flags |= AV_CODEC_FLAG_GLOBAL_HEADER }
    }

    /// Returns the encoder for the requested codec.
    private func findEncoder(for frame: borrowing VideoFrame) throws(MediaError) -> Codec {
        // SVT-AV1 accepts only 4:2:0, of even sizes from 64×64 up. libaom is slower, but accepts all formats.
        let format = frame.pictureFormat
        let requested = settings.pixelFormat ?? "yuv\(format.chroma.rawValue.dropFirst(3))p"
        let suitsSVT =
            min(format.width, format.height) >= 64 && (format.width | format.height) & 1 == 0
            && requested.hasPrefix("yuv420p")
        let names =
            switch settings.codec {
            case _ where settings.transparency != nil: [settings.transparency!.encoder]
            // The YUV4MPEG2 muxer accepts frames rather than their bytes.
            case _ where container == .yuv4mpegpipe: ["wrapped_avframe"]
            case _ where container.isUncompressed: ["rawvideo"]
            case _ where settings.encoderName != nil: [settings.encoderName!]
            default:
                MediaLibraries.usableEncoders(for: settings.codec).filter { suitsSVT || $0 != "libsvtav1" }
            }
        if let codec = names.lazy.compactMap(Codec.encoder(named:)).first { return codec }
        throw MediaError(
            .noEncoder, file: path,
            "\(path): the installed FFmpeg has no encoder for \(settings.codec.rawValue) (\(names.joined(separator: ", ")))"
        )
    }

    /// Returns the requested pixel format; otherwise the frame's own, or the nearest that the encoder accepts.
    private func choosePixelFormat(
        _ codec: Codec, for frame: borrowing VideoFrame
    ) throws(MediaError) -> AVPixelFormat {
        if let transparency = settings.transparency { return transparency.pixelFormat }
        let (name, supported) = (codec.name, codec.pixelFormats)
        if let requested = settings.pixelFormat {
            let format = PixelFormat.named(requested)
            guard supported.isEmpty || supported.contains(format) else {
                throw MediaError(
                    .encoderRefused, file: path,
                    "\(path): the encoder \(name) does not support the pixel format \(requested)")
            }
            guard PixelFormat.native(format) != nil else {
                throw MediaError(
                    .encoderRefused, file: path,
                    "\(path): the pixel format \(requested) is not supported for output; use one such as yuv420p or yuv420p10le"
                )
            }
            return format
        }
        // The only pixel format of the profile for WebRTC.
        if container == .whip { return AV_PIX_FMT_YUV420P }
        let native = frame.pictureFormat
        let own = PixelFormat.format(bitDepth: native.bitDepth, chroma: native.chroma)
        if supported.contains(own) || supported.isEmpty { return own }
        var best = AV_PIX_FMT_NONE
        for candidate in supported where PixelFormat.native(candidate)?.isAlwaysFullRange == false {
            best = av_find_best_pix_fmt_of_2(best, candidate, own, 0, nil)
        }
        return best
    }
}

extension VideoEncoder {
    /// Returns the encoder's options by FFmpeg's names.
    ///
    /// - Parameter width: The width of the coded pictures.
    func encoderOptions(_ encoder: String, width: Int) -> [String: String] {
        var options: [String: String]
        switch encoder {
        case _ where settings.transparency != nil:
            options = settings.transparency!.options
        case "libx264":
            options = ["preset": settings.preset ?? "veryfast", "forced-idr": "1"]
            options["crf"] = quality
            // The only profile that all WebRTC receivers with H.264 must support (RFC 7742, 6.2).
            if container == .whip { options["profile"] = "baseline" }
            // Regions need adaptive quantisation, which the fastest preset disables.
            if settings.usesRegions, settings.preset == "ultrafast" { options["aq-mode"] = "1" }
        case "libx265":
            // libx265 logs to stderr directly, not through FFmpeg.
            options = ["preset": settings.preset ?? "veryfast", "forced-idr": "1"]
            var parameters = "log-level=none"
            if settings.threads > 0 { parameters += ":pools=\(settings.threads)" }
            if settings.usesRegions, settings.preset == "ultrafast" { parameters += ":aq-mode=1" }
            // In libx265 3.5, cutree's vector code writes past the end of rows and crashes at widths from 34 to 48.
            if width < 64 { parameters += ":cutree=0" }
            options["x265-params"] = parameters
            options["crf"] = quality
        case "libvpx-vp9":
            options = ["deadline": "good", "cpu-used": settings.preset ?? "6", "row-mt": "1"]
            options["crf"] = quality
            if settings.bitRate == nil { options["b"] = "0" }
        case "libsvtav1":
            options = ["preset": settings.preset ?? "10"]
            options["crf"] = quality
        case "libaom-av1":
            // Numbers beyond libaom's own presets are presets of SVT-AV1, which libaom replaces here.
            let speed = min(8, settings.preset.flatMap { Int($0) } ?? 8)
            options = ["cpu-used": String(speed), "row-mt": "1", "usage": speed == 8 ? "realtime" : "good"]
            options["crf"] = quality
            if settings.bitRate == nil { options["b"] = "0" }
        default:
            options = [:]
        }
        if settings.embedsMessages, encoder == "libx264" || encoder == "libx265" { options["udu_sei"] = "1" }
        if settings.isLowLatency { options.merge(Self.lowLatency(encoder)) { $1 } }
        settings.spliced?.add(to: &options, encoder: encoder, crf: settings.usedCRF)
        options.merge(settings.extraOptions) { $1 }
        return options
    }

    /// Returns the presets of an encoder. They are checked here, since encoders print messages to stderr themselves.
    static func presets(of encoder: String) -> [String] {
        switch encoder {
        case "libx264", "libx265":
            ["ultrafast", "superfast", "veryfast", "faster", "fast", "medium", "slow", "slower", "veryslow", "placebo"]
        case "libvpx-vp9": (0...8).map(String.init)
        case "libsvtav1", "libaom-av1": (0...13).map(String.init)
        default: []
        }
    }

    /// Returns the options with which an encoder outputs each picture at once.
    private static func lowLatency(_ encoder: String) -> [String: String] {
        switch encoder {
        case "libx264", "libx265": ["tune": "zerolatency"]
        case "libvpx-vp9": ["deadline": "realtime", "lag-in-frames": "0"]
        case "libaom-av1": ["usage": "realtime", "lag-in-frames": "0"]
        case "libsvtav1": ["svtav1-params": "pred-struct=1"]
        default: [:]
        }
    }

    private var quality: String? {
        settings.crf != nil || settings.bitRate == nil ? Self.plain(settings.usedCRF) : nil
    }

    /// Returns a number without ".0", since some encoders accept integers only.
    private static func plain(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e6 ? String(Int(value)) : String(value)
    }
}

extension VideoEncoder {
    /// Calls a closure, and restores the scheduling of the calling thread.
    ///
    /// SVT-AV1 1.4, if run by root, tests whether real-time scheduling is permitted by applying it to the calling
    /// thread, and does not revert it. Threads that this thread starts later would take precedence over all other
    /// threads of the machine.
    private static func keepingSchedule<Result>(_ body: () -> Result) -> Result {
        var policy: Int32 = 0
        var parameters = sched_param()
        let isKnown = unsafe pthread_getschedparam(pthread_self(), &policy, &parameters) == 0
        defer { if isKnown { _ = unsafe pthread_setschedparam(pthread_self(), policy, &parameters) } }
        return body()
    }
}
