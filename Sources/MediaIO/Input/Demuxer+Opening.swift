internal import CFFmpeg
import Platform

extension Demuxer {
    /// Formats that FFmpeg finds in any text or bytes: nobody means them as video.
    private static let impostors: Set<String> = [
        "tty", "bin", "xbin", "adf", "idf", "data", "vplayer", "tedcaptions",
        // A script that names other files.
        "concat",
    ]

    /// How far into a file FFmpeg looks where a stream begins late. What it read stays in
    /// memory until it is used.
    private static let patience = ["probesize": "100000000", "analyzeduration": "600000000"]

    /// What is read of a pipe before the first picture comes out: a stream tells soon what it is, and
    /// its frames wait meanwhile.
    private static let haste = ["fpsprobesize": "1", "analyzeduration": "1000000"]
    /// The same where every frame counts.
    private static let greatHaste = ["fpsprobesize": "0", "analyzeduration": "200000", "probesize": "1000000"]

    /// Opens the file and lets FFmpeg look at its streams.
    ///
    /// - Parameters:
    ///   - source: What is read instead, where FFmpeg does not open the file by itself. Where there is none, a connection
    ///     may get one.
    ///   - complaints: Hears what is passed over; it must outlive the context.
    ///   - isPatient: Whether it looks far into the file: it usually stops after 5 MB.
    @unsafe
    static func open(
        _ path: String, _ settings: InputSettings, _ watch: IOWatch, from source: inout StreamSource?,
        _ complaints: DemuxerComplaints, isPatient: Bool = false
    ) throws(MediaError) -> UnsafeMutablePointer<AVFormatContext> {
        let address = MediaAddress(path)
        let format = unsafe try inputFormat(settings, address, path)
        var options: OpaquePointer? = nil
        defer { unsafe av_dict_free(&options) }
        for (key, value) in self.options(settings, address, isPatient: isPatient) {
            try MediaError.demandMemory(unsafe av_dict_set(&options, key, value, 0), path)
        }
        let whitelist = source == nil ? address.whitelist : MediaAddress.standardStream.whitelist
        try MediaError.demandMemory(unsafe av_dict_set(&options, "protocol_whitelist", whitelist, 0), path)
        guard let fresh = unsafe avformat_alloc_context() else { throw .outOfMemory(path) }
        var context: UnsafeMutablePointer<AVFormatContext>? = unsafe fresh
        unsafe fresh.pointee.interrupt_callback = unsafe watch.callback
        if let source { unsafe fresh.pointee.pb = source.io }
        let hook = unsafe address.mayBringEndlessMP4 ? ConnectionHook(fresh, path, watch) : nil

        watch.begin()
        // On failure FFmpeg frees the context itself.
        // A name would make FFmpeg take a pipe for an image file, which it goes back in.
        let url = source == nil ? address.readingURL : "pipe:"
        var status = unsafe avformat_open_input(&context, url, format, &options)
        source = withExtendedLifetime(hook) { hook?.source } ?? source
        guard status >= 0, let opened = unsafe context else {
            try watch.check(path)
            if source?.isEmpty == true { throw empty(address, path) }
            if status == cffmpeg_error_invalid_data {
                let named = settings.formatName
                throw address.isRegularFile ? unrecognised(path, named) : notMedia(path, named)
            }
            if case .network = address { throw .connecting(path, status: status) }
            let isSound =
                if let source { unsafe source.io.pointee.error >= 0 } else {
                    address.filePath.map(FileKind.canBeRead) ?? false
                }
            throw .reading(path, status: status, isSound: isSound)
        }
        unsafe complaints.listen(to: opened)
        let name = unsafe String(cString: opened.pointee.iformat.pointee.name)
        let isImpostor = unsafe format == nil && impostors.contains(name)
        status =
            isImpostor
            ? cffmpeg_error_invalid_data : unsafe findStreams(opened, maxPixels: settings.maxCodedPixels)
        let isPlaylessText =
            unsafe opened.pointee.probe_score <= AVPROBE_SCORE_MAX / 4 && format == nil && !hasPictures(opened)
        if status < 0 || isPlaylessText || source?.isEmpty == true {
            unsafe avformat_close_input(&context)
            try watch.check(path)
            if status == cffmpeg_error_enomem { throw .reading(path, status: status) }
            throw source?.isEmpty == true ? empty(address, path) : notMedia(path, settings.formatName)
        }
        if !isPatient, address.isRegularFile, unsafe hasUnknownSound(opened) {
            unsafe avformat_close_input(&context)
            return unsafe try open(path, settings, watch, from: &source, complaints, isPatient: true)
        }
        if address.isRegularFile, let file = address.filePath {
            status = unsafe addTrackNames(to: opened, file: file)
            if status < 0 {
                unsafe avformat_close_input(&context)
                throw .outOfMemory(path)
            }
        }
        return unsafe opened
    }

    /// Opens the rest of a stream of which the beginning was opened before: what that told of its streams holds.
    ///
    /// - Returns: nil where it is another stream.
    @unsafe
    static func openAgain(
        like old: UnsafeMutablePointer<AVFormatContext>, from source: StreamSource, _ watch: IOWatch
    ) -> UnsafeMutablePointer<AVFormatContext>? {
        var options: OpaquePointer? = nil
        defer { unsafe av_dict_free(&options) }
        let whitelist = MediaAddress.standardStream.whitelist
        guard unsafe av_dict_set(&options, "protocol_whitelist", whitelist, 0) >= 0,
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

    /// Has FFmpeg look at the streams. It decodes pictures for that: none that is larger than what is allowed.
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
        _ settings: InputSettings, _ address: MediaAddress, isPatient: Bool
    ) -> [(key: String, value: String)] {
        var options = settings.pictureOptions
        // A "%d" in a picture's name is nothing but a part of the name.
        options.append(("pattern_type", "none"))
        if isPatient {
            options += patience.map { ($0.key, $0.value) }
        } else if settings.isLowDelay {
            options += greatHaste.map { ($0.key, $0.value) }
        } else if !address.isRegularFile {
            options += haste.map { ($0.key, $0.value) }
        }
        return options
    }

    /// The format that somebody named; nil to find it.
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

    /// What can be told before FFmpeg is asked, in clearer words than it has.
    static func check(_ address: MediaAddress, _ path: String) throws(MediaError) {
        switch address {
        case .standardStream, .network: break
        case .file(let file): try check(file)
        case .videoDevice(let device): try check(device)
        case .unsupported(let scheme):
            let known = NetworkProtocol.allCases.map(\.rawValue).joined(separator: ", ")
            throw MediaError(
                .notFound, file: path, "\(path): addresses of the kind \(scheme) are not read; there are \(known)")
        }
    }

    private static func check(_ path: String) throws(MediaError) {
        if path.isEmpty { throw MediaError(.notFound, file: path, "the input's name is empty; name a file") }
        var info = stat()
        guard unsafe stat(path, &info) == 0 else {
            // Arguments that are no UTF-8 were mended when the program began.
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

    /// The error for a file that could not be opened as any format: does its beginning look like one?
    private static func unrecognised(_ path: String, _ named: String?) -> MediaError {
        var io: UnsafeMutablePointer<AVIOContext>? = nil
        guard unsafe avio_open(&io, "file:" + path, AVIO_FLAG_READ) >= 0 else { return notMedia(path, named) }
        defer { unsafe avio_closep(&io) }
        var format: UnsafePointer<AVInputFormat>? = nil
        let score = unsafe av_probe_input_buffer2(io, &format, path, nil, 0, 0)
        guard score > AVPROBE_SCORE_MAX / 4, let format = unsafe format else { return notMedia(path, named) }
        let name = unsafe String(cString: format.pointee.name)
        if impostors.contains(name) { return notMedia(path, named) }
        let kind = unsafe format.pointee.long_name.map { unsafe String(cString: $0) } ?? name
        if let named, !name.split(separator: ",").contains(named[...]) {
            return MediaError(
                .invalidSettings, file: path,
                "\(path): is not \(named), but \(kind); leave out the input's format, and it is found")
        }
        return MediaError(
            .damaged, file: path,
            "\(path): the file is cut off or damaged: it begins as \(kind), but its index is missing or unreadable",
            detail: MediaError.text(of: cffmpeg_error_invalid_data))
    }

    private static func empty(_ address: MediaAddress, _ path: String) -> MediaError {
        let what = address == .standardStream ? "the standard input is empty" : "nothing came from it; it is empty"
        return MediaError(.empty, file: path, "\(path): \(what)")
    }

    /// - Parameter named: the format that somebody named.
    private static func notMedia(_ path: String, _ named: String?) -> MediaError {
        let problem =
            named.map { "cannot be read as \($0); check that this is the file's format" }
            ?? "is not a video or image file that can be read; check that it is the file you meant"
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

    /// The number of the stream to decode: FFmpeg's best one, but never cover art.
    @unsafe
    static func chooseVideo(
        in context: UnsafeMutablePointer<AVFormatContext>, path: String
    ) throws(MediaError) -> Int {
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
            throw MediaError(.noVideo, file: path, "\(path): holds no video, only \(unsafe kinds(in: context))")
        }
        return choice
    }

    /// Refuses pictures that would take too much memory.
    @unsafe
    static func checkSize(
        of stream: UnsafeMutablePointer<AVStream>, path: String, maxPixels: Int
    ) throws(MediaError) {
        let (width, height) = unsafe (stream.pointee.codecpar.pointee.width, stream.pointee.codecpar.pointee.height)
        let pixels = Int(width) * Int(height)
        guard width > 0, height > 0, pixels > maxPixels else { return }
        throw MediaError(
            .tooLarge, file: path,
            "\(path): its pictures are \(width)×\(height), and no more than \(maxPixels) pixels are read; if that is meant, raise input.max-pixels to \(pixels)"
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
