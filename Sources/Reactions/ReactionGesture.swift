/// A gesture of the hands of one person, and the reaction that it triggers.
///
/// The type is open: `flourish learn` adds custom gestures (``OwnGesture``), each with its own name.
///
/// ```swift
/// var configuration = Configuration()
/// configuration.disabledGestures = [.thumbsDown, .twoThumbsDown]
/// configuration.bindings[.victory] = .confetti
/// ```
public struct ReactionGesture: RawRepresentable, Sendable, Hashable, Codable, CaseIterable {
    /// The name in events and on the command line, such as `thumbsUp`.
    public let rawValue: String

    /// Creates the gesture with a name, built-in or custom.
    ///
    /// ```swift
    /// if let three = ReactionGesture(rawValue: "three") {
    ///     session.setGesture(three, enabled: false)
    /// }
    /// ```
    ///
    /// - Returns: `nil` for an invalid name. A name starts with a letter, followed by letters, digits, `-` and `_`, and
    ///   has at most 40 characters.
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

    /// A built-in gesture with its signs and its reaction.
    package struct Declaration: Sendable {
        package let gesture: ReactionGesture
        /// The sign that each hand makes; `nil` if only both hands together make one.
        package let sign: HandSign?
        package let handCount: Int
        package let reactionType: ReactionType
        /// The gesture's name on the pages of `flourish review` and of the panel.
        package let title: String

        private init(
            _ gesture: ReactionGesture, _ sign: HandSign?, hands: Int, _ reactionType: ReactionType, _ title: String
        ) {
            self.gesture = gesture
            self.sign = sign
            handCount = hands
            self.reactionType = reactionType
            self.title = title
        }

        /// The built-in gestures in a fixed order: the only list of them.
        ///
        /// Settings, options, recognition and pages follow from it. After a change:
        /// `FLOURISH_UPDATE_PAGES=1 Scripts/test --filter DeclaredListsTests`
        package static let all = [
            Declaration(.thumbsUp, .thumbsUp, hands: 1, .thumbsUp, "Thumbs up"),
            Declaration(.thumbsDown, .thumbsDown, hands: 1, .thumbsDown, "Thumbs down"),
            Declaration(.victory, .victory, hands: 1, .balloons, "Victory"),
            Declaration(.heart, nil, hands: 2, .heart, "Heart"),
            Declaration(.twoThumbsUp, .thumbsUp, hands: 2, .fireworks, "Both thumbs up"),
            Declaration(.twoThumbsDown, .thumbsDown, hands: 2, .rain, "Both thumbs down"),
            Declaration(.twoVictories, .victory, hands: 2, .confetti, "Victory with both hands"),
            Declaration(.twoHorns, .horns, hands: 2, .lasers, "Horns with both hands"),
        ]
    }

    /// The built-in gestures, in a fixed order.
    ///
    /// ```swift
    /// for gesture in ReactionGesture.allCases {
    ///     print(gesture.rawValue, gesture.handCount, gesture.reactionType)
    /// }
    /// ```
    public static let allCases: [ReactionGesture] = Declaration.all.map(\.gesture)

    /// The gesture's declaration; `nil` for a custom gesture.
    package var declaration: Declaration? { Declaration.all.first { $0.gesture == self } }

    /// The reaction that the gesture triggers unless a ``Configuration`` overrides it. A custom gesture triggers the
    /// type with its own name, since only the name is known here.
    public var reactionType: ReactionType { declaration?.reactionType ?? ReactionType(rawValue: rawValue) }

    /// The number of hands: 1 or 2. For a custom gesture see ``OwnGesture/handCount``.
    public var handCount: Int { declaration?.handCount ?? 1 }
}

/// The sign of a single hand.
///
/// ```swift
/// let isUp = hand.gesture == .thumbsUp
/// ```
public struct HandSign: RawRepresentable, Sendable, Hashable, Codable, CaseIterable {
    /// The name, as in the field `gesture` of a hand in the output of `flourish inspect --json`.
    public let rawValue: String

    /// Creates the sign with a name: one of ``allCases``, or a custom gesture.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A thumb up.
    public static let thumbsUp = HandSign(rawValue: "thumbsUp")
    /// A thumb down.
    public static let thumbsDown = HandSign(rawValue: "thumbsDown")
    /// Index and middle finger up and apart.
    public static let victory = HandSign(rawValue: "victory")
    /// Index and little finger up.
    public static let horns = HandSign(rawValue: "horns")

    /// The built-in signs, in a fixed order.
    public static let allCases: [HandSign] = names.map(\.sign)

    /// The built-in signs and their names in texts, in a fixed order.
    package static let names: [(sign: HandSign, name: String)] = [
        (.thumbsUp, "thumb up"), (.thumbsDown, "thumb down"), (.victory, "victory"), (.horns, "sign of the horns"),
    ]
}

/// A gesture that is being held and has not fired yet.
///
/// ```swift
/// if let hold = session.gestureHold {
///     print("\(hold.gesture.rawValue): \(Int(hold.progress * 100)) % of the hold")
/// }
/// ```
public struct GestureHold: Sendable, Hashable, Codable {
    /// The gesture.
    public var gesture: ReactionGesture
    /// The progress of the hold, 0…1.
    public var progress: Double

    /// Creates a hold of a gesture with its progress.
    public init(gesture: ReactionGesture, progress: Double) {
        self.gesture = gesture
        self.progress = progress
    }
}

/// The pictures in which a ring beside the hand fills while a gesture is held.
///
/// ```swift
/// configuration.holdRing = .preview
/// ```
public enum HoldRingVisibility: String, Sendable, Hashable, Codable, CaseIterable {
    /// Only previews, such as those of the panel. The video is not changed.
    case preview
    /// The video, and so its previews as well.
    case output
    /// No picture.
    case off
}

/// The effect of speech on gestures. People who talk move their hands, and some of these movements look like gestures.
///
/// ```swift
/// configuration.speechPolicy = .holdLonger
/// ```
public enum SpeechPolicy: String, Sendable, Hashable, Codable, CaseIterable {
    /// Gestures trigger reactions whether or not someone speaks.
    case allow
    /// A gesture must be held twice as long while someone speaks.
    case holdLonger = "hold-longer"
    /// Gestures trigger nothing while someone speaks.
    case ignore
}

/// The sensitivity of gestures: the confidence that the recognition must reach during the hold.
///
/// ```swift
/// configuration.sensitivity = .low
/// configuration.sensitivities[.heart] = .high
/// ```
public enum Sensitivity: String, Sendable, Hashable, Codable, CaseIterable {
    /// Fewer false triggers; a gesture that is hard to see may be missed.
    case low
    /// The default.
    case normal
    /// Fewer missed gestures; more false triggers.
    case high
}

/// A place in the upright picture: (0, 0) is its upper left corner, (1, 1) its lower right.
///
/// ```swift
/// let upperRight = PicturePoint(x: 0.9, y: 0.1)
/// try session.performEffect(for: .heart, at: upperRight)
/// ```
public struct PicturePoint: Sendable, Hashable, Codable {
    /// The distance from the left edge, 0, to the right one, 1.
    public var x: Double
    /// The distance from the upper edge, 0, to the lower one, 1.
    public var y: Double

    /// Creates a place from fractions of the picture.
    public init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }
}
