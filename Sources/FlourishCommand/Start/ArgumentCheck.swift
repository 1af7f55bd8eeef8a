import ArgumentParser
import Flourish
import Platform

/// Refuses arguments that the parser would misinterpret.
enum ArgumentCheck {
    /// The options of one letter, which may be combined after one dash.
    private static let letters: Set<Character> = ["h", "q", "y"]

    /// Refuses arguments for which the parser has no suitable message: removed options and commands, file names that
    /// start with a dash, unknown commands after `help`, and misspelt commands, which it would take for an input.
    ///
    /// - Throws: `ValidationError`.
    static func check(_ arguments: some Collection<String>) throws {
        try checkRemoved(arguments)
        if let first = arguments.first { try checkCommand(first, isAlone: arguments.count == 1) }
        if arguments.first == "help" { try checkHelp(arguments.dropFirst()) }
        for argument in arguments.prefix(while: { $0 != "--" }) {
            guard let letter = argument.dropFirst().first, argument.first == "-", argument.count > 2,
                letter.isLetter, !argument.dropFirst().allSatisfy(letters.contains)
            else { continue }
            throw ValidationError("Unknown option '\(argument)'; write ./\(argument) for a file of this name")
        }
    }

    /// The options whose number may be omitted, and the number in that case.
    private static let optionalNumbers = [
        "--portrait": VideoEffects.usualPortrait, "--studio-light": VideoEffects.usualStudioLight,
        "--sounds": Configuration.usualSoundLevel,
    ]

    /// Adds the numbers that were omitted. Otherwise the parser would take the name of a file for the number.
    static func completed(_ arguments: some Collection<String>) -> [String] {
        var result = Array(arguments)
        let end = result.firstIndex(of: "--") ?? result.count
        for index in 0..<end {
            guard let number = optionalNumbers[result[index]] else { continue }
            let isGiven = index + 1 < end && (Double(result[index + 1]) != nil)
            if !isGiven { result[index] += "=\(number)" }
        }
        return result
    }

    /// - Parameter isAlone: A Boolean value that indicates whether no argument follows, so that the word cannot be the
    ///   input of a run.
    private static func checkCommand(_ word: String, isAlone: Bool) throws {
        let names = names(of: FlourishCommand.self)
        guard word.count > 3, word.allSatisfy(\.isLetter), !names.contains(word), word != "help",
            !OutputCheck.exists(word)
        else { return }
        if let meant = word.nearest(among: names) ?? synonyms[word] {
            throw ValidationError("Unknown command '\(word)'. Did you mean '\(meant)'?")
        }
        if isAlone { throw ValidationError("Unknown command '\(word)'") }
    }

    /// Words that other programs use for the commands.
    private static let synonyms = [
        "observe": "watch", "monitor": "watch", "listen": "watch", "follow": "watch",
        "convert": "filter", "process": "filter", "render": "filter", "encode": "filter", "apply": "filter",
        "analyse": "detect", "analyze": "detect", "scan": "detect", "recognise": "detect", "recognize": "detect",
        "probe": "inspect", "info": "inspect", "debug": "inspect", "show": "preview", "react": "perform",
        "trigger": "perform", "play": "perform", "stop": "quit", "exit": "quit", "mute": "snooze", "pause": "snooze",
        "list": "reactions", "settings": "config", "configure": "config", "webcam": "camera", "check": "doctor",
        "picture": "photo", "photograph": "photo", "screenshot": "snapshot", "train": "learn", "teach": "learn",
        "score": "evaluate", "measure": "evaluate",
    ]

    /// - Parameter words: A command, and perhaps a subcommand.
    private static func checkHelp(_ words: some Sequence<String>) throws {
        var command: any ParsableCommand.Type = FlourishCommand.self
        for word in words.prefix(while: { !$0.hasPrefix("-") && $0 != "help" }) {
            guard
                let next = command.configuration.subcommands.first(where: { names(of: $0.configuration).contains(word) }
                )
            else {
                let hint = word.nearest(among: names(of: command)).map { ". Did you mean '\($0)'?" } ?? ""
                throw ValidationError("Unknown command '\(word)'\(hint)")
            }
            command = next
        }
    }

    private static func names(of command: any ParsableCommand.Type) -> [String] {
        command.configuration.subcommands.flatMap { names(of: $0.configuration) }
    }

    private static func names(of command: CommandConfiguration) -> [String] {
        (command.commandName.map { [$0] } ?? []) + command.aliases
    }

    // MARK: Removed arguments

    /// An option or a command of an earlier version, whose use fails with a message that names the replacement.
    private struct Removal {
        /// An option such as `--spans`, or a command such as `plan scan`.
        let name: String
        /// The first version without it.
        let version: String
        /// The replacement, in words.
        let remedy: String
    }

    /// All removed options and commands. Add further removed options and commands here.
    private static let removals = [
        Removal(
            name: "plan scan", version: "0.2.0",
            remedy: oneMachine("plan") + ", or write ./scan for a file of that name"),
        Removal(name: "--scans", version: "0.2.0", remedy: oneMachine("plan")),
        Removal(name: "--span-share", version: "0.2.0", remedy: oneMachine("filter")),
        Removal(name: "--spans", version: "0.2.0", remedy: oneMachine("filter")),
    ]

    private static func oneMachine(_ command: String) -> String {
        "run one recording per machine (flourish \(command) --output-dir)"
    }

    /// Refuses a removed option or command.
    ///
    /// - Parameter arguments: The command line without the program's name.
    /// - Throws: `ValidationError`, with the remedy.
    private static func checkRemoved(_ arguments: some Collection<String>) throws {
        let options = Set(arguments.prefix { $0 != "--" }.map { $0.prefix { $0 != "=" } })
        let command = arguments.first == "help" ? arguments.dropFirst() : arguments[...]
        let found = removals.first { removal in
            if removal.name.hasPrefix("-") { return options.contains(removal.name[...]) }
            return command.starts(with: removal.name.split(separator: " ")) { $0 == $1 }
        }
        guard let found else { return }
        throw ValidationError("\(found.name) was removed in \(found.version): \(found.remedy)")
    }
}

// MARK: - Errors of usage

extension FlourishCommand {
    /// Ends the program after an error of any kind. A usage error is printed on one line, like all other errors.
    static func exit(reporting error: any Error) -> Never {
        // A thread that writes a file removes it when it ends, but the process may end first.
        UnfinishedOutputs.remove()
        // Errors of a command were already printed, and have their exit code.
        guard !(error is ExitCode), exitCode(for: error) == .validationFailure else {
            exit(withError: error)
        }
        Console.error(line(for: error))
        exit(withError: ExitCode.validationFailure)
    }

    /// Returns a line such as "unknown option '--hodl'. Did you mean '--hold'?; see flourish filter --help".
    private static func line(for error: any Error) -> String {
        var message = oneLine(self.message(for: error))
        while message.hasSuffix(".") { message.removeLast() }
        // Names and acronyms keep their case.
        let first = message.split(separator: " ").first ?? ""
        if first.dropFirst().allSatisfy(\.isLowercase) {
            message = message.prefix(1).lowercased() + message.dropFirst()
        }
        if let match = message.firstMatch(of: /^the value '(.+?)' is invalid for .+\. Please provide one of (.+)$/),
            let nearest = String(match.1).nearest(among: match.2.matches(of: /'(.+?)'/).map { String($0.1) })
        {
            message += "; did you mean '\(nearest)'?"
        }
        let help = help(for: error)
        if message.hasPrefix("missing expected argument"),
            ["flourish filter --help", "flourish detect --help"].contains(help),
            let hint = RemoteOptions.hint(CommandLine.rawArguments)
        {
            message += "; " + hint
        }
        return "\(message); see \(help)"
    }

    /// Joins lines with spaces, and list items with commas.
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

    /// Returns "flourish filter --help" from "See 'flourish filter --help' for more information."
    private static func help(for error: any Error) -> Substring {
        let words = fullMessage(for: error).split(separator: "'")
        return words.last { $0.hasPrefix("flourish ") && $0.hasSuffix("--help") } ?? "flourish --help"
    }
}
