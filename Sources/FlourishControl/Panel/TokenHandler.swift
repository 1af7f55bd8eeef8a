import Flourish
import NIOCore

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
