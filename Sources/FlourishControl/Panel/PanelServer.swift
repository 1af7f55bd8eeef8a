package import Flourish
import FlyingFox
import FlyingSocks
import Platform

/// Serves the panel over HTTP: the server listens in a folder that only this user can enter, and a
/// ``PanelDoor`` lets those through who know the token.
package final class PanelServer: Sendable {
    /// What to open in a browser; whoever has it can use the panel.
    package let url: String
    private let door: PanelDoor
    private let room: PanelRoom
    private let task: Task<Void, Never>
    private let seats = PanelSeats()

    /// How long to wait before a server that failed starts anew.
    private static let pause = Duration.seconds(1)
    /// How long a request may take, in seconds, but for the stream of events.
    private static let timeout = 10.0

    /// Begins to serve.
    ///
    /// - Throws: ``FlourishError/Code/outputUnavailable`` where the address cannot be used.
    package init(address: PanelAddress, desk: ControlDesk) async throws(FlourishError) {
        let page = try PanelPage(session: desk.session)
        let token = PanelGuard.makeToken()
        room = try PanelRoom()
        door = try PanelDoor(address: address, token: token, backend: room.socketPath)
        let handler = PanelHandler(
            gate: PanelGuard(token: token, address: door.address), desk: desk, page: page,
            preview: PanelPreview(session: desk.session), seats: seats)
        url = "http://\(door.address.shown.authority)/\(token)/"
        let path = room.socketPath
        let server = Self.server(at: path, handler)
        task = Task {
            try? await server.run()
            while !Task.isCancelled {
                try? await Task.sleep(for: Self.pause)
                _ = unsafe unlink(path)
                try? await Self.server(at: path, handler).run()
            }
        }
        try? await server.waitUntilListening(timeout: Self.timeout)
    }

    /// Ends all connections, once those who follow have heard the last event; bounded, whoever reads.
    package func stop() async {
        for _ in 0..<20 where !seats.areFree { try? await Task.sleep(for: .milliseconds(20)) }
        door.close()
        task.cancel()
        await task.value
    }

    private static func server(at path: String, _ handler: PanelHandler) -> HTTPServer {
        HTTPServer(address: .unix(path: path), timeout: timeout, logger: .disabled, handler: handler)
    }
}
