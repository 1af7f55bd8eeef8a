package import Flourish
import NIOCore
import Platform

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
        var name = host[...]
        // Browsers leave out the port 80. The last part of an IPv6 address, which is in brackets, is no port.
        if let colon = host.lastIndex(of: ":"), !host.hasSuffix("]") {
            guard UInt16(host[host.index(after: colon)...]) == address.port else { return false }
            name = host[..<colon]
        } else if address.port != 80 {
            return false
        }
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
}

/// The token in a page's address: 128 random bits in hexadecimal.
package struct PanelToken: Sendable, Hashable {
    let text: String

    /// The number of digits.
    private static let length = 32

    /// Creates a random token.
    init() {
        var generator = SystemRandomNumberGenerator()
        text = (0..<Self.length / 2).map { _ in
            let byte = String(UInt8.random(in: 0...255, using: &generator), radix: 16)
            return byte.count == 1 ? "0" + byte : byte
        }.joined()
    }

    /// Reads a token from a file, so that the page's address is the same in each run. Creates the file with a random
    /// token if there is none.
    ///
    /// - Throws: ``FlourishError/Code/outputUnavailable`` if the file cannot be read or created,
    ///   ``FlourishError/Code/inputUnusable`` if it contains no token, or other users may access it.
    package init(file path: String) throws(FlourishError) {
        let descriptor = unsafe Platform.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        if descriptor < 0, errno == ENOENT {
            self = try Self.create(path)
            return
        }
        guard descriptor >= 0 else { throw Self.failure(path, systemMessage(errno)) }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw Self.failure(path, "not a file")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw FlourishError(
                .inputUnusable, "\(path): other users may read the panel's token; run chmod 600 on it")
        }
        let bytes = DescriptorInput.readAll(descriptor, limit: 2 * Self.length) ?? []
        let text = String(decoding: bytes, as: UTF8.self).filter { !$0.isNewline }
        guard text.utf8.count == Self.length, text.allSatisfy({ $0.isASCII && $0.isHexDigit && !$0.isUppercase }) else {
            throw FlourishError(
                .inputUnusable,
                "\(path): not the token of a panel, \(Self.length) hexadecimal digits; delete it to create a new one"
            )
        }
        self.text = text
    }

    private static func create(_ path: String) throws(FlourishError) -> PanelToken {
        let token = PanelToken()
        let folder = String(TemporaryFile.folder(of: path))
        if !folder.isEmpty {
            do throws(RawFileError) { try RawFile.makeFolder(Array(folder.utf8)) } catch {
                throw failure(path, error.message)
            }
        }
        let descriptor = unsafe Platform.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure(path, systemMessage(errno)) }
        defer { close(descriptor) }
        let error = DescriptorOutput.write(Array((token.text + "\n").utf8), to: descriptor)
        guard error == 0 else {
            // A file without a token would prevent every later run.
            _ = unsafe unlink(path)
            throw failure(path, systemMessage(error))
        }
        return token
    }

    private static func failure(_ path: String, _ reason: String) -> FlourishError {
        FlourishError(
            .outputUnavailable,
            "\(path): the panel's token cannot be kept here (\(reason)); choose another --panel-token")
    }
}

/// A handler on the network thread that blocks a connection until its first line has presented the token. A client
/// without the token costs a few kilobytes, whatever it sends, and does not reach any parser.
final class TokenHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The maximum length of the first line, in bytes, and the maximum wait for it.
    private static let longestLine = 2048
    private static let timeout = TimeAmount.seconds(5)

    private enum State {
        /// The state until the first line is complete.
        case waiting
        case admitted
        case refused
    }

    private let access: PanelAccess
    private let rate: RateLimit
    private let admit: (any NIOCore.Channel) throws -> Void
    private var state = State.waiting
    private var received = ByteBuffer()
    private var deadline: Scheduled<Void>?

    /// - Parameters:
    ///   - rate: Limits how fast unadmitted connections are read.
    ///   - admit: Prepares a channel for requests when the token is verified.
    init(access: PanelAccess, rate: RateLimit, admit: @escaping (any NIOCore.Channel) throws -> Void) {
        self.access = access
        self.rate = rate
        self.admit = admit
    }

    func channelActive(context: ChannelHandlerContext) {
        deadline = context.eventLoop.assumeIsolated().scheduleTask(in: Self.timeout) { context.close(promise: nil) }
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
