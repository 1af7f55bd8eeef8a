internal import CFFmpeg
import Platform

/// Where a muxer's bytes go.
enum MuxerSink: Sendable, Hashable {
    /// A file that grows under another name until it is whole.
    case file(temporary: String)
    /// The standard output. There and in all that follow, what is written stays.
    case standardOutput
    /// A named pipe, a terminal, `/dev/null`: it stays what it is.
    case special(path: String)
    case network(url: String)
    /// A device that its muxer opens by itself.
    case device(path: String)

    /// As FFmpeg is told it.
    var url: String {
        switch self {
        case .file(let temporary): "file:" + temporary
        case .standardOutput: "pipe:1"
        case .special(let path): "file:" + path
        case .network(let url): url
        case .device(let path): path
        }
    }

    /// Whether nothing that was written can be gone back to.
    var isStream: Bool {
        if case .file = self { false } else { true }
    }

    /// Whether a connection may be lost.
    var isNetwork: Bool {
        if case .network = self { true } else { false }
    }

    /// Whether it ends with its reader.
    var isPipe: Bool {
        switch self {
        case .standardOutput, .special: true
        case .file, .network, .device: false
        }
    }

    /// Removes what is unfinished.
    func discard() {
        if case .file(let temporary) = self { TemporaryFile.remove(temporary) }
    }

    /// Gives a finished file its name.
    ///
    /// - Parameter isPart: whether the name must say that it is not the whole.
    /// - Returns: that name; the path itself for what is no file.
    func publish(as path: String, isPart: Bool, overwrite: Bool) throws(MediaError) -> String {
        guard case .file(let temporary) = self else { return path }
        let file = MediaAddress(path).filePath ?? path
        // What `/dev/stdout` leads to is another file afterwards: the one that was replaced.
        let name = DescriptorOutput.descriptor(named: file) == nil ? path : TemporaryFile.target(of: file)
        return try MediaError.rephrasing { () throws(FileError) in
            if isPart { return try TemporaryFile.publishPart(temporary, of: file, overwrite: overwrite) }
            try TemporaryFile.publish(temporary, as: file, overwrite: overwrite)
            return name
        }
    }

    /// Where an output goes, and in which container.
    ///
    /// - Parameter format: what somebody asked for, before what the path says.
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
        case .network(_, let url):
            return try stream(.network(url: url), container, path)
        case .videoDevice(let device):
            guard DeviceLibrary.load() else {
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
                "\(path): \(container.displayName) cannot be written into a stream; choose nut, matroska or mpegts")
        }
        return (sink, container)
    }

    private static func notWritten(_ path: String, _ scheme: String) -> MediaError {
        let known = NetworkProtocol.allCases.filter { $0.usualContainer != nil }.map(\.rawValue)
        return MediaError(
            .unwritable, file: path,
            "\(path): nothing is written to addresses of the kind \(scheme); there are \(known.joined(separator: ", "))"
        )
    }
}
