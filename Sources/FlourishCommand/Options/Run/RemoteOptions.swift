import ArgumentParser
import Flourish
import FlourishControl

/// How others reach a run.
struct RemoteOptions: ParsableArguments {
    @Flag(
        help:
            "Listen on a Unix socket for perform, cancel, snooze, set, watch and others: $FLOURISH_CONTROL or $XDG_RUNTIME_DIR/flourish.sock."
    )
    var control = false

    @Option(
        help: ArgumentHelp("The same on this socket; also --control PATH.", valueName: "path"), completion: .file())
    var controlSocket: String?

    @Flag(
        help:
            "Serve a page with buttons, switches and a preview, for this machine only; its address goes to the standard error."
    )
    var panel = false

    @Option(
        help: ArgumentHelp(
            "The same at a port, an address in digits, or both; also --panel ADDRESS.", valueName: "address"))
    var panelAddress: String?

    /// Whether anything was asked for.
    var isGiven: Bool { control || controlSocket != nil || panel || panelAddress != nil }

    /// Opens what was asked for; `nil` where nothing was.
    func open(_ session: ReactionSession) async throws(FlourishError) -> RemoteControl? {
        guard isGiven else { return nil }
        let path: String? =
            if control || controlSocket != nil { try ControlSocketPath.resolve(controlSocket) } else { nil }
        let address: PanelAddress? =
            if panel || panelAddress != nil { try PanelAddress(panelAddress ?? "") } else { nil }
        return try await RemoteControl(session, socketPath: path, panelAddress: address)
    }
}

/// Where a client finds the run.
struct ControlClientOptions: ParsableArguments {
    @Option(
        name: [.customLong("control"), .customLong("control-socket")],
        help: ArgumentHelp(
            "The socket that the other flourish listens on (default: $FLOURISH_CONTROL, or else $XDG_RUNTIME_DIR/flourish.sock).",
            valueName: "path"),
        completion: .file())
    var control: String?

    func connect() throws(FlourishError) -> ControlClient {
        try ControlClient(path: ControlSocketPath.resolve(control))
    }
}
