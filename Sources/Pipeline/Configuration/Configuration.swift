package import MediaIO
public import Reactions

/// How a session recognises, reacts and encodes.
public struct Configuration: Sendable {
    /// Whether hands are looked for. Without it no model is loaded.
    public var gesturesEnabled = true
    /// Whether reactions are shown at all.
    public var reactionsEnabled = true
    /// How long a gesture must be held, in seconds.
    public var hold = 1.0
    /// How long the same reaction is not triggered again by a gesture, in seconds.
    public var cooldown = 3.0
    /// How readily gestures fire.
    public var sensitivity = Sensitivity.normal
    /// How readily single gestures fire, where it is not ``sensitivity``. What counts for one hand counts for both
    /// hands with the same sign, too, unless that gesture has an entry of its own.
    public var sensitivities: [ReactionGesture: Sensitivity] = [:]
    /// Gestures that trigger nothing.
    public var disabledGestures: Set<ReactionGesture> = []
    /// Reactions at times of one's own choice.
    public var scheduledReactions: [ScheduledReaction] = []
    /// Reactions that gestures trigger instead of their usual ones.
    public var bindings: [ReactionGesture: ReactionType] = [:]
    /// Gestures beside the built-in ones; see ``GestureSet/usersOwn(environment:)``.
    public var ownGestures = GestureSet()
    /// How reactions look.
    public var style = ReactionStyle()
    /// The number that every random choice of the effects comes from.
    public var seed: UInt64 = 1
    /// How the video is encoded.
    public var encoding = EncodingOptions()
    /// How the input is opened.
    public var input = InputOptions()
    /// FFmpeg's name of the output's container, such as `nut`; what the output's name says if `nil`,
    /// and NUT for the standard output.
    public var outputFormat: String?
    /// Whether latency counts more than anything else: gestures are looked for beside the frames' way, the
    /// encoder looks at no frame ahead, and quality falls where the machine is too slow.
    public var isLive = false
    /// Whether the latency of each stage is measured and told.
    public var measuresLatency = false
    /// Whether events tell which gestures nearly fired, and why they did not.
    public var tellsCandidates = false
    /// Whether the video itself tells which effects are in progress, as user-data SEI messages; H.264 and
    /// HEVC only.
    public var embedsMetadata = false
    /// Whether the effects alone are written, transparent elsewhere, to be laid over the recording by others. The
    /// container decides on the codec: VP9 in WebM, ProRes 4444 in QuickTime, FFV1 in Matroska, RGBA in NUT and raw
    /// video; an output such as `effects-%05d.png` is a picture for each frame that shows something, and a list,
    /// `effects.ffconcat`. Sound and all else are left out.
    public var writesOverlay = false
    /// Which photographs are taken; none if `nil`.
    public var photos: PhotoOptions?
    /// Whether an existing output is replaced.
    public var overwrite = false
    /// Whether of photographs only those are replaced that were made of the same instants before, whatever becomes of outputs.
    package var replacesOwnPhotos = false
    /// Whether the output of a recording that is stopped before its end gets its own name all the same. Otherwise it
    /// is `out.partial.mp4` for `out.mp4`, or `out.partial-2.mp4` where that is taken, and what is called `out.mp4` stays.
    /// ``SessionOutcome/output`` tells. A live run, and one on a pipe, a device or the network, is whole whenever it ends.
    public var keepsPartialOutput = true
    /// Whether others ask for effects while the run goes on, so that its output cannot be decided on before.
    package var isSteered = false
    /// Whether somebody waits to see a stretch of the output: it is encoded quickly and small, for a browser.
    package var isPreview = false
    /// What a system's file locks.
    package var locks = SettingLocks()
    /// Where models, libraries and effect descriptions are; found by itself if `nil`.
    public var resources: Resources?

    /// The usual settings.
    public init() {}

    /// The reaction that a gesture triggers.
    public func reactionType(for gesture: ReactionGesture) -> ReactionType {
        bindings[gesture] ?? ownGestures[gesture]?.reactionType ?? gesture.reactionType
    }

    /// What gestures trigger, where it is not what is built in.
    package var allBindings: [ReactionGesture: ReactionType] {
        var all = bindings
        for own in ownGestures.gestures where all[own.gesture] == nil { all[own.gesture] = own.reactionType }
        return all
    }

    /// The types that somebody chose by name.
    var namedTypes: [ReactionType] {
        scheduledReactions.map(\.reactionType)
            + bindings.sorted { $0.key.rawValue < $1.key.rawValue }.map(\.value)
    }
}

/// A reaction that starts at a given time.
public struct ScheduledReaction: Sendable, Hashable {
    /// What is shown.
    public var reactionType: ReactionType
    /// Seconds from the first frame of the video.
    public var seconds: Double
    /// Where it starts; a default place if `nil`.
    public var origin: PicturePoint?

    /// A reaction at a time, by default the first frame, and a place, by default the type's own.
    public init(_ reactionType: ReactionType, at seconds: Double = 0, origin: PicturePoint? = nil) {
        self.reactionType = reactionType
        self.seconds = seconds
        self.origin = origin
    }
}

/// Whether a recording is encoded again only where effects touch it, while all else is copied as it is.
public enum SmartRender: String, Sendable, Hashable, CaseIterable {
    /// Where the recording, the output and the options allow it; else the whole is encoded, and
    /// ``ReactionEvent/StreamDescription/wholeReason`` says why.
    case auto
    /// A run that cannot do it fails.
    case always
    /// The whole is encoded.
    case never
}

/// How the video is encoded.
public struct EncodingOptions: Sendable, Hashable {
    /// A video codec that Flourish writes.
    public enum Codec: String, Sendable, Hashable, CaseIterable {
        /// By the names of the codecs.
        case h264, hevc, vp9, av1
    }

    /// Whether what no effect touches is copied; see ``SmartRender``.
    public var smartRender = SmartRender.auto
    /// The codec of the output; once one was chosen, the whole video is encoded with it.
    public var codec = Codec.h264 {
        didSet { namesCodec = true }
    }
    /// Whether somebody chose the codec.
    package var namesCodec = false
    /// Constant quality: lower is better. The codec's own default if neither this nor `bitrate` is set.
    public var crf: Double?
    /// Bits a second, held in each second where the codec can (H.264), else in the mean.
    public var bitrate: Int?
    /// With `bitrate`: up to how many bits a second the rate is raised while effects run;
    /// three times `bitrate` if `nil`.
    public var maxBitrate: Int?
    /// With `bitrate`, H.264 only: the coarsest quantiser that a frame may have, 1…51. Where the rate
    /// does not allow that, frames are left out, evenly. No limit if `nil`.
    public var maxFrameQP: Int?
    /// The same while effects run, which may be coarser; `maxFrameQP` if `nil`.
    public var maxFrameQPDuringEffects: Int?
    /// Without `bitrate`: how many times the bits of the frames before it an effect may take
    /// before its quality is lowered a little; unlimited if `nil`.
    public var effectBits: Double?
    /// Frames a second at most while effects run; frames are left out for it, the others keep their
    /// times. The input's if `nil`.
    public var effectsFrameRate: EffectsFrameRate?
    /// The share of their pieces that effects are drawn with, 0.1…1. If `nil`, all of them; fewer where `bitrate`
    /// may not rise by as much as all of them would take (H.264).
    public var effectDetail: Double?
    /// Whether people's faces stay finer than the rest while effects run; H.264 and HEVC only.
    public var protectsFaces = false
    /// The encoder's own preset name, such as `veryfast` (H.264, HEVC) or `8` (AV1).
    public var preset: String?
    /// FFmpeg's name of the pixel format, such as `yuv420p`; the input's if `nil`.
    public var pixelFormat: String?

    /// How many times the bit rate effects may take by default: at three times, confetti costs
    /// a talking head a few decibels instead of ten or more.
    public static let defaultRaise = 3

    /// Up to how many bits a second the rate may rise; `nil` where none is held.
    var bitRateLimit: Int? { bitrate.map { max(maxBitrate ?? $0 * Self.defaultRaise, $0) } }

    /// The usual settings.
    public init() {}
}

/// How an input is opened: what it does not say itself, or what you know better.
public struct InputOptions: Sendable, Hashable {
    /// Seconds, some thirty years: later than any time of a recording.
    package static let latestTime = 1e9

    /// FFmpeg's name of the container, such as `nut`, `matroska`, `mpegts`, `yuv4mpegpipe` or
    /// `rawvideo`; found by itself if `nil`.
    public var format: String?
    /// The picture's size as `1280x720`: raw video needs it, cameras may be asked for it.
    public var videoSize: String?
    /// FFmpeg's name of a pixel format, for raw video and cameras.
    public var pixelFormat: String?
    /// Frames a second as `30` or `30000/1001`, for raw video and cameras.
    public var frameRate: String?
    /// Inputs with larger pictures, in pixels, are refused. The default passes 8K and the photos of telephones; such pictures
    /// take some gigabytes.
    public var maxPixels = 1 << 26
    /// After so many seconds without data an input from the network counts as lost.
    public var timeout = 10.0
    /// After so many seconds without data from a pipe or the network the warning `inputStalled` is given.
    public var stallAfter = 5.0
    /// How often in a row to try to connect again to an input from the network that was lost.
    public var reconnects = 0

    /// Where to begin, in seconds from the recording's first frame. The output begins there at 0.
    public var start = 0.0
    /// Where to end, in seconds from the recording's first frame; with the recording if `nil`.
    public var end: Double?

    /// What is read of a recording; `nil` for all of it.
    package var stretch: RecordingStretch? {
        guard start > 0 || end != nil else { return nil }
        var stretch = RecordingStretch(start: start, end: end)
        stretch.opening = opening
        return stretch
    }
    /// See ``RecordingStretch/opening``: what a run finds out that needs the part to the packet.
    package var opening: MediaTime?

    /// Everything found by itself.
    public init() {}
}

/// How many frames a second are shown at most while effects run.
public enum EffectsFrameRate: Sendable, Hashable {
    /// So many, above 0.
    case limit(Double)
    /// Half of those of an input with more than 45 frames a second, as from 60 to 30; all of a slower one.
    case automatic

    /// Above this rate every second frame is enough for the eye while much is going on: half of the
    /// next usual rate, 48, is still a film's.
    static let halvedAbove = 45.0

    /// The most frames a second, for an input of a nominal rate; `nil` where all stay.
    package func rate(forInput inputRate: Double?) -> Double? {
        switch self {
        case .limit(let rate): rate
        case .automatic: inputRate.flatMap { $0 > Self.halvedAbove ? $0 / 2 : nil }
        }
    }
}

extension Configuration {
    /// The limit that holds all the time. In a live run `automatic` waits until the machine is too slow.
    var limitWhileEffectsRun: EffectsFrameRate? {
        isLive && encoding.effectsFrameRate == .automatic ? nil : encoding.effectsFrameRate
    }
}

/// Settings that the system's file locks: their values hold for everybody on the machine.
package struct SettingLocks: Sendable {
    /// The file that locks each, by the setting's name.
    package var files: [String: String] = [:]
    /// Writes their values into a configuration.
    package var write: @Sendable (inout Configuration) -> Void = { _ in }

    package init() {}
}
