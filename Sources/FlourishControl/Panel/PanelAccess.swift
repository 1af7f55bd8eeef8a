package import Flourish
import NIOCore

/// Decides which requests may use a page. The requests must have the token, come from the page itself, and address the
/// machine by number.
///
/// - The *token* is the first part of every path. A link is sufficient to use the page, and there is no cookie that
///   another page could use.
/// - The *host* must be an address in digits or `localhost`. A name could point to this machine by DNS rebinding.
/// - The *origin*, which browsers send with requests of a page, must be the page itself.
struct PanelAccess: Sendable {
    private let token: [UInt8]
    let address: PanelAddress

    init(token: String, address: PanelAddress) {
        self.token = Array(token.utf8)
        self.address = address
    }

    /// The parts of a request on which the decision depends.
    struct Request {
        var path: String
        var host: String?
        var origin: String?
        /// `Sec-Fetch-Site`
        var site: String?
    }

    /// The reason for a refusal.
    enum Refusal: Error {
        /// The request has a host name, a different origin, or a different port.
        case misdirected
        /// The request has no valid token.
        case unknown
    }

    /// Returns the path after the token.
    func path(to request: Request) throws(Refusal) -> Substring {
        guard let host = request.host, isOwnHost(host) else { throw .misdirected }
        if let origin = request.origin, origin != "http://" + host { throw .misdirected }
        if let site = request.site, site != "same-origin", site != "none" { throw .misdirected }
        let parts = request.path.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.first == "", parts.count == 2 else { throw .unknown }
        let rest = parts[1].split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let key = rest.first, isToken(key) else { throw .unknown }
        return rest.count == 2 ? rest[1] : ""
    }

    /// Returns whether a request's first line, such as `GET /TOKEN/state HTTP/1.1`, has the token.
    func admits(_ line: some Collection<UInt8>) -> Bool {
        let words = String(decoding: line, as: UTF8.self).split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3 else { return false }
        let parts = words[1].split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        return parts.count >= 2 && parts[0] == "" && isToken(parts[1])
    }

    private func isOwnHost(_ host: String) -> Bool {
        guard let colon = host.lastIndex(of: ":"), UInt16(host[host.index(after: colon)...]) == address.port else {
            return false
        }
        var name = host[..<colon]
        if name == "localhost" { return true }
        if name.hasPrefix("["), name.hasSuffix("]") { name = name.dropFirst().dropLast() }
        return PanelAddress.isAddress(name)
    }

    /// Compares a token in constant time.
    private func isToken(_ key: Substring) -> Bool {
        let key = Array(key.utf8)
        var difference = UInt8(key.count == token.count ? 0 : 1)
        for index in token.indices {
            difference |= token[index] ^ (index < key.count ? key[index] : 0)
        }
        return difference == 0
    }

    /// Returns a new token: 128 random bits in hexadecimal.
    static func makeToken() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<16).map { _ in
            let byte = String(UInt8.random(in: 0...255, using: &generator), radix: 16)
            return byte.count == 1 ? "0" + byte : byte
        }.joined()
    }
}

/// Blocks a connection until its first line has presented the token. A client without the token costs a few kilobytes,
/// whatever it sends, and does not reach any parser.
final class TokenHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The maximum length of the first line, in bytes, and the maximum wait for it.
    private static let longestLine = 2048
    private static let patience = TimeAmount.seconds(5)

    private enum State {
        /// The state until the first line is complete.
        case waiting
        case admitted
        case refused
    }

    private let access: PanelAccess
    private let rate: RateLimit
    private let admit: (any Channel) throws -> Void
    private var state = State.waiting
    private var received = ByteBuffer()
    private var deadline: Scheduled<Void>?

    /// - Parameters:
    ///   - rate: Limits how fast unadmitted connections are read.
    ///   - admit: Prepares a channel for requests when the token is verified.
    init(access: PanelAccess, rate: RateLimit, admit: @escaping (any Channel) throws -> Void) {
        self.access = access
        self.rate = rate
        self.admit = admit
    }

    func channelActive(context: ChannelHandlerContext) {
        deadline = context.eventLoop.assumeIsolated().scheduleTask(in: Self.patience) { context.close(promise: nil) }
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        deadline?.cancel()
        context.fireChannelInactive()
    }

    func read(context: ChannelHandlerContext) {
        switch state {
        case .waiting: rate.spend(1).assumeIsolated().whenSuccess { context.read() }
        case .admitted: context.read()
        case .refused: break
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch state {
        case .waiting:
            received.writeImmutableBuffer(unwrapInboundIn(data))
            let line = received.readableBytesView.prefix(Self.longestLine + 1)
            if let end = line.firstIndex(of: UInt8(ascii: "\n")) {
                if access.admits(line[..<end]) { pass(context) } else { refuse(context) }
            } else if line.count > Self.longestLine {
                refuse(context)
            }
        case .admitted: context.fireChannelRead(data)
        case .refused: break
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        let isGone = state == .waiting && event as? ChannelEvent == .inputClosed
        if isGone || event is IdleStateHandler.IdleStateEvent { context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    private func pass(_ context: ChannelHandlerContext) {
        deadline?.cancel()
        state = .admitted
        do {
            try admit(context.channel)
            context.fireChannelRead(wrapInboundOut(received))
            received.clear()
        } catch {
            context.close(promise: nil)
        }
    }

    private func refuse(_ context: ChannelHandlerContext) {
        deadline?.cancel()
        state = .refused
        received.clear()
        let text = "not found; use the complete address that flourish printed\n"
        let answer = ByteBuffer(
            string: """
                HTTP/1.1 404 Not Found\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: \(text.utf8.count)\r
                Connection: close\r\n\r\n\(text)
                """)
        context.writeAndFlush(wrapOutboundOut(answer)).assumeIsolated().whenComplete { _ in context.close(promise: nil)
        }
    }
}

/// The address at which a page is served: one of this machine's addresses, and a port.
package struct PanelAddress: Sendable, Hashable {
    /// An IPv4 or IPv6 address in digits.
    package let host: String
    /// The port; 0 if the system chooses one.
    package let port: UInt16

    /// An address that only this machine's users can reach.
    package static let loopback = PanelAddress(host: "127.0.0.1", port: 0)

    init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Parses `PORT`, `HOST`, `HOST:PORT` or `[HOST]:PORT`; an empty text is ``loopback``.
    ///
    /// ```swift
    /// let address = try PanelAddress("[::1]:8080")
    /// print(address.host, address.port)  // ::1 8080
    /// ```
    ///
    /// - Throws: ``FlourishError/Code/usage``.
    package init(_ text: String) throws(FlourishError) {
        let refusal = FlourishError(
            .usage,
            "\(text): the panel's address must be a port, or a numeric address such as 127.0.0.1:8080 or [::1]:8080")
        if text.isEmpty { self = .loopback; return }
        if let port = UInt16(text) { self.init(host: Self.loopback.host, port: port); return }
        var host = text[...]
        var port: UInt16 = 0
        let colon = text.lastIndex(of: ":")
        // An IPv6 address without brackets contains colons.
        if let colon, text[..<colon].hasSuffix("]") || !text[..<colon].contains(":") {
            guard let number = UInt16(text[text.index(after: colon)...]) else { throw refusal }
            (host, port) = (text[..<colon], number)
        }
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        if host == "localhost" { host = Self.loopback.host[...] }
        guard Self.isAddress(host) else { throw refusal }
        self.init(host: String(host), port: port)
    }

    var isIPv6: Bool { host.contains(":") }
    /// A Boolean value that indicates whether the address means all addresses of the machine.
    var isEverywhere: Bool { host == "0.0.0.0" || host == "::" }

    /// The address and port as in a URL.
    var authority: String { (isIPv6 ? "[\(host)]" : host) + ":\(port)" }

    /// The address for a browser on this machine.
    var shown: PanelAddress {
        isEverywhere ? PanelAddress(host: isIPv6 ? "::1" : Self.loopback.host, port: port) : self
    }

    /// Returns whether a text is an address in digits: four numbers, or hexadecimal digits with colons.
    static func isAddress(_ text: some StringProtocol) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        if parts.count == 4, parts.allSatisfy({ UInt8($0) != nil }) { return true }
        return text.contains(":") && text.allSatisfy { $0 == ":" || $0.isHexDigit }
    }
}
