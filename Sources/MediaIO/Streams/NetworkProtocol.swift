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
