import ArgumentParser
import Flourish
import FlourishControl

/// The candidates of completions that depend on the user's files: the shell runs the program to list them.
extension CompletionKind {
    /// The names of the reactions, built-in and of the user's own effects.
    static var reactions: CompletionKind { .custom { _, _, _ in Installed.reactions } }

    /// The names of the reactions, and `all`.
    static var runningReactions: CompletionKind { .custom { _, _, _ in ["all"] + Installed.reactions } }

    /// The names of the gestures, built-in and learned.
    static var gestures: CompletionKind { .custom { _, _, _ in Installed.gestures } }

    /// The names of the learned gestures.
    static var learnedGestures: CompletionKind { .custom { _, _, _ in Installed.learnedGestures } }

    /// The names of the installed packs of effects.
    static var effectPacks: CompletionKind { .custom { _, _, _ in Installed.effectPacks } }

    /// The names of the properties of a session.
    static var properties: CompletionKind { .custom { _, _, _ in Installed.properties } }

    /// The values of the property before the cursor.
    static var propertyValues: CompletionKind {
        .custom { words, index, _ in
            let last = words.indices.contains(index - 1) ? words[index - 1] : ""
            let key = SettingKey.live.first { $0.liveName == last }
            if case .choice(let names)? = key?.kind { return names }
            return switch last {
            case "palette": Palette.names + ["default"]
            case "disabled": Installed.gestures
            case _ where last.hasPrefix("bindings."): Installed.reactions + ["default"]
            default: ["on", "off"]
            }
        }
    }

    /// Gestures with `=` and a reaction, as `--bind` expects.
    static var gestureBindings: CompletionKind {
        .custom { _, _, _ in
            Installed.gestures.flatMap { gesture in Installed.reactions.map { "\(gesture)=\($0)" } }
        }
    }
}

/// The reactions, gestures and properties on this machine.
private enum Installed {
    private static var session: ReactionSession {
        guard let settings = try? Settings.load(), var configuration = try? settings.configuration() else {
            return ReactionSession(configuration: Configuration())
        }
        try? settings.addUsersGestures(to: &configuration)
        return ReactionSession(configuration: configuration)
    }

    static var reactions: [String] {
        let types = session.availableReactionTypes
        return (types.isEmpty ? ReactionType.builtIn : types).map(\.rawValue)
    }

    static var gestures: [String] { session.availableGestures.map(\.rawValue) }

    static var learnedGestures: [String] {
        session.availableGestures.filter { !ReactionGesture.allCases.contains($0) }.map(\.rawValue)
    }

    static var effectPacks: [String] {
        let folder = Resources.configurationFolder(environment: Resources.currentEnvironment()) + "/effects"
        return ((try? EffectPack.installed(in: folder)) ?? []).map(\.name)
    }

    static var properties: [String] { CommandHandler(session: session).propertyNames }
}
