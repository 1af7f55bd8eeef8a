package import Flourish
import NIOCore
import NIOPosix
import Platform

/// Serves the panel over HTTP, on the network thread, to those who know its token.
package final class PanelServer: Sendable {
    /// How many connections there may be at once; each window of a browser takes a few.
    private static let mostConnections = 96
    /// How long those who follow have at the end to hear the last event.
    private static let farewell = TimeAmount.milliseconds(400)

    /// What to open in a browser; whoever has it can use the panel.
    package let url: String
    private let listener: Listener

    /// Begins to serve.
    ///
    /// - Throws: ``FlourishError/Code/outputUnavailable`` where the address cannot be used.
    package init(address: PanelAddress, handler: CommandHandler) async throws(FlourishError) {
        let files = try PanelFiles(session: handler.session)
        let token = PanelAccess.makeToken()
        let rate = RateLimit()
        let (preview, followers) = (PanelPreview(session: handler.session), FollowerCount())
        do {
            listener = try await Listener.open(limit: Self.mostConnections, rate: rate) { bootstrap in
                bootstrap.serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                    .bind(host: address.host, port: Int(address.port))
            } begin: { channel, isWithinLimit in
                guard isWithinLimit, let port = channel.localAddress?.port.flatMap(UInt16.init) else {
                    throw ChannelError.operationUnsupported
                }
                let access = PanelAccess(token: token, address: PanelAddress(host: address.host, port: port))
                let responder = PanelResponder(
                    access: access, handler: handler, files: files, preview: preview, followers: followers)
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
                "\(address.authority): the panel cannot be served there (\(reason)); choose another --panel address")
        }
        let bound = PanelAddress(host: address.host, port: listener.port ?? address.port)
        url = "http://\(bound.shown.authority)/\(token)/"
    }

    /// Ends all connections, once those who follow have heard the last event; bounded, whoever reads.
    package func stop() async { try? await listener.close(within: Self.farewell).get() }
}
