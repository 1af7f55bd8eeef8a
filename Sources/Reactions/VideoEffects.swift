/// The effects on the whole video, independent of reactions.
///
/// ```swift
/// var configuration = Configuration()
/// configuration.videoEffects.background = .blur(Background.usualBlur)
/// ```
public struct VideoEffects: Sendable, Hashable, Codable {
    /// The background, behind people.
    public var background: Background
    /// The strength of the light on faces, and of the darkness of the background, 0…1; 0 for none.
    public var studioLight: Double
    /// The strength with which a virtual camera follows people, 0…1; 0 for the whole picture. See ``PictureCrop``.
    public var autoFraming: Double

    /// The strength of Portrait if none is given.
    public static let usualPortrait = Background.usualBlur
    /// The strength of Studio Light if none is given.
    public static let usualStudioLight = 0.5
    /// The strength of auto framing if none is given.
    public static let usualAutoFraming = 0.6

    /// Creates video effects. By default, there are none.
    public init(portrait: Double = 0, studioLight: Double = 0, autoFraming: Double = 0) {
        (background, self.studioLight, self.autoFraming) = (.unchanged, studioLight, autoFraming)
        self.portrait = portrait
    }

    /// Creates video effects with a background.
    public init(background: Background, studioLight: Double = 0, autoFraming: Double = 0) {
        (self.background, self.studioLight, self.autoFraming) = (background, studioLight, autoFraming)
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
    public var isOff: Bool { !segmentsPeople && autoFraming <= 0 }

    /// True if the effects need a mask of people.
    package var segmentsPeople: Bool { background.replaces || portrait > 0 || studioLight > 0 }
}

extension VideoEffects {
    private enum CodingKeys: String, CodingKey { case background, portrait, studioLight, autoFraming }

    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            portrait: try fields.decodeIfPresent(Double.self, forKey: .portrait) ?? 0,
            studioLight: try fields.decodeIfPresent(Double.self, forKey: .studioLight) ?? 0,
            autoFraming: try fields.decodeIfPresent(Double.self, forKey: .autoFraming) ?? 0)
        if let background = try fields.decodeIfPresent(Background.self, forKey: .background) {
            self.background = background
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(background, forKey: .background)
        try fields.encode(portrait, forKey: .portrait)
        try fields.encode(studioLight, forKey: .studioLight)
        try fields.encode(autoFraming, forKey: .autoFraming)
    }
}
