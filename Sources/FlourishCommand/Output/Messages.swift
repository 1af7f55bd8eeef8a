import Flourish

/// The messages of a run, as files and options ask for them.
struct Messages {
    /// The style of the progress.
    let progress: ProgressStyle
    /// The least severe messages that go to the standard error.
    let level: LogLevel

    init(_ settings: Settings) {
        func text(_ name: String) -> String {
            if case .text(let text)? = settings[name]?.value { text } else { "" }
        }
        let quiet = settings["output.quiet"], style = settings["output.progress"]
        let isQuiet = quiet?.value == .flag(true)
        // Progress for programs is no message: it goes with silence, unless a stronger place asks for that.
        let keepsProgress = style?.value == .text("json") && style?.origin.place == quiet?.origin.place
        progress = isQuiet && !keepsProgress ? .none : ProgressStyle(rawValue: text("output.progress")) ?? .auto
        level = isQuiet ? .error : LogLevel(rawValue: text("output.log-level")) ?? .warning
    }
}
