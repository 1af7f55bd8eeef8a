package import Reactions

/// What the hands of one frame show together: the gestures that reactions answer.
///
/// A ``ReactionGesture`` is the name of one; this also knows the hands that make it.
package enum FrameGesture: Sendable, Hashable, CaseIterable {
    case thumbsUp, thumbsDown, victory
    /// A heart formed by both hands.
    case heart
    case twoThumbsUp, twoThumbsDown, twoVictories, twoHorns
    /// A gesture of somebody's own, made by one hand or by both alike.
    case learned(ReactionGesture, hands: Int)

    /// The gestures that are built in, in a fixed order.
    package static let allCases: [FrameGesture] = [
        .thumbsUp, .thumbsDown, .victory, .heart, .twoThumbsUp, .twoThumbsDown, .twoVictories, .twoHorns,
    ]

    /// The built-in gesture with a name.
    package init?(_ name: ReactionGesture) {
        guard let gesture = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = gesture
    }

    /// What events and settings call it.
    package var name: ReactionGesture {
        switch self {
        case .thumbsUp: .thumbsUp
        case .thumbsDown: .thumbsDown
        case .victory: .victory
        case .heart: .heart
        case .twoThumbsUp: .twoThumbsUp
        case .twoThumbsDown: .twoThumbsDown
        case .twoVictories: .twoVictories
        case .twoHorns: .twoHorns
        case .learned(let name, _): name
        }
    }

    /// The name as text.
    package var rawValue: String { name.rawValue }

    /// Whether it is one of somebody's own.
    package var isLearned: Bool {
        if case .learned = self { true } else { false }
    }

    /// How many hands take part: 1 or 2.
    package var hands: Int {
        switch self {
        case .thumbsUp, .thumbsDown, .victory: 1
        case .heart, .twoThumbsUp, .twoThumbsDown, .twoVictories, .twoHorns: 2
        case .learned(_, let hands): hands
        }
    }

    /// The gesture of one hand that both hands make, or nil for the heart and for learned
    /// gestures.
    package var handGesture: HandGesture? {
        switch self {
        case .thumbsUp, .twoThumbsUp: .thumbsUp
        case .thumbsDown, .twoThumbsDown: .thumbsDown
        case .victory, .twoVictories: .victory
        case .twoHorns: .horns
        case .heart, .learned: nil
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
