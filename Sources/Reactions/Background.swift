/// The background of a video, behind people.
///
/// ```swift
/// var configuration = Configuration()
/// configuration.videoEffects.background = .blur(0.6)
/// configuration.videoEffects.background = try Background("#00b140")
/// configuration.videoEffects.background = .file("/home/me/beach.jpg")
/// ```
public enum Background: Sendable, Hashable {
    /// The video's own background.
    case unchanged
    /// The video's own background out of focus. The strength is 0…1.
    case blur(Double)
    /// A colour, as in `#00b140`.
    case colour(String)
    /// The path of a picture, or of a video that repeats.
    case file(String)
    /// None: people are on a transparent background. Only outputs with alpha hold it.
    case transparent

    /// The strength of a blur if none is given.
    public static let usualBlur = 0.6
}

extension Background {
    /// Creates a background from a text: `none`, `blur`, `blur:0.6`, a colour such as `#00b140`, `transparent`, or the
    /// path of a picture or a video. A path contains a slash or a dot.
    ///
    /// - Throws: ``FlourishError/Code/usage`` for any other text.
    public init(_ text: String) throws(FlourishError) {
        guard let background = Background(accepted: text) else {
            throw FlourishError(.usage, "the background must be \(Self.expectation), not \"\(text.prefix(80))\"")
        }
        self = background
    }

    /// The text from which the background is created.
    public var text: String {
        switch self {
        case .unchanged: "none"
        case .blur(let strength): "blur:\(strength.plainText)"
        case .colour(let colour): colour
        case .file(let path): path
        case .transparent: "transparent"
        }
    }

    /// The text, with the name of a file instead of its path.
    public var name: String {
        if case .file(let path) = self { String(path.split(separator: "/").last ?? "") } else { text }
    }

    /// The accepted texts, as the end of a sentence with "must be".
    package static let expectation =
        "none, blur:0.6 (0 to 1), a colour such as \"#00b140\", transparent, or the path of a picture or a video"

    /// Creates a background from a text; `nil` if it stands for none.
    package init?(accepted text: String) {
        switch text {
        case "none": self = .unchanged
        case "transparent": self = .transparent
        case "blur": self = .blur(Self.usualBlur)
        case _ where text.hasPrefix("blur:"):
            guard let strength = Double(text.dropFirst("blur:".count)), (0...1).contains(strength) else { return nil }
            self = strength > 0 ? .blur(strength) : .unchanged
        case _ where text.hasPrefix("#"):
            guard let colour = EffectColour(hex: text.lowercased()) else { return nil }
            self = .colour(colour.hex)
        case _ where text.contains("/") || text.contains("."): self = .file(text)
        default: return nil
        }
    }

    /// True if another background replaces the video's own.
    package var replaces: Bool {
        switch self {
        case .unchanged, .blur: false
        case .colour, .file, .transparent: true
        }
    }
}

extension VideoEffects {
    /// The background; `nil` if it is the video's own. Setting it to `nil` changes nothing.
    package var givenBackground: Background? {
        get { background == .unchanged ? nil : background }
        set { if let newValue { background = newValue } }
    }
}

extension Background: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let background = Background(accepted: text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(text) is no background")
        }
        self = background
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
