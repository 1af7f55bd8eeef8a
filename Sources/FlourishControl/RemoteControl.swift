package import Flourish

/// Everything through which other programs and people reach a running session.
package final class RemoteControl: Sendable {
    private let handler: CommandHandler
    private let server: ControlServer?
    private let panel: PanelServer?

    /// Opens what is asked for.
    ///
    /// - Parameters:
    ///   - socketPath: where the control socket is to be; none if `nil`.
    ///   - panelAddress: where the panel is to be served; nowhere if `nil`.
    /// - Throws: ``FlourishError/Code/outputUnavailable``, and ``FlourishError/Code/unavailable`` where the panel's
    ///   page is not installed.
    package init(
        _ session: ReactionSession, socketPath: String?, panelAddress: PanelAddress? = nil
    ) async throws(FlourishError) {
        let handler = CommandHandler(session: session)
        self.handler = handler
        panel = if let panelAddress { try await PanelServer(address: panelAddress, handler: handler) } else { nil }
        do throws(FlourishError) {
            server = if let socketPath { try ControlServer(path: socketPath, handler: handler) } else { nil }
        } catch {
            await panel?.stop()
            throw error
        }
    }

    /// What to open in a browser, if the panel is served.
    package var panelURL: String? { panel?.url }

    /// Whether somebody ended the run by `quit`.
    package var hasQuit: Bool { handler.hasQuit }

    /// Tells everybody who watches; never waits for them.
    package func publish(_ event: ReactionEvent) { handler.publish(event) }

    /// Notes how far the run has come, for those who ask.
    package func note(_ progress: SessionProgress) { handler.note(progress) }

    /// Ends everything when the run has ended.
    package func stop() async {
        handler.feed.close()
        server?.stop()
        await panel?.stop()
    }
}
