/// An event of a session, one line of the JSON contract (docs/events.md).
///
/// ```swift
/// for await event in session.events {
///     switch event.kind {
///     case .gesture(let gesture): print(event.time, gesture.gesture.rawValue, gesture.confidence)
///     case .effectStarted(let effect): print(event.time, effect.reactionType, effect.trigger)
///     case .warning(_, let message): print(event.time, message)
///     default: break
///     }
/// }
/// ```
public struct ReactionEvent: Sendable, Hashable {
    /// The time in seconds on the output video's clock.
    public var time: Double
    /// The output frame's index, from 0.
    public var frame: Int
    /// The kind of event, with its details.
    public var kind: Kind

    /// Creates an event at a frame.
    public init(time: Double, frame: Int, kind: Kind) {
        self.time = time
        self.frame = frame
        self.kind = kind
    }

    /// The kind of event.
    public enum Kind: Sendable, Hashable {
        /// The first event of every stream.
        case streamStarted(StreamDescription)
        /// A gesture was held long enough.
        case gesture(GestureDetail)
        /// A gesture almost fired. This event is emitted only with ``Configuration/reportsCandidates``.
        case candidate(CandidateDetail)
        /// An effect's first frame was drawn.
        case effectStarted(EffectDetail)
        /// A request extended a running effect of the same type.
        case effectExtended(EffectExtension)
        /// The first frame without the effect was reached.
        case effectEnded(EffectEnd)
        /// The set of effects in progress changed; sorted by their start.
        case effectsInProgress([ReactionEffectState])
        /// The encoder's targets changed, or the encoder does not support the change.
        case encoderAdjusted(EncoderAdjustment)
        /// The encoder's quantiser has returned to its value from before the effects.
        case encoderRecovered(EncoderRecovery)
        /// The frame rate changed for effects, or returned to normal.
        case frameRateChanged(FrameRateChange)
        /// The tiles of a gallery recording changed; fewer than two for a single picture.
        case layoutChanged([LayoutTile])
        /// The effects on the whole video changed, or are on from the first frame.
        case videoEffectsChanged(VideoEffects)
        /// A live run reduced its quality, or restored it.
        case qualityChanged(QualityChange)
        /// The latency of frames since the last event of this kind.
        case statistics(Statistics)
        /// Something was skipped, dropped or damaged.
        case warning(code: WarningCode, message: String)
        /// A photograph was captured. A better one of the same instant will replace it.
        case photoProxy(PhotoDetail)
        /// A photograph is finished.
        case photoFinished(PhotoDetail)
        /// A photograph failed; the stream continues.
        case photoFailed(id: Int, message: String)
        /// The readiness for photographs changed. This event is emitted only in live runs.
        case photoReadiness(PhotoCaptureReadiness)
        /// The last event of every stream.
        case streamEnded(StreamSummary)
    }

    /// The cause of an effect's start.
    public enum Trigger: String, Sendable, Hashable, Codable {
        /// A gesture.
        case gesture
        /// ``ReactionSession/performEffect(for:at:)``.
        case request
        /// A reaction scheduled in the configuration.
        case schedule
    }

    /// The subject of a warning.
    ///
    /// ```swift
    /// if case .warning(.inputLost, let message) = event.kind { print("reconnecting:", message) }
    /// ```
    public enum WarningCode: String, Sendable, Hashable, Codable, CaseIterable {
        /// An interval of the input could not be decoded.
        case damagedInput
        /// The input's time stamps jumped forward, and the gap was closed.
        case timestampGap
        /// A stream of the input was omitted from the output.
        case streamSkipped
        /// Side data, dispositions, tags or chapters of the input are missing in the output, or it cannot hold the
        /// reactions' chapters.
        case metadataLost
        /// The picture's size changed, and later frames were scaled to the size of the first; or the picture was padded
        /// to an even size.
        case sizeChanged
        /// The frames had to be converted to a format that the encoder supports.
        case formatConverted
        /// A scheduled reaction was after the end of the input, or reactions were disabled at its time; or one picture
        /// stands for longer than the reaction.
        case reactionNotShown
        /// A custom effect has changed since the plan was made.
        case effectChanged
        /// People were not followed by auto framing, since the picture is a gallery.
        case notFramed
        /// People could not be segmented, so effects are drawn in front of them.
        case peopleNotFound
        /// Effects flashed too often, and were weakened.
        case flashesLimited
        /// Faces could not be detected, so the encoder does not protect them.
        case facesNotFound
        /// A pipe or the network has delivered no data for a while. The run waits.
        case inputStalled
        /// The connection to the input was lost.
        case inputLost
        /// The connection to the input was restored.
        case inputResumed
        /// The run was stopped before the end of the input.
        case interrupted
        /// The sounds of reactions were not mixed into the recording's sound.
        case soundsNotMixed
        /// The unfinished file of an earlier, killed run to the same output was removed.
        case leftoverRemoved
        /// The input has several videos, of which one is filtered.
        case videoChosen
        /// The command of a hook could not be started, failed or took too long; or commands were dropped.
        case hookFailed
    }

    /// The properties of a stream at its start.
    ///
    /// ```swift
    /// if case .streamStarted(let stream) = event.kind {
    ///     print("\(stream.width)×\(stream.height)", stream.frameRate ?? 0)
    ///     if let reason = stream.wholeReason { print("encodes the whole video:", reason) }
    /// }
    /// ```
    public struct StreamDescription: Sendable, Hashable {
        /// The input's name as the caller specified it.
        public var input: String
        /// The upright picture's width in pixels.
        public var width: Int
        /// The upright picture's height in pixels.
        public var height: Int
        /// The nominal frame rate in frames a second; `nil` if the input does not declare one.
        public var frameRate: Double?
        /// The reaction types that can be shown.
        public var availableReactionTypes: [ReactionType]
        /// True if gestures are detected.
        public var gesturesEnabled: Bool
        /// True if reactions are shown.
        public var reactionsEnabled: Bool
        /// The frame rate while effects run; `nil` if it does not change.
        public var frameRateDuringEffects: Double?
        /// The reason why the whole video is encoded although smart rendering was requested; `nil` otherwise.
        public var wholeReason: String?

        package init(
            input: String, width: Int, height: Int, frameRate: Double? = nil, availableReactionTypes: [ReactionType],
            gesturesEnabled: Bool, reactionsEnabled: Bool, frameRateDuringEffects: Double? = nil,
            wholeReason: String? = nil
        ) {
            self.input = input
            self.width = width
            self.height = height
            self.frameRate = frameRate
            self.availableReactionTypes = availableReactionTypes
            self.gesturesEnabled = gesturesEnabled
            self.reactionsEnabled = reactionsEnabled
            self.frameRateDuringEffects = frameRateDuringEffects
            self.wholeReason = wholeReason
        }
    }

    /// A gesture that was held long enough.
    public struct GestureDetail: Sendable, Hashable {
        /// The gesture.
        public var gesture: ReactionGesture
        /// The number of hands that made it: 1 or 2.
        public var handCount: Int
        /// The recogniser's confidence over the hold, 0…1.
        public var confidence: Double
        /// The middle of the hand, or of both hands.
        public var origin: PicturePoint
        /// The time at which the hold began, in seconds: halfway between the last analysed frame without the gesture
        /// and the first one with it.
        public var heldSince: Double
        /// The tile of the person who made the gesture; `nil` if the picture is a single one.
        public var tile: LayoutTile?
        /// The part of the input's picture that the output shows; `nil` for the whole picture.
        public var crop: PictureCrop?

        package init(
            gesture: ReactionGesture, handCount: Int, confidence: Double, origin: PicturePoint, heldSince: Double
        ) {
            self.gesture = gesture
            self.handCount = handCount
            self.confidence = confidence
            self.origin = origin
            self.heldSince = heldSince
        }
    }

    /// An effect that starts.
    public struct EffectDetail: Sendable, Hashable {
        /// The effect's number, unique in a session.
        public var id: Int
        /// The type of the reaction.
        public var reactionType: ReactionType
        /// The cause of its start.
        public var trigger: Trigger
        /// The gesture that triggered the effect, if any.
        public var gesture: ReactionGesture?
        /// The place where the effect starts in the upright picture.
        public var origin: PicturePoint
        /// The time stamp of the first frame drawn, in seconds.
        public var startTime: Double
        /// The drawn share of the effect's pieces.
        public var detail = 1.0
        /// The tile in which it is drawn; `nil` for the whole picture.
        public var tile: LayoutTile?
        /// The part of the input's picture that the output shows; `nil` for the whole picture.
        public var crop: PictureCrop?

        package init(
            id: Int, reactionType: ReactionType, trigger: Trigger, gesture: ReactionGesture? = nil,
            origin: PicturePoint, startTime: Double, detail: Double = 1.0, tile: LayoutTile? = nil
        ) {
            self.id = id
            self.reactionType = reactionType
            self.trigger = trigger
            self.gesture = gesture
            self.origin = origin
            self.startTime = startTime
            self.detail = detail
            self.tile = tile
        }
    }

    /// A request that extended an effect in progress.
    public struct EffectExtension: Sendable, Hashable {
        /// The effect's number, unique in a session.
        public var id: Int
        /// The type of the reaction.
        public var reactionType: ReactionType
        /// The cause of the extension.
        public var trigger: Trigger
        /// The tile in which the effect is drawn; `nil` for the whole picture.
        public var tile: LayoutTile?

        package init(id: Int, reactionType: ReactionType, trigger: Trigger, tile: LayoutTile? = nil) {
            (self.id, self.reactionType, self.trigger, self.tile) = (id, reactionType, trigger, tile)
        }
    }

    /// An effect that has ended.
    ///
    /// ```swift
    /// if case .effectEnded(let end) = event.kind {
    ///     print(end.reactionType, "from", end.startTime, "to", end.endTime)
    /// }
    /// ```
    public struct EffectEnd: Sendable, Hashable {
        /// The effect's number, unique in a session.
        public var id: Int
        /// The type of the reaction.
        public var reactionType: ReactionType
        /// The time stamp of the first frame drawn, in seconds.
        public var startTime: Double
        /// The time stamp of the first frame without the effect, in seconds.
        public var endTime: Double
        /// The number of frames that were dropped from the output while the effect ran.
        public var framesDropped = 0
        /// The encoder's cost of the effect's frames; `nil` if nothing was encoded.
        public var encoder: EncoderCost?
        /// The tile in which it was drawn; `nil` for the whole picture.
        public var tile: LayoutTile?

        package init(
            id: Int, reactionType: ReactionType, startTime: Double, endTime: Double, framesDropped: Int = 0,
            encoder: EncoderCost? = nil, tile: LayoutTile? = nil
        ) {
            self.tile = tile
            self.id = id
            self.reactionType = reactionType
            self.startTime = startTime
            self.endTime = endTime
            self.framesDropped = framesDropped
            self.encoder = encoder
        }
    }
}
