import ArgumentParser

/// The options and commands of earlier versions, which name their replacement instead of failing as unknown.
///
/// To remove an option or a command, add it to ``all``.
enum RemovedArguments {
    private struct Removal {
        /// An option such as `--spans`, or a command such as `plan scan`.
        let name: String
        /// The first version without it.
        let version: String
        /// The replacement, in words.
        let remedy: String
    }

    private static let all = [
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
    /// - Parameter arguments: the command line without the program's name.
    /// - Throws: `ValidationError`, with the remedy.
    static func check(_ arguments: some Collection<String>) throws {
        let options = Set(arguments.prefix { $0 != "--" }.map { $0.prefix { $0 != "=" } })
        let command = arguments.first == "help" ? arguments.dropFirst() : arguments[...]
        let found = all.first { removal in
            if removal.name.hasPrefix("-") { return options.contains(removal.name[...]) }
            return command.starts(with: removal.name.split(separator: " ")) { $0 == $1 }
        }
        guard let found else { return }
        throw ValidationError("\(found.name) was removed in \(found.version): \(found.remedy)")
    }
}
