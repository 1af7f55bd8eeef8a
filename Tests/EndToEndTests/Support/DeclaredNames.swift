import Reactions

/// The names of all built-in reactions, gestures and signs.
enum DeclaredNames {
    static let reactions = ReactionType.builtIn.map(\.rawValue)
    /// The gesture of each of ``reactions``.
    static let gesturesOfReactions = ReactionType.builtIn.map { $0.gesture?.rawValue }
    static let gestures = Set(ReactionGesture.allCases.map(\.rawValue))
    static let signs = Set(HandSign.allCases.map(\.rawValue))
}
