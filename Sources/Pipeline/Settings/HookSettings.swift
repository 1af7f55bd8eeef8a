import Platform
package import Reactions

/// The hooks of a run, and their limits.
package struct HookSettings: Sendable, Hashable {
    /// The hooks of reactions that begin.
    package var reactions: [Hook] = []
    /// The hooks of events of any kind.
    package var events: [Hook] = []
    /// The time after which a command is ended, in seconds.
    package var timeLimit = 10.0
    /// The maximum number of commands that run at once.
    package var parallel = 4

    package init() {}

    /// The hooks of all events.
    package var all: [Hook] { reactions + events }
}

/// A command that runs when an event is published.
package struct Hook: Sendable, Hashable {
    /// The name of the event, one of ``ReactionEvent/names``.
    package let event: String
    /// The program and its arguments; not empty.
    package let words: [String]
    /// The value of the setting.
    package let text: String

    /// Creates the hook of reactions that begin.
    ///
    /// - Throws: ``FlourishError/Code/usage`` for a command that ``words(of:)`` refuses.
    package init(onReaction command: String) throws(FlourishError) {
        (event, words, text) = ("effectStarted", try Self.words(of: command), command)
    }

    /// Creates the hook of an event from text such as `warning=logger -t flourish`.
    ///
    /// - Throws: ``FlourishError/Code/usage`` for an unknown event, and as ``init(onReaction:)``.
    package init(onEvent text: String) throws(FlourishError) {
        guard let equals = text.firstIndex(of: "=") else {
            throw FlourishError(.usage, "the hook \(text) names no event; write event=command, such as gesture=\(text)")
        }
        let name = String(text[..<equals])
        guard ReactionEvent.names.contains(name) else {
            let known = ReactionEvent.names
            throw FlourishError(
                .usage,
                "there is no event \(name) for a hook; \(name.suggestion(among: known))use one of "
                    + known.joined(separator: ", "))
        }
        (event, words, self.text) = (name, try Self.words(of: String(text[text.index(after: equals)...])), text)
    }

    /// Splits a command into words as a shell does, with quotes and backslashes. Nothing else of a shell is known: its
    /// other characters must be quoted, so that a command that needs a shell does not silently do something else.
    ///
    /// - Throws: ``FlourishError/Code/usage``.
    static func words(of command: String) throws(FlourishError) -> [String] {
        func refusal(_ reason: String) -> FlourishError { FlourishError(.usage, "the hook \(command): \(reason)") }
        var words: [String] = []
        // The word so far; nil between words. A quoted empty text is a word.
        var word: String?
        var quote: Unicode.Scalar?
        var isEscaped = false
        for scalar in command.unicodeScalars {
            if scalar.value == 0 { throw refusal("contains a NUL character, which no argument can hold") }
            if isEscaped {
                // Within double quotes, a backslash stands for itself before other characters.
                if quote != nil, scalar != "\"", scalar != "\\" { word?.append("\\") }
                word = (word ?? "") + String(scalar)
                isEscaped = false
            } else if scalar == "\\", quote != "'" {
                (word, isEscaped) = (word ?? "", true)
            } else if let open = quote {
                if scalar == open { quote = nil } else { word?.unicodeScalars.append(scalar) }
            } else if scalar == "'" || scalar == "\"" {
                (word, quote) = (word ?? "", scalar)
            } else if scalar == " " || scalar == "\t" || scalar == "\n" {
                if let word { words.append(word) }
                word = nil
            } else if ofShells.contains(scalar) || scalar == "~" && word == nil {
                throw refusal(
                    "\(scalar) has no meaning, since no shell runs the command; quote it, or run sh -c '…'")
            } else {
                word = (word ?? "") + String(scalar)
            }
        }
        if let quote { throw refusal("the quote \(quote) is not closed") }
        if isEscaped { throw refusal("nothing follows the last backslash") }
        if let word { words.append(word) }
        guard let program = words.first, !program.isEmpty else {
            throw FlourishError(.usage, "a hook needs a command, such as notify-send Reaction")
        }
        return words
    }

    /// The characters that only a shell knows.
    private static let ofShells = Set("|&;<>$`".unicodeScalars)
}

// MARK: - Declarations of settings

extension SettingKey {
    static let hooks: [SettingKey] = [
        SettingKey(
            "hooks.on-reaction", commands: \.hooks.reactions,
            kind: .texts(what: "a list of commands", example: "notify-send Reaction"),
            option: SettingOption("--on-reaction command", note: "Repeatable."),
            "Commands that run when a reaction begins, without a shell; they read its event as JSON.",
            parse: Hook.init(onReaction:)),
        SettingKey(
            "hooks.on-event", commands: \.hooks.events,
            kind: .texts(what: "a list of events and commands", example: "warning=logger -t flourish"),
            option: SettingOption("--on-event event=command", note: "Repeatable."),
            "Commands that run at events of a kind, such as gesture or warning.",
            parse: Hook.init(onEvent:)),
        SettingKey(
            "hooks.time-limit", \.hooks.timeLimit, .number(0.1...3600, unit: "s"), option: "--hook-time-limit s",
            "The time after which the command of a hook is ended."),
        SettingKey(
            "hooks.parallel", \.hooks.parallel, .integer(1...64),
            "The maximum number of commands of hooks that run at once; with 1, they run in the order of the events."),
    ]

    /// Declares a setting whose value is a list of hooks.
    ///
    /// - Parameter parse: Returns the hook of a text of the list.
    private init(
        _ name: String, commands path: any Path<[Hook]>, kind: SettingKind, option: SettingOption, _ summary: String,
        parse: @escaping @Sendable (String) throws(FlourishError) -> Hook
    ) {
        self.init(
            name, kind, of: [String].self, option: option, summary,
            read: { .list($0[keyPath: path].map(\.text)) },
            write: { value, configuration throws(FlourishError) in
                guard case .list(let texts)? = value else { return }
                var hooks: [Hook] = []
                for text in texts { hooks.append(try parse(text)) }
                configuration[keyPath: path] = hooks
            })
    }
}
