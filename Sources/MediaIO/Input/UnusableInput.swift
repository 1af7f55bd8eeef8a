internal import CFFmpeg
import Platform

/// The errors of inputs that cannot be read.
enum UnusableInput {
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
    static func unrecognised(_ path: String, _ named: String?) -> MediaError {
        var io: UnsafeMutablePointer<AVIOContext>? = nil
        guard unsafe avio_open(&io, "file:" + path, AVIO_FLAG_READ) >= 0 else { return notMedia(path, named) }
        defer { unsafe avio_closep(&io) }
        if let kind = pictureKind(of: path) {
            return MediaError(
                .notMedia, file: path,
                "\(path): is a picture (\(kind)) that the installed FFmpeg cannot read; convert it to JPEG or PNG")
        }
        var format: UnsafePointer<AVInputFormat>? = nil
        let score = unsafe av_probe_input_buffer2(io, &format, path, nil, 0, 0)
        guard score > AVPROBE_SCORE_MAX / 4, let format = unsafe format else { return notMedia(path, named) }
        let name = unsafe String(cString: format.pointee.name)
        if InputOpener.ambiguousFormats.contains(name) { return notMedia(path, named) }
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

    /// Returns the error for an input without data.
    static func empty(_ address: MediaAddress, _ path: String) -> MediaError {
        let what = address == .standardStream ? "the standard input is empty" : "no data was received"
        return MediaError(.empty, file: path, "\(path): \(what)")
    }

    /// Returns the error for an input in no known format.
    ///
    /// - Parameter named: The requested format; nil for detection.
    static func notMedia(_ path: String, _ named: String?) -> MediaError {
        let problem =
            named.map { "cannot be read as \($0); check the file's format" }
            ?? "is not a video or image in a known format; check the path"
        return MediaError(.notMedia, file: path, "\(path): \(problem)")
    }

    /// The brands of single pictures and collections, and the names of their formats.
    ///
    /// ISO/IEC 23008-12, annexes B and E; AV1 Image File Format, section 6.
    private static let pictureBrands = [
        "heic": "HEIC", "heix": "HEIC", "heim": "HEIC", "heis": "HEIC", "mif1": "HEIF", "mif2": "HEIF", "miaf": "HEIF",
        "avif": "AVIF",
    ]

    /// Returns the name of the format of a picture in the container of MP4 files, by its major brand; nil for other
    /// files. FFmpeg before 7.0 takes such pictures for MP4 files without an index.
    private static func pictureKind(of path: String) -> String? {
        guard let head = OpenFile(path)?.read(at: 0, count: 12), head.count == 12,
            head[4..<8].elementsEqual("ftyp".utf8)
        else { return nil }
        return pictureBrands[String(decoding: head[8...], as: UTF8.self)]
    }
}
