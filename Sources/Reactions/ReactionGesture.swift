/// What the hands of one person say, and the reaction it stands for.
///
/// The type is open: `flourish learn` adds gestures of your own (``OwnGesture``), which
/// have a name of their own.
public struct ReactionGesture: RawRepresentable, Sendable, Hashable, Codable, CaseIterable {
    /// The name in events and on the command line, such as `thumbsUp`.
    public let rawValue: String

    /// The gesture with a name, whether it was taught or not.
    ///
    /// - Returns: `nil` for what can be no name: one starts with a letter and goes on with
    ///   letters, digits, `-` and `_`, 40 of them at most.
    public init?(rawValue: String) {
        let isName = rawValue.utf8.enumerated().allSatisfy { index, byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"): index > 0
            default: false
            }
        }
        guard isName, (1...40).contains(rawValue.utf8.count) else { return nil }
        self.rawValue = rawValue
    }

    private init(_ name: String) { rawValue = name }

    /// One thumb up.
    public static let thumbsUp = ReactionGesture("thumbsUp")
    /// One thumb down.
    public static let thumbsDown = ReactionGesture("thumbsDown")
    /// Index and middle finger up and apart.
    public static let victory = ReactionGesture("victory")
    /// A heart formed by both hands.
    public static let heart = ReactionGesture("heart")
    /// Both hands of one person with their thumbs up.
    public static let twoThumbsUp = ReactionGesture("twoThumbsUp")
    /// Both hands of one person with their thumbs down.
    public static let twoThumbsDown = ReactionGesture("twoThumbsDown")
    /// Both hands of one person make the victory sign.
    public static let twoVictories = ReactionGesture("twoVictories")
    /// Both hands of one person make the sign of the horns.
    public static let twoHorns = ReactionGesture("twoHorns")

    /// The eight gestures that Flourish knows by itself, in a fixed order.
    public static let allCases: [ReactionGesture] = [
        .thumbsUp, .thumbsDown, .victory, .heart, .twoThumbsUp, .twoThumbsDown, .twoVictories, .twoHorns,
    ]

    /// The reaction that the gesture triggers unless a ``Configuration`` says otherwise; of a
    /// gesture of your own, of which only the name is known here, the type of that name.
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
        default: ReactionType(rawValue: rawValue)
        }
    }

    /// How many hands it takes: 1 or 2. Of a gesture of your own see ``OwnGesture/handCount``.
    public var handCount: Int {
        switch self {
        case .heart, .twoThumbsUp, .twoThumbsDown, .twoVictories, .twoHorns: 2
        default: 1
        }
    }
}

/// What one hand on its own shows.
public struct HandSign: RawRepresentable, Sendable, Hashable, Codable, CaseIterable {
    /// The name of `gesture` in each hand of `inspect --json`.
    public let rawValue: String

    /// The sign with a name: one of ``allCases``, or a gesture of your own.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A thumb up.
    public static let thumbsUp = HandSign(rawValue: "thumbsUp")
    /// A thumb down.
    public static let thumbsDown = HandSign(rawValue: "thumbsDown")
    /// Index and middle finger up and apart.
    public static let victory = HandSign(rawValue: "victory")
    /// Index and little finger up.
    public static let horns = HandSign(rawValue: "horns")

    /// The signs that Flourish knows by itself, in a fixed order.
    public static let allCases: [HandSign] = [.thumbsUp, .thumbsDown, .victory, .horns]
}

/// A gesture that is being held and does not count yet.
public struct GestureHold: Sendable, Hashable, Codable {
    /// What the hands say.
    public var gesture: ReactionGesture
    /// How much of the time is over for which it must be held, 0…1.
    public var progress: Double

    /// A gesture and how far its hold has come.
    public init(gesture: ReactionGesture, progress: Double) {
        self.gesture = gesture
        self.progress = progress
    }
}

/// How readily gestures fire: how sure the recognition must be of a gesture over the time for which it is held.
public enum Sensitivity: String, Sendable, Hashable, Codable, CaseIterable {
    /// Fewer reactions that nobody meant; a gesture that is hard to see may be missed.
    case low
    /// What is built in.
    case normal
    /// Fewer gestures that are missed; more reactions that nobody meant.
    case high
}

/// A place in the upright picture: (0, 0) is its upper left corner, (1, 1) its lower right.
public struct PicturePoint: Sendable, Hashable, Codable {
    /// From the left edge, 0, to the right one, 1.
    public var x: Double
    /// From the upper edge, 0, to the lower one, 1.
    public var y: Double

    /// A place by its fractions of the picture.
    public init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }
}
