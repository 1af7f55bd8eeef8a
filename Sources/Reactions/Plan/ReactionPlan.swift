/// What is shown over a recording, and when: made by ``ReactionSession/plan(_:observer:)``, edited by people and
/// programs, rendered by ``ReactionSession/render(_:from:to:observer:)``.
///
/// ```swift
/// var plan = try await ReactionSession().plan("call.mp4")
/// plan.reactions[0].isEnabled = false
/// plan.reactions.append(.init(.confetti, at: 12.5))
/// try await ReactionSession().render(plan, from: "call.mp4", to: "reacted.mp4")
/// ```
///
/// As JSON it is the contract of `docs/plan.md`. Fields that Flourish does not know stay where a plan is read and
/// written again.
public struct ReactionPlan: Sendable, Hashable {
    /// The version of the JSON contract. A breaking change raises it.
    public static let schema = 1

    /// The recording that the plan was made for, and the only one that it can be rendered with.
    public var source: Source
    /// How the reactions look.
    public var style: Style
    /// What is shown, and what might be: those that are not enabled, such as gestures that nearly fired. In any order.
    public var reactions: [Reaction]
    /// Reactions of gestures whose hold was nearly complete: the encoder is told of them a moment before.
    package var anticipations: [Anticipation] = []
    /// How messages name the plan: its path, where it was read from a file.
    package var name = "the plan"
    package var unknown: [String: JSONValue] = [:]

    /// A plan for a recording, with nothing to show.
    public init(source: Source, style: Style = Style(), reactions: [Reaction] = []) {
        self.source = source
        self.style = style
        self.reactions = reactions
    }
}

extension ReactionPlan {
    /// A reaction that is shown, or might be.
    public struct Reaction: Sendable, Hashable {
        /// Tells the reactions of a plan apart; those that were added may have none.
        public var id: Int?
        /// Whether it is shown.
        public var isEnabled = true
        /// What is shown. While a reaction of the same type runs, it goes on for longer, with another burst, instead.
        public var reactionType: ReactionType
        /// When it starts, in seconds on the recording's clock: with the first frame that is not earlier.
        public var startTime: Double
        /// The same in ticks of ``ReactionPlan/Source/timeBase``. Where both disagree, ``startTime`` counts.
        public var startPTS: Int64?
        /// When it ends, in seconds on the recording's clock; after the effect's own duration if `nil`.
        public var endTime: Double?
        /// Where it starts; a place that keeps faces free if `nil`.
        public var origin: PicturePoint?
        /// What makes it start.
        public var trigger = ReactionEvent.Trigger.schedule
        /// The gesture that it answers, if it answers one.
        public var gesture: ReactionGesture?
        /// How many hands made the gesture: 1 or 2.
        public var handCount: Int?
        /// How sure the recognition of the gesture is, 0…1.
        public var confidence: Double?
        /// When the gesture's hold began, in seconds.
        public var heldSince: Double?
        /// Of a gesture that did not fire: when it was seen last, in seconds.
        public var heldUntil: Double?
        /// Of a gesture that did not fire: why.
        public var reason: ReactionEvent.CandidateReason?
        /// Tells the looks of reactions of one type apart: the random choices of its effect follow from it and from
        /// ``ReactionPlan/Style/seed``. Follows from type and start if `nil`.
        public var seed: Int?
        /// A note for people, which Flourish keeps.
        public var note: String?
        package var unknown: [String: JSONValue] = [:]

        /// A reaction at a time, in seconds.
        public init(_ reactionType: ReactionType, at startTime: Double, origin: PicturePoint? = nil) {
            self.reactionType = reactionType
            self.startTime = startTime
            self.origin = origin
        }
    }

    /// How the reactions of a plan look.
    public struct Style: Sendable, Hashable {
        /// How much of everything, in which colours.
        public var look = ReactionStyle()
        /// The number that every random choice of the effects comes from.
        public var seed: UInt64 = 1
        /// Of the effects of your own that the plan shows, by type: a hash of their descriptions and sprites.
        public var effects: [String: String] = [:]
        package var unknown: [String: JSONValue] = [:]

        /// The usual style.
        public init() {}
    }

    /// The recording that a plan was made for.
    public struct Source: Sendable, Hashable {
        /// Its path when the plan was made; it may have moved since.
        public var path: String
        /// Its size in bytes.
        public var size: Int
        /// A hash of all packets of its video, with their time stamps, such as `murmur3:…`.
        public var fingerprint: String
        /// FFmpeg's name of the video's codec, such as `h264`.
        public var codec: String
        /// The upright picture's width in pixels.
        public var width: Int
        /// The upright picture's height in pixels.
        public var height: Int
        /// The nominal frame rate in frames a second; `nil` where the recording does not say.
        public var frameRate: Double?
        /// The length of a tick of time stamps in seconds, as a fraction such as `1/15360`.
        public var timeBase: String
        /// The first frame's time stamp in seconds.
        public var startTime: Double
        /// Seconds from the first frame to the end of the last one.
        public var duration: Double
        /// How many frames it has.
        public var frames: Int
        package var unknown: [String: JSONValue] = [:]

        package init(
            path: String, size: Int, fingerprint: String, codec: String, width: Int, height: Int,
            frameRate: Double? = nil, timeBase: String, startTime: Double, duration: Double, frames: Int,
            unknown: [String: JSONValue] = [:]
        ) {
            self.path = path
            self.size = size
            self.fingerprint = fingerprint
            self.codec = codec
            self.width = width
            self.height = height
            self.frameRate = frameRate
            self.timeBase = timeBase
            self.startTime = startTime
            self.duration = duration
            self.frames = frames
            self.unknown = unknown
        }

        /// When the last frame ends, in seconds.
        public var endTime: Double { startTime + duration }
    }

    /// A stretch during which the encoder expects a reaction whose gesture is being held.
    package struct Anticipation: Sendable, Hashable, Codable {
        /// The first frame of it, in seconds.
        package var from: Double
        /// The first frame after it, in seconds.
        package var until: Double
        package var reactionType: ReactionType
        /// When the reaction is expected to start, in seconds.
        package var startTime: Double

        package init(from: Double, until: Double, reactionType: ReactionType, startTime: Double) {
            self.from = from
            self.until = until
            self.reactionType = reactionType
            self.startTime = startTime
        }
    }
}
