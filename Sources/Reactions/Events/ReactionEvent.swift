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

    /// The encoder's cost of an effect's frames.
    public struct EncoderCost: Sendable, Hashable, Codable {
        /// The size of the effect's frames in bits.
        public var bits: Int
        /// The mean quantiser of the frames; `nil` if the encoder does not report it.
        public var meanQP: Double?
        /// The largest quantiser of the frames; `nil` if the encoder does not report it.
        public var maxQP: Double?
        /// The number of frames dropped from the output.
        public var framesDropped: Int

        package init(bits: Int, meanQP: Double? = nil, maxQP: Double? = nil, framesDropped: Int) {
            self.bits = bits
            self.meanQP = meanQP
            self.maxQP = maxQP
            self.framesDropped = framesDropped
        }
    }

    /// The targets of a video encoder.
    public struct EncoderTargets: Sendable, Hashable, Codable {
        /// The bit rate in bits a second, if it is the target.
        public var bitRate: Int?
        /// The constant quality, if it is the target; lower is better.
        public var crf: Double?

        package init(bitRate: Int? = nil, crf: Double? = nil) {
            self.bitRate = bitRate
            self.crf = crf
        }
    }

    /// A change of the encoder's targets.
    ///
    /// ```swift
    /// if case .encoderAdjusted(let change) = event.kind, let reason = change.notAdjustable {
    ///     print("the encoder keeps its targets:", reason)
    /// }
    /// ```
    public struct EncoderAdjustment: Sendable, Hashable {
        /// The reason: `effectComing`, `effectStarted`, `effectNeedsMore`, `effectNeedsLess`, `overBudget`,
        /// `underBudget`, `effectCalledOff`, `recovering` or `effectsEnded`.
        public var reason: String
        /// The previous targets.
        public var previous: EncoderTargets
        /// The requested targets.
        public var requested: EncoderTargets
        /// The reason why this encoder does not support the change; `nil` if it was made.
        public var notAdjustable: String?

        package init(
            reason: String, previous: EncoderTargets, requested: EncoderTargets, notAdjustable: String? = nil
        ) {
            self.reason = reason
            self.previous = previous
            self.requested = requested
            self.notAdjustable = notAdjustable
        }
    }

    /// The time for which the quantiser remained raised after effects.
    public struct EncoderRecovery: Sendable, Hashable, Codable {
        /// The time stamp of the first frame without effects, in seconds.
        public var endTime: Double
        /// The seconds from ``endTime`` until the quantiser was within 1 of its value before the effects.
        public var seconds: Double
        /// The mean quantiser before the effects.
        public var usualQP: Double

        package init(endTime: Double, seconds: Double, usualQP: Double) {
            self.endTime = endTime
            self.seconds = seconds
            self.usualQP = usualQP
        }
    }

    /// A change of the output's frame rate.
    public struct FrameRateChange: Sendable, Hashable, Codable {
        /// The previous frame rate in frames a second.
        public var from: Double
        /// The frame rate from this frame on, in frames a second.
        public var to: Double
        /// The reason: `effectsInProgress`, `effectsEnded`, `frameQPAtLimit` or `frameQPBelowLimit`.
        public var reason: String

        package init(from: Double, to: Double, reason: String) {
            self.from = from
            self.to = to
            self.reason = reason
        }
    }

    /// The summary of a whole stream.
    ///
    /// ```swift
    /// let summary = try await session.filter("call.mp4", to: "reacted.mp4").summary
    /// print(summary.framesDropped, "of", summary.framesIn, "frames dropped")
    /// ```
    public struct StreamSummary: Sendable, Hashable {
        /// The number of frames decoded.
        public var framesIn: Int
        /// The number of frames written.
        public var framesOut: Int
        /// The number of frames dropped from the output.
        public var framesDropped: Int
        /// The number of effects shown of each type.
        public var effects: [ReactionType: Int]
        /// The video's duration in seconds.
        public var seconds: Double
        /// The extent of copying and encoding; `nil` if the whole video or nothing was encoded.
        public var smartRender: SmartRenderSummary?
        /// The intervals of sound that were encoded again, because sounds of reactions were mixed into them; `nil` if
        /// sounds are off.
        public var sounds: [SoundInterval]?

        package init(
            framesIn: Int, framesOut: Int, framesDropped: Int, effects: [ReactionType: Int], seconds: Double,
            smartRender: SmartRenderSummary? = nil, sounds: [SoundInterval]? = nil
        ) {
            self.framesIn = framesIn
            self.framesOut = framesOut
            self.framesDropped = framesDropped
            self.effects = effects
            self.seconds = seconds
            self.smartRender = smartRender
            self.sounds = sounds
        }
    }

    /// An interval of sound.
    public struct SoundInterval: Sendable, Hashable, Codable {
        /// The time of its first sample in seconds.
        public var startTime: Double
        /// The time at which its last sample ends, in seconds.
        public var endTime: Double

        package init(startTime: Double, endTime: Double) { (self.startTime, self.endTime) = (startTime, endTime) }

        /// The interval with times rounded to milliseconds.
        package var rounded: Self {
            Self(
                startTime: JSONLine.rounded(startTime, places: 3), endTime: JSONLine.rounded(endTime, places: 3))
        }
    }

    /// The summary of a smart rendering, which re-encodes only the frames that effects change.
    ///
    /// ```swift
    /// let outcome = try await session.filter("call.mp4", to: "reacted.mp4")
    /// if let smart = outcome.summary.smartRender {
    ///     print("\(smart.framesCopied) frames copied, \(smart.framesEncoded) encoded")
    /// }
    /// ```
    public struct SmartRenderSummary: Sendable, Hashable {
        /// The number of frames whose packets were copied.
        public var framesCopied: Int
        /// The number of frames encoded.
        public var framesEncoded: Int
        /// The segments that were encoded, in order.
        public var spans: [Span]
        /// The seconds that the run spent on each pass.
        public var timing: Timing

        package init(framesCopied: Int, framesEncoded: Int, spans: [Span], timing: Timing) {
            self.framesCopied = framesCopied
            self.framesEncoded = framesEncoded
            self.spans = spans
            self.timing = timing
        }

        /// A segment that was encoded.
        public struct Span: Sendable, Hashable, Codable {
            /// The first frame's time stamp in seconds.
            public var startTime: Double
            /// The time at which the last frame ends, in seconds.
            public var endTime: Double
            /// The number of input frames that it replaces.
            public var frames: Int
            /// The reactions that require it, in the order of their starts.
            public var reactionTypes: [ReactionType]

            package init(startTime: Double, endTime: Double, frames: Int, reactionTypes: [ReactionType]) {
                self.startTime = startTime
                self.endTime = endTime
                self.frames = frames
                self.reactionTypes = reactionTypes
            }
        }

        /// The duration of each pass, in seconds of wall time.
        public struct Timing: Sendable, Hashable, Codable {
            /// The duration of the analysis pass, which indexes the input's packets and, if enabled, detects gestures.
            public var looking: Double
            /// The duration of the rendering pass, which copies, draws and encodes.
            public var rendering: Double
            /// The duration of the verification pass, which compares the output with the input.
            public var checking: Double

            package init(looking: Double, rendering: Double, checking: Double) {
                self.looking = looking
                self.rendering = rendering
                self.checking = checking
            }
        }
    }
}
