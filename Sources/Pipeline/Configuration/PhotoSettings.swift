import MediaIO
import Platform
public import Reactions
import Synchronization

/// A kind of file that a photograph is written as.
public enum PhotoFileType: String, Sendable, Hashable, Codable, CaseIterable {
    /// Colours of 8 bits; a high dynamic range is toned down.
    case jpeg
    /// Without loss, 8 bits, or 16 where the video has more than 8; a high dynamic range is toned down.
    case png
    /// Colours of 8 bits; a high dynamic range is toned down.
    case webp
    /// The bits and the dynamic range of the video.
    case avif
}

/// What is asked of one photograph.
///
/// `AVCapturePhotoSettings`
public struct PhotoSettings: Sendable, Hashable {
    /// Tells this request from all others of the process; copies have the same.
    public let uniqueID: Int
    /// How much time the photograph may take for how it looks.
    public var photoQualityPrioritization = PhotoQualityPrioritization.balanced
    /// The kind of file.
    public var processedFileType = PhotoFileType.jpeg
    /// Whether tones and sharpness of a fused photograph are set; otherwise it differs from its frame by noise alone.
    public var isFinishingEnabled = true

    private static let lastID = Atomic(0)

    /// The usual settings: a balanced JPEG.
    public init() { uniqueID = Self.lastID.add(1, ordering: .relaxed).newValue }

    /// Settings for a file.
    ///
    /// - Parameters:
    ///   - processedFileType: the kind of file.
    ///   - photoQualityPrioritization: how much time the photograph may take.
    public init(
        _ processedFileType: PhotoFileType, photoQualityPrioritization: PhotoQualityPrioritization = .balanced
    ) {
        self.init()
        self.processedFileType = processedFileType
        self.photoQualityPrioritization = photoQualityPrioritization
    }
}

/// What a photograph came to be.
///
/// `AVCaptureResolvedPhotoSettings`
public struct ResolvedPhotoSettings: Sendable, Hashable, Codable {
    /// The ``PhotoSettings/uniqueID`` that asked for it.
    public var uniqueID: Int
    /// What it was made with, which is less than was asked for where there are too few frames.
    public var photoQualityPrioritization: PhotoQualityPrioritization
    /// The upright picture's width in pixels.
    public var width: Int
    /// The upright picture's height in pixels.
    public var height: Int
    /// How many frames were fused, with the one that is shown.
    public var frames: Int
    /// The standard deviation of the frame's noise in codes of 8 bits; `nil` where one frame alone was used.
    public var noise: Double?
    /// How much of the noise's variance is left, 0…1; `nil` where one frame alone was used.
    public var noiseLeft: Double?
    /// The share of the picture that is one frame alone, since something moved there; `nil` where that is all of it.
    public var moving: Double?
    /// Seconds that it took to fuse and encode.
    public var processingTime: Double

    package init(
        uniqueID: Int, photoQualityPrioritization: PhotoQualityPrioritization, width: Int, height: Int, frames: Int,
        processingTime: Double
    ) {
        self.uniqueID = uniqueID
        self.photoQualityPrioritization = photoQualityPrioritization
        (self.width, self.height, self.frames) = (width, height, frames)
        self.processingTime = processingTime
    }
}

/// A photograph.
///
/// `AVCapturePhoto`
public struct Photo: Sendable, Hashable {
    /// The bytes of an image file.
    public var fileDataRepresentation: [UInt8]
    /// When it was taken, in seconds: of a recording from its first picture on.
    public var time: Double
    /// What it came to be.
    public var resolvedSettings: ResolvedPhotoSettings
    /// Why this instant was chosen; `nil` where it was asked for.
    public var choice: PhotoChoice?
    /// The file that a run wrote into its folder; `nil` where there is none.
    public var path: String?
    /// Whether it stands for a better one, which takes the file's place later (``PhotoOptions/deferredPhotoDelivery``).
    public var isProxy = false

    package init(
        fileDataRepresentation: [UInt8], time: Double, resolvedSettings: ResolvedPhotoSettings,
        choice: PhotoChoice? = nil
    ) {
        self.fileDataRepresentation = fileDataRepresentation
        self.time = time
        self.resolvedSettings = resolvedSettings
        self.choice = choice
    }
}

extension PhotoFileType {
    /// The kind of file that a name stands for.
    ///
    /// - Throws: ``FlourishError/Code/usage`` for a name that stands for none of them.
    public init(writing path: String) throws(FlourishError) {
        switch StillFormat(path: path) {
        case .jpeg: self = .jpeg
        case .png: self = .png
        case .webp: self = .webp
        case .avif: self = .avif
        case nil:
            throw FlourishError(.usage, "\(path): a photograph's name ends in .jpg, .png, .webp or .avif")
        }
    }
}

extension Photo {
    /// Writes the file, whole or not at all.
    ///
    /// - Parameters:
    ///   - path: its name.
    ///   - overwrite: whether it replaces what has the name already.
    /// - Throws: ``FlourishError``.
    public func write(to path: String, overwrite: Bool = false) throws(FlourishError) {
        if !overwrite, FileKind.of(path) != nil {
            throw FlourishError(.outputUnavailable, "\(path): exists already", remedy: .overwriting)
        }
        do throws(FileError) {
            try TemporaryFile.write(fileDataRepresentation, to: path, overwrite: overwrite)
        } catch {
            throw FlourishError(describing: error)
        }
    }
}

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
