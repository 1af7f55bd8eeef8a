package import Reactions

/// The reactions of the symbols that participants of meetings send: emoji, and names of reactions.
package struct ReactionSymbols: Sendable, Hashable {
    private var types: [String: ReactionType] = [:]

    /// The emoji of reactions. Those of hands are the signs that trigger the reaction.
    private static let emoji: [(ReactionType, String)] = [
        (.thumbsUp, "👍"), (.thumbsDown, "👎"), (.heart, "❤♥🧡💛💚💙💜🖤🤍🤎🩷🩵🩶💕💖💗💓💞💘💝🫶"), (.confetti, "🎉🎊"),
        (.balloons, "🎈✌"), (.fireworks, "🎆🎇"), (.rain, "🌧☔"), (.lasers, "🤘"),
    ]
    /// The names of reactions in logs of Teams, apart from those that are names of types.
    private static let names: [String: ReactionType] = ["like": .thumbsUp]

    /// - Parameters:
    ///   - available: The types whose names are symbols.
    ///   - given: The user's own types of symbols, which come first.
    package init(_ available: [ReactionType], given: [String: ReactionType] = [:]) {
        for (type, emoji) in Self.emoji { for scalar in emoji.unicodeScalars { types[String(scalar)] = type } }
        for type in available + ReactionType.builtIn { types[Self.normal(type.rawValue)] = type }
        for (name, type) in Self.names { types[name] = type }
        for (symbol, type) in given { types[Self.normal(symbol)] = type }
    }

    /// Returns the reaction of a symbol; `nil` if there is none.
    package func type(of symbol: String) -> ReactionType? { types[Self.normal(symbol)] }

    /// Returns a symbol in lower case without blanks, colours of skin, and selectors of its presentation.
    private static func normal(_ symbol: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in symbol.trimmed.lowercased().unicodeScalars {
            switch scalar.value {
            case 0xFE0E, 0xFE0F, 0x1F3FB...0x1F3FF: break
            default: scalars.append(scalar)
            }
        }
        return String(scalars)
    }
}

/// The tiles of people in a gallery, from a file with a line such as `Jane Doe=3` for each.
package struct PeopleTable: Sendable, Hashable {
    private var tiles: [String: Int] = [:]
    private let name: String

    /// Reads the file.
    ///
    /// - Throws: ``FlourishError`` if it cannot be read, or with the first invalid line.
    package init(contentsOf path: String) throws(FlourishError) {
        let bytes = try NamedFile.read(path, advice: "give a file with a line such as Jane Doe=3 for each person")
        try self.init(bytes, name: path)
    }

    init(_ bytes: [UInt8], name: String) throws(FlourishError) {
        self.name = name
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw FlourishError(.inputUnusable, "\(name): is not a text in UTF-8")
        }
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() where !line.trimmed.isEmpty && !line.trimmed.hasPrefix("#") {
            guard let equals = line.lastIndex(of: "="), let tile = Int(line[line.index(after: equals)...].trimmed),
                tile >= 1, !line[..<equals].trimmed.isEmpty
            else {
                throw FlourishError(
                    .inputUnusable,
                    "\(name): line \(index + 1): must be a name and the number of a tile, such as Jane Doe=3")
            }
            tiles[Self.normal(line[..<equals])] = tile
        }
    }

    /// Returns the tile of a person; `nil` if the table lacks the name.
    func tile(of person: String) -> Int? { tiles[Self.normal(person)] }

    /// Refuses tiles that a plan does not have.
    ///
    /// - Throws: ``FlourishError/Code/usage``.
    func check(for plan: ReactionPlan) throws(FlourishError) {
        let known = Set(plan.layouts.layouts.flatMap(\.tiles).map(\.id)).sorted()
        guard let tile = tiles.values.sorted().first(where: { !known.contains($0) }) else { return }
        let has = known.isEmpty ? "no tiles" : "the tiles " + known.map(String.init).joined(separator: ", ")
        throw FlourishError(.usage, "\(name): names tile \(tile), but \(plan.name) has \(has)")
    }

    private static func normal(_ name: some StringProtocol) -> String { name.trimmed.lowercased() }
}
