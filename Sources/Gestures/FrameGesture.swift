/// What the hands of one frame show together: the gestures that reactions answer.
///
/// The raw values are those of the `gesture` field of events and of `inspect --json`,
/// and the names that `--disable` takes.
package enum FrameGesture: String, Sendable, Hashable, CaseIterable {
    case thumbsUp, thumbsDown, victory
    /// A heart formed by both hands.
    case heart
    case twoThumbsUp, twoThumbsDown, twoVictories, twoHorns

    /// How many hands take part: 1 or 2.
    package var hands: Int {
        switch self {
        case .thumbsUp, .thumbsDown, .victory: 1
        case .heart, .twoThumbsUp, .twoThumbsDown, .twoVictories, .twoHorns: 2
        }
    }

    /// The gesture of one hand that both hands make, or nil for the heart.
    package var handGesture: HandGesture? {
        switch self {
        case .thumbsUp, .twoThumbsUp: .thumbsUp
        case .thumbsDown, .twoThumbsDown: .thumbsDown
        case .victory, .twoVictories: .victory
        case .twoHorns: .horns
        case .heart: nil
        }
    }

    /// What one hand with `gesture` means on its own; nil for a lone sign of the horns.
    package init?(oneHand gesture: HandGesture) {
        switch gesture {
        case .thumbsUp: self = .thumbsUp
        case .thumbsDown: self = .thumbsDown
        case .victory: self = .victory
        case .horns: return nil
        }
    }

    /// What both hands of a person with the same `gesture` mean.
    package init(bothHands gesture: HandGesture) {
        switch gesture {
        case .thumbsUp: self = .twoThumbsUp
        case .thumbsDown: self = .twoThumbsDown
        case .victory: self = .twoVictories
        case .horns: self = .twoHorns
        }
    }

    /// The same sign made with the other number of hands: `.thumbsUp` ↔ `.twoThumbsUp`.
    package var counterpart: FrameGesture? {
        guard let handGesture else { return nil }
        return hands == 1 ? FrameGesture(bothHands: handGesture) : FrameGesture(oneHand: handGesture)
    }
}
