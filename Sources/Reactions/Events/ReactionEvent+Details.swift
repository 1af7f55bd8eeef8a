extension ReactionEvent {
    /// Why a gesture that was held did not fire. The raw values are those of the JSON contract.
    public enum CandidateReason: String, Sendable, Hashable, Codable, CaseIterable {
        /// The gesture is switched off.
        case disabled
        /// The hand went elsewhere before the hold was over, and showed the gesture there.
        case moved
        /// It was lowered, or lost from sight, before the hold was over.
        case heldTooBriefly
        /// It was held long enough, but too few of the looks saw it.
        case notSeenEnough
        /// It was answered a moment ago, and lowered before the cooldown was over.
        case coolingDown
        /// It was held long enough, but the looks at it were not sure enough; see ``Configuration/sensitivity``.
        case notSure
        /// It was held for seconds on end without the looks being sure enough: the hand lay there, and meant nothing.
        case wasThereBefore
    }

    /// A gesture that nearly fired, when that is over.
    public struct CandidateDetail: Sendable, Hashable {
        /// What the hands said.
        public var gesture: ReactionGesture
        /// How many hands made it: 1 or 2.
        public var handCount: Int
        /// How sure the recognition was, 0…1.
        public var confidence: Double
        /// The middle of the hand, or of both, where it was seen last.
        public var origin: PicturePoint
        /// When the hold began, in seconds.
        public var heldSince: Double
        /// When it was seen last, in seconds.
        public var heldUntil: Double
        /// How long it had to be held, in seconds.
        public var hold: Double
        /// Why it did not fire.
        public var reason: CandidateReason

        package init(
            gesture: ReactionGesture, handCount: Int, confidence: Double, origin: PicturePoint, heldSince: Double,
            heldUntil: Double, hold: Double, reason: CandidateReason
        ) {
            self.gesture = gesture
            self.handCount = handCount
            self.confidence = confidence
            self.origin = origin
            self.heldSince = heldSince
            self.heldUntil = heldUntil
            self.hold = hold
            self.reason = reason
        }

        /// How long it was held, in seconds.
        public var held: Double { heldUntil - heldSince }
    }
}

extension ReactionEvent {
    /// A photograph that was taken.
    public struct PhotoDetail: Sendable, Hashable {
        /// Tells it from the run's other photographs.
        public var id: Int
        /// The file; `nil` where it was handed over.
        public var path: String?
        /// When it was taken, in seconds on the video's clock.
        public var photoTime: Double
        /// The reaction of which it was taken; `nil` where somebody asked for it.
        public var reactionType: ReactionType?
        /// What the hands said.
        public var gesture: ReactionGesture?
        /// Where in the upright picture.
        public var origin: PicturePoint?
        /// What it shows: `clean` or `withEffects`.
        public var content: String
        /// What it was made with.
        public var photoQualityPrioritization: PhotoQualityPrioritization
        /// How many frames were fused.
        public var frames: Int
        /// Its width in pixels.
        public var width: Int
        /// Its height in pixels.
        public var height: Int
        /// Whether it shows the instant that was asked for, rather than the first one after it.
        public var zeroShutterLag: Bool
        /// Why this instant was chosen; `nil` where it was asked for.
        public var choice: PhotoChoice?

        package init(
            id: Int, path: String?, photoTime: Double, content: String,
            photoQualityPrioritization: PhotoQualityPrioritization, frames: Int, width: Int, height: Int,
            zeroShutterLag: Bool
        ) {
            (self.id, self.path, self.photoTime, self.content) = (id, path, photoTime, content)
            self.photoQualityPrioritization = photoQualityPrioritization
            (self.frames, self.width, self.height, self.zeroShutterLag) = (frames, width, height, zeroShutterLag)
        }
    }
}

extension ReactionEvent.PhotoDetail {
    package func encode(into fields: inout KeyedEncodingContainer<FieldName>) throws {
        try fields.encode(id, forKey: "id")
        try fields.encodeIfPresent(path, forKey: "path")
        try fields.encode(JSONLine.rounded(photoTime, places: 3), forKey: "photoTime")
        try fields.encodeIfPresent(reactionType, forKey: "reactionType")
        try fields.encodeIfPresent(gesture, forKey: "gesture")
        try fields.encodeIfPresent(origin?.rounded, forKey: "origin")
        try fields.encode(content, forKey: "content")
        try fields.encode(photoQualityPrioritization, forKey: "photoQualityPrioritization")
        try fields.encode(frames, forKey: "frames")
        try fields.encode(width, forKey: "width")
        try fields.encode(height, forKey: "height")
        try fields.encode(zeroShutterLag, forKey: "zeroShutterLag")
        guard var choice else { return }
        choice.sharpness = JSONLine.rounded(choice.sharpness, places: 3)
        choice.stillness = JSONLine.rounded(choice.stillness, places: 3)
        try fields.encode(choice, forKey: "choice")
    }
}

extension ReactionEvent {
    /// A step of a live run whose machine is too slow, or no longer is.
    public struct QualityChange: Sendable, Hashable, Codable {
        /// What was lowered before: `full` (nothing), or the last of `analysis`, `mask`, `detail`,
        /// `effectFrameRate` and `frameRate`, which are lowered in this order.
        public var from: String
        /// The same from this frame on.
        public var to: String
        /// The share of the time for which the busiest stage worked; 1 is all of it.
        public var load: Double

        package init(from: String, to: String, load: Double) {
            self.from = from
            self.to = to
            self.load = load
        }
    }

    /// A part of a frame's way whose time is measured.
    public enum LatencyStage: String, Sendable, Hashable, Codable, CaseIterable {
        /// From the decoder to the end of the analysis, which a live run does beside.
        case analysis
        /// From there until the effects are drawn.
        case drawing
        /// From the decoder until it is given to the encoder, all in all.
        case toEncoder
        /// From there until its packet comes out.
        case encoding
        /// From there until it is written.
        case writing
        /// From the decoder until it is written.
        case total
    }

    /// How long frames took, in seconds.
    public struct StageLatency: Sendable, Hashable, Codable {
        /// Which part of the way.
        public var stage: LatencyStage
        /// How many frames were measured.
        public var count: Int
        /// Half of them took no longer.
        public var p50: Double
        /// 95 % of them took no longer.
        public var p95: Double
        /// 99 % of them took no longer.
        public var p99: Double
        /// The longest.
        public var max: Double

        package init(stage: LatencyStage, count: Int, p50: Double, p95: Double, p99: Double, max: Double) {
            self.stage = stage
            self.count = count
            self.p50 = p50
            self.p95 = p95
            self.p99 = p99
            self.max = max
        }
    }

    /// What was measured of a run.
    public struct Statistics: Sendable, Hashable, Codable {
        /// In the order of a frame's way.
        public var stages: [StageLatency]

        package init(stages: [StageLatency]) {
            self.stages = stages
        }
    }
}

/// An effect that is in progress, or was.
public struct ReactionEffectState: Sendable, Hashable {
    /// Tells effects of one session apart; counts from 1 in order of their start.
    public let id: Int
    /// What is shown.
    public let reactionType: ReactionType
    /// The time stamp of the first frame that was drawn on, in seconds.
    public let startTime: Double
    /// While the effect runs: `nil`. Then the time stamp of the first frame *without* it.
    public package(set) var endTime: Double?
    /// Where the effect starts in the upright picture.
    public let origin: PicturePoint

    package init(id: Int, reactionType: ReactionType, startTime: Double, endTime: Double? = nil, origin: PicturePoint) {
        self.id = id
        self.reactionType = reactionType
        self.startTime = startTime
        self.endTime = endTime
        self.origin = origin
    }
}

extension ReactionEffectState {
    /// The effect that an event tells of.
    package init(_ effect: ReactionEvent.EffectDetail) {
        self.init(
            id: effect.id, reactionType: effect.reactionType, startTime: effect.startTime, endTime: nil,
            origin: effect.origin)
    }
}
