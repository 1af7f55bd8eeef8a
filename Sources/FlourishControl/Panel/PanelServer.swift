package import Flourish
import FlyingFox
import FlyingSocks

/// Serves the panel over HTTP.
package final class PanelServer: Sendable {
    /// What to open in a browser; whoever has it can use the panel.
    package let url: String
    private let task: Task<Void, Never>
    private let seats = PanelSeats()

    /// How long to wait before a server that failed starts anew: thousands of connections at once leave
    /// it without descriptors.
    private static let pause = Duration.seconds(1)
    /// How long a request may take, in seconds, but for the stream of events.
    private static let timeout = 10.0

    /// Begins to serve.
    ///
    /// - Throws: ``FlourishError/Code/outputUnavailable`` where the address cannot be used.
    package init(address: PanelAddress, desk: ControlDesk) async throws(FlourishError) {
        let page = try PanelPage(session: desk.session)
        let server = try Self.server(at: address)
        let running = Task { try await server.run() }
        guard let port = await Self.port(of: server, running) else {
            throw FlourishError(
                .outputUnavailable, "\(address.authority): the panel cannot be served there; choose another --panel address")
        }
        let bound = PanelAddress(host: address.host, port: port)
        let token = PanelGuard.makeToken()
        let handler = PanelHandler(
            gate: PanelGuard(token: token, address: bound), desk: desk, page: page,
            preview: PanelPreview(session: desk.session), seats: seats)
        await server.appendRoute("*", to: handler)
        url = "http://\(bound.shown.authority)/\(token)/"
        task = Task {
            await withTaskCancellationHandler {
                _ = await running.result
            } onCancel: {
                running.cancel()
            }
            while !Task.isCancelled {
                try? await Task.sleep(for: Self.pause)
                try? await Self.server(at: bound, handler: handler).run()
            }
        }
    }

    /// Ends all connections, once those who follow have heard the last event; bounded, whoever reads.
    package func stop() async {
        for _ in 0..<20 where !seats.areFree { try? await Task.sleep(for: .milliseconds(20)) }
        task.cancel()
        await task.value
    }

    private static func server(
        at address: PanelAddress, handler: PanelHandler? = nil
    ) throws(FlourishError) -> HTTPServer {
        do {
            if address.isIPv6 {
                return HTTPServer(
                    address: try .inet6(ip6: address.host, port: address.port), timeout: timeout,
                    logger: .disabled, handler: handler)
            }
            return HTTPServer(
                address: try .inet(ip4: address.host, port: address.port), timeout: timeout, logger: .disabled,
                handler: handler)
        } catch {
            throw FlourishError(.usage, "\(address.host) is no address")
        }
    }

    /// The port on which a server listens; `nil` where it failed.
    private static func port(of server: HTTPServer, _ running: Task<Void, any Error>) async -> UInt16? {
        let listening = Task { try await server.waitUntilListening(timeout: 10) }
        Task {
            _ = await running.result
            listening.cancel()
        }
        _ = await listening.result
        switch await server.listeningAddress {
        case .ip4(_, let port), .ip6(_, let port): return port
        default: return nil
        }
    }
}
