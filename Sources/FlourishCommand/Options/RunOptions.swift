import ArgumentParser
import Flourish
import FlourishControl

/// The options that choose the configuration files.
struct SettingsOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A configuration file to read instead of the user's (see: flourish config).", valueName: "file",
            visibility: .advanced),
        completion: .file(extensions: ["toml"]))
    var config: String?

    @Flag(
        help: ArgumentHelp(
            "Ignore configuration files, except for settings locked by the system's file.", visibility: .advanced))
    var noConfig = false

    func validate() throws {
        if config != nil && noConfig {
            throw ValidationError("--config and --no-config cannot be combined; use one")
        }
    }

    /// The paths of the configuration files.
    var places: SettingsPlaces { .located(file: config, ignoresFiles: noConfig) }

    /// Loads the settings of the files and applies the options. Prints the warnings of the files.
    ///
    /// - Parameters:
    ///   - arguments: The options that set settings, in the order in which they are applied.
    ///   - adjust: Changes settings that depend on other settings.
    func load(
        _ arguments: any SettingArguments..., adjust: (inout Settings) -> Void = { _ in }
    ) throws(FlourishError) -> Settings {
        var settings = try Settings.load(from: places)
        for argument in arguments { try argument.apply(to: &settings) }
        adjust(&settings)
        if Messages(settings).level >= .warning {
            for warning in settings.warnings + settings.bindingWarnings { Console.warn(warning) }
        }
        return settings
    }
}

/// The options that select which messages the program prints during a run.
struct MessageOptions: SettingArguments {
    @Option(setting: "output.progress")
    var progress: ProgressStyle?

    @Flag(setting: "output.quiet")
    var quiet: Bool?

    @Option(setting: "output.log-level")
    var logLevel: LogLevel?

    @Flag(
        help: ArgumentHelp(
            "Include the input in every line, which is the default for several inputs.", visibility: .advanced))
    var logPrefix = false

    /// Names the input in messages, if `--log-prefix` is given.
    func name(_ input: String) {
        if logPrefix { Console.subject = input }
    }

    var values: [(name: String, value: SettingValue?)] {
        [
            ("output.progress", progress.map { .text($0.rawValue) }),
            ("output.log-level", logLevel.map { .text($0.rawValue) }),
            ("output.quiet", quiet.map { .flag($0) }),
        ]
    }
}

/// The options for live runs, and for measuring latency.
struct LiveOptions: ParsableArguments {
    @Flag(
        help:
            "Minimise latency: detect gestures in parallel, encode without look-ahead, and lower quality if the machine is too slow."
    )
    var live = false

    @Flag(
        help:
            "Measure the latency of frames: in an event every five seconds, and in a table on the standard error at the end."
    )
    var stats = false

    func apply(to configuration: inout Configuration) {
        configuration.isLive = live
        configuration.measuresLatency = stats
    }
}

/// The control socket and the panel of a run.
///
/// The value of either option may be omitted. The next argument is the value, unless it begins with a dash.
struct RemoteOptions: ParsableArguments {
    /// The path of the socket; empty for the default path.
    @Option(
        name: [.customLong("control"), .customLong("control-socket")], defaultAsFlag: "", parsing: .next,
        help: ArgumentHelp(
            "Accept commands (perform, cancel, snooze, set, watch and others) on a Unix socket. Default path: $FLOURISH_CONTROL or $XDG_RUNTIME_DIR/flourish.sock.",
            valueName: "path"),
        completion: .file())
    var control: String?

    /// The address of the panel; empty for any port of this machine.
    @Option(
        name: [.customLong("panel"), .customLong("panel-address")], defaultAsFlag: "", parsing: .next,
        help: ArgumentHelp(
            "Serve a page with buttons, switches and a preview at a port, a numeric address, or both (default: this machine only, on a free port). The page's address is printed on the standard error.",
            valueName: "address"))
    var panel: String?

    @Option(
        help: ArgumentHelp(
            "Keep the panel's address from run to run: use the token in a file, which is created if it does not exist. Give --panel a port, too.",
            valueName: "path"),
        completion: .file())
    var panelToken: String?

    func validate() throws {
        if panelToken != nil && panel == nil {
            throw ValidationError(
                "--panel-token keeps the address of a panel; add --panel with a port, such as --panel 8080")
        }
    }

    var isGiven: Bool { control != nil || panel != nil }

    /// The name of the given option, for messages.
    var name: String { control != nil ? "--control" : "--panel" }

    /// Opens the socket and the panel; `nil` if neither option is given.
    func open(_ session: ReactionSession) async throws(FlourishError) -> RemoteControl? {
        guard isGiven else { return nil }
        let path: String? = if let control { try ControlServer.path(control) } else { nil }
        let address: PanelAddress? = if let panel { try PanelAddress(panel) } else { nil }
        let token: PanelToken? = if let panelToken { try PanelToken(file: panelToken) } else { nil }
        return try await RemoteControl(session, socketPath: path, panelAddress: address, panelToken: token)
    }

    /// The remedy if an argument is missing because it was read as the value of one of these options; empty if neither
    /// has a value.
    var remedyForMissingArgument: String {
        let values = [("--control", control), ("--panel", panel)]
        guard case (let option, let value?)? = values.first(where: { $0.1?.isEmpty == false }) else { return "" }
        return
            "; '\(value)' is the value of \(option) here; put \(option) last or before another option, or write \(option)=VALUE"
    }
}
