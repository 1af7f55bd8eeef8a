/// The details of events: candidates, photographs, quality changes, statistics.
extension ReactionEvent {
    /// The reason why a gesture that was held did not fire. The raw values belong to the JSON contract.
    public enum CandidateReason: String, Sendable, Hashable, Codable, CaseIterable {
        /// The gesture is switched off.
        case disabled
        /// The hand moved before the hold was over, and showed the gesture in another place.
        case moved
        /// The hand was lowered, or lost from sight, before the hold was over.
        case heldTooBriefly
        /// The gesture was held long enough, but detected in too few frames.
        case notSeenEnough
        /// The gesture had fired shortly before, and was lowered before the cooldown was over.
        case coolingDown
        /// The gesture was held long enough, but its detections lacked confidence; see ``Configuration/sensitivity``.
        case notSure
        /// The gesture was held for seconds without sufficient confidence, as by a hand that only rests there.
        case wasThereBefore
        /// Someone spoke while the gesture was held; see ``Configuration/speechPolicy``.
        case speaking
    }

    /// A gesture that almost fired, reported when the gesture is over.
    ///
    /// ```swift
    /// if case .candidate(let candidate) = event.kind {
    ///     print(candidate.gesture.rawValue, candidate.held, "of", candidate.hold, "s:", candidate.reason)
    /// }
    /// ```
    public struct CandidateDetail: Sendable, Hashable {
        /// The gesture.
        public var gesture: ReactionGesture
        /// The number of hands that made the gesture: 1 or 2.
        public var handCount: Int
        /// The confidence of the recognition, 0…1.
        public var confidence: Double
        /// The middle of the hand, or of both hands, at the last detection.
        public var origin: PicturePoint
        /// The time at which the hold began, in seconds.
        public var heldSince: Double
        /// The time of the last detection, in seconds.
        public var heldUntil: Double
        /// The required duration of the hold, in seconds.
        public var hold: Double
        /// The reason why the gesture did not fire.
        public var reason: CandidateReason
        /// The tile of the person who made the gesture; `nil` if the picture is a single one.
        public var tile: LayoutTile?
        /// The part of the input's picture that the output shows; `nil` for the whole picture.
        public var crop: PictureCrop?

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

        /// The duration of the hold, in seconds.
        public var held: Double { heldUntil - heldSince }
    }
}

extension ReactionEvent {
    /// A photograph that was captured.
    ///
    /// ```swift
    /// if case .photoFinished(let photo) = event.kind, let path = photo.path {
    ///     print(path, photo.width, photo.height, photo.frames)
    /// }
    /// ```
    public struct PhotoDetail: Sendable, Hashable {
        /// The photograph's number, unique in the run.
        public var id: Int
        /// The path of the file; `nil` if the photograph was passed on in memory.
        public var path: String?
        /// The time of the capture, in seconds on the video's clock.
        public var photoTime: Double
        /// The reaction that triggered the capture; `nil` if a client requested it.
        public var reactionType: ReactionType?
        /// The gesture that triggered the reaction.
        public var gesture: ReactionGesture?
        /// The place where the reaction starts, in the upright picture.
        public var origin: PicturePoint?
        /// The content: `clean` or `withEffects`.
        public var content: String
        /// The quality with which it was made.
        public var photoQualityPrioritization: PhotoQualityPrioritization
        /// The number of frames that were fused.
        public var frames: Int
        /// The width in pixels.
        public var width: Int
        /// The height in pixels.
        public var height: Int
        /// True if the photograph shows the requested instant, rather than the first instant after it.
        public var zeroShutterLag: Bool
        /// The reason why this instant was chosen; `nil` if a client requested the instant.
        public var choice: PhotoChoice?
        /// The tile whose picture it shows; `nil` for the whole picture.
        public var tile: LayoutTile?
        /// The part of the input's picture that it shows, because the output shows that part; `nil` for the whole picture.
        public var crop: PictureCrop?

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
        try fields.encodeIfPresent(tile?.rounded, forKey: "tile")
        try fields.encodeIfPresent(crop?.rounded, forKey: "crop")
        guard var choice else { return }
        choice.sharpness = JSONLine.rounded(choice.sharpness, places: 3)
        choice.stillness = JSONLine.rounded(choice.stillness, places: 3)
        try fields.encode(choice, forKey: "choice")
    }
}

extension ReactionEvent {
    /// A change of a live run's quality in response to the machine's load.
    ///
    /// ```swift
    /// if case .qualityChanged(let change) = event.kind { print(change.from, "→", change.to) }
    /// ```
    public struct QualityChange: Sendable, Hashable, Codable {
        /// The previous level: `full` if nothing was reduced, or the last reduction in force. Reductions are added in
        /// the order `analysis`, `mask`, `detail`, `effectFrameRate`, `frameRate`.
        public var from: String
        /// The level from this frame on.
        public var to: String
        /// The share of the time in which the busiest stage of the pipeline worked; 1 is all of the time.
        public var load: Double

        package init(from: String, to: String, load: Double) {
            self.from = from
            self.to = to
            self.load = load
        }
    }

    /// A part of a frame's path whose latency is measured.
    public enum LatencyStage: String, Sendable, Hashable, Codable, CaseIterable {
        /// From the decoder to the end of the analysis, which runs in parallel in a live run.
        case analysis
        /// From the end of the analysis until the effects are drawn.
        case drawing
        /// From the decoder to the encoder's input, in total.
        case toEncoder
        /// From the encoder's input to the encoder's output of the packet.
        case encoding
        /// From the encoder's output until the packet is written.
        case writing
        /// From the decoder until the packet is written.
        case total
    }

    /// The latency of frames in one part of their path, in seconds.
    public struct StageLatency: Sendable, Hashable, Codable {
        /// The part of the path.
        public var stage: LatencyStage
        /// The number of frames measured.
        public var count: Int
        /// The median.
        public var p50: Double
        /// The 95th percentile.
        public var p95: Double
        /// The 99th percentile.
        public var p99: Double
        /// The maximum.
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

    /// The latencies measured in a run.
    ///
    /// ```swift
    /// if case .statistics(let statistics) = event.kind {
    ///     for stage in statistics.stages { print(stage.stage, stage.p95) }
    /// }
    /// ```
    public struct Statistics: Sendable, Hashable, Codable {
        /// The latencies in the order of a frame's path.
        public var stages: [StageLatency]

        package init(stages: [StageLatency]) {
            self.stages = stages
        }
    }
}

/// An effect that is or was in progress.
public struct ReactionEffectState: Sendable, Hashable {
    /// The effect's number, unique in a session, from 1 in order of their start.
    public let id: Int
    /// The type of the reaction.
    public let reactionType: ReactionType
    /// The time stamp of the first frame that was drawn on, in seconds.
    public let startTime: Double
    /// The time stamp of the first frame *without* the effect; `nil` while the effect runs.
    public package(set) var endTime: Double?
    /// The place where the effect starts in the upright picture.
    public let origin: PicturePoint
    /// The tile in which the effect is drawn; `nil` for the whole picture.
    public let tile: LayoutTile?

    package init(
        id: Int, reactionType: ReactionType, startTime: Double, endTime: Double? = nil, origin: PicturePoint,
        tile: LayoutTile? = nil
    ) {
        self.id = id
        self.reactionType = reactionType
        self.startTime = startTime
        self.endTime = endTime
        self.origin = origin
        self.tile = tile
    }
}

extension ReactionEffectState {
    /// Creates the state of the effect that an event describes.
    package init(_ effect: ReactionEvent.EffectDetail) {
        self.init(
            id: effect.id, reactionType: effect.reactionType, startTime: effect.startTime, endTime: nil,
            origin: effect.origin, tile: effect.tile)
    }
}
