import ArgumentParser
import Flourish
import Synchronization

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

extension HelpOptions {
    /// True if the help of a command with ``BriefHelp`` is printed. Must be set before the command line is parsed.
    static let isBrief = Atomic(false)
}

extension ArgumentVisibility {
    /// The visibility of options that brief help leaves out.
    ///
    /// They are hidden only while that help is printed: ArgumentParser neither completes hidden options nor suggests them
    /// for misspelt ones.
    static var advanced: ArgumentVisibility { HelpOptions.isBrief.load(ordering: .relaxed) ? .hidden : .default }
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
