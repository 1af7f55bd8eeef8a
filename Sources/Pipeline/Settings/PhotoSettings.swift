import MediaIO
import Platform
public import Reactions
import Synchronization

/// The file type of a photograph.
public enum PhotoFileType: String, Sendable, Hashable, Codable, CaseIterable {
    /// 8 bits per component; a high dynamic range is tone-mapped.
    case jpeg
    /// Lossless, with 8 bits, or 16 if the video has more than 8; a high dynamic range is tone-mapped.
    case png
    /// 8 bits per component; a high dynamic range is tone-mapped.
    case webp
    /// The bit depth and the dynamic range of the video.
    case avif
}

/// The settings of a request for one photograph.
///
/// `AVCapturePhotoSettings`
public struct PhotoSettings: Sendable, Hashable {
    /// An identifier that is unique in the process; copies have the same identifier.
    public let uniqueID: Int
    /// The priority of quality over processing time.
    public var photoQualityPrioritization = PhotoQualityPrioritization.balanced
    /// The type of the file.
    public var processedFileType = PhotoFileType.jpeg
    /// True if tones and sharpness of a fused photograph are adjusted. Otherwise the photograph differs from its frame
    /// only by less noise.
    public var isFinishingEnabled = true

    private static let lastID = Atomic(0)

    /// Creates the default settings: a balanced JPEG.
    public init() { uniqueID = Self.lastID.add(1, ordering: .relaxed).newValue }

    /// Creates settings for a file type.
    ///
    /// - Parameters:
    ///   - processedFileType: the type of the file.
    ///   - photoQualityPrioritization: the priority of quality over processing time.
    public init(
        _ processedFileType: PhotoFileType, photoQualityPrioritization: PhotoQualityPrioritization = .balanced
    ) {
        self.init()
        self.processedFileType = processedFileType
        self.photoQualityPrioritization = photoQualityPrioritization
    }
}

/// The settings with which a photograph was made.
///
/// `AVCaptureResolvedPhotoSettings`
public struct ResolvedPhotoSettings: Sendable, Hashable, Codable {
    /// The ``PhotoSettings/uniqueID`` of its request.
    public var uniqueID: Int
    /// The quality with which the photograph was made. It is lower than requested if there were too few frames.
    public var photoQualityPrioritization: PhotoQualityPrioritization
    /// The upright picture's width in pixels.
    public var width: Int
    /// The upright picture's height in pixels.
    public var height: Int
    /// The number of fused frames, including the reference.
    public var frames: Int
    /// The standard deviation of the frame's noise in codes of 8 bits; `nil` if only one frame was used.
    public var noise: Double?
    /// The remaining share of the noise's variance, 0…1; `nil` if only one frame was used.
    public var noiseLeft: Double?
    /// The share of the picture, 0…1, in which frames were not fused because of motion; `nil` if only one frame was
    /// used.
    public var moving: Double?
    /// The time for fusing and encoding, in seconds.
    public var processingTime: Double
}

/// A photograph.
///
/// `AVCapturePhoto`
public struct Photo: Sendable, Hashable {
    /// The bytes of an image file.
    public var fileDataRepresentation: [UInt8]
    /// The time of the photograph in seconds; in a recording, from the first picture.
    public var time: Double
    /// The settings with which the photograph was made.
    public var resolvedSettings: ResolvedPhotoSettings
    /// The reason for the choice of this instant; `nil` if the request specified the instant.
    public var choice: PhotoChoice?
    /// The path of the file that a run wrote into its folder; `nil` if there is no file.
    public var path: String?
    /// True if this is a proxy that the photograph replaces later (``PhotoOptions/deferredPhotoDelivery``).
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
    /// Creates the file type for the extension of a path.
    ///
    /// - Throws: ``FlourishError/Code/usage`` if no file type has this extension.
    public init(writing path: String) throws(FlourishError) {
        switch StillFormat(path: path) {
        case .jpeg: self = .jpeg
        case .png: self = .png
        case .webp: self = .webp
        case .avif: self = .avif
        case nil:
            throw FlourishError(.usage, "\(path): unknown photograph format; name a .jpg, .png, .webp or .avif file")
        }
    }
}

extension Photo {
    /// Writes the file, atomically.
    ///
    /// - Parameters:
    ///   - path: the file's path.
    ///   - overwrite: whether an existing file is replaced.
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

/// The options of the photographs of a run.
public struct PhotoOptions: Sendable, Hashable {
    /// The content of a photograph of a reaction.
    public enum Content: String, Sendable, Hashable, CaseIterable {
        /// The video without effects, in full size.
        case clean
        /// The video with its effects, after they have unfolded.
        case withEffects
        /// One photograph of each.
        case both
    }

    /// The time at which a photograph of `quality` is finished.
    public enum DeferredDelivery: String, Sendable, Hashable, CaseIterable {
        /// The photograph is finished before it is delivered.
        case off
        /// A proxy of one frame, which shows the same instant, is delivered. The photograph replaces it as soon as no
        /// other photograph is requested, or otherwise at the end of the run.
        case idle
        /// A proxy is delivered; the photograph replaces it at the end of the run.
        case end
        /// A proxy is delivered; the photograph replaces it when a client requests this (`PhotoDeveloper`).
        case later
    }

    /// The folder for the files, which is created if needed. If `nil`, photographs are only returned
    /// (``ReactionSession/capturePhoto(with:at:)``).
    public var folder: String?
    /// The prefix of the files' names; the input's name without its extension if `nil`.
    package var stem: String?
    /// The priority of quality over processing time of photographs of reactions.
    public var photoQualityPrioritization = PhotoQualityPrioritization.balanced
    /// The maximum quality of a request; a higher quality is an error.
    public var maxPhotoQualityPrioritization = PhotoQualityPrioritization.quality
    /// The type of the files.
    public var processedFileType = PhotoFileType.jpeg
    /// The content of photographs of reactions.
    public var content = Content.clean
    /// The time at which photographs of `quality` are finished, if there is a folder. Until then, their frames are
    /// stored in that folder, so that they remain available even if the process is killed.
    public var deferredPhotoDelivery = DeferredDelivery.off
    /// True if a photograph shows the instant of its request, which may be up to half a second ago. Otherwise it shows
    /// the next frame.
    public var isZeroShutterLagEnabled = true
    /// True if a photograph may be requested while others are being processed. Reactions are always photographed.
    public var isResponsiveCaptureEnabled = true
    /// True if `quality` becomes `balanced` for requests in quick succession.
    ///
    /// A request is in quick succession if it follows another within one second of video or, in a live run, while
    /// another photograph is being processed. Deferred photographs do not delay the next photograph, and keep their
    /// quality.
    public var isFastCapturePrioritizationEnabled = false
    /// The settings for which a session monitors the scene (``ReactionSession/isFusionScene``,
    /// ``ReactionSession/isDarkScene``); `nil` for no monitoring.
    public var photoSettingsForSceneMonitoring: PhotoSettings?

    /// Creates options for balanced photographs as JPEG. With a folder, each reaction is photographed.
    public init(folder: String? = nil) { self.folder = folder }
}

/// The existing files that the photographs of a run replace.
package enum PhotoReplacement: Sendable {
    /// No files are replaced. A photograph whose name exists gets another name.
    case none
    /// Earlier photographs of the same instants are replaced.
    case own
    /// All files are replaced.
    case all
}
