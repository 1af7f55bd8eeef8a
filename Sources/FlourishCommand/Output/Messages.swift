import Flourish

/// What the program says while it works, as files and options together want it.
struct Messages {
    /// How progress is shown.
    let progress: ProgressStyle
    /// What is said on the standard error.
    let level: LogLevel

    init(_ settings: Settings) {
        func text(_ name: String) -> String {
            if case .text(let text)? = settings[name]?.value { text } else { "" }
        }
        let isQuiet = settings["output.quiet"]?.value == .flag(true)
        progress = isQuiet ? .none : ProgressStyle(rawValue: text("output.progress")) ?? .auto
        level = isQuiet ? .error : LogLevel(rawValue: text("output.log-level")) ?? .warning
    }
}
