package import Flourish
import NIOCore

/// Decides who may see the panel. Whoever knows the token, from a page of the panel's own, and
/// under an address of the machine's own.
///
/// - The *token* is the first part of every path, so that a link is all it takes,
///   and no cookie is kept that another page could use.
/// - A *host* that is a name could lead here by a trick of somebody's name server
///   (DNS rebinding): only addresses in digits and `localhost` are served.
/// - An *origin*, which browsers send along when a page asks for something, must
///   be the panel itself.
struct PanelAccess: Sendable {
    private let token: [UInt8]
    let address: PanelAddress

    init(token: String, address: PanelAddress) {
        self.token = Array(token.utf8)
        self.address = address
    }

    /// What a request says of itself.
    struct Request {
        var path: String
        var host: String?
        var origin: String?
        /// `Sec-Fetch-Site`
        var site: String?
    }

    /// Why somebody is sent away.
    enum Refusal: Error {
        /// It came under a name, from another page, or to another port.
        case misdirected
        /// Without the token there is nothing here.
        case unknown
    }

    /// The path behind the token.
    func path(to request: Request) throws(Refusal) -> Substring {
        guard let host = request.host, isOurs(host) else { throw .misdirected }
        if let origin = request.origin, origin != "http://" + host { throw .misdirected }
        if let site = request.site, site != "same-origin", site != "none" { throw .misdirected }
        let parts = request.path.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.first == "", parts.count == 2 else { throw .unknown }
        let rest = parts[1].split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let key = rest.first, isToken(key) else { throw .unknown }
        return rest.count == 2 ? rest[1] : ""
    }

    /// Whether a request's first line, such as `GET /TOKEN/state HTTP/1.1`, has the token.
    func admits(_ line: some Collection<UInt8>) -> Bool {
        let words = String(decoding: line, as: UTF8.self).split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3 else { return false }
        let parts = words[1].split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        return parts.count >= 2 && parts[0] == "" && isToken(parts[1])
    }

    private func isOurs(_ host: String) -> Bool {
        guard let colon = host.lastIndex(of: ":"), UInt16(host[host.index(after: colon)...]) == address.port else {
            return false
        }
        var name = host[..<colon]
        if name == "localhost" { return true }
        if name.hasPrefix("["), name.hasSuffix("]") { name = name.dropFirst().dropLast() }
        return PanelAddress.isAddress(name)
    }

    /// Takes as long for a wrong token as for the right one.
    private func isToken(_ key: Substring) -> Bool {
        let key = Array(key.utf8)
        var difference = UInt8(key.count == token.count ? 0 : 1)
        for index in token.indices {
            difference |= token[index] ^ (index < key.count ? key[index] : 0)
        }
        return difference == 0
    }

    /// A new token: 128 random bits in hexadecimal.
    static func makeToken() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<16).map { _ in
            let byte = String(UInt8.random(in: 0...255, using: &generator), radix: 16)
            return byte.count == 1 ? "0" + byte : byte
        }.joined()
    }
}

/// Lets nothing of a connection through whose first line does not hold the token. So whatever strangers send,
/// however much, slowly or on how many connections, costs a few kilobytes, and reaches no parser.
final class TokenHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// How long a first line may be, in bytes, and how long it may take.
    private static let longestLine = 2048
    private static let patience = TimeAmount.seconds(5)

    private enum State {
        /// The state while the first line is not complete.
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
    ///   - rate: bounds how much strangers are heard.
    ///   - admit: prepares a channel for what follows, once the token was seen.
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
        let text = "there is nothing here; use the whole address that flourish printed\n"
        let answer = ByteBuffer(
            string: """
                HTTP/1.1 404 Not Found\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: \(text.utf8.count)\r
                Connection: close\r\n\r\n\(text)
                """)
        context.writeAndFlush(wrapOutboundOut(answer)).assumeIsolated().whenComplete { _ in context.close(promise: nil)
        }
    }
}

/// Where the panel is served: an address of this machine, and a port.
package struct PanelAddress: Sendable, Hashable {
    /// An IPv4 or IPv6 address in digits.
    package let host: String
    /// 0 for one that the system chooses.
    package let port: UInt16

    /// Nobody but this machine's own users reaches it there.
    package static let loopback = PanelAddress(host: "127.0.0.1", port: 0)

    init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Reads `PORT`, `HOST`, `HOST:PORT` or `[HOST]:PORT`; nothing at all is ``loopback``.
    ///
    /// - Throws: ``FlourishError/Code/usage``.
    package init(_ text: String) throws(FlourishError) {
        let refusal = FlourishError(
            .usage,
            "\(text): the panel's address must be a port, or an address in digits such as 127.0.0.1:8080 or [::1]:8080")
        if text.isEmpty { self = .loopback; return }
        if let port = UInt16(text) { self.init(host: Self.loopback.host, port: port); return }
        var host = text[...]
        var port: UInt16 = 0
        let colon = text.lastIndex(of: ":")
        // An IPv6 address without brackets has colons of its own.
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
    /// Whether it stands for every address of the machine.
    var isEverywhere: Bool { host == "0.0.0.0" || host == "::" }

    /// As it stands in a URL.
    var authority: String { (isIPv6 ? "[\(host)]" : host) + ":\(port)" }

    /// What to type on this machine to reach it.
    var shown: PanelAddress {
        isEverywhere ? PanelAddress(host: isIPv6 ? "::1" : Self.loopback.host, port: port) : self
    }

    /// Whether a text is an address in digits: four numbers, or something in hexadecimal with colons.
    static func isAddress(_ text: some StringProtocol) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        if parts.count == 4, parts.allSatisfy({ UInt8($0) != nil }) { return true }
        return text.contains(":") && text.allSatisfy { $0 == ":" || $0.isHexDigit }
    }
}
