package import Reactions

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
