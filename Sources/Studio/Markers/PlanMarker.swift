import Reactions

/// A marker that stands for a reaction, in frames from the recording's first one.
struct PlanMarker: Sendable, Hashable {
    /// The number that finds the reaction again: its own, or the one that it would get.
    var id: Int
    var reactionType: ReactionType
    var isEnabled: Bool
    var frame: Int
    /// In frames, at least 1.
    var duration: Int
    /// What is known of the reaction, for whoever reviews it: one line that begins with a letter.
    var comment: String

    /// `thumbsUp #3`: programs that keep nothing else of a marker keep its name.
    var name: String { "\(reactionType) #\(id)" }
}

extension String {
    /// Line breaks and control characters as blanks.
    var onOneLine: String {
        String(
            String.UnicodeScalarView(
                unicodeScalars.map { scalar in
                    switch scalar.properties.generalCategory {
                    case .control, .lineSeparator, .paragraphSeparator: " "
                    default: scalar
                    }
                }))
    }
}
