package import Flourish

/// Everything through which other programs and people reach a running session.
package final class RemoteControl: Sendable {
    private let desk: ControlDesk
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
        let desk = ControlDesk(session: session)
        self.desk = desk
        panel = if let panelAddress { try await PanelServer(address: panelAddress, desk: desk) } else { nil }
        do throws(FlourishError) {
            server = if let socketPath { try ControlServer(path: socketPath, desk: desk) } else { nil }
        } catch {
            await panel?.stop()
            throw error
        }
    }

    /// What to open in a browser, if the panel is served.
    package var panelURL: String? { panel?.url }

    /// Whether somebody ended the run by `quit`.
    package var hasQuit: Bool { desk.hasQuit }

    /// Tells everybody who watches; never waits for them.
    package func publish(_ event: ReactionEvent) { desk.feed.publish(event) }

    /// Ends everything when the run has ended.
    package func stop() async {
        desk.feed.close()
        server?.stop()
        await panel?.stop()
    }
}
