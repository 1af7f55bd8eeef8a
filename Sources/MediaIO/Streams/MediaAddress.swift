import Platform

/// Where media come from or go to, as a person types it.
package enum MediaAddress: Sendable, Hashable {
    /// `-`: the standard input or the standard output.
    case standardStream
    case file(path: String)
    /// Such as `srt://host:port`.
    case network(NetworkProtocol, url: String)
    /// `v4l2:/dev/video0`: a camera, or a virtual one to write to.
    case videoDevice(path: String)
    /// An address of a kind that is not opened.
    case unsupported(scheme: String)

    /// Anything without a scheme before `://` is a file's path, however odd.
    package init(_ text: String) {
        if text == "-" {
            self = .standardStream
        } else if text.hasPrefix(Self.devicePrefix) {
            self = .videoDevice(path: String(text.dropFirst(Self.devicePrefix.count)))
        } else if let separator = text.firstRange(of: "://"), Self.isScheme(text[..<separator.lowerBound]) {
            let scheme = text[..<separator.lowerBound].lowercased()
            if scheme == "file" {
                self = .file(path: String(text[separator.upperBound...]))
            } else if let known = NetworkProtocol(rawValue: scheme) {
                self = .network(known, url: text)
            } else {
                self = .unsupported(scheme: scheme)
            }
        } else {
            self = .file(path: text)
        }
    }

    private static let devicePrefix = "v4l2:"

    private static func isScheme(_ text: Substring) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
                    true
                default: false
                }
            }
    }

    /// Whether it leads to a file that can be opened once more: a pipe cannot.
    var isRegularFile: Bool { filePath.map { FileKind.of($0) == S_IFREG } ?? false }

    /// The path, where it leads into the file system.
    package var filePath: String? {
        if case .file(let path) = self { path } else { nil }
    }

    /// Whether it runs by itself, and somebody who opens it joins at whatever time its clock shows.
    var isJoined: Bool {
        switch self {
        case .network(let scheme, _): scheme != .http && scheme != .https
        case .videoDevice: true
        case .standardStream, .file, .unsupported: false
        }
    }

    /// Whether MP4 may come of it that has no end and no way back.
    var mayBringEndlessMP4: Bool {
        switch self {
        case .network(let scheme, _): scheme == .http || scheme == .https || scheme == .tcp
        case .standardStream, .file, .videoDevice, .unsupported: false
        }
    }

    /// What FFmpeg may open on behalf of it.
    var whitelist: String {
        switch self {
        case .standardStream: "pipe"
        case .file, .videoDevice, .unsupported: "file"
        case .network(let scheme, _): scheme.whitelist
        }
    }

    /// As FFmpeg is told it, to read.
    var readingURL: String {
        switch self {
        case .standardStream: "pipe:0"
        case .file(let path): "file:" + path
        case .network(_, let url): url
        case .videoDevice(let path): path
        case .unsupported(let scheme): scheme + "://"
        }
    }
}

/// The network protocols that a person may name.
package enum NetworkProtocol: String, Sendable, Hashable, CaseIterable {
    case http, https, rtmp, rtmps, rtsp, rtsps, rtp, srt, tcp, udp

    /// What FFmpeg may open for an address of this kind: the protocol and those that it stands on.
    ///
    /// It is made from what the person typed alone and holds for everything that a playlist,
    /// a header or a redirection refers to, so that none of them can reach local files or a
    /// protocol that nobody named.
    ///
    /// `protocol_whitelist`
    var whitelist: String {
        switch self {
        case .http: "http,tcp,httpproxy,crypto"
        case .https: "https,tls,tcp,httpproxy,crypto"
        case .rtmp: "rtmp,tcp"
        case .rtmps: "rtmps,tls,tcp"
        case .rtsp: "rtsp,rtp,udp,tcp"
        case .rtsps: "rtsps,rtp,udp,tcp,tls"
        case .rtp: "rtp,udp"
        case .srt: "srt"
        case .tcp: "tcp"
        case .udp: "udp"
        }
    }

    /// The container that is usually sent this way; nil where nothing is.
    package var usualContainer: ContainerFormat? {
        switch self {
        case .rtmp, .rtmps: .flv
        case .srt, .tcp, .udp: .mpegts
        case .http, .https, .rtsp, .rtsps, .rtp: nil
        }
    }
}
