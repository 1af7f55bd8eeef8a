/// The effects on the whole video, independent of reactions.
///
/// ```swift
/// var configuration = Configuration()
/// configuration.videoEffects.portrait = VideoEffects.usualPortrait
/// ```
public struct VideoEffects: Sendable, Hashable, Codable {
    /// The strength with which the background is out of focus, 0…1; 0 for none.
    public var portrait: Double
    /// The strength of the light on faces, and of the darkness of the background, 0…1; 0 for none.
    public var studioLight: Double
    /// The strength with which a virtual camera follows people, 0…1; 0 for the whole picture. See ``PictureCrop``.
    public var autoFraming: Double

    /// The strength of Portrait if none is given.
    public static let usualPortrait = 0.6
    /// The strength of Studio Light if none is given.
    public static let usualStudioLight = 0.5
    /// The strength of auto framing if none is given.
    public static let usualAutoFraming = 0.6

    /// Creates video effects. By default, there are none.
    public init(portrait: Double = 0, studioLight: Double = 0, autoFraming: Double = 0) {
        (self.portrait, self.studioLight, self.autoFraming) = (portrait, studioLight, autoFraming)
    }

    /// True if the video is unchanged.
    public var isOff: Bool { !segmentsPeople && autoFraming <= 0 }

    /// True if the effects need a mask of people.
    package var segmentsPeople: Bool { portrait > 0 || studioLight > 0 }
}
