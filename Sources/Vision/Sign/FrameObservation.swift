package import Reactions

/// A gesture of one hand, or of two hands together, that can trigger a reaction.
///
/// A frame gesture consists of a ``ReactionGesture``, which is its name, and the number of hands that make the gesture.
/// The built-in gestures follow from the declarations of `ReactionGesture`.
package struct FrameGesture: Sendable, Hashable, CaseIterable {
    /// The gesture's name in events and settings.
    package let name: ReactionGesture
    /// The number of hands that take part: 1 or 2.
    package let hands: Int
    /// True if it is a custom gesture.
    let isLearned: Bool
    /// The gesture of one hand that each hand makes; nil for the heart and for custom gestures.
    package let handGesture: HandGesture?

    /// The built-in gestures, in a fixed order.
    package static let allCases: [FrameGesture] = ReactionGesture.Declaration.all.map(FrameGesture.init)

    package static let thumbsUp = FrameGesture(builtIn: .thumbsUp)
    package static let thumbsDown = FrameGesture(builtIn: .thumbsDown)
    package static let victory = FrameGesture(builtIn: .victory)
    /// A heart formed by both hands.
    package static let heart = FrameGesture(builtIn: .heart)
    static let twoThumbsUp = FrameGesture(builtIn: .twoThumbsUp)
    static let twoThumbsDown = FrameGesture(builtIn: .twoThumbsDown)
    static let twoVictories = FrameGesture(builtIn: .twoVictories)
    static let twoHorns = FrameGesture(builtIn: .twoHorns)

    /// A custom gesture, made by one hand or by both alike.
    package static func learned(_ name: ReactionGesture, hands: Int) -> FrameGesture {
        FrameGesture(name: name, hands: hands, isLearned: true, handGesture: nil)
    }

    private init(name: ReactionGesture, hands: Int, isLearned: Bool, handGesture: HandGesture?) {
        self.name = name
        self.hands = hands
        self.isLearned = isLearned
        self.handGesture = handGesture
    }

    private init(_ declaration: ReactionGesture.Declaration) {
        self.init(
            name: declaration.gesture, hands: declaration.handCount, isLearned: false,
            handGesture: declaration.sign.flatMap { HandGesture(rawValue: $0.rawValue) })
    }

    private init(builtIn name: ReactionGesture) { self.init(name.declaration!) }

    /// Creates the built-in gesture with a name.
    package init?(_ name: ReactionGesture) {
        guard let declaration = name.declaration else { return nil }
        self.init(declaration)
    }

    /// Creates the frame gesture that one hand with `gesture` makes; nil for horns, which need both hands.
    package init?(oneHand gesture: HandGesture) { self.init(gesture, hands: 1) }

    /// Creates the frame gesture that both hands of a person make with the same `gesture`.
    package init?(bothHands gesture: HandGesture) { self.init(gesture, hands: 2) }

    private init?(_ gesture: HandGesture, hands: Int) {
        guard let found = Self.allCases.first(where: { $0.handGesture == gesture && $0.hands == hands }) else {
            return nil
        }
        self = found
    }

    /// The name as text.
    package var rawValue: String { name.rawValue }

    /// The gesture of the same sign made with the other number of hands: `.thumbsUp` ↔ `.twoThumbsUp`.
    var counterpart: FrameGesture? {
        handGesture.flatMap { FrameGesture($0, hands: hands == 1 ? 2 : 1) }
    }
}

/// The classification of one hand.
package struct HandReading: Sendable, Hashable {
    /// The gesture; nil if the hand shows none.
    package var gesture: HandGesture?
    /// The confidence of ``gesture`` or, without one, of the likeliest gesture: 0…1.
    package var confidence: Double
    /// The reason why there is no gesture, in words for the user: "thumb 48° off vertical". Nil with a gesture.
    package var reason: String?
    /// The custom gesture that the hand makes, if it makes no built-in one.
    package var learned: FrameGesture?
    /// The maximum score of a gesture by landmarks alone, 0…1. The value determines whether the hand is analysed
    /// closely. The hand's picture is ignored here, because the hand may be about to form the gesture.
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

    /// The name of the gesture that the hand makes.
    package var sign: String? { learned?.rawValue ?? gesture?.rawValue }
}

/// A gesture that a frame shows, with its place and its hands.
package struct GestureCandidate: Sendable, Hashable {
    package var gesture: FrameGesture
    /// The confidence, 0…1. For two hands it is the lower confidence of both.
    package var confidence: Double
    /// The hand's centre, or the point halfway between two hands.
    package var origin: PicturePoint
    /// The palm's length as a fraction of the picture's width (`x`) and of its height (`y`): the unit of movement. 0 if
    /// unknown.
    package var palmLength: PicturePoint
    /// The track numbers of the hands that take part; empty if unknown.
    var tracks: [Int]
    /// The place of each hand of the gesture, from left to right; empty if uncertain, as with a heart.
    var spots: [HandSpot]

    init(
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

    /// Returns whether any hand with one of the track numbers `others` takes part. The result is true if the numbers
    /// are unknown.
    func mayBe(_ others: [Int]) -> Bool {
        tracks.isEmpty || others.isEmpty || tracks.contains(where: others.contains)
    }

    /// Returns the distance of the candidate's place from `point` in palm lengths; 0 if the length is unknown.
    func distance(to point: PicturePoint) -> Double {
        origin.distance(to: point, palmLength: palmLength)
    }
}

/// The gestures in one analysed frame: the input of ``GestureStateMachine``.
package struct FrameObservation: Sendable, Hashable {
    /// The classification of each hand, in the order in which the hands were given.
    package var hands: [HandReading] = []
    /// Every gesture in the frame. Gestures of two hands precede gestures of a single hand; the order is then by
    /// confidence. Two people may show the same gesture.
    package var candidates: [GestureCandidate] = []
    /// The reason why ``candidates`` is empty, in words for the user. Nil with a gesture.
    package var reason: String?
    /// The speech around the time of the frame.
    package var speech = RecentSpeech()

    /// The leading gesture of the frame.
    package var gesture: FrameGesture? { candidates.first?.gesture }
    /// The confidence of ``gesture``: 0…1.
    package var confidence: Double { candidates.first?.confidence ?? 0 }
    /// The place of ``gesture``.
    package var origin: PicturePoint? { candidates.first?.origin }

    /// Returns the candidate of a gesture with the greatest confidence.
    package subscript(gesture: FrameGesture) -> GestureCandidate? {
        candidates.first { $0.gesture == gesture }
    }

    /// Returns the candidate of a gesture that is shown by the hands with the given track numbers; otherwise the
    /// candidate with the greatest confidence.
    func candidate(of gesture: FrameGesture, by tracks: [Int]) -> GestureCandidate? {
        candidates.first { $0.gesture == gesture && $0.mayBe(tracks) } ?? self[gesture]
    }
}

/// The times at which someone spoke recently, as far as they are known.
package struct RecentSpeech: Sendable, Hashable {
    /// The intervals in which someone spoke, in seconds of the video and in order.
    package var intervals: [ClosedRange<Double>]
    /// The time until which speech is known. The sound of a stream may arrive after its pictures.
    package var end: Double

    package init(intervals: [ClosedRange<Double>] = [], end: Double = -.infinity) {
        (self.intervals, self.end) = (intervals, end)
    }

    /// Returns the share of an interval in which someone spoke, 0…1, as far as it is known.
    package func share(of interval: ClosedRange<Double>) -> Double {
        let known = min(interval.upperBound, end) - interval.lowerBound
        guard known > 0 else { return 0 }
        let spoken = intervals.reduce(0) { sum, speech in
            sum + max(0, min(speech.upperBound, interval.upperBound) - max(speech.lowerBound, interval.lowerBound))
        }
        return min(spoken / known, 1)
    }
}

extension ReactionGesture {
    /// The one-hand gesture with the same sign as this two-hand gesture; `nil` if there is none, and for a one-hand
    /// gesture.
    package var sameWithOneHand: ReactionGesture? {
        guard let gesture = FrameGesture(self), gesture.hands == 2 else { return nil }
        return gesture.counterpart?.name
    }
}
