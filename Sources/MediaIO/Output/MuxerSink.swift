internal import CFFmpeg
import Platform

/// The destination of a muxer's bytes.
enum MuxerSink: Sendable, Hashable {
    /// A file that has a temporary name until it is complete.
    case file(temporary: String)
    /// The standard output. For this and the following cases, written bytes cannot be discarded.
    case standardOutput
    /// A named pipe, a terminal, or `/dev/null`. It is not replaced.
    case special(path: String)
    case network(url: String)
    /// A virtual camera, which FFmpeg's muxer opens itself.
    case device(path: String)

    /// The address in FFmpeg's form.
    var url: String {
        switch self {
        case .file(let temporary): "file:" + temporary
        case .standardOutput: "pipe:1"
        case .special(let path): "file:" + path
        case .network(let url): url
        case .device(let path): path
        }
    }

    /// True if the output cannot seek.
    var isStream: Bool {
        if case .file = self { false } else { true }
    }

    /// True if a connection may be lost.
    var isNetwork: Bool {
        if case .network = self { true } else { false }
    }

    /// True if writing fails once the reader has closed the output.
    var isPipe: Bool {
        switch self {
        case .standardOutput, .special: true
        case .file, .network, .device: false
        }
    }

    /// Removes an unfinished file.
    func discard() {
        if case .file(let temporary) = self { TemporaryFile.remove(temporary) }
    }

    /// Gives a finished file its final name.
    ///
    /// - Parameter isPart: Whether the name must state that the file is incomplete.
    /// - Returns: The final name; the path itself for other outputs than files.
    func publish(as path: String, isPart: Bool, overwrite: Bool) throws(MediaError) -> String {
        guard case .file(let temporary) = self else { return path }
        let file = MediaAddress(path).filePath ?? path
        // The target's name is returned because `/dev/stdout` still refers to the replaced file.
        let name = DescriptorOutput.descriptor(named: file) == nil ? path : TemporaryFile.target(of: file)
        return try MediaError.rephrasing { () throws(FileError) in
            if isPart { return try TemporaryFile.publishPart(temporary, of: file, overwrite: overwrite) }
            try TemporaryFile.publish(temporary, as: file, overwrite: overwrite)
            return name
        }
    }

    /// Returns the destination and the container of an output.
    ///
    /// - Parameter format: The requested format, which takes precedence over the path's.
    static func choose(
        _ path: String, format: ContainerFormat?
    ) throws(MediaError) -> (MuxerSink, ContainerFormat) {
        let address = MediaAddress(path)
        guard let container = ContainerFormat.chosen(for: path, format: format) else {
            if case .network(let scheme, _) = address { throw notWritten(path, scheme.rawValue) }
            if case .unsupported(let scheme) = address { throw notWritten(path, scheme) }
            throw ContainerFormat.unknown(path)
        }
        switch address {
        case .standardStream:
            return try stream(.standardOutput, container, path)
        case .file(let file):
            if TemporaryFile.isSpecial(file) { return try stream(.special(path: file), container, path) }
            return (
                .file(
                    temporary: try MediaError.rephrasing { () throws(FileError) in try TemporaryFile.reserve(for: file)
                    }),
                container
            )
        case .network(let scheme, let url):
            guard container == .whip else { return try stream(.network(url: url), container, path) }
            guard unsafe av_guess_format(container.muxerName, nil, nil) != nil else {
                throw MediaError(
                    .noEncoder, file: path,
                    "\(path): WHIP needs FFmpeg 8 or newer with WebRTC; this is FFmpeg \(MediaLibraries.release)")
            }
            return (
                .network(url: (scheme == .whip ? "http" : "https") + url.dropFirst(scheme.rawValue.count)), container
            )
        case .videoDevice(let device):
            guard MediaLibraries.loadDevices() else {
                throw MediaError(
                    .noEncoder, file: path,
                    "\(path): virtual cameras need FFmpeg's libavdevice, which is not installed (apt-get install libavdevice59)"
                )
            }
            return (.device(path: device), container)
        case .unsupported(let scheme):
            throw notWritten(path, scheme)
        }
    }

    private static func stream(
        _ sink: MuxerSink, _ container: ContainerFormat, _ path: String
    ) throws(MediaError) -> (MuxerSink, ContainerFormat) {
        if container.needsSeeking {
            throw MediaError(
                .unsupportedInContainer, file: path,
                "\(path): \(container.displayName) cannot be streamed; use nut, matroska or mpegts")
        }
        return (sink, container)
    }

    private static func notWritten(_ path: String, _ scheme: String) -> MediaError {
        let known = NetworkProtocol.allCases.filter { $0.usualContainer != nil }.map(\.rawValue)
        return MediaError(
            .unwritable, file: path,
            "\(path): the protocol \(scheme) is not supported for output; use one of \(known.joined(separator: ", "))"
        )
    }
}

extension Muxer {
    /// Opens an output, unless FFmpeg's muxer opens it itself.
    @unsafe
    static func openSink(
        _ context: UnsafeMutablePointer<AVFormatContext>, _ sink: MuxerSink, _ watch: IOWatch
    ) -> Int32 {
        guard unsafe context.pointee.oformat.pointee.flags & AVFMT_NOFILE == 0 else { return 0 }
        let pipe = awaitReader(of: sink, watch)
        if pipe < 0 { return pipe }
        defer { if pipe > 0 { close(pipe) } }
        var callback = unsafe context.pointee.interrupt_callback
        return unsafe avio_open2(&context.pointee.pb, sink.url, AVIO_FLAG_WRITE, &callback, nil)
    }

    /// Waits for a reader of a named pipe. Opening the pipe would block without a way to interrupt it.
    ///
    /// - Returns: A descriptor that keeps the pipe open until FFmpeg has opened it, 0 if there is no need to wait, or
    ///   FFmpeg's code of an error.
    private static func awaitReader(of sink: MuxerSink, _ watch: IOWatch) -> Int32 {
        guard case .special(let path) = sink, TemporaryFile.isNamedPipe(path) else { return 0 }
        while true {
            let descriptor = unsafe open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
            if descriptor >= 0 { return descriptor }
            guard errno == ENXIO else { return cffmpeg_averror(errno) }
            if watch.isAskedToEnd { return cffmpeg_error_exit }
            usleep(20_000)
        }
    }

    /// Closes the output that ``openSink(_:_:_:)`` opened.
    @unsafe @discardableResult
    func closeSink() -> Int32 {
        guard unsafe context.pointee.oformat.pointee.flags & AVFMT_NOFILE == 0 else { return 0 }
        return unsafe avio_closep(&context.pointee.pb)
    }

    /// Returns the error for an output that could not be opened.
    static func opening(_ path: String, _ sink: MuxerSink, status: Int32, _ watch: IOWatch) -> MediaError {
        do throws(MediaError) { try watch.check(path) } catch { return error }
        if sink.isNetwork {
            return MediaError(
                .unwritable, file: path,
                "\(path): connecting failed; check the address and the receiver",
                detail: MediaError.text(of: status))
        }
        return .writing(path, status: status)
    }

    /// Returns the error for a failed write.
    func failed(_ status: Int32) -> MediaError {
        do throws(MediaError) { try watch.check(path) } catch { return error }
        if sink.isPipe, status == cffmpeg_averror(EPIPE) {
            return MediaError(.readerLeft, file: path, "\(path): the reader closed the output")
        }
        // At the end, libavformat opens an MP4 file again to move the index to the front. The file may have been
        // removed.
        if status == cffmpeg_averror(ENOENT), case .file(let temporary) = sink, FileKind.of(temporary) == nil {
            return MediaError(FileError(removed: temporary, of: path))
        }
        return .writing(path, status: status)
    }

    /// Returns the error for packets of the input's video that libavformat rejects.
    func refused(_ status: Int32) -> MediaError {
        MediaError(
            .packetRefused, file: path, "\(path): \(container.displayName) does not accept a packet of the input",
            detail: MediaError.text(of: status))
    }

    /// Returns the error for packets, or a header, that libavformat rejects because of their content.
    func unfit(_ status: Int32) -> MediaError {
        let remedy = container == .matroska ? "" : "; write .mkv"
        return MediaError(
            .damaged, file: path,
            "\(path): the input is damaged, or in a format that \(container.displayName) does not support\(remedy)",
            detail: MediaError.text(of: status))
    }
}
