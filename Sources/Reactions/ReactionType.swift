/// A kind of reaction that can be shown over a video.
///
/// The names are those of AVFoundation's `AVCaptureReactionType`. The type is open: a custom effect described in a file
/// adds a type with that file's name.
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

    /// The eight built-in types, in a fixed order.
    public static let builtIn: [ReactionType] = [
        .thumbsUp, .thumbsDown, .balloons, .heart, .fireworks, .rain, .confetti, .lasers,
    ]

    /// The SF Symbols name of the type's icon in a user interface, after AVFoundation's
    /// `AVCaptureReactionType.systemImageName`.
    public var systemImageName: String {
        switch self {
        case .thumbsUp: "hand.thumbsup.fill"
        case .thumbsDown: "hand.thumbsdown.fill"
        case .balloons: "balloon.2.fill"
        case .heart: "heart.fill"
        case .fireworks: "fireworks"
        case .rain: "cloud.rain.fill"
        case .confetti: "party.popper.fill"
        case .lasers: "laser.burst"
        default: "sparkles"
        }
    }

    /// The gesture that triggers the type, if any.
    public var gesture: ReactionGesture? {
        ReactionGesture.allCases.first { $0.reactionType == self }
    }

    /// The type's name.
    public var description: String { rawValue }
}
