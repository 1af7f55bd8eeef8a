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

    /// Opens what was asked for; `nil` where nothing was.
    func open(_ session: ReactionSession) throws(FlourishError) -> RemoteControl? {
        guard let control else { return nil }
        return try RemoteControl(session, socketPath: ControlSocketPath.resolve(control))
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
