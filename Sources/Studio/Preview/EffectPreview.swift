import Effects
import MediaIO
public import Pipeline
import Platform
import Raster
public import Reactions

/// Renders a single effect: as a video, an animation, a contact sheet or measurements.
///
/// ```swift
/// var preview = EffectPreview(.confetti)
/// preview.background = "desk.jpg"
/// preview.frameRate = 60
/// try await preview.render(to: "confetti.gif")
/// ```
public struct EffectPreview: Sendable {
    /// The effect's type.
    public var reactionType: ReactionType
    /// The path of a custom effect's description, which is shown instead of the type.
    public var descriptionFile: String?
    /// The style of the effect.
    public var style = ReactionStyle()
    /// The picture's width in pixels for a plain background.
    public var width = 1280
    /// The picture's height in pixels for a plain background.
    public var height = 720
    /// The frame rate in frames a second.
    public var frameRate = 30
    /// The largest width of an animation in pixels, to which a wider picture is scaled; its own width if `nil`.
    public var animationWidth: Int?
    /// An image, or a video whose first picture is used; a plain background if `nil`.
    public var background: String?
    /// The place where the effect starts; the default place of its type if `nil`.
    public var origin: PicturePoint?
    /// The seed of all random choices.
    public var seed: UInt64 = 1
    /// The encoding of a video.
    public var encoding = EncodingOptions()
    /// True if an existing file is replaced.
    public var overwrite = false
    /// The location of the effect descriptions; found automatically if `nil`.
    public var resources: Resources?

    /// The luma of the plain background where it is brightest.
    var brightness = 150

    /// The seconds before and after the effect that show the background alone.
    static let margin = 0.25

    /// Creates a preview with the default settings.
    public init(_ reactionType: ReactionType) {
        self.reactionType = reactionType
    }

    /// Creates a preview of a custom effect.
    ///
    /// ```swift
    /// try await EffectPreview(descriptionFile: "effects/sparkle.json").render(to: "sparkle.png")
    /// ```
    ///
    /// - Parameter descriptionFile: The path of the effect's description. The effect's sprites are in the same folder,
    ///   or in a folder `Sprites` there.
    public init(descriptionFile: String) {
        reactionType = ReactionType(rawValue: "")
        self.descriptionFile = descriptionFile
    }

    /// Renders the effect to a file. The extension of the path determines the kind: `.png` for a contact sheet, `.gif`
    /// for an animation, anything else for a video.
    ///
    /// - Throws: ``FlourishError``.
    public func render(to path: String) async throws(FlourishError) {
        try OutputCheck.check(path, input: background ?? "", overwrite: overwrite)
        let result = await StageThread.run { () throws(FlourishError) in
            do {
                let stage = try PreviewStage(self)
                _ = TemporaryFile.removeLeftovers(of: path)
                if Self.isAnimation(path) {
                    try stage.writeAnimation(to: path)
                } else if Self.fileExtension(of: path) == "png" {
                    try stage.contactSheet().writePNG(to: path, overwrite: overwrite)
                } else {
                    try stage.writeVideo(to: path)
                }
            } catch let error as MediaError where error.code == .unknownOutputFormat {
                throw FlourishError(describing: ContainerFormat.unknown(path, others: ["gif", "png"]))
            } catch {
                throw FlourishError(describing: error)
            }
        }
        try result.get()
    }

    /// Returns true if a file of this name is an animation.
    package static func isAnimation(_ path: String) -> Bool { fileExtension(of: path) == "gif" }

    private static func fileExtension(of path: String) -> String? { path.split(separator: ".").last?.lowercased() }

    /// The cost of drawing the effect.
    public struct Measurement: Sendable, Hashable, Encodable {
        /// The effect's type.
        public var reactionType: ReactionType
        /// The picture's width in pixels.
        public var width: Int
        /// The picture's height in pixels.
        public var height: Int
        /// The number of frames timed.
        public var frames: Int
        /// The mean processor time of a frame in milliseconds.
        public var meanMilliseconds: Double
        /// The median of the frames.
        public var medianMilliseconds: Double
        /// The maximum of the frames.
        public var maximumMilliseconds: Double
        /// The time of the first frame that shows the effect. The time excludes only work that a session has already
        /// done by then: loading the sprites and the segmentation model.
        public var firstMilliseconds: Double
        /// The mean time for copying a frame, which is necessary for drawing on a decoded frame.
        public var copyMilliseconds: Double
        /// The number of frames, of 300 without the effect, that were copied.
        public var idleCopies: Int
        /// The number of frames, of the 300 without the effect, in which people were segmented.
        public var idleLooks: Int
        /// The time of the drawing stage for each of the 300 frames without the effect.
        public var idleMilliseconds: Double
    }

    /// Draws every frame of the effect on one thread, and measures the processor time of the drawing alone. The result
    /// is the best of three rounds, each with fresh state.
    ///
    /// ```swift
    /// let cost = try await EffectPreview(.fireworks).measure()
    /// print(cost.meanMilliseconds, "ms a frame at", cost.width, "×", cost.height)
    /// ```
    ///
    /// - Throws: ``FlourishError``.
    public func measure() async throws(FlourishError) -> Measurement {
        let result = await StageThread.run { () throws(FlourishError) in
            do { return try PreviewStage.measure { try PreviewStage(self) } } catch {
                throw FlourishError(describing: error)
            }
        }
        return try result.get()
    }
}
