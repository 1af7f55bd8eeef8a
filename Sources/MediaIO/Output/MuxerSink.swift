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

    /// The temporary name of a file; nil for other outputs.
    var temporaryFile: String? {
        if case .file(let temporary) = self { temporary } else { nil }
    }

    /// True if the output cannot seek.
    var isStream: Bool { temporaryFile == nil }

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
        if let temporaryFile { TemporaryFile.remove(temporaryFile) }
    }

    /// Gives a finished file its final name.
    ///
    /// - Parameter isPart: Whether the name must state that the file is incomplete.
    /// - Returns: The final name; the path itself for other outputs than files.
    func publish(as path: String, isPart: Bool, overwrite: Bool) throws(MediaError) -> String {
        guard let temporary = temporaryFile else { return path }
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
        let sink: MuxerSink
        switch address {
        case .standardStream: sink = .standardOutput
        case .file(let file) where TemporaryFile.isSpecial(file): sink = .special(path: file)
        case .file(let file):
            sink = .file(
                temporary: try MediaError.rephrasing { () throws(FileError) in try TemporaryFile.reserve(for: file) })
        case .network(let scheme, let url) where container == .whip:
            guard unsafe av_guess_format(container.muxerName, nil, nil) != nil else {
                throw MediaError(
                    .noEncoder, file: path,
                    "\(path): WHIP needs FFmpeg 8 or newer with WebRTC; this is FFmpeg \(MediaLibraries.release)")
            }
            sink = .network(
                url: (scheme == .whip ? "http" : "https") + url.dropFirst(scheme.rawValue.count))
        case .network(_, let url): sink = .network(url: url)
        case .videoDevice(let device):
            guard MediaLibraries.loadDevices() else {
                throw MediaError(
                    .noEncoder, file: path,
                    "\(path): virtual cameras need FFmpeg's libavdevice, which is not installed (apt-get install libavdevice59)"
                )
            }
            sink = .device(path: device)
        case .unsupported(let scheme): throw notWritten(path, scheme)
        }
        if sink.isStream, container.needsSeeking {
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

extension MuxerSink {
    /// Opens the output for a context, unless FFmpeg's muxer opens it itself.
    ///
    /// - Returns: FFmpeg's code.
    func openFile(of context: OutputContext, _ watch: IOWatch) -> Int32 {
        let pipe = awaitReader(watch)
        if pipe < 0 { return pipe }
        defer { if pipe > 0 { close(pipe) } }
        return context.openFile(url)
    }

    /// Waits for a reader of a named pipe. Opening the pipe would block without a way to interrupt it.
    ///
    /// - Returns: A descriptor that keeps the pipe open until FFmpeg has opened it, 0 if there is no need to wait, or
    ///   FFmpeg's code of an error.
    private func awaitReader(_ watch: IOWatch) -> Int32 {
        guard case .special(let path) = self, TemporaryFile.isNamedPipe(path) else { return 0 }
        while true {
            let descriptor = unsafe open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
            if descriptor >= 0 { return descriptor }
            guard errno == ENXIO else { return cffmpeg_averror(errno) }
            if watch.isAskedToEnd { return cffmpeg_error_exit }
            usleep(20_000)
        }
    }
}
