import ArgumentParser
import Flourish
import Platform

/// The words of the command line, before ArgumentParser reads them.
enum Words {
    /// The commands of version 0.1.0 that have other names now. Completions and the help have the new names only.
    private static let formerNames: [(former: [String], current: [String])] = [
        (["perform"], ["control", "perform"]), (["set"], ["control", "set"]), (["watch"], ["control", "watch"]),
        (["gestures", "list"], ["gestures"]), (["gestures", "remove"], ["gestures", "--remove"]),
        (["config", "show"], ["config"]), (["config", "path"], ["config", "--path"]),
        (["config", "example"], ["config", "--example"]),
    ]

    /// Returns the words with the current name of the command.
    static func current(_ words: [String]) -> [String] {
        guard let name = formerNames.first(where: { words.starts(with: $0.former) }) else { return words }
        return name.current + words.dropFirst(name.former.count)
    }

    /// Returns the message for words that ArgumentParser would misinterpret: unknown commands, which it would ignore
    /// after `help` and take for an input elsewhere, names of files that start with a dash, and values such as `60%` of
    /// options whose number may be left out, which it would ignore or take for an input.
    static func fault(in words: [String]) -> String? {
        let isHelp = words.first == "help"
        let (commands, rest) = commands(in: words.dropFirst(isHelp ? 1 : 0))
        let command = commands[commands.count - 1].configuration
        if let word = rest.first, !word.hasPrefix("-"), isHelp || isMistaken(word, after: command) {
            let meant = word.nearest(among: command.subcommands.flatMap(names))
            return "unknown command '\(word)'" + (meant.map { ". Did you mean '\($0)'?" } ?? "")
        }
        let file = words.prefix { $0 != "--" }.first(where: isFileWithDash)
        if let file { return "unknown option '\(file)'; write ./\(file) for a file of this name" }
        return wrongNumber(in: Array(words.prefix { $0 != "--" }))
    }

    /// Returns the message for a value that is no number, of an option whose number may be left out.
    private static func wrongNumber(in words: [String]) -> String? {
        for (index, word) in words.enumerated() {
            let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
            guard
                let key = SettingKey.all.first(where: { $0.option == parts.first && $0.spelling?.valueWithout != nil })
            else { continue }
            let next = index + 1 < words.count ? words[index + 1] : ""
            // Another word may be the next argument, unless it is a number with a percent sign.
            let isPercentage = next.last == "%" && Double(next.dropLast()) != nil
            guard let value = parts.count > 1 ? parts[1] : isPercentage ? next : nil, Double(value) == nil else {
                continue
            }
            return "\(parts[0]) must be \(key.expectation), not '\(value)'"
        }
        return nil
    }

    /// Returns whether a word is meant as a subcommand, but is none.
    private static func isMistaken(_ word: String, after command: CommandConfiguration) -> Bool {
        guard let usual = command.defaultSubcommand else { return !command.subcommands.isEmpty }
        // The word may be the input of `filter`.
        return usual == FilterCommand.self && word.count > 3 && word.allSatisfy(\.isLetter) && !OutputCheck.exists(word)
    }

    private static func isFileWithDash(_ word: String) -> Bool {
        guard word.count > 2, word.first == "-", let letter = word.dropFirst().first else { return false }
        // Options of one letter may be combined after one dash.
        return letter.isLetter && !word.dropFirst().allSatisfy("hqy".contains)
    }

    /// Returns the command line that prints the help of the command that the words select.
    static func help(for words: [String]) -> String {
        (path(for: words).compactMap { $0.configuration.commandName } + ["--help"]).joined(separator: " ")
    }

    /// Returns whether the words request the help of a command that leaves options out of it.
    static func requestBriefHelp(_ words: [String]) -> Bool {
        let options = words.prefix { $0 != "--" }
        guard words.first == "help" || options.contains("--help") || options.contains("-h") else { return false }
        return !options.contains("--help-all") && path(for: words).last is any BriefHelp.Type
    }

    /// Returns the program, and the commands that the words select, to the one that runs.
    private static func path(for words: [String]) -> [any ParsableCommand.Type] {
        let (path, rest) = commands(in: words.dropFirst(words.first == "help" ? 1 : 0))
        // Without further words, help is about the group of commands.
        let isHelp = words.first == "help" || ["-h", "--help"].contains(rest.first)
        guard let usual = path[path.count - 1].configuration.defaultSubcommand, !isHelp else { return path }
        return path + [usual]
    }

    /// Returns the program, the commands that the first words name, and the remaining words.
    private static func commands(
        in words: ArraySlice<String>
    ) -> (commands: [any ParsableCommand.Type], rest: ArraySlice<String>) {
        var (commands, rest): ([any ParsableCommand.Type], ArraySlice<String>) = ([FlourishCommand.self], words)
        while let word = rest.first,
            let next = commands[commands.count - 1].configuration.subcommands.first(where: {
                names(of: $0).contains(word)
            })
        {
            commands.append(next)
            rest = rest.dropFirst()
        }
        return (commands, rest)
    }

    private static func names(of command: any ParsableCommand.Type) -> [String] {
        (command.configuration.commandName.map { [$0] } ?? []) + command.configuration.aliases
    }
}
