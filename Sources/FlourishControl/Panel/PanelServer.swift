package import Flourish
import NIOCore

/// Serves the panel over HTTP to those who know its token.
package final class PanelServer: Sendable {
    /// How long those who follow have at the end to hear the last event.
    private static let farewell = TimeAmount.milliseconds(400)

    private let server: PageServer

    /// What to open in a browser; whoever has it can use the panel.
    package var url: String { server.url }

    /// Begins to serve.
    ///
    /// - Throws: ``FlourishError/Code/outputUnavailable`` where the address cannot be used.
    package init(address: PanelAddress, handler: CommandHandler) async throws(FlourishError) {
        let files = try PanelFiles(session: handler.session)
        let (preview, followers) = (PanelPreview(session: handler.session), FollowerCount())
        server = try await PageServer(address: address, name: "panel", option: "--panel") { access in
            PanelResponder(access: access, handler: handler, files: files, preview: preview, followers: followers)
        }
    }

    /// Ends all connections, once those who follow have heard the last event; bounded, whoever reads.
    package func stop() async { await server.stop(within: Self.farewell) }
}
