import ArgumentParser
import Flourish

/// Finds what was meant otherwise than it would be parsed.
enum ArgumentCheck {
    /// The options of one letter, which may stand behind one dash together.
    private static let letters: Set<Character> = ["h", "q", "y"]

    /// Refuses a file's name that begins with a dash, of which each letter would be an option, and a command that
    /// is misspelt, which would be the name of an input.
    ///
    /// - Throws: `ValidationError`.
    static func check(_ arguments: some Collection<String>) throws {
        if let first = arguments.first { try checkCommand(first) }
        for argument in arguments.prefix(while: { $0 != "--" }) {
            guard let letter = argument.dropFirst().first, argument.first == "-", argument.count > 2,
                letter.isLetter, !argument.dropFirst().allSatisfy(letters.contains)
            else { continue }
            throw ValidationError("Unknown option '\(argument)'; a file of this name is ./\(argument)")
        }
    }

    private static func checkCommand(_ word: String) throws {
        let names = FlourishCommand.configuration.subcommands.compactMap { $0.configuration.commandName }
        guard word.count > 3, word.allSatisfy(\.isLetter), !names.contains(word), word != "help" else { return }
        let ranked = names.map { (name: $0, distance: EditDistance.between(word, $0)) }
        guard let nearest = ranked.min(by: { $0.distance < $1.distance }), nearest.distance <= 2,
            !OutputCheck.exists(word)
        else { return }
        throw ValidationError("There is no command '\(word)'. Did you mean '\(nearest.name)'?")
    }
}
