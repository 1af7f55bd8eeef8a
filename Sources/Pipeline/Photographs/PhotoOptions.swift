public import Reactions

/// Which photographs a run takes, and where they go.
public struct PhotoOptions: Sendable, Hashable {
    /// What a photograph of a reaction shows.
    public enum Content: String, Sendable, Hashable, CaseIterable {
        /// The video as it came, in full size.
        case clean
        /// The video with its effects, once those have unfolded.
        case withEffects
        /// A photograph of each.
        case both
    }

    /// The folder into which they are written, which is made where there is none; `nil` to hand them over only
    /// (``ReactionSession/capturePhoto(with:at:)``).
    public var folder: String?
    /// How much time a photograph may take for how it looks.
    public var photoQualityPrioritization = PhotoQualityPrioritization.balanced
    /// The most that may be asked of one photograph; asking for more is an error.
    public var maxPhotoQualityPrioritization = PhotoQualityPrioritization.quality
    /// The kind of file.
    public var processedFileType = PhotoFileType.jpeg
    /// What photographs of reactions show.
    public var content = Content.clean
    /// What one intends to take photographs with, so that a session says whether the scene is one for that
    /// (``ReactionSession/isFusionScene``, ``ReactionSession/isDarkScene``); nobody looks if `nil`.
    public var photoSettingsForSceneMonitoring: PhotoSettings?

    /// Balanced photographs as JPEG: of each reaction that a gesture triggers, where there is a folder for them.
    public init(folder: String? = nil) { self.folder = folder }
}
