import ArgumentParser
import Flourish

/// The option that shows the options that `--help` leaves out.
struct HelpOptions: ParsableArguments {
    @Flag(help: "Show help with all options.")
    var helpAll = false

    func validate() throws {
        if helpAll { throw CleanExit.helpRequest() }
    }
}

/// A command with so many options that `--help` shows only those that most runs need.
protocol BriefHelp: ParsableCommand {
    var help: HelpOptions { get }
}

extension ArgumentVisibility {
    /// The visibility of options that the `--help` of a command with ``BriefHelp`` leaves out.
    ///
    /// They are hidden only while that help is printed: ArgumentParser neither completes hidden options nor suggests them
    /// for misspelt ones.
    static let advanced: ArgumentVisibility = {
        let words = Words.current(CommandLine.rawArguments).prefix { $0 != "--" }
        let isHelp = words.first == "help" || words.contains("--help") || words.contains("-h")
        guard isHelp, !words.contains("--help-all"), Words.command(for: Array(words)) is any BriefHelp.Type else {
            return .default
        }
        return .hidden
    }()
}

extension SettingKey {
    /// The visibility of the setting's option: `--help` shows the settings that most runs need.
    var visibility: ArgumentVisibility {
        switch name {
        case "effects.intensity", "recognition.hold", "recognition.disabled", "encoding.codec", "encoding.crf",
            "output.overwrite":
            .default
        default: .advanced
        }
    }
}
