import NIOCore
import NIOHTTP1

/// One connection to a page's server that has shown the token: answers its requests, one after the other.
struct PanelConnection: Sendable {
    typealias Stream = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>

    /// How long nothing may come or go. Events do at least a few times a second.
    private static let idleLimit = TimeAmount.seconds(30)
    /// How much of a body that is too large is read past, in bytes: who still sends reads no answer.
    private static let mostPassedOver = 4 << 20

    let responder: any PageResponding

    /// Makes a server's end of HTTP of a channel that carries bytes.
    static func stream(over channel: any Channel) throws -> Stream {
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
    private func send(_ response: PanelResponse, isLast: Bool, through channel: any Channel) async throws {
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
