import Flourish
import FoundationEssentials
import NIOCore
import NIOHTTP1
import NIOPosix
import Platform

/// Serves a page over HTTP, on the network thread, to those who know its token.
final class PageServer: Sendable {
    /// How many connections there may be at once; each window of a browser takes a few.
    private static let mostConnections = 96

    /// What to open in a browser; whoever has it can use the page.
    let url: String
    private let listener: Listener

    /// Begins to serve.
    ///
    /// - Parameters:
    ///   - name: what is served, for messages: `panel`.
    ///   - option: what chooses another address: `--panel`.
    ///   - makeResponder: makes what answers the requests of a connection.
    /// - Throws: ``FlourishError/Code/outputUnavailable`` where the address cannot be used.
    init(
        address: PanelAddress, name: String, option: String,
        _ makeResponder: @escaping @Sendable (PanelAccess) -> any PageResponding
    ) async throws(FlourishError) {
        let token = PanelAccess.makeToken()
        let rate = RateLimit()
        do {
            listener = try await Listener.open(limit: Self.mostConnections, rate: rate) { bootstrap in
                bootstrap.serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                    .bind(host: address.host, port: Int(address.port))
            } begin: { channel, isWithinLimit in
                guard isWithinLimit, let port = channel.localAddress?.port.flatMap(UInt16.init) else {
                    throw ChannelError.operationUnsupported
                }
                let access = PanelAccess(token: token, address: PanelAddress(host: address.host, port: port))
                let responder = makeResponder(access)
                let tokens = TokenHandler(access: access, rate: rate) { channel in
                    let stream = try PanelConnection.stream(over: channel)
                    let task = NetworkThread.run { try? await PanelConnection(responder: responder).serve(stream) }
                    channel.closeFuture.whenComplete { _ in task.cancel() }
                }
                try channel.pipeline.syncOperations.addHandler(tokens)
            }.get()
        } catch {
            let reason = (error as? IOError).map { systemMessage($0.errnoCode) } ?? "\(error)"
            throw FlourishError(
                .outputUnavailable,
                "\(address.authority): the \(name) cannot be served there (\(reason)); choose another \(option) address"
            )
        }
        let bound = PanelAddress(host: address.host, port: listener.port ?? address.port)
        url = "http://\(bound.shown.authority)/\(token)/"
    }

    /// Ends all connections, once those who follow have heard the last event; bounded, whoever reads.
    ///
    /// - Parameter farewell: how long they have for that.
    func stop(within farewell: TimeAmount) async { try? await listener.close(within: farewell).get() }
}

/// What answers the requests to a page: the panel's, or the review's. All come by the same gate (``PanelAccess``).
protocol PageResponding: Sendable {
    var access: PanelAccess { get }
    /// What is read of a request's body, in bytes; whoever sends more is cut off.
    var mostRead: Int { get }

    /// Answers somebody who may ask.
    ///
    /// - Parameter path: what follows the token, without a query.
    func respond(to head: HTTPRequestHead, at path: Substring, body: ByteBuffer) async -> PanelResponse
}

extension PageResponding {
    var mostRead: Int { 64 * 1024 }

    /// Answers those who may ask, and sends all others away.
    func answer(to head: HTTPRequestHead, body: ByteBuffer) async -> PanelResponse {
        let target = head.uri.prefix { $0 != "?" }
        let request = PanelAccess.Request(
            path: String(target), host: head.headers.first(name: "Host"), origin: head.headers.first(name: "Origin"),
            site: head.headers.first(name: "Sec-Fetch-Site"))
        switch Result(catching: { () throws(PanelAccess.Refusal) in try access.path(to: request) }) {
        case .success(let path): return await respond(to: head, at: path, body: body)
        case .failure(.misdirected):
            return .text(
                .forbidden, "this page is served under the address that flourish printed, and to no other page\n")
        case .failure(.unknown):
            return .text(.notFound, "there is nothing here; use the whole address that flourish printed\n")
        }
    }
}

/// One connection to a page's server that has shown the token: answers its requests, one after the other.
struct PanelConnection: Sendable {
    typealias Stream = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>

    /// How long nothing may come or go. Events do at least a few times a second.
    private static let idleLimit = TimeAmount.seconds(30)
    /// How much of a body that is too large is read past, in bytes: who still sends reads no answer.
    private static let mostPassedOver = 4 << 20

    let responder: any PageResponding

    /// Makes a server's end of HTTP of a channel that carries bytes.
    static func stream(over channel: any NIOCore.Channel) throws -> Stream {
        var limits = NIOHTTPDecoderLimitConfiguration()
        (limits.maxHeaderFieldSize, limits.maxHeaderListSize, limits.maxHeaderFieldCount) = (8192, 16384, 64)
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(IdleStateHandler(allTimeout: idleLimit), position: .first)
        try pipeline.addHandlers([
            HTTPResponseEncoder(), ByteToMessageHandler(HTTPRequestDecoder(limitConfiguration: limits)),
            HTTPServerProtocolErrorHandler(),
        ])
        return try NIOAsyncChannel(wrappingChannelSynchronously: channel)
    }

    /// Answers until the client goes, or asks for no more.
    func serve(_ stream: Stream) async throws {
        try await stream.executeThenClose { inbound, _ in
            var parts = inbound.makeAsyncIterator()
            while case .head(let head)? = try await parts.next() {
                var body = ByteBuffer(), size = 0
                while case .body(let piece)? = try await parts.next() {
                    size += piece.readableBytes
                    guard size <= responder.mostRead + Self.mostPassedOver else { return }
                    if size <= responder.mostRead { body.writeImmutableBuffer(piece) }
                }
                let isTooLarge = size > responder.mostRead
                let response =
                    isTooLarge
                    ? PanelResponse.text(.payloadTooLarge, "a request has \(responder.mostRead) bytes at most\n")
                    : await responder.answer(to: head, body: body)
                // Who asks for the head alone would take the text of a refusal for the next answer.
                let isLast = !head.isKeepAlive || head.method == .HEAD || isTooLarge
                try await send(response, isLast: isLast, through: stream.channel)
                if isLast { return }
            }
        }
    }

    /// Sends an answer, and returns when all of it has left.
    private func send(_ response: PanelResponse, isLast: Bool, through channel: any NIOCore.Channel) async throws {
        channel.write(HTTPServerResponsePart.head(response.head(isLast: isLast)), promise: nil)
        switch response.body {
        case .none: break
        case .bytes(let bytes):
            if bytes.readableBytes > 0 { channel.write(HTTPServerResponsePart.body(.byteBuffer(bytes)), promise: nil) }
        case .stream(let write):
            try await write { try await channel.writeAndFlush(HTTPServerResponsePart.body(.byteBuffer($0))).get() }
        }
        try await channel.writeAndFlush(HTTPServerResponsePart.end(nil)).get()
    }
}

/// An answer of a page's server.
struct PanelResponse: Sendable {
    enum Body: Sendable {
        /// Nothing, to who asks for the head alone.
        case none
        case bytes(ByteBuffer)
        /// Comes piece by piece: the closure hands each on, and waits until it has been sent. Without a length of its
        /// own among the ``PanelResponse/fields`` it comes in chunks.
        case stream(@Sendable (_ send: (ByteBuffer) async throws -> Void) async throws -> Void)
    }

    var status: HTTPResponseStatus
    var type: String
    var body: Body
    /// Further fields of the head.
    var fields: [(name: String, value: String)] = []

    init(_ status: HTTPResponseStatus = .ok, type: String, _ body: Body) {
        self.status = status
        self.type = type
        self.body = body
    }

    /// A sentence for people.
    static func text(_ status: HTTPResponseStatus, _ text: String) -> PanelResponse {
        PanelResponse(status, type: "text/plain; charset=utf-8", .bytes(ByteBuffer(string: text)))
    }

    static func json(_ text: String) -> PanelResponse {
        PanelResponse(type: "application/json", .bytes(ByteBuffer(string: text)))
    }

    /// No other page may load, frame or read any of this, and the page itself loads nothing from elsewhere.
    private static let policy: [(String, String)] = [
        ("Cache-Control", "no-store"),
        (
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; media-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        ),
        ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Resource-Policy", "same-origin"), ("Cross-Origin-Opener-Policy", "same-origin"),
    ]

    /// - Parameter isLast: whether the connection is closed afterwards.
    func head(isLast: Bool) -> HTTPResponseHead {
        var headers = HTTPHeaders(Self.policy)
        headers.add(name: "Content-Type", value: type)
        for field in fields { headers.add(name: field.name, value: field.value) }
        if case .bytes(let bytes) = body { headers.add(name: "Content-Length", value: "\(bytes.readableBytes)") }
        if isLast { headers.add(name: "Connection", value: "close") }
        return HTTPResponseHead(version: .http1_1, status: status, headers: headers)
    }
}

/// A page's files, read once, and an icon for each reaction.
struct PanelFiles: Sendable {
    struct File: Sendable {
        let type: String
        let bytes: ByteBuffer
    }

    /// Which page.
    enum Page {
        case panel, review

        /// How messages name it.
        fileprivate var name: String {
            switch self {
            case .panel: "panel"
            case .review: "review"
            }
        }

        /// The folders of `Assets` that hold its files. The style sheet of the panel is that of both.
        fileprivate var paths: [String] {
            switch self {
            case .panel:
                ["index.html", "panel.css", "panel.js", "photographs.js", "picture.js"].map { "Panel/" + $0 }
            case .review:
                ["Panel/panel.css"]
                    + [
                        "index.html", "review.css", "review.js", "server.js", "plan.js", "words.js", "player.js",
                        "timeline.js", "strip.js", "inspector.js", "seen.js", "keys.js", "style.js", "render.js",
                    ].map { "Review/" + $0 }
            }
        }
    }

    /// By the path behind the token.
    let files: [String: File]

    private static let types = ["html": "text/html", "css": "text/css", "js": "text/javascript"]

    /// - Throws: ``FlourishError/Code/unavailable`` where files are missing.
    init(session: ReactionSession, page: Page = .panel) throws(FlourishError) {
        let assets = (session.configuration.resources ?? .located()).assets
        var files: [String: File] = [:]
        for path in page.paths {
            guard let assets, let bytes = FileManager.default.contents(atPath: assets + "/" + path) else {
                throw FlourishError(
                    .unavailable,
                    "the \(page.name)'s page (Assets/\(path)) is not installed; run Scripts/install, or set FLOURISH_ASSETS"
                )
            }
            let name = path.split(separator: "/").last.map(String.init) ?? path
            let type = Self.types[name.split(separator: ".").last.map(String.init) ?? ""] ?? "text/plain"
            files[name] = File(type: type + "; charset=utf-8", bytes: ByteBuffer(bytes: bytes))
        }
        files[""] = files["index.html"]
        for type in try session.loadReactionTypes() {
            // An effect without sprites has a button without a picture.
            guard let png = try session.pngIcon(for: type) else { continue }
            files["icons/\(type.rawValue).png"] = File(type: "image/png", bytes: ByteBuffer(bytes: png))
        }
        self.files = files
    }
}
