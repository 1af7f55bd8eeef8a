package import Flourish

/// The control socket and the panel of a running session. Both serve their clients on the network thread.
///
/// ```swift
/// let remote = try await RemoteControl(session, socketPath: nil, panelAddress: .loopback)
/// print(remote.panelURL ?? "")
/// let observer = SessionObserver(event: { remote.publish($0) }, progress: { remote.record($0) })
/// try await session.filter("call.mp4", to: "reacted.mp4", observer: observer)
/// await remote.stop()
/// ```
package final class RemoteControl: Sendable {
    private let handler: CommandHandler
    private let server: ControlServer?
    private let panel: PageServer?

    /// Opens the socket and the panel.
    ///
    /// - Parameters:
    ///   - socketPath: The path of the control socket; `nil` for no socket.
    ///   - panelAddress: The address of the panel; `nil` for no panel.
    ///   - panelToken: The token in the panel's URL; a new one if `nil`.
    /// - Throws: ``FlourishError/Code/outputUnavailable``, and ``FlourishError/Code/unavailable`` if the panel's page
    ///   is not installed.
    package init(
        _ session: ReactionSession, socketPath: String?, panelAddress: PanelAddress? = nil,
        panelToken: PanelToken? = nil
    ) async throws(FlourishError) {
        let handler = CommandHandler(session: session)
        self.handler = handler
        self.socketPath = socketPath
        panel =
            if let panelAddress {
                try await PageServer(address: panelAddress, token: panelToken, handler: handler)
            } else { nil }
        do throws(FlourishError) {
            server = if let socketPath { try ControlServer(path: socketPath, handler: handler) } else { nil }
        } catch {
            await panel?.stop()
            throw error
        }
    }

    /// The path of the socket, which accepts clients now; `nil` if there is none.
    package let socketPath: String?

    /// The panel's URL; `nil` if it is not served.
    package var panelURL: String? { panel?.url }

    /// True if a client ended the run with `quit`.
    package var hasQuit: Bool { handler.hasQuit }

    /// Publishes an event to all clients that observe the session, without waiting for them.
    package func publish(_ event: ReactionEvent) { handler.publish(event) }

    /// The cameras that the run may show; `nil` for a run that shows no camera.
    package var cameraChoice: CameraChoice? {
        get { handler.cameraChoice }
        set { handler.cameraChoice = newValue }
    }

    /// Publishes that a camera was chosen, plugged in or unplugged, and that its pictures begin or end.
    package func publishCameras() { handler.publishCameras() }

    /// Records the progress of the run for clients that request it.
    package func record(_ progress: SessionProgress) { handler.record(progress) }

    /// Closes all connections when the run has ended.
    package func stop() async {
        handler.feed.close()
        server?.stop()
        await panel?.stop()
    }
}
