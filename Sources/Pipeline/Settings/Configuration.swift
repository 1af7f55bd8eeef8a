package import MediaIO
public import Reactions

/// The settings of a session: recognition, reactions and encoding.
public struct Configuration: Sendable {
    /// True if hands are detected. If `false`, no model is loaded.
    public var gesturesEnabled = true
    /// True if reactions are shown.
    public var reactionsEnabled = true
    /// The time for which a gesture must be held, in seconds.
    public var hold = 1.0
    /// The time before a gesture can trigger the same reaction again, in seconds.
    public var cooldown = 3.0
    /// The sensitivity of all gestures.
    public var sensitivity = Sensitivity.normal
    /// The sensitivities of single gestures, which replace ``sensitivity``. If a two-hand gesture has no value, the
    /// value of the one-hand gesture with the same sign applies to it.
    public var sensitivities: [ReactionGesture: Sensitivity] = [:]
    /// The effect of speech on gestures. Speech is detected in the input's sound.
    public var speechPolicy = SpeechPolicy.allow
    /// Gestures that do not trigger anything.
    public var disabledGestures: Set<ReactionGesture> = []
    /// The tiles of a gallery recording. Each shows one person, whose reactions are drawn in it.
    public var layout = LayoutChoice.automatic
    /// Reactions at chosen times.
    public var scheduledReactions: [ScheduledReaction] = []
    /// Reactions that gestures trigger instead of their default ones.
    public var bindings: [ReactionGesture: ReactionType] = [:]
    /// Gestures in addition to the built-in ones; see ``GestureSet/usersOwn(environment:)``.
    public var ownGestures = GestureSet()
    /// The appearance of reactions.
    public var style = ReactionStyle()
    /// True if effects are weakened where they would flash more than three times in a second (WCAG 2.3.1).
    public var limitsFlashes = true
    /// The pictures in which a ring beside the hand fills while a gesture is held.
    public var holdRing = HoldRingVisibility.off
    /// The effects on the whole video: Portrait and Studio Light.
    public var videoEffects = VideoEffects()
    /// The level of the sounds of reactions, which are mixed into the recording's sound, 0…1; 0 for none.
    public var soundLevel = 0.0
    /// The level of sounds if none is given.
    public static let usualSoundLevel = 0.5
    /// The seed of every random choice of the effects.
    public var seed: UInt64 = 1
    /// The options of the encoder.
    public var encoding = EncodingOptions()
    /// The options of the input.
    public var input = InputOptions()
    /// FFmpeg's name of the output's container, such as `nut`. If `nil`, the output's name determines the container;
    /// the default for the standard output is NUT.
    public var outputFormat: String?
    /// True if latency takes precedence. Gestures are detected on a separate thread, the encoder uses no look-ahead,
    /// and quality is reduced if the machine is too slow.
    public var isLive = false
    /// True if the latency of each stage is measured and emitted.
    public var measuresLatency = false
    /// True if events report holds that almost triggered, and why they did not.
    public var reportsCandidates = false
    /// True if user-data SEI messages in the video describe the effects in progress; H.264 and HEVC only.
    public var embedsMetadata = false
    /// True if only the effects are written, as an overlay with a transparent background.
    ///
    /// The container determines the codec: VP9 in WebM, ProRes 4444 in QuickTime, FFV1 in Matroska, RGBA in NUT and raw
    /// video. For an output such as `effects-%05d.png`, the result is a picture for each frame with effects, and a
    /// list, `effects.ffconcat`. Sound and other streams are omitted.
    public var writesOverlay = false
    /// True if the output has a chapter for each reaction, in addition to the input's chapters. MP4, QuickTime,
    /// Matroska and WebM files hold them.
    public var writesChapters = false
    /// The options of photographs; `nil` for no photographs.
    public var photos: PhotoOptions?
    /// True if an existing output is replaced.
    public var overwrite = false
    /// The existing files that photographs replace; if `nil`, all or none, depending on ``overwrite``.
    package var photoReplacement: PhotoReplacement?
    /// True if the output of an interrupted recording gets its final name.
    ///
    /// Otherwise the output for `out.mp4` is `out.partial.mp4`, or `out.partial-2.mp4` if that file exists. An existing
    /// `out.mp4` is kept. ``SessionOutcome/output`` contains the name. The output of a live run, or of a run on a pipe,
    /// a device or the network, is complete whenever the run ends.
    public var keepsPartialOutput = true
    /// True if clients may request effects during the run. In that case, the reactions are not known before the output
    /// is written.
    package var isSteered = false
    /// True if a live processor lowers the quality of effects and the rate of detection while the machine is too slow.
    package var lowersQuality = false
    /// True if fragmented MP4 is written only after the first pictures have arrived, so that its header states their
    /// times.
    package var opensWithPictures = false
    /// The settings that the system's file locks.
    package var locks = SettingLocks()
    /// The places of models, libraries and effect descriptions; the default places if `nil`.
    public var resources: Resources?

    /// Creates the default settings.
    public init() {}

    /// Returns the reaction that a gesture triggers.
    public func reactionType(for gesture: ReactionGesture) -> ReactionType {
        bindings[gesture] ?? ownGestures[gesture]?.reactionType ?? gesture.reactionType
    }

    /// The reactions of gestures that differ from the built-in ones.
    package var allBindings: [ReactionGesture: ReactionType] {
        var all = bindings
        for own in ownGestures.gestures where all[own.gesture] == nil { all[own.gesture] = own.reactionType }
        return all
    }

    /// The types that the user chose by name.
    package var namedTypes: [ReactionType] {
        scheduledReactions.map(\.reactionType)
            + bindings.sorted { $0.key.rawValue < $1.key.rawValue }.map(\.value)
    }
}

/// A reaction that starts at a given time.
public struct ScheduledReaction: Sendable, Hashable {
    /// The type of the reaction.
    public var reactionType: ReactionType
    /// The time in seconds from the first frame of the video.
    public var seconds: Double
    /// The place at which it starts; a default place if `nil`.
    public var origin: PicturePoint?

    /// Creates a reaction at a time and a place. By default, these are the first frame and the default place of the
    /// type.
    public init(_ reactionType: ReactionType, at seconds: Double = 0, origin: PicturePoint? = nil) {
        self.reactionType = reactionType
        self.seconds = seconds
        self.origin = origin
    }
}

/// The choice between encoding only the segments with effects, while everything else is copied, and encoding the whole
/// recording.
public enum SmartRender: String, Sendable, Hashable, CaseIterable {
    /// Copies all frames without effects if the recording, the output and the options allow it. Otherwise the whole
    /// video is encoded, and ``ReactionEvent/StreamDescription/wholeReason`` states the reason.
    case auto
    /// Copies all frames without effects. A run that cannot copy them fails.
    case always
    /// Encodes the whole recording.
    case never
}

/// The options of the encoder.
public struct EncodingOptions: Sendable, Hashable {
    /// A video codec of an output.
    public enum Codec: String, Sendable, Hashable, CaseIterable {
        /// The codecs' usual names.
        case h264, hevc, vp9, av1

        /// Creates the codec of a name, which may be another usual name of the codec or of its encoder, such as `H.265`
        /// or `x264`; `nil` for an unknown name.
        package init?(name: String) {
            switch name.lowercased().filter({ $0 != "." && $0 != "-" }) {
            case "h264", "avc", "avc1", "x264", "libx264": self = .h264
            case "hevc", "h265", "x265", "libx265": self = .hevc
            case "vp9", "libvpxvp9": self = .vp9
            case "av1", "libsvtav1", "svtav1", "libaomav1", "aomav1": self = .av1
            default: return nil
            }
        }
    }

    /// A value that determines whether frames without effects are copied.
    public var smartRender = SmartRender.auto
    /// The codec of the output. Setting it causes the whole video to be encoded.
    public var codec = Codec.h264 {
        didSet { namesCodec = true }
    }
    /// True if the user chose the codec.
    package var namesCodec = false
    /// The constant quality: lower is better. The codec's default applies if neither this nor `bitrate` is set.
    public var crf: Double?
    /// The bit rate in bits per second. With H.264 it applies to each second, and with other codecs on average.
    public var bitrate: Int?
    /// With `bitrate`: the maximum bit rate while effects run; three times `bitrate` if `nil`.
    public var maxBitrate: Int?
    /// With `bitrate`, H.264 only: the maximum quantiser of a frame, 1…51. If the bit rate is too low for this, frames
    /// are dropped evenly. No limit if `nil`.
    public var maxFrameQP: Int?
    /// The maximum quantiser of a frame while effects run; `maxFrameQP` if `nil`.
    public var maxFrameQPDuringEffects: Int?
    /// The limit of an effect's bits if `bitrate` is not set, as a multiple of the bits of the frames before the
    /// effect. Above the limit, the quality is lowered slightly. Unlimited if `nil`.
    public var effectBits: Double?
    /// The maximum frame rate while effects run. Excess frames are dropped, and the other frames keep their times. If
    /// `nil`, the input's rate is kept.
    public var effectsFrameRate: EffectsFrameRate?
    /// The share of their particles with which effects are drawn, 0.1…1. If `nil`, all particles are drawn, or fewer if
    /// `bitrate` cannot rise enough for all of them (H.264).
    public var effectDetail: Double?
    /// True if faces keep a finer quantiser while effects run; H.264 and HEVC only.
    public var protectsFaces = false
    /// The encoder's own preset name, such as `veryfast` (H.264, HEVC) or `8` (AV1).
    public var preset: String?
    /// FFmpeg's name of the pixel format, such as `yuv420p`; the input's if `nil`.
    public var pixelFormat: String?
    /// The maximum number of pixels of a picture's shorter side; larger pictures are scaled down.
    package var shorterSide: Int?
    /// The number of frames of a group of pictures; the encoder's choice if `nil`.
    package var groupLength: Int?
    /// True if each frame is output as soon as it is encoded, even in a run that is not live.
    package var isLowLatency = false

    /// The default factor by which effects may raise the bit rate. At three times the rate, confetti over a talking
    /// head costs a few decibels of quality instead of ten or more.
    public static let defaultRaise = 3

    /// The maximum bit rate in bits per second; `nil` if there is no limit.
    package var bitRateLimit: Int? { bitrate.map { max(maxBitrate ?? $0 * Self.defaultRaise, $0) } }

    /// Creates the default settings.
    public init() {}

    /// The options for a preview. Every browser can play it, and playback begins as early as possible. A short group of
    /// pictures is a fragment that can be shown. Chromium starts with a fragment of eight pictures, but waits for the
    /// second fragment if fragments are shorter.
    package static var preview: EncodingOptions {
        var options = EncodingOptions()
        (options.codec, options.crf, options.preset, options.pixelFormat) = (.h264, 24, "ultrafast", "yuv420p")
        (options.shorterSide, options.groupLength, options.isLowLatency) = (720, 8, true)
        return options
    }
}

/// The options for opening an input. They complement or override the properties that the input states.
public struct InputOptions: Sendable, Hashable {
    /// A choice of decoders.
    public enum Decoders: String, Sendable, Hashable, CaseIterable {
        /// The decoders of usual recordings. An input with another codec is refused; streams that are only copied may
        /// have any codec.
        case recordings
        /// All decoders of the installed FFmpeg, including those with known vulnerabilities. For trusted files only.
        case all
    }

    /// A time in seconds, some thirty years, that is later than any time of a recording.
    package static let latestTime = 1e9

    /// FFmpeg's name of the container, such as `nut`, `matroska`, `mpegts`, `yuv4mpegpipe` or `rawvideo`; detected if `nil`.
    public var format: String?
    /// The picture's size as `1280x720`. Raw video needs it, and cameras may support it.
    public var videoSize: String?
    /// FFmpeg's name of a pixel format, for raw video and cameras.
    public var pixelFormat: String?
    /// The frame rate as `30` or `30000/1001`, for raw video and cameras.
    public var frameRate: String?
    /// The maximum size of an accepted picture, in pixels. The default accepts 8K and the photos of phones. Such
    /// pictures take several gigabytes of memory.
    public var maxPixels = 1 << 26
    /// The decoders that may be used for the input.
    public var decoders = Decoders.recordings
    /// The time without data, in seconds, after which an input from the network counts as lost.
    public var timeout = 10.0
    /// The time without data from a pipe or the network, in seconds, after which the warning `inputStalled` is emitted.
    public var stallAfter = 5.0
    /// The number of consecutive attempts to reconnect to an input from the network that was lost.
    public var reconnects = 0

    /// The start of the trim, in seconds from the recording's first frame. The output begins there at 0.
    public var start = 0.0
    /// The end of the trim, in seconds from the recording's first frame; the recording's end if `nil`.
    public var end: Double?

    /// The trim range of a recording; `nil` for all of it.
    package var trim: TrimRange? {
        guard start > 0 || end != nil else { return nil }
        var trim = TrimRange(start: start, end: end)
        trim.opening = opening
        if let preroll = entry.preroll { trim.preroll = preroll }
        return trim
    }
    /// The value of ``TrimRange/opening``. A run determines it if it needs the exact packets of the trim range.
    package var opening: MediaTime?
    /// The seek mode for ``start``.
    package var entry = TrimEntry.complete

    /// Creates options that detect everything.
    public init() {}
}

/// The seek mode at the start of a trim range.
package struct TrimEntry: Sendable, Hashable {
    /// The seconds before the start at which reading begins; ``TrimRange/preroll`` if `nil`.
    var preroll: Double?
    /// True if frames before the start are skipped if no other frame refers to them.
    package var skipsUnreferencedFrames = false

    /// Reads everything that belongs to the start.
    package static let complete = TrimEntry()
    /// Returns the first frame as soon as possible, and does not wait for sound that is stored far from its picture.
    package static let quick = TrimEntry(preroll: 0.1, skipsUnreferencedFrames: true)
}

/// The highest frame rate while effects run.
public enum EffectsFrameRate: Sendable, Hashable {
    /// This many frames per second, above 0.
    case limit(Double)
    /// Half the rate of an input with more than 45 frames per second, such as 30 of 60; otherwise the full rate.
    case automatic

    /// The rate above which every second frame is sufficient while effects run. The next common rate is 48, and its
    /// half is the rate of cinema films.
    static let halvedAbove = 45.0

    /// Returns the maximum frame rate for an input of a nominal rate; `nil` if all frames are kept.
    package func rate(forInput inputRate: Double?) -> Double? {
        switch self {
        case .limit(let rate): rate
        case .automatic: inputRate.flatMap { $0 > Self.halvedAbove ? $0 / 2 : nil }
        }
    }
}

extension Configuration {
    /// The limit that applies whenever effects run; `nil` if there is none. In a live run,
    /// ``EffectsFrameRate/automatic`` does not count, because it applies only when the machine is too slow.
    package var limitWhileEffectsRun: EffectsFrameRate? {
        isLive && encoding.effectsFrameRate == .automatic ? nil : encoding.effectsFrameRate
    }
}

/// Settings that the system-wide settings file locks, so that their values apply to all users of the machine.
package struct SettingLocks: Sendable {
    /// The files that lock settings, by the setting's name.
    package var files: [String: String] = [:]
    /// Writes the locked values into a configuration.
    package var write: @Sendable (inout Configuration) -> Void = { _ in }

    package init() {}
}
