import ArgumentParser
import Flourish

/// Options that make no sense: one line, like every other error.
enum UsageError {
    /// Ends the program after an error of any kind.
    static func exit(with error: any Error) -> Never {
        // A thread that is about to end may hold an unfinished file for a moment longer than the process lives.
        UnfinishedOutputs.remove()
        // Ours were told when they happened, and carry their exit code.
        guard !(error is ExitCode), FlourishCommand.exitCode(for: error) == .validationFailure else {
            FlourishCommand.exit(withError: error)
        }
        Console.error(line(for: error))
        FlourishCommand.exit(withError: ExitCode.validationFailure)
    }

    /// "unknown option '--hodl'. Did you mean '--hold'?; see flourish filter --help"
    private static func line(for error: any Error) -> String {
        var message = oneLine(FlourishCommand.message(for: error))
        while message.hasSuffix(".") { message.removeLast() }
        // Names and acronyms keep their case.
        let first = message.split(separator: " ").first ?? ""
        if first.dropFirst().allSatisfy(\.isLowercase) {
            message = message.prefix(1).lowercased() + message.dropFirst()
        }
        let help = help(for: error)
        if message.hasPrefix("missing expected argument"),
            ["flourish filter --help", "flourish detect --help"].contains(help),
            let hint = RemoteOptions.hint(RawArguments.all)
        {
            message += "; " + hint
        }
        return "\(message); see \(help)"
    }

    /// Lines joined by blanks, and those of a list by commas.
    private static func oneLine(_ text: String) -> String {
        var line = ""
        for part in text.split(whereSeparator: \.isNewline) {
            let words = part.drop { $0 == " " }
            let isItem = words.hasPrefix("- ")
            let joint = line.isEmpty || line.hasSuffix(":") || !isItem ? " " : ", "
            line += (line.isEmpty ? "" : joint) + (isItem ? words.dropFirst(2) : words)
        }
        return line
    }

    /// "flourish filter --help", from "See 'flourish filter --help' for more information."
    private static func help(for error: any Error) -> Substring {
        let words = FlourishCommand.fullMessage(for: error).split(separator: "'")
        return words.last { $0.hasPrefix("flourish ") && $0.hasSuffix("--help") } ?? "flourish --help"
    }
}
