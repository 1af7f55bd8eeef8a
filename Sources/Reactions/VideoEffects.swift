/// The effects on the whole video, independent of reactions.
///
/// ```swift
/// var configuration = Configuration()
/// configuration.videoEffects.background = .blur(Background.usualBlur)
/// ```
public struct VideoEffects: Sendable, Hashable, Codable {
    /// What is shown behind people.
    public var background: Background
    /// The strength of the light on faces, and of the darkness of the background, 0…1; 0 for none.
    public var studioLight: Double

    /// The strength of Portrait if none is given.
    public static let usualPortrait = Background.usualBlur
    /// The strength of Studio Light if none is given.
    public static let usualStudioLight = 0.5

    /// Creates video effects. By default, there are none.
    public init(portrait: Double = 0, studioLight: Double = 0) {
        (background, self.studioLight) = (.unchanged, studioLight)
        self.portrait = portrait
    }

    /// Creates video effects with a background.
    public init(background: Background, studioLight: Double = 0) {
        (self.background, self.studioLight) = (background, studioLight)
    }

    /// The strength with which the background is out of focus, 0…1; 0 for none. It is the strength of
    /// ``Background/blur(_:)``; setting it to 0 keeps every other background.
    public var portrait: Double {
        get { if case .blur(let strength) = background { strength } else { 0 } }
        set {
            if newValue > 0 {
                background = .blur(newValue)
            } else if case .blur = background {
                background = .unchanged
            }
        }
    }

    /// True if the video is unchanged.
    public var isOff: Bool { !background.replaces && portrait <= 0 && studioLight <= 0 }
}

extension VideoEffects {
    private enum CodingKeys: String, CodingKey { case background, portrait, studioLight }

    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            portrait: try fields.decodeIfPresent(Double.self, forKey: .portrait) ?? 0,
            studioLight: try fields.decodeIfPresent(Double.self, forKey: .studioLight) ?? 0)
        if let background = try fields.decodeIfPresent(Background.self, forKey: .background) {
            self.background = background
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(background, forKey: .background)
        try fields.encode(portrait, forKey: .portrait)
        try fields.encode(studioLight, forKey: .studioLight)
    }
}
