/// What the hands of one person say, and the reaction it stands for.
public enum ReactionGesture: String, Sendable, Hashable, Codable, CaseIterable {
    /// One hand, and for the heart both.
    case thumbsUp, thumbsDown, victory, heart
    /// Both hands of one person make the same sign.
    case twoThumbsUp, twoThumbsDown, twoVictories, twoHorns

    /// The reaction that the gesture triggers.
    public var reactionType: ReactionType {
        switch self {
        case .thumbsUp: .thumbsUp
        case .thumbsDown: .thumbsDown
        case .victory: .balloons
        case .heart: .heart
        case .twoThumbsUp: .fireworks
        case .twoThumbsDown: .rain
        case .twoVictories: .confetti
        case .twoHorns: .lasers
        }
    }

    /// How many hands it takes: 1 or 2.
    public var handCount: Int {
        switch self {
        case .thumbsUp, .thumbsDown, .victory: 1
        case .heart, .twoThumbsUp, .twoThumbsDown, .twoVictories, .twoHorns: 2
        }
    }
}
