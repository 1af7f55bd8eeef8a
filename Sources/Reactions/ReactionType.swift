/// A kind of reaction that can be shown over a video.
///
/// The names equal those of AVFoundation's `AVCaptureReactionType`. The type is open: a custom effect described in a
/// file adds a type with that file's name.
///
/// ```swift
/// let sparkle = ReactionType(rawValue: "sparkle")  // the effect described in sparkle.json
/// try session.performEffect(for: sparkle)
/// ```
public struct ReactionType: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
    /// The name in events and on the command line, such as `thumbsUp`.
    public let rawValue: String

    /// Creates the type with a name, whether an effect is installed for it or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A hand with its thumb up, in a bubble beside the hand.
    public static let thumbsUp = ReactionType(rawValue: "thumbsUp")
    /// A hand with its thumb down, in a bubble beside the hand.
    public static let thumbsDown = ReactionType(rawValue: "thumbsDown")
    /// Balloons rise from below.
    public static let balloons = ReactionType(rawValue: "balloons")
    /// A large heart swells from between the hands; smaller ones float up.
    public static let heart = ReactionType(rawValue: "heart")
    /// The room goes dark and rockets burst.
    public static let fireworks = ReactionType(rawValue: "fireworks")
    /// Clouds roll in and it rains.
    public static let rain = ReactionType(rawValue: "rain")
    /// Cannons fire paper from the corners.
    public static let confetti = ReactionType(rawValue: "confetti")
    /// Fans of light sweep through haze.
    public static let lasers = ReactionType(rawValue: "lasers")

    /// A built-in type and its presentation.
    package struct Declaration: Sendable {
        package let type: ReactionType
        /// The SF Symbols name of its icon.
        package let symbol: String
        /// The effect's name in the introduction of `flourish --help`, as a plural.
        package let nouns: String
        /// The colour of the type on the timeline of `flourish review`, as in `#e0a100`.
        package let colour: String

        private init(_ type: ReactionType, symbol: String, nouns: String, colour: String) {
            self.type = type
            self.symbol = symbol
            self.nouns = nouns
            self.colour = colour
        }

        /// The built-in types in a fixed order: the only list of them.
        ///
        /// Help texts, completions, pages and style sheets follow from it. After a change:
        /// `FLOURISH_UPDATE_PAGES=1 Scripts/test --filter DeclaredListsTests`
        package static let all = [
            Declaration(.thumbsUp, symbol: "hand.thumbsup.fill", nouns: "thumbs", colour: "#e0a100"),
            Declaration(.thumbsDown, symbol: "hand.thumbsdown.fill", nouns: "thumbs", colour: "#b07a34"),
            Declaration(.balloons, symbol: "balloon.2.fill", nouns: "balloons", colour: "#e5484d"),
            Declaration(.heart, symbol: "heart.fill", nouns: "hearts", colour: "#e93d82"),
            Declaration(.fireworks, symbol: "fireworks", nouns: "fireworks", colour: "#8e4ec6"),
            Declaration(.rain, symbol: "cloud.rain.fill", nouns: "rain", colour: "#0091d5"),
            Declaration(.confetti, symbol: "party.popper.fill", nouns: "confetti", colour: "#30a46c"),
            Declaration(.lasers, symbol: "laser.burst", nouns: "lasers", colour: "#12a594"),
        ]
    }

    /// The built-in types, in a fixed order.
    ///
    /// ```swift
    /// for type in ReactionType.builtIn { print(type, type.systemImageName ?? "–") }
    /// ```
    public static let builtIn: [ReactionType] = Declaration.all.map(\.type)

    /// The built-in effects as an English list: "balloons, confetti, … and thumbs".
    package static let builtInNouns: String = {
        let nouns = Set(Declaration.all.map(\.nouns)).sorted()
        return nouns.dropLast().joined(separator: ", ") + " and " + nouns.last!
    }()

    /// The SF Symbols name of the type's icon in a user interface, after AVFoundation's
    /// `AVCaptureReactionType.systemImageName`; `nil` for the user's own effects.
    public var systemImageName: String? { Declaration.all.first { $0.type == self }?.symbol }

    /// The gesture that triggers the type, if any.
    ///
    /// ```swift
    /// print(ReactionType.fireworks.gesture?.rawValue ?? "none")  // twoThumbsUp
    /// ```
    public var gesture: ReactionGesture? {
        ReactionGesture.allCases.first { $0.reactionType == self }
    }

    /// The words of the name: `thumbs up` for `thumbsUp`; the words that ``text`` shows.
    package var words: String {
        if let text { return text }
        return rawValue.reduce(into: "") { text, letter in
            text += letter.isUppercase && !text.isEmpty ? " " + letter.lowercased() : String(letter)
        }
    }

    /// The type's name.
    public var description: String { rawValue }
}

/// Reactions that show words.
extension ReactionType {
    private static let textPrefix = "text:"

    /// The maximum number of characters of the words, as a reader counts them.
    package static let greatestTextLength = 60

    /// Returns the type that shows words in a bubble beside the hand. No file is needed for it.
    ///
    /// ```swift
    /// configuration.scheduledReactions = [ScheduledReaction(.text("Well done"), at: 12)]
    /// ```
    ///
    /// - Parameter words: At most 60 characters, without control characters. Longer words are refused when the run
    ///   starts.
    public static func text(_ words: String) -> ReactionType { ReactionType(rawValue: textPrefix + words) }

    /// The words that the type shows; `nil` for all other types.
    ///
    /// ```swift
    /// print(ReactionType.text("Well done").text ?? "none")  // Well done
    /// ```
    public var text: String? {
        rawValue.hasPrefix(Self.textPrefix) ? String(rawValue.dropFirst(Self.textPrefix.count)) : nil
    }
}
