import ArgumentParser
import Flourish
import FlourishControl

/// The control socket and the panel of a run.
///
/// The value of either option may be left out. The next argument is the value unless it begins with a dash.
struct RemoteOptions: ParsableArguments {
    /// The path of the socket; empty for the usual one.
    @Option(
        name: [.customLong("control"), .customLong("control-socket")], defaultAsFlag: "", parsing: .next,
        help: ArgumentHelp(
            "Listen on a Unix socket for perform, cancel, snooze, set, watch and others. Without a path: $FLOURISH_CONTROL or $XDG_RUNTIME_DIR/flourish.sock.",
            valueName: "path"),
        completion: .file())
    var control: String?

    /// The address of the panel; empty for any port of this machine.
    @Option(
        name: [.customLong("panel"), .customLong("panel-address")], defaultAsFlag: "", parsing: .next,
        help: ArgumentHelp(
            "Serve a page with buttons, switches and a preview at a port, an address in digits, or both. Without an address: for this machine only, at a free port. The page's address goes to the standard error.",
            valueName: "address"))
    var panel: String?

    var isGiven: Bool { control != nil || panel != nil }

    /// The name of the option that is given, for messages.
    var name: String { control != nil ? "--control" : "--panel" }

    /// Opens the socket and the panel; `nil` if neither option is given.
    func open(_ session: ReactionSession) async throws(FlourishError) -> RemoteControl? {
        guard isGiven else { return nil }
        let path: String? = if let control { try ControlSocketPath.resolve(control) } else { nil }
        let address: PanelAddress? = if let panel { try PanelAddress(panel) } else { nil }
        return try await RemoteControl(session, socketPath: path, panelAddress: address)
    }

    /// Returns a message that names the argument that was read as the value of one of the options, and the remedy.
    static func hint(_ arguments: [String]) -> String? {
        let pairs = zip(arguments.prefix { $0 != "--" }, arguments.dropFirst().prefix { $0 != "--" })
        guard
            let (option, value) = pairs.first(where: { option, value in
                ["--control", "--panel"].contains(option) && (value == "-" || !value.hasPrefix("-"))
            })
        else { return nil }
        return
            "'\(value)' is the value of \(option) here; put \(option) last or before another option, or write \(option)=VALUE"
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
