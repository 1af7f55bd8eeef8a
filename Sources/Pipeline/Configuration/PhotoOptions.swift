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

    /// When a photograph of `quality` is finished.
    public enum DeferredDelivery: String, Sendable, Hashable, CaseIterable {
        /// Before it is delivered.
        case off
        /// A proxy is delivered, which shows the same instant as one frame; the photograph takes its place while no other
        /// is asked for, or else at the run's end.
        case idle
        /// A proxy is delivered; the photograph takes its place at the run's end.
        case end
        /// A proxy is delivered; the photograph takes its place when somebody asks for that (`PhotoDeveloper`).
        case later
    }

    /// The folder into which they are written, which is made where there is none; `nil` to hand them over only
    /// (``ReactionSession/capturePhoto(with:at:)``).
    public var folder: String?
    /// What names of files begin with; the input's name without its ending if `nil`.
    package var stem: String?
    /// How much time a photograph may take for how it looks.
    public var photoQualityPrioritization = PhotoQualityPrioritization.balanced
    /// The most that may be asked of one photograph; asking for more is an error.
    public var maxPhotoQualityPrioritization = PhotoQualityPrioritization.quality
    /// The kind of file.
    public var processedFileType = PhotoFileType.jpeg
    /// What photographs of reactions show.
    public var content = Content.clean
    /// When photographs of `quality` are finished, where there is a folder: it keeps what they are made of until then, and
    /// keeps it, too, where the process is killed.
    public var deferredPhotoDelivery = DeferredDelivery.off
    /// Whether a request shows its instant, for which the last half second is looked back at; otherwise it shows the next
    /// frame that comes.
    public var isZeroShutterLagEnabled = true
    /// Whether a photograph may be asked for while others are processed. Reactions are photographed all the same.
    public var isResponsiveCaptureEnabled = true
    /// Whether `quality` becomes `balanced` where photographs are asked for quickly one after another: within a second of
    /// the video, or in a live run while another is processed. What is deferred takes no time from the next and stays.
    public var isFastCapturePrioritizationEnabled = false
    /// What one intends to take photographs with, so that a session says whether the scene is one for that
    /// (``ReactionSession/isFusionScene``, ``ReactionSession/isDarkScene``); nobody looks if `nil`.
    public var photoSettingsForSceneMonitoring: PhotoSettings?

    /// Balanced photographs as JPEG: of each reaction, where there is a folder for them.
    public init(folder: String? = nil) { self.folder = folder }
}
