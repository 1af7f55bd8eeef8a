import ArgumentParser
import Flourish
import FlourishControl

/// How others reach a run.
struct RemoteOptions: ParsableArguments {
    @Option(
        defaultAsFlag: "",
        help: ArgumentHelp(
            "Listen on this Unix socket for perform, set, watch and others; by default $FLOURISH_CONTROL or $XDG_RUNTIME_DIR/flourish.sock.",
            valueName: "path"),
        completion: .file())
    var control: String?

    @Option(
        defaultAsFlag: "",
        help: ArgumentHelp(
            "Serve a page with buttons, switches and a preview; its address goes to the standard error. By default it is on this machine only.",
            valueName: "address"))
    var panel: String?

    /// Opens what was asked for; `nil` where nothing was.
    func open(_ session: ReactionSession) async throws(FlourishError) -> RemoteControl? {
        if control == nil, panel == nil { return nil }
        let path: String? = if let control { try ControlSocketPath.resolve(control) } else { nil }
        let address: PanelAddress? = if let panel { try PanelAddress(panel) } else { nil }
        return try await RemoteControl(session, socketPath: path, panelAddress: address)
    }
}

/// Where a client finds the run.
struct ControlClientOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The socket that the other flourish listens on (default: $FLOURISH_CONTROL, or else $XDG_RUNTIME_DIR/flourish.sock).",
            valueName: "path"),
        completion: .file())
    var control: String?

    func connect() throws(FlourishError) -> ControlClient {
        try ControlClient(path: ControlSocketPath.resolve(control))
    }
}
