internal import CFFmpeg

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

extension Demuxer {
    /// Formats that FFmpeg finds in any text or bytes: nobody means them as video.
    private static let impostors: Set<String> = ["tty", "bin", "xbin", "adf", "idf", "data", "vplayer", "tedcaptions"]

    /// How far into a file FFmpeg looks where a stream begins late. What it read stays in
    /// memory until it is used.
    private static let patience = ["probesize": "100000000", "analyzeduration": "600000000"]

    /// Opens the file and lets FFmpeg look at its streams.
    ///
    /// - Parameter isPatient: Whether it looks far into the file: it usually stops after 5 MB.
    @unsafe
    static func open(
        _ path: String, _ interrupt: InterruptFlag?, isPatient: Bool = false
    ) throws(MediaError) -> UnsafeMutablePointer<AVFormatContext> {
        let isFile = path != "-" && !path.contains("://")
        if isFile { try check(path) } else if path == "-" { letReadsEnd() }
        let url = path == "-" ? "pipe:0" : isFile ? "file:" + path : path

        guard let fresh = unsafe avformat_alloc_context() else { throw .outOfMemory(path) }
        var context: UnsafeMutablePointer<AVFormatContext>? = unsafe fresh
        if let interrupt { unsafe fresh.pointee.interrupt_callback = unsafe interrupt.callback }
        var options: OpaquePointer? = nil
        defer { unsafe av_dict_free(&options) }
        unsafe av_dict_set(&options, "protocol_whitelist", protocols(for: url), 0)
        // A "%d" in a picture's name is nothing but a part of the name.
        unsafe av_dict_set(&options, "pattern_type", "none", 0)
        if isPatient {
            for (key, value) in patience { unsafe av_dict_set(&options, key, value, 0) }
        }

        // On failure FFmpeg frees the context itself.
        var status = unsafe avformat_open_input(&context, url, nil, &options)
        guard status >= 0, let opened = unsafe context else {
            if status == cffmpeg_error_invalid_data { throw isRegular(path) ? unrecognised(path) : notMedia(path) }
            throw .reading(path, status: status)
        }
        let format = unsafe String(cString: opened.pointee.iformat.pointee.name)
        status = impostors.contains(format) ? cffmpeg_error_invalid_data : unsafe avformat_find_stream_info(opened, nil)
        let isPlaylessText = unsafe opened.pointee.probe_score <= AVPROBE_SCORE_MAX / 4 && !hasPictures(opened)
        if status < 0 || isPlaylessText {
            unsafe avformat_close_input(&context)
            if interrupt?.isRaised == true { throw .reading(path, status: cffmpeg_error_exit) }
            throw notMedia(path)
        }
        if !isPatient, isFile, isRegular(path), unsafe hasUnknownSound(opened) {
            unsafe avformat_close_input(&context)
            return unsafe try open(path, interrupt, isPatient: true)
        }
        return unsafe opened
    }

    /// Whether a stream of sound was announced, but none of it met so far: nothing could be
    /// written of it, not even as a copy.
    @unsafe
    private static func hasUnknownSound(_ context: UnsafeMutablePointer<AVFormatContext>) -> Bool {
        (0..<Int(unsafe context.pointee.nb_streams)).contains { index in
            let parameters = unsafe context.pointee.streams[index]!.pointee.codecpar!
            return unsafe parameters.pointee.codec_type == AVMEDIA_TYPE_AUDIO && parameters.pointee.sample_rate == 0
        }
    }

    /// What can be told from the file system alone, in clearer words than FFmpeg has.
    private static func check(_ path: String) throws(MediaError) {
        var info = stat()
        guard unsafe stat(path, &info) == 0 else { throw .reading(path, status: cffmpeg_averror(errno)) }
        if info.st_mode & S_IFMT == S_IFDIR { throw .reading(path, status: cffmpeg_averror(EISDIR)) }
        guard unsafe access(path, R_OK) == 0 else { throw .reading(path, status: cffmpeg_averror(errno)) }
        if info.st_mode & S_IFMT == S_IFREG, info.st_size == 0 {
            throw MediaError(.empty, file: path, "\(path): the file is empty")
        }
    }

    /// Whether the path leads to a file that can be opened once more: a pipe cannot.
    private static func isRegular(_ path: String) -> Bool {
        var info = stat()
        return unsafe stat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFREG
    }

    /// Lets the interrupt callback be asked while standard input, if it is a pipe, has
    /// nothing to give: a read that blocks would wait for ever.
    private static func letReadsEnd() {
        var info = stat()
        guard unsafe fstat(STDIN_FILENO, &info) == 0, info.st_mode & S_IFMT == S_IFIFO else { return }
        let flags = fcntl(STDIN_FILENO, F_GETFL)
        if flags >= 0 { _ = fcntl(STDIN_FILENO, F_SETFL, flags | O_NONBLOCK) }
    }

    private static func protocols(for url: String) -> String {
        guard let scheme = url.split(separator: ":").first, url.contains("://") else { return "file,pipe" }
        // A network protocol stands on others.
        return "file,pipe,\(scheme),tcp,udp,rtp,tls,crypto,httpproxy"
    }

    /// The error for a file that could not be opened as any format: does its beginning look like one?
    private static func unrecognised(_ path: String) -> MediaError {
        var io: UnsafeMutablePointer<AVIOContext>? = nil
        guard unsafe avio_open(&io, "file:" + path, AVIO_FLAG_READ) >= 0 else { return notMedia(path) }
        defer { unsafe avio_closep(&io) }
        var format: UnsafePointer<AVInputFormat>? = nil
        let score = unsafe av_probe_input_buffer2(io, &format, path, nil, 0, 0)
        guard score > AVPROBE_SCORE_MAX / 4, let format = unsafe format else { return notMedia(path) }
        let name = unsafe String(cString: format.pointee.name)
        if impostors.contains(name) { return notMedia(path) }
        let kind = unsafe format.pointee.long_name.map { unsafe String(cString: $0) } ?? name
        return MediaError(
            .damaged, file: path,
            "\(path): the file is cut off or damaged: it begins as \(kind), but its index is missing or unreadable",
            detail: MediaError.text(of: cffmpeg_error_invalid_data))
    }

    private static func notMedia(_ path: String) -> MediaError {
        MediaError(.notMedia, file: path, "\(path): is not a video or image file that can be read; check that it is the file you meant")
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
