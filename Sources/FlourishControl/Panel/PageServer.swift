import Flourish
import FoundationEssentials
import NIOCore
import NIOHTTP1
import NIOPosix
import Platform

/// Serves a page over HTTP to clients that have its token. Runs on the network thread.
///
/// ```swift
/// let editor = try EffectEditor("confetti", folder: "effects", configuration: Configuration())
/// let server = try await PageServer(address: .loopback, editor: editor)
/// print("Open", server.url)
/// await server.stop()
/// ```
package final class PageServer: Sendable {
    /// The maximum number of connections at once. Each browser window opens several connections.
    private static let maximumConnections = 96
    /// The maximum wait at the end until pages have received the last event.
    private static let shutdownLimit = TimeAmount.milliseconds(400)

    /// The page's URL, with the token that gives full access to the page.
    package let url: String
    private let listener: Listener

    /// Begins to serve.
    ///
    /// - Parameters:
    ///   - token: The token in the page's URL; a new one if `nil`.
    ///   - session: The session whose types the page has icons of.
    /// - Throws: ``FlourishError/Code/outputUnavailable`` if the address cannot be used,
    ///   ``FlourishError/Code/unavailable`` if the page is not installed.
    init(
        _ page: PanelFiles.Page, address: PanelAddress, token: PanelToken? = nil, session: ReactionSession,
        responder: any PageResponding
    ) async throws(FlourishError) {
        let files = try PanelFiles(session: session, page: page)
        let token = (token ?? PanelToken()).text
        let rate = RateLimit()
        do {
            listener = try await Listener.open(limit: Self.maximumConnections, rate: rate) { bootstrap in
                bootstrap.serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                    .bind(host: address.host, port: Int(address.port))
            } begin: { channel, isWithinLimit in
                guard isWithinLimit, let port = channel.localAddress?.port.flatMap(UInt16.init) else {
                    throw ChannelError.operationUnsupported
                }
                let access = PanelAccess(token: token, address: PanelAddress(host: address.host, port: port))
                let connection = PageConnection(access: access, files: files, responder: responder)
                let tokens = TokenHandler(access: access, rate: rate) { channel in
                    let stream = try PageConnection.stream(over: channel)
                    let task = NetworkThread.run { try? await connection.serve(stream) }
                    channel.closeFuture.whenComplete { _ in task.cancel() }
                }
                try channel.pipeline.syncOperations.addHandler(tokens)
            }.get()
        } catch {
            let reason = (error as? IOError).map { systemMessage($0.errnoCode) } ?? "\(error)"
            throw FlourishError(
                .outputUnavailable,
                "\(address.authority): the \(page.name) cannot be served at this address (\(reason)); choose another \(page.option) address"
            )
        }
        let bound = PanelAddress(host: address.host, port: listener.port ?? address.port)
        url = "http://\(bound.shown.authority)/\(token)/"
    }

    /// Closes all connections after their last event, within a bounded time.
    package func stop() async { try? await listener.close(within: Self.shutdownLimit).get() }
}

/// Answers the requests of a page, except for those of its files. ``PanelAccess`` admits them.
protocol PageResponding: Sendable {
    /// The maximum size of a request's body, in bytes.
    var maximumReadSize: Int { get }

    /// Answers an admitted request.
    ///
    /// - Parameter path: The path after the token, without a query.
    /// - Returns: `nil` for a path or a method that the page does not have.
    func respond(to head: HTTPRequestHead, at path: Substring, body: ByteBuffer) async -> PanelResponse?
}

extension PageResponding {
    var maximumReadSize: Int { 64 * 1024 }
}

/// A connection that has presented the token, and processes one request at a time.
private struct PageConnection: Sendable {
    typealias Stream = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>

    /// The maximum time without traffic. Streams of events send something at least every 10 s.
    private static let idleLimit = TimeAmount.seconds(30)
    /// The number of bytes of an oversized body that are discarded. A client that is still sending does not yet read
    /// the response.
    private static let maximumPassedOver = 4 << 20

    let access: PanelAccess
    let files: PanelFiles
    let responder: any PageResponding

    /// Adds the server's side of HTTP to a channel that carries bytes.
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

    /// Processes requests until the client closes the connection, or requests that the connection be closed.
    func serve(_ stream: Stream) async throws {
        try await stream.executeThenClose { inbound, _ in
            var parts = inbound.makeAsyncIterator()
            while case .head(let head)? = try await parts.next() {
                var body = ByteBuffer(), size = 0
                while case .body(let piece)? = try await parts.next() {
                    size += piece.readableBytes
                    guard size <= responder.maximumReadSize + Self.maximumPassedOver else { return }
                    if size <= responder.maximumReadSize { body.writeImmutableBuffer(piece) }
                }
                let isTooLarge = size > responder.maximumReadSize
                let response =
                    isTooLarge
                    ? PanelResponse.text(
                        .payloadTooLarge, "a request is limited to \(responder.maximumReadSize) bytes\n")
                    : await answer(to: head, body: body)
                // A client that requests only the header would interpret the body of a refusal as the next response.
                let isLast = !head.isKeepAlive || head.method == .HEAD || isTooLarge
                try await send(response, isLast: isLast, through: stream.channel)
                if isLast { return }
            }
        }
    }

    /// Responds to an admitted request, and refuses all other requests.
    private func answer(to head: HTTPRequestHead, body: ByteBuffer) async -> PanelResponse {
        let target = head.uri.prefix { $0 != "?" }
        let request = PanelAccess.Request(
            path: String(target), host: head.headers.first(name: "Host"), origin: head.headers.first(name: "Origin"),
            site: head.headers.first(name: "Sec-Fetch-Site"))
        do throws(PanelAccess.Refusal) {
            let path = try access.path(to: request)
            if head.method == .GET, let file = files.files[String(path)] { return file }
            if let response = await responder.respond(to: head, at: path, body: body) { return response }
            return head.method == .GET
                ? .text(.notFound, "no such file\n") : .text(.methodNotAllowed, "this method is not supported\n")
        } catch {
            return switch error {
            case .misdirected:
                .text(.forbidden, "this page is served only under the address that flourish printed\n")
            case .unknown: .text(.notFound, "not found; use the complete address that flourish printed\n")
            }
        }
    }

    /// Sends a response, and returns when it is written.
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
