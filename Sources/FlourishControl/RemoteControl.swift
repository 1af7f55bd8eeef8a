package import Flourish

/// Everything through which other programs and people reach a running session.
package final class RemoteControl: Sendable {
    package let desk: ControlDesk
    private let server: ControlServer?

    /// Opens what is asked for.
    ///
    /// - Parameter socketPath: where the control socket is to be; none if `nil`.
    /// - Throws: ``FlourishError/Code/outputUnavailable``.
    package init(_ session: ReactionSession, socketPath: String?) throws(FlourishError) {
        let desk = ControlDesk(session: session)
        self.desk = desk
        server = if let socketPath { try ControlServer(path: socketPath, desk: desk) } else { nil }
    }

    /// Whether somebody ended the run by `quit`.
    package var hasQuit: Bool { desk.hasQuit }

    /// Tells everybody who watches; never waits for them.
    package func publish(_ event: ReactionEvent) { desk.feed.publish(event) }

    /// Ends everything when the run has ended.
    package func stop() {
        desk.feed.close()
        server?.stop()
    }
}
