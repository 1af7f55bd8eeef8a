import Effects
import MediaIO
public import Pipeline
import Platform
import Raster
public import Reactions

/// Shows one effect by itself: as a video, an animation, a contact sheet or in figures.
public struct EffectPreview: Sendable {
    /// The effect's type.
    public var reactionType: ReactionType
    /// The path of a description of one's own, which is shown instead of the type.
    public var descriptionFile: String?
    /// How it looks.
    public var style = ReactionStyle()
    /// The picture's size in pixels where the background is plain.
    public var width = 1280
    /// The picture's height in pixels where the background is plain.
    public var height = 720
    /// Frames a second.
    public var frameRate = 30
    /// An image, or a video whose first picture is taken; plain if `nil`.
    public var background: String?
    /// Where the effect starts; the type's default place if `nil`.
    public var origin: PicturePoint?
    /// The number that every random choice comes from.
    public var seed: UInt64 = 1
    /// How a video is encoded.
    public var encoding = EncodingOptions()
    /// Whether an existing file is replaced.
    public var overwrite = false
    /// Where the effect descriptions are; found by itself if `nil`.
    public var resources: Resources?

    /// Seconds before and after the effect that show the background alone.
    static let margin = 0.25

    /// A preview with the usual settings.
    public init(_ reactionType: ReactionType) {
        self.reactionType = reactionType
    }

    /// A preview of an effect of one's own.
    ///
    /// - Parameter descriptionFile: the path of its description; its sprites lie beside it or in
    ///   a folder `Sprites` there.
    public init(descriptionFile: String) {
        reactionType = ReactionType(rawValue: "")
        self.descriptionFile = descriptionFile
    }

    /// Draws the effect to a file, whose name's ending says what it is: `.png` a contact
    /// sheet, `.gif` an animation, anything else a video.
    ///
    /// - Throws: ``FlourishError``.
    public func render(to path: String) async throws(FlourishError) {
        try OutputCheck.check(path, input: background ?? "", overwrite: overwrite)
        let result = await StageThread.run { () throws(FlourishError) in
            do {
                let stage = try PreviewStage(self)
                _ = TemporaryFile.removeLeftovers(of: path)
                switch path.split(separator: ".").last?.lowercased() {
                case "png": try stage.contactSheet().writePNG(to: path, overwrite: overwrite)
                case "gif": try stage.writeAnimation(to: path)
                default: try stage.writeVideo(to: path)
                }
            } catch let error as MediaError where error.code == .unknownOutputFormat {
                throw FlourishError(describing: ContainerFormat.unknown(path, others: ["gif", "png"]))
            } catch {
                throw FlourishError(describing: error)
            }
        }
        try result.get()
    }

    /// What drawing the effect costs.
    public struct Measurement: Sendable, Hashable, Encodable {
        /// The effect's type.
        public var reactionType: ReactionType
        /// The picture's width in pixels.
        public var width: Int
        /// The picture's height in pixels.
        public var height: Int
        /// How many frames were timed.
        public var frames: Int
        /// Milliseconds of processor time for a frame.
        public var meanMilliseconds: Double
        /// The median of the frames.
        public var medianMilliseconds: Double
        /// The dearest frame.
        public var maximumMilliseconds: Double
        /// The first frame that shows the effect: only what a session has ready by then is not counted,
        /// the sprites and the model that finds people.
        public var firstMilliseconds: Double
        /// What the copy of a frame takes that drawing on a decoded one needs, on the mean.
        public var copyMilliseconds: Double
        /// How many of 300 frames were copied while no effect ran.
        public var idleCopies: Int
        /// How many of them were searched for people.
        public var idleLooks: Int
        /// What the drawing stage took for each of them.
        public var idleMilliseconds: Double
    }

    /// Draws every frame of the effect on one thread and tells what the drawing alone took of
    /// it: processor time, the best of three rounds, each with everything new.
    ///
    /// - Throws: ``FlourishError``.
    public func measure() async throws(FlourishError) -> Measurement {
        let result = await StageThread.run { () throws(FlourishError) in
            do { return try PreviewStage.measure(self) } catch { throw FlourishError(describing: error) }
        }
        return try result.get()
    }
}
