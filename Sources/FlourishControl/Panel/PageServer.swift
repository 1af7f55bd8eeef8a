import Flourish
import NIOCore
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
