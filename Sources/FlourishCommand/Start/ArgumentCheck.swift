import ArgumentParser
import Flourish

/// Finds what was meant otherwise than it would be parsed.
enum ArgumentCheck {
    /// The options of one letter, which may stand behind one dash together.
    private static let letters: Set<Character> = ["h", "q", "y"]

    /// Refuses what was removed, a file's name that begins with a dash, of which each letter would be an option, a
    /// command that is misspelt, which would be the name of an input, and help for a command that there is not.
    ///
    /// - Throws: `ValidationError`.
    static func check(_ arguments: some Collection<String>) throws {
        try RemovedArguments.check(arguments)
        if let first = arguments.first { try checkCommand(first) }
        if arguments.first == "help" { try checkHelp(arguments.dropFirst()) }
        for argument in arguments.prefix(while: { $0 != "--" }) {
            guard let letter = argument.dropFirst().first, argument.first == "-", argument.count > 2,
                letter.isLetter, !argument.dropFirst().allSatisfy(letters.contains)
            else { continue }
            throw ValidationError("Unknown option '\(argument)'; a file of this name is ./\(argument)")
        }
    }

    private static func checkCommand(_ word: String) throws {
        let names = names(of: FlourishCommand.self)
        guard word.count > 3, word.allSatisfy(\.isLetter), !names.contains(word), word != "help",
            let nearest = nearest(to: word, among: names), !OutputCheck.exists(word)
        else { return }
        throw ValidationError("There is no command '\(word)'. Did you mean '\(nearest)'?")
    }

    /// - Parameter words: a command, and perhaps one of its own commands.
    private static func checkHelp(_ words: some Sequence<String>) throws {
        var command: any ParsableCommand.Type = FlourishCommand.self
        for word in words.prefix(while: { !$0.hasPrefix("-") && $0 != "help" }) {
            guard let next = command.configuration.subcommands.first(where: { $0.configuration.commandName == word })
            else {
                let hint = nearest(to: word, among: names(of: command)).map { ". Did you mean '\($0)'?" } ?? ""
                throw ValidationError("There is no command '\(word)'\(hint)")
            }
            command = next
        }
    }

    private static func names(of command: any ParsableCommand.Type) -> [String] {
        command.configuration.subcommands.compactMap { $0.configuration.commandName }
    }

    private static func nearest(to word: String, among names: [String]) -> String? {
        let ranked = names.map { (name: $0, distance: EditDistance.between(word, $0)) }
        return ranked.min { $0.distance < $1.distance }.flatMap { $0.distance <= 2 ? $0.name : nil }
    }
}
