internal import CFFmpeg
import Platform

/// Opens an input with libavformat: detects the container, probes the streams, and reports unusable inputs.
struct InputOpener {
    let path: String
    let address: MediaAddress
    /// The input's file, if it is a regular one.
    let file: OpenFile?
    let watch: IOWatch
    /// Receives the demuxer's warnings.
    let warnings = DemuxerWarnings()
    /// The source to read from; nil if FFmpeg opens the input itself.
    private(set) var source: StreamSource?
    private let settings: InputSettings

    /// The formats that FFmpeg may detect in arbitrary text or bytes, although the file is no video.
    static let ambiguousFormats: Set<String> = [
        "tty", "bin", "xbin", "adf", "idf", "data", "vplayer", "tedcaptions",
        // A script that names other files.
        "concat",
    ]

    /// The probing limits for files whose streams begin late. Packets that are read stay in memory until they are
    /// needed.
    private static let thoroughProbing = [("probesize", "100000000"), ("analyzeduration", "600000000")]
    /// The probing limits for pipes. A stream declares its format early, and probing delays its frames.
    private static let quickProbing = [("fpsprobesize", "1"), ("analyzeduration", "1000000")]
    /// The probing limits for low delay.
    private static let minimalProbing = [
        ("fpsprobesize", "0"), ("analyzeduration", "200000"), ("probesize", "1000000"),
    ]

    /// Checks the address, and opens the file or pipe.
    ///
    /// - throws: ``MediaError`` if it cannot be opened.
    init(_ path: String, _ settings: InputSettings, _ interrupt: InterruptFlag?) throws(MediaError) {
        self.path = path
        self.settings = settings
        address = MediaAddress(path)
        watch = IOWatch(interrupt: interrupt, timeout: settings.timeout, stall: settings.stall)
        if let file = settings.file {
            self.file = file
        } else {
            try UnusableInput.check(address, path)
            file = address.filePath.flatMap(OpenFile.init)
        }
        source = try StreamSource.reading(address, path, watch)
        if let file, try isReadAlone(file) { source = try StreamSource(.file(file), path, watch) }
    }

    /// Returns whether FFmpeg reads a file through a ``StreamSource``. It opens a playlist and the files of a playlist
    /// by their names, and pictures by the format that it derives from the name.
    ///
    /// `av_probe_input_format2`
    private func isReadAlone(_ file: OpenFile) throws(MediaError) -> Bool {
        if PlaylistCheck.isPlaylist(file) {
            try PlaylistCheck.check(address.filePath ?? path, path)
            return false
        }
        return unsafe address.readingURL.withCString { name in
            if let format = unsafe settings.formatName.flatMap({ unsafe av_find_input_format($0) }) {
                return unsafe format.pointee.flags & AVFMT_NOFILE == 0
            }
            var data = unsafe AVProbeData()
            unsafe data.filename = name
            var score = AVPROBE_SCORE_MAX / 4
            return unsafe av_probe_input_format2(&data, 0, &score) == nil
        }
    }

    /// Opens the input and lets FFmpeg probe its streams.
    mutating func open() throws(MediaError) -> InputContext {
        var input: InputContext? = try probe(isPatient: false)
        if let file, let opened = input, UnprobedSound.isExpected(in: opened) {
            input = nil
            if source?.isFile == true { source = try StreamSource(.file(file), path, watch) }
        }
        let opened = if let input { input } else { try probe(isPatient: true) }
        if let file { try TrackNames.add(to: opened, file: file, path: path) }
        return opened
    }

    /// - Parameter isPatient: Whether to probe far into the file: by default probing stops after 5 MB.
    private mutating func probe(isPatient: Bool) throws(MediaError) -> InputContext {
        let format = unsafe try inputFormat
        let input = unsafe try connect(format, isPatient: isPatient)
        let name = input.formatName
        warnings.discardOpening(of: name)
        // The hook of a connection has replaced them.
        unsafe warnings.attach(to: input.pointer)
        let isNamed = unsafe format != nil
        let status =
            !isNamed && Self.ambiguousFormats.contains(name)
            ? cffmpeg_error_invalid_data : findStreams(of: input)
        let isPlaylessText = input.probe_score <= AVPROBE_SCORE_MAX / 4 && !isNamed && !hasPictures(input)
        if status < 0 || isPlaylessText || source?.isEmpty == true {
            try watch.check(path)
            if status == cffmpeg_error_enomem { throw .reading(path, status: status) }
            if source?.isEmpty == true { throw UnusableInput.empty(address, path) }
            throw UnusableInput.notMedia(path, settings.formatName)
        }
        return input
    }

    /// Opens the input without probing its streams.
    @unsafe
    private mutating func connect(
        _ format: UnsafePointer<AVInputFormat>?, isPatient: Bool
    ) throws(MediaError) -> InputContext {
        let isStream = source?.isFile == false
        let options = try options(isPatient: isPatient)
        let whitelist = isStream ? MediaAddress.standardStream.whitelist : address.whitelist
        try options.set("protocol_whitelist", whitelist, file: path)
        let hook = address.mayBringEndlessMP4 ? ConnectionHook(path, watch) : nil
        // Bytes from a hook get the address of a pipe: if they had a file's name, FFmpeg could take them for an image
        // file and seek.
        let url = isStream ? "pipe:" : address.readingURL
        watch.begin()
        do throws(InputContext.Failure) {
            let callees: [AnyObject?] = [watch, warnings, source, hook]
            let input = unsafe try InputContext(
                url: url, format: format, options: options, callees: callees.compactMap(\.self)
            ) { [watch, warnings, source] context in
                unsafe context.pointee.interrupt_callback = unsafe watch.callback
                if let source { unsafe context.pointee.pb = source.io }
                unsafe warnings.attach(to: context)
                unsafe hook?.install(in: context)
            }
            source = hook?.source ?? source
            // FFmpeg leaves the options that the format does not have.
            if settings.frameRate == nil || !options.unused.contains("framerate") { return input }
        } catch {
            source = hook?.source ?? source
            throw try failure(error.status, isStream: isStream)
        }
        throw MediaError(.invalidSettings, file: path, "\(path): \(InputSettings.rawOnly)")
    }

    /// Returns the error for an input that FFmpeg did not open.
    private func failure(_ status: Int32, isStream: Bool) throws(MediaError) -> MediaError {
        try watch.check(path)
        if source?.isEmpty == true { return UnusableInput.empty(address, path) }
        if status == cffmpeg_error_invalid_data {
            return file != nil
                ? UnusableInput.unrecognised(path, settings.formatName)
                : UnusableInput.notMedia(path, settings.formatName)
        }
        if case .network = address { return .connecting(path, status: status) }
        let isSound =
            if isStream, let source { unsafe source.io.pointee.error >= 0 } else {
                address.filePath.map(FileKind.canBeRead) ?? false
            }
        return .reading(path, status: status, isSound: isSound)
    }

    /// Opens the rest of a stream whose beginning was opened before. Callers keep the stream descriptions of the
    /// beginning.
    ///
    /// - Parameter warnings: Receives the demuxer's warnings.
    /// - Returns: nil if the rest has other streams.
    static func openAgain(
        like old: InputContext, from source: StreamSource, _ watch: IOWatch, _ warnings: DemuxerWarnings
    ) -> InputContext? {
        var options = [("protocol_whitelist", MediaAddress.standardStream.whitelist)]
        if let decoders = unsafe String(old.pointer.pointee.codec_whitelist) {
            options.append(("codec_whitelist", decoders))
        }
        guard let dictionary = try? OptionDictionary(options) else { return nil }
        watch.begin()
        let callees: [AnyObject] = [watch, warnings, source]
        let opened = unsafe try? InputContext(
            url: "pipe:", format: old.pointer.pointee.iformat, options: dictionary, callees: callees
        ) { context in
            unsafe context.pointee.interrupt_callback = unsafe watch.callback
            unsafe context.pointee.pb = source.io
        }
        let codecs = [opened, old].map { $0?.streams.map { $0.parameters.codec_id } }
        guard let opened, codecs[0] == codecs[1] else { return nil }
        unsafe warnings.attach(to: opened.pointer)
        return opened
    }

    /// Lets FFmpeg probe the streams. To do so, FFmpeg decodes pictures up to the allowed size.
    ///
    /// `avformat_find_stream_info`
    private func findStreams(of input: InputContext) -> Int32 {
        var options = unsafe [OpaquePointer?](repeating: nil, count: max(1, input.streamCount))
        defer { for index in unsafe options.indices { unsafe av_dict_free(&options[index]) } }
        for index in unsafe options.indices {
            let status = unsafe av_dict_set_int(&options[index], "max_pixels", Int64(settings.maxCodedPixels), 0)
            if status < 0 { return status }
        }
        return unsafe avformat_find_stream_info(input.pointer, &options)
    }

    private func options(isPatient: Bool) throws(MediaError) -> OptionDictionary {
        var options = settings.pictureOptions + DecoderList.options(settings.decoders)
        // A "%d" in the name of a picture is a literal part of the name.
        options.append(("pattern_type", "none"))
        if isPatient {
            options += Self.thoroughProbing
        } else if settings.isLowDelay {
            options += Self.minimalProbing
        } else if file == nil {
            options += Self.quickProbing
        }
        return try OptionDictionary(options, file: path)
    }

    /// The requested input format; nil for detection.
    private var inputFormat: UnsafePointer<AVInputFormat>? {
        get throws(MediaError) {
            var name = settings.formatName
            if case .videoDevice = address {
                guard MediaLibraries.loadDevices() else {
                    throw MediaError(
                        .noDecoder, file: path,
                        "\(path): cameras need FFmpeg's libavdevice, which is not installed (apt-get install libavdevice59)"
                    )
                }
                name = "v4l2"
            }
            let format = unsafe name.flatMap { unsafe av_find_input_format($0) }
            if unsafe name != "v4l2" || format == nil, let fault = settings.fileFault {
                throw MediaError(.invalidSettings, file: path, "\(path): \(fault)")
            }
            return unsafe format
        }
    }

    private func hasPictures(_ input: InputContext) -> Bool {
        input.streams.contains { $0.parameters.codec_type == AVMEDIA_TYPE_VIDEO && $0.parameters.width > 0 }
    }

    /// Returns the index of the stream to decode: the requested one, or FFmpeg's best stream, but never cover art.
    ///
    /// - throws: ``MediaError`` if there is none, or if the header states a larger picture than allowed.
    func chooseVideo(in input: InputContext) throws(MediaError) -> Int {
        let streams = input.streams
        func isVideo(_ index: Int) -> Bool { streams[index].parameters.codec_type == AVMEDIA_TYPE_VIDEO }
        func isCover(_ index: Int) -> Bool { streams[index].disposition & AV_DISPOSITION_ATTACHED_PIC != 0 }
        let index: Int
        let best = unsafe Int(av_find_best_stream(input.pointer, AVMEDIA_TYPE_VIDEO, -1, -1, nil, 0))
        if let requested = settings.videoStream, requested < streams.count, isVideo(requested) {
            index = requested
        } else if best >= 0, !isCover(best) {
            index = best
        } else {
            func area(_ index: Int) -> Int32 {
                streams[index].parameters.width &* streams[index].parameters.height
            }
            let others = streams.indices.filter { isVideo($0) && !isCover($0) && area($0) >= 0 }
            // The first of the largest.
            guard let largest = others.map(area).max(), let first = others.first(where: { area($0) == largest }) else {
                throw MediaError(.noVideo, file: path, "\(path): contains no video, only \(kinds(in: input))")
            }
            index = first
        }
        try checkSize(of: streams[index].parameters)
        return index
    }

    private func checkSize(of parameters: StreamParameters) throws(MediaError) {
        let (width, height) = (parameters.width, parameters.height)
        let pixels = Int(width) * Int(height)
        guard width > 0, height > 0, pixels > settings.maxPixels else { return }
        throw MediaError(
            .tooLarge, file: path,
            "\(path): its picture size, \(width)×\(height), exceeds the limit of \(settings.maxPixels) pixels; to read it, set input.max-pixels to \(pixels)"
        )
    }

    private func kinds(in input: InputContext) -> String {
        let types = input.streams.map { $0.parameters.codec_type }
        if types.contains(AVMEDIA_TYPE_AUDIO) { return "sound" }
        if types.contains(AVMEDIA_TYPE_SUBTITLE) { return "subtitles" }
        return types.isEmpty ? "an empty container" : "other data"
    }
}
