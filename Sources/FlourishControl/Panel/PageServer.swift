import Flourish
import FoundationEssentials
import NIOCore
import NIOHTTP1
import NIOPosix
import Platform

/// Serves a page, the panel or the review, over HTTP to clients that have its token. Runs on the network thread.
final class PageServer: Sendable {
    /// The maximum number of connections at once. Each browser window opens several connections.
    private static let maximumConnections = 96

    /// The page's URL, with the token that gives full access to the page.
    let url: String
    private let listener: Listener

    /// Begins to serve.
    ///
    /// - Parameters:
    ///   - token: The token in the page's URL; a new one if `nil`.
    ///   - name: The name of the page in messages, such as `panel`.
    ///   - option: The option that chooses another address, such as `--panel`.
    ///   - makeResponder: Creates the responder of a connection.
    /// - Throws: ``FlourishError/Code/outputUnavailable`` if the address cannot be used.
    init(
        address: PanelAddress, token: PanelToken? = nil, name: String, option: String,
        _ makeResponder: @escaping @Sendable (PanelAccess) -> any PageResponding
    ) async throws(FlourishError) {
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
                let responder = makeResponder(access)
                let tokens = TokenHandler(access: access, rate: rate) { channel in
                    let stream = try PageConnection.stream(over: channel)
                    let task = NetworkThread.run { try? await PageConnection(responder: responder).serve(stream) }
                    channel.closeFuture.whenComplete { _ in task.cancel() }
                }
                try channel.pipeline.syncOperations.addHandler(tokens)
            }.get()
        } catch {
            let reason = (error as? IOError).map { systemMessage($0.errnoCode) } ?? "\(error)"
            throw FlourishError(
                .outputUnavailable,
                "\(address.authority): the \(name) cannot be served at this address (\(reason)); choose another \(option) address"
            )
        }
        let bound = PanelAddress(host: address.host, port: listener.port ?? address.port)
        url = "http://\(bound.shown.authority)/\(token)/"
    }

    /// Closes all connections after their last event.
    ///
    /// - Parameter shutdownLimit: The maximum time that this takes.
    func stop(within shutdownLimit: TimeAmount) async { try? await listener.close(within: shutdownLimit).get() }
}

/// Answers the requests of a page: the panel or the review. ``PanelAccess`` admits them.
protocol PageResponding: Sendable {
    var access: PanelAccess { get }
    /// The maximum size of a request's body, in bytes.
    var maximumReadSize: Int { get }

    /// Answers an admitted request.
    ///
    /// - Parameter path: The path after the token, without a query.
    func respond(to head: HTTPRequestHead, at path: Substring, body: ByteBuffer) async -> PanelResponse
}

extension PageResponding {
    var maximumReadSize: Int { 64 * 1024 }

    /// Responds to an admitted request, and refuses all other requests.
    func answer(to head: HTTPRequestHead, body: ByteBuffer) async -> PanelResponse {
        let target = head.uri.prefix { $0 != "?" }
        let request = PanelAccess.Request(
            path: String(target), host: head.headers.first(name: "Host"), origin: head.headers.first(name: "Origin"),
            site: head.headers.first(name: "Sec-Fetch-Site"))
        switch Result(catching: { () throws(PanelAccess.Refusal) in try access.path(to: request) }) {
        case .success(let path): return await respond(to: head, at: path, body: body)
        case .failure(.misdirected):
            return .text(
                .forbidden, "this page is served only under the address that flourish printed\n")
        case .failure(.unknown):
            return .text(.notFound, "not found; use the complete address that flourish printed\n")
        }
    }
}

/// A connection that has presented the token, and processes one request at a time.
private struct PageConnection: Sendable {
    typealias Stream = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>

    /// The maximum time without traffic. Streams of events send something at least every 10 s.
    private static let idleLimit = TimeAmount.seconds(30)
    /// The number of bytes of an oversized body that are discarded. A client that is still sending does not yet read
    /// the response.
    private static let maximumPassedOver = 4 << 20

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
                    : await responder.answer(to: head, body: body)
                // A client that requests only the header would interpret the body of a refusal as the next response.
                let isLast = !head.isKeepAlive || head.method == .HEAD || isTooLarge
                try await send(response, isLast: isLast, through: stream.channel)
                if isLast { return }
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
