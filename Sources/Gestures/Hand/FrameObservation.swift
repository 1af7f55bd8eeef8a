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

/// What the classifier says of one hand.
package struct HandReading: Sendable, Hashable {
    /// The gesture, or nil when the hand shows none.
    package var gesture: HandGesture?
    /// How sure the classifier is of ``gesture``, or, when there is none, how near the
    /// hand came to its likeliest one: 0…1.
    package var confidence: Double
    /// Why there is no gesture, for people: "thumb 48° off vertical". Nil with a gesture.
    package var reason: String?
    /// The gesture of somebody's own that the hand makes, where it makes no other.
    package var learned: FrameGesture?
    /// How near the hand's points alone come to a gesture, 0…1: by it a hand is looked at closely or not. A picture
    /// that shows no gesture may be that of a hand which is just closing.
    package var nearness: Double

    package init(
        gesture: HandGesture?, confidence: Double, reason: String? = nil, learned: FrameGesture? = nil,
        nearness: Double? = nil
    ) {
        self.nearness = nearness ?? confidence
        self.gesture = gesture
        self.confidence = confidence
        self.reason = reason
        self.learned = learned
    }

    /// The name of what the hand makes.
    package var sign: String? { learned?.rawValue ?? gesture?.rawValue }
}

/// A gesture that a frame shows.
package struct GestureCandidate: Sendable, Hashable {
    package var gesture: FrameGesture
    /// 0…1; of two hands, the less sure one's.
    package var confidence: Double
    /// The hand's centre, or the point halfway between two hands.
    package var origin: PicturePoint
    /// The palm's length as a fraction of the picture's width (`x`) and of its height
    /// (`y`): by it, moving is told from holding still. 0 where it is not known.
    package var palmLength: PicturePoint
    /// The numbers of the hands that take part; empty where they are not known.
    package var tracks: [Int]
    /// Where each hand is that takes part, from left to right; empty where it is not known for sure, as of a heart's.
    package var spots: [HandSpot]

    package init(
        gesture: FrameGesture, confidence: Double, origin: PicturePoint,
        palmLength: PicturePoint = PicturePoint(x: 0, y: 0), tracks: [Int] = [], spots: [HandSpot] = []
    ) {
        self.gesture = gesture
        self.confidence = confidence
        self.origin = origin
        self.palmLength = palmLength
        self.tracks = tracks
        self.spots = spots.sorted { $0.centre.x < $1.centre.x }
    }

    /// Whether hands numbered `others` take part, too; true where numbers are not known.
    func mayBe(_ others: [Int]) -> Bool {
        tracks.isEmpty || others.isEmpty || tracks.contains(where: others.contains)
    }

    /// How many palm lengths this one's place is from `point`; 0 where the length is not
    /// known.
    func distance(to point: PicturePoint) -> Double {
        origin.distance(to: point, palmLength: palmLength)
    }
}

/// What one analysed frame shows: the input of ``GestureStateMachine``.
package struct FrameObservation: Sendable, Hashable {
    /// One reading for each hand, in the order in which the hands were given.
    package var hands: [HandReading]
    /// Every gesture shown, the leading one first: a gesture of two hands before one of
    /// a single hand, then the surer one. Two people may show the same one.
    package var candidates: [GestureCandidate]
    /// Why ``candidates`` is empty, for people. Nil with a gesture.
    package var reason: String?

    package init(
        hands: [HandReading] = [], candidates: [GestureCandidate] = [], reason: String? = nil
    ) {
        self.hands = hands
        self.candidates = candidates
        self.reason = reason
    }

    /// The leading gesture of the frame.
    package var gesture: FrameGesture? { candidates.first?.gesture }
    /// How sure ``gesture`` is: 0…1.
    package var confidence: Double { candidates.first?.confidence ?? 0 }
    /// Where ``gesture`` is.
    package var origin: PicturePoint? { candidates.first?.origin }

    /// The surest sight of a gesture.
    package subscript(gesture: FrameGesture) -> GestureCandidate? {
        candidates.first { $0.gesture == gesture }
    }

    /// The sight of a gesture by the hands that hold it, if they still show it; else the surest.
    func sight(of gesture: FrameGesture, by tracks: [Int]) -> GestureCandidate? {
        candidates.first { $0.gesture == gesture && $0.mayBe(tracks) } ?? self[gesture]
    }
}
