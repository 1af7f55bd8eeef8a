internal import CFFmpeg
import Platform

/// Opens an input with libavformat: detects the container, probes the streams, and reports unusable inputs.
extension Demuxer {
    /// The formats that FFmpeg may detect in arbitrary text or bytes, although the file is no video.
    private static let ambiguousFormats: Set<String> = [
        "tty", "bin", "xbin", "adf", "idf", "data", "vplayer", "tedcaptions",
        // A script that names other files.
        "concat",
    ]

    /// The probing limits for files whose streams begin late. Packets that are read stay in memory until they are
    /// needed.
    private static let thoroughProbing = ["probesize": "100000000", "analyzeduration": "600000000"]

    /// The probing limits for pipes. A stream declares its format early, and probing delays its frames.
    private static let quickProbing = ["fpsprobesize": "1", "analyzeduration": "1000000"]
    /// The probing limits for low delay.
    private static let minimalProbing = ["fpsprobesize": "0", "analyzeduration": "200000", "probesize": "1000000"]

    /// Opens the file and lets FFmpeg probe its streams.
    ///
    /// - Parameters:
    ///   - file: The input's file, if it is a regular one.
    ///   - source: The source to read from; nil if FFmpeg opens the input itself. The function sets it for a connection
    ///     that must be read through a ``StreamSource``.
    ///   - warnings: Receives the demuxer's warnings; it must outlive the context.
    ///   - isPatient: Whether to probe far into the file: by default probing stops after 5 MB.
    @unsafe
    static func open(
        _ path: String, _ file: OpenFile?, _ settings: InputSettings, _ watch: IOWatch,
        from source: inout StreamSource?, _ warnings: DemuxerWarnings, isPatient: Bool = false
    ) throws(MediaError) -> UnsafeMutablePointer<AVFormatContext> {
        let address = MediaAddress(path)
        let format = unsafe try inputFormat(settings, address, path)
        var options: OpaquePointer? = nil
        defer { unsafe av_dict_free(&options) }
        for (key, value) in self.options(settings, isFile: file != nil, isPatient: isPatient) {
            try MediaError.demandMemory(unsafe av_dict_set(&options, key, value, 0), path)
        }
        let isStream = source?.isFile == false
        let whitelist = isStream ? MediaAddress.standardStream.whitelist : address.whitelist
        try MediaError.demandMemory(unsafe av_dict_set(&options, "protocol_whitelist", whitelist, 0), path)
        guard let fresh = unsafe avformat_alloc_context() else { throw .outOfMemory(path) }
        var context: UnsafeMutablePointer<AVFormatContext>? = unsafe fresh
        unsafe fresh.pointee.interrupt_callback = unsafe watch.callback
        if let source { unsafe fresh.pointee.pb = source.io }
        unsafe warnings.attach(to: fresh)
        let hook = unsafe address.mayBringEndlessMP4 ? ConnectionHook(fresh, path, watch) : nil

        watch.begin()
        // On failure FFmpeg frees the context itself. Bytes from a hook get the address of a pipe: if they had a file's
        // name, FFmpeg could take them for an image file and seek.
        let url = isStream ? "pipe:" : address.readingURL
        var status = unsafe avformat_open_input(&context, url, format, &options)
        source = withExtendedLifetime(hook) { hook?.source } ?? source
        guard status >= 0, let opened = unsafe context else {
            try watch.check(path)
            if source?.isEmpty == true { throw empty(address, path) }
            if status == cffmpeg_error_invalid_data {
                let named = settings.formatName
                throw file != nil ? unrecognised(path, named) : notMedia(path, named)
            }
            if case .network = address { throw .connecting(path, status: status) }
            let isSound =
                if isStream, let source { unsafe source.io.pointee.error >= 0 } else {
                    address.filePath.map(FileKind.canBeRead) ?? false
                }
            throw .reading(path, status: status, isSound: isSound)
        }
        // FFmpeg leaves the options that the format does not have.
        if settings.frameRate != nil, unsafe av_dict_get(options, "framerate", nil, 0) != nil {
            unsafe avformat_close_input(&context)
            throw MediaError(.invalidSettings, file: path, "\(path): \(InputSettings.rawOnly)")
        }
        let name = unsafe String(cString: opened.pointee.iformat.pointee.name)
        warnings.discardOpening(of: name)
        // The hook of a connection has replaced them.
        unsafe warnings.attach(to: opened)
        let isAmbiguous = unsafe format == nil && ambiguousFormats.contains(name)
        status =
            isAmbiguous
            ? cffmpeg_error_invalid_data : unsafe findStreams(opened, maxPixels: settings.maxCodedPixels)
        let isPlaylessText =
            unsafe opened.pointee.probe_score <= AVPROBE_SCORE_MAX / 4 && format == nil && !hasPictures(opened)
        if status < 0 || isPlaylessText || source?.isEmpty == true {
            unsafe avformat_close_input(&context)
            try watch.check(path)
            if status == cffmpeg_error_enomem { throw .reading(path, status: status) }
            throw source?.isEmpty == true ? empty(address, path) : notMedia(path, settings.formatName)
        }
        if !isPatient, let file, unsafe hasUnknownSound(opened) {
            unsafe avformat_close_input(&context)
            if source?.isFile == true { source = try StreamSource(file, path, watch) }
            return unsafe try open(path, file, settings, watch, from: &source, warnings, isPatient: true)
        }
        if let file {
            status = unsafe addTrackNames(to: opened, file: file)
            if status < 0 {
                unsafe avformat_close_input(&context)
                throw .outOfMemory(path)
            }
        }
        return unsafe opened
    }

    /// Opens the rest of a stream whose beginning was opened before. Callers keep the stream descriptions of the
    /// beginning.
    ///
    /// - Returns: nil if the rest has other streams.
    @unsafe
    static func openAgain(
        like old: UnsafeMutablePointer<AVFormatContext>, from source: StreamSource, _ watch: IOWatch
    ) -> UnsafeMutablePointer<AVFormatContext>? {
        var options: OpaquePointer? = nil
        defer { unsafe av_dict_free(&options) }
        let whitelist = MediaAddress.standardStream.whitelist
        guard unsafe av_dict_set(&options, "protocol_whitelist", whitelist, 0) >= 0,
            unsafe av_dict_set(&options, "codec_whitelist", old.pointee.codec_whitelist, 0) >= 0,
            let fresh = unsafe avformat_alloc_context()
        else { return nil }
        var context: UnsafeMutablePointer<AVFormatContext>? = unsafe fresh
        unsafe fresh.pointee.interrupt_callback = unsafe watch.callback
        unsafe fresh.pointee.pb = source.io
        watch.begin()
        guard unsafe avformat_open_input(&context, "pipe:", old.pointee.iformat, &options) >= 0,
            let opened = unsafe context
        else { return nil }
        let codecs = unsafe [opened, old].map { context in
            unsafe (0..<Int(context.pointee.nb_streams)).map { index in
                unsafe context.pointee.streams[index]!.pointee.codecpar.pointee.codec_id.rawValue
            }
        }
        if codecs[0] == codecs[1] { return unsafe opened }
        unsafe avformat_close_input(&context)
        return nil
    }

    /// Lets FFmpeg probe the streams. To do so, FFmpeg decodes pictures up to the allowed size.
    ///
    /// `avformat_find_stream_info`
    @unsafe
    private static func findStreams(_ context: UnsafeMutablePointer<AVFormatContext>, maxPixels: Int) -> Int32 {
        var options = unsafe [OpaquePointer?](repeating: nil, count: max(1, Int(unsafe context.pointee.nb_streams)))
        defer { for index in unsafe options.indices { unsafe av_dict_free(&options[index]) } }
        for index in unsafe options.indices {
            let status = unsafe av_dict_set_int(&options[index], "max_pixels", Int64(maxPixels), 0)
            if status < 0 { return status }
        }
        return unsafe avformat_find_stream_info(context, &options)
    }

    private static func options(
        _ settings: InputSettings, isFile: Bool, isPatient: Bool
    ) -> [(key: String, value: String)] {
        var options = settings.pictureOptions + DecoderList.options(settings.decoders)
        // A "%d" in the name of a picture is a literal part of the name.
        options.append(("pattern_type", "none"))
        if isPatient {
            options += thoroughProbing.map { ($0.key, $0.value) }
        } else if settings.isLowDelay {
            options += minimalProbing.map { ($0.key, $0.value) }
        } else if !isFile {
            options += quickProbing.map { ($0.key, $0.value) }
        }
        return options
    }

    /// Returns the requested input format; nil for detection.
    @unsafe
    private static func inputFormat(
        _ settings: InputSettings, _ address: MediaAddress, _ path: String
    ) throws(MediaError) -> UnsafePointer<AVInputFormat>? {
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

    /// Returns the file of an address, opened unless the settings contain it; nil if the address is no regular file.
    ///
    /// - throws: ``MediaError`` if the address cannot be opened.
    static func openFile(
        _ address: MediaAddress, _ path: String, _ settings: InputSettings
    ) throws(MediaError) -> OpenFile? {
        if let file = settings.file { return file }
        try check(address, path)
        return address.filePath.flatMap(OpenFile.init)
    }

    /// Returns whether FFmpeg reads a file through a ``StreamSource``. It opens a playlist and the files of a playlist
    /// by their names, and pictures by the format that it derives from the name.
    ///
    /// `av_probe_input_format2`
    static func isReadAlone(_ file: OpenFile, _ path: String, _ settings: InputSettings) throws(MediaError) -> Bool {
        if PlaylistCheck.isPlaylist(file) {
            try PlaylistCheck.check(MediaAddress(path).filePath ?? path, path)
            return false
        }
        return unsafe MediaAddress(path).readingURL.withCString { name in
            if let format = unsafe settings.formatName.flatMap({ unsafe av_find_input_format($0) }) {
                return unsafe format.pointee.flags & AVFMT_NOFILE == 0
            }
            var data = unsafe AVProbeData()
            unsafe data.filename = name
            var score = AVPROBE_SCORE_MAX / 4
            return unsafe av_probe_input_format2(&data, 0, &score) == nil
        }
    }

    /// Detects errors before FFmpeg does, which gives clearer messages.
    static func check(_ address: MediaAddress, _ path: String) throws(MediaError) {
        switch address {
        case .standardStream: break
        case .network(let known, _):
            if !NetworkProtocol.readable.contains(known) { throw notRead(path, known.rawValue) }
        case .file(let file):
            try check(file)
        case .videoDevice(let device): try check(device)
        case .unsupported(let scheme): throw notRead(path, scheme)
        }
    }

    private static func notRead(_ path: String, _ scheme: String) -> MediaError {
        let known = NetworkProtocol.readable.map(\.rawValue).joined(separator: ", ")
        return MediaError(
            .notFound, file: path, "\(path): the protocol \(scheme) is not supported for input; use one of \(known)")
    }

    private static func check(_ path: String) throws(MediaError) {
        if path.isEmpty { throw MediaError(.notFound, file: path, "the input's path is empty; name a file") }
        var info = stat()
        guard unsafe stat(path, &info) == 0 else {
            // Arguments that are not UTF-8 were repaired when the program started.
            if errno == ENOENT, path.contains("\u{FFFD}") || RawName.isEscaped(path) {
                throw MediaError(
                    .notFound, file: path, "\(path): names that are not UTF-8 cannot be opened; rename the file")
            }
            throw .reading(path, status: cffmpeg_averror(errno))
        }
        if info.st_mode & S_IFMT == S_IFDIR { throw .reading(path, status: cffmpeg_averror(EISDIR)) }
        guard unsafe access(path, R_OK) == 0 else { throw .reading(path, status: cffmpeg_averror(errno)) }
        if info.st_mode & S_IFMT == S_IFREG, info.st_size == 0 {
            throw MediaError(.empty, file: path, "\(path): the file is empty")
        }
    }

    /// Returns the error for a file that no demuxer opened. The message depends on whether the beginning of the file
    /// has a known format.
    private static func unrecognised(_ path: String, _ named: String?) -> MediaError {
        var io: UnsafeMutablePointer<AVIOContext>? = nil
        guard unsafe avio_open(&io, "file:" + path, AVIO_FLAG_READ) >= 0 else { return notMedia(path, named) }
        defer { unsafe avio_closep(&io) }
        if let kind = PictureBrand.kind(of: path) {
            return MediaError(
                .notMedia, file: path,
                "\(path): is a picture (\(kind)) that the installed FFmpeg cannot read; convert it to JPEG or PNG")
        }
        var format: UnsafePointer<AVInputFormat>? = nil
        let score = unsafe av_probe_input_buffer2(io, &format, path, nil, 0, 0)
        guard score > AVPROBE_SCORE_MAX / 4, let format = unsafe format else { return notMedia(path, named) }
        let name = unsafe String(cString: format.pointee.name)
        if ambiguousFormats.contains(name) { return notMedia(path, named) }
        let kind = unsafe format.pointee.long_name.map { unsafe String(cString: $0) } ?? name
        if let named, !name.split(separator: ",").contains(named[...]) {
            return MediaError(
                .invalidSettings, file: path,
                "\(path): is \(kind), not \(named); remove the input format to detect it")
        }
        return MediaError(
            .damaged, file: path,
            "\(path): the file is truncated or damaged: it starts as \(kind), but its index is missing or unreadable",
            detail: MediaError.text(of: cffmpeg_error_invalid_data))
    }

    private static func empty(_ address: MediaAddress, _ path: String) -> MediaError {
        let what = address == .standardStream ? "the standard input is empty" : "no data was received"
        return MediaError(.empty, file: path, "\(path): \(what)")
    }

    /// - Parameter named: The requested format; nil for detection.
    private static func notMedia(_ path: String, _ named: String?) -> MediaError {
        let problem =
            named.map { "cannot be read as \($0); check the file's format" }
            ?? "is not a video or image in a known format; check the path"
        return MediaError(.notMedia, file: path, "\(path): \(problem)")
    }

    @unsafe
    private static func hasPictures(_ context: UnsafeMutablePointer<AVFormatContext>) -> Bool {
        for i in 0..<Int(unsafe context.pointee.nb_streams) {
            let parameters = unsafe context.pointee.streams[i]!.pointee.codecpar!
            if unsafe parameters.pointee.codec_type == AVMEDIA_TYPE_VIDEO, unsafe parameters.pointee.width > 0 {
                return true
            }
        }
        return false
    }

    /// Returns the index of the stream to decode: the requested one, or FFmpeg's best stream, but never cover art.
    @unsafe
    static func chooseVideo(
        in context: UnsafeMutablePointer<AVFormatContext>, _ requested: Int?, path: String
    ) throws(MediaError) -> Int {
        if let requested, unsafe requested < Int(context.pointee.nb_streams),
            unsafe context.pointee.streams[requested]!.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_VIDEO
        {
            return requested
        }
        let best = unsafe av_find_best_stream(context, AVMEDIA_TYPE_VIDEO, -1, -1, nil, 0)
        if best >= 0, unsafe !isAttachedPicture(context.pointee.streams[Int(best)]!) { return Int(best) }
        var choice: Int? = nil
        var area: Int32 = -1
        for i in 0..<Int(unsafe context.pointee.nb_streams) {
            let stream = unsafe context.pointee.streams[i]!
            let parameters = unsafe stream.pointee.codecpar!
            guard unsafe parameters.pointee.codec_type == AVMEDIA_TYPE_VIDEO, unsafe !isAttachedPicture(stream)
            else { continue }
            let size = unsafe parameters.pointee.width &* parameters.pointee.height
            if size > area { (choice, area) = (i, size) }
        }
        guard let choice else {
            throw MediaError(.noVideo, file: path, "\(path): contains no video, only \(unsafe kinds(in: context))")
        }
        return choice
    }

    /// Throws an error if the header states a larger picture than allowed.
    @unsafe
    static func checkSize(
        of stream: UnsafeMutablePointer<AVStream>, path: String, maxPixels: Int
    ) throws(MediaError) {
        let (width, height) = unsafe (stream.pointee.codecpar.pointee.width, stream.pointee.codecpar.pointee.height)
        let pixels = Int(width) * Int(height)
        guard width > 0, height > 0, pixels > maxPixels else { return }
        throw MediaError(
            .tooLarge, file: path,
            "\(path): its picture size, \(width)×\(height), exceeds the limit of \(maxPixels) pixels; to read it, set input.max-pixels to \(pixels)"
        )
    }

    @unsafe
    private static func isAttachedPicture(_ stream: UnsafeMutablePointer<AVStream>) -> Bool {
        unsafe stream.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC != 0
    }

    @unsafe
    private static func kinds(in context: UnsafeMutablePointer<AVFormatContext>) -> String {
        let streams = unsafe describeStreams(context)
        if streams.contains(where: { $0.kind == .audio }) { return "sound" }
        if streams.contains(where: { $0.kind == .subtitle }) { return "subtitles" }
        return streams.isEmpty ? "an empty container" : "other data"
    }
}
