import Platform

/// The address of an input or output, as the user types it.
package enum MediaAddress: Sendable, Hashable {
    /// `-`: the standard input or the standard output.
    case standardStream
    case file(path: String)
    /// For example `srt://host:port`.
    case network(NetworkProtocol, url: String)
    /// `v4l2:/dev/video0`: a camera, or a virtual camera for writing.
    case videoDevice(path: String)
    /// An address of an unsupported kind.
    case unsupported(scheme: String)

    /// Parses an address. Text that has none of the other forms is a file's path.
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

    /// The path, if the address is in the file system.
    package var filePath: String? {
        if case .file(let path) = self { path } else { nil }
    }

    /// True if the input is live: its clock can have any value when a reader joins.
    var isJoined: Bool {
        switch self {
        case .network(let scheme, _): scheme != .http && scheme != .https
        case .videoDevice: true
        case .standardStream, .file, .unsupported: false
        }
    }

    /// True if the input may be an endless MP4 in which FFmpeg cannot seek.
    var mayBringEndlessMP4: Bool {
        switch self {
        case .network(let scheme, _): scheme == .http || scheme == .https || scheme == .tcp
        case .standardStream, .file, .videoDevice, .unsupported: false
        }
    }

    /// The protocols that FFmpeg may open for the address.
    var whitelist: String {
        switch self {
        case .standardStream: "pipe"
        case .file, .videoDevice, .unsupported: "file"
        case .network(let scheme, _): scheme.whitelist
        }
    }

    /// The address in FFmpeg's form, for reading.
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

/// The network protocols that an address may name.
package enum NetworkProtocol: String, Sendable, Hashable, CaseIterable {
    case http, https, rtmp, rtmps, rtsp, rtsps, rtp, srt, tcp, udp
    /// Sending by WebRTC (WHIP, RFC 9725): the scheme states that the connection begins by `http` or `https`.
    case whip, whips

    /// The protocols of inputs.
    static let readable = allCases.filter { $0 != .whip && $0 != .whips }

    /// The protocols that FFmpeg may open for an address of this kind: the protocol itself, and its lower-level
    /// protocols.
    ///
    /// The list depends only on the address that the user entered. It applies to every URL in a playlist, a header or a
    /// redirection, so that no such URL can access local files or another protocol.
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
        case .whip: "http,tcp,udp,dtls,srtp,crypto"
        case .whips: "https,tls,tcp,udp,dtls,srtp,crypto"
        }
    }

    /// The usual container of the protocol; nil if there is none.
    package var usualContainer: ContainerFormat? {
        switch self {
        case .rtmp, .rtmps: .flv
        case .srt, .tcp, .udp: .mpegts
        case .whip, .whips: .whip
        case .http, .https, .rtsp, .rtsps, .rtp: nil
        }
    }
}
