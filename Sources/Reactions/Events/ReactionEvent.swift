/// Something that happened in a session, as one line of the JSON contract
/// (docs/events.md).
public struct ReactionEvent: Sendable, Hashable {
    /// Seconds on the output video's clock.
    public var time: Double
    /// The output frame's index, from 0.
    public var frame: Int
    /// What happened, with its details.
    public var kind: Kind

    /// An event at a frame.
    public init(time: Double, frame: Int, kind: Kind) {
        self.time = time
        self.frame = frame
        self.kind = kind
    }

    /// What happened.
    public enum Kind: Sendable, Hashable {
        /// The first event of every stream.
        case streamStarted(StreamDescription)
        /// A gesture was held long enough.
        case gesture(GestureDetail)
        /// A gesture nearly fired; told with ``Configuration/tellsCandidates`` only.
        case candidate(CandidateDetail)
        /// An effect's first frame was drawn.
        case effectStarted(EffectDetail)
        /// A request joined an effect of the same type that was running.
        case effectExtended(id: Int, reactionType: ReactionType, trigger: Trigger)
        /// The first frame without the effect came.
        case effectEnded(EffectEnd)
        /// The set of effects in progress changed; sorted by their start.
        case effectsInProgress([ReactionEffectState])
        /// What the encoder aims at changed, or could not.
        case encoderAdjusted(EncoderAdjustment)
        /// After effects, the encoder's quantiser is back where it was before them.
        case encoderRecovered(EncoderRecovery)
        /// Effects run at another frame rate, or no longer do.
        case frameRateChanged(FrameRateChange)
        /// A live run lowered its quality, or raised it again.
        case qualityChanged(QualityChange)
        /// How long frames took since the last event of this kind.
        case statistics(Statistics)
        /// Something was skipped, dropped or damaged.
        case warning(code: WarningCode, message: String)
        /// A photograph was taken, and a better one of the same instant takes its place later.
        case photoProxy(PhotoDetail)
        /// A photograph was taken, and is finished.
        case photoFinished(PhotoDetail)
        /// A photograph could not be taken; the stream goes on.
        case photoFailed(id: Int, message: String)
        /// Whether a photograph could be taken at once changed; told in live runs.
        case photoReadiness(PhotoCaptureReadiness)
        /// The last event of every stream.
        case streamEnded(StreamSummary)
    }

    /// What made an effect start.
    public enum Trigger: String, Sendable, Hashable, Codable {
        /// Somebody's hands.
        case gesture
        /// ``ReactionSession/performEffect(for:at:)``.
        case request
        /// A reaction that the configuration puts at a time.
        case schedule
    }

    /// What a warning is about.
    public enum WarningCode: String, Sendable, Hashable, Codable {
        /// A stretch of the input could not be decoded.
        case damagedInput
        /// The input's time stamps jumped forward, and the gap was closed.
        case timestampGap
        /// A stream of the input was left out of the output.
        case streamSkipped
        /// Side data, dispositions, tags or chapters of the input are not in the output.
        case metadataLost
        /// The picture changed its size, and later frames were scaled to the first one's; or it was padded to an even size.
        case sizeChanged
        /// The frames had to be converted to a format that the encoder takes.
        case formatConverted
        /// A scheduled reaction lay beyond the end of the input, or its time came while reactions were switched off.
        case reactionNotShown
        /// An effect of your own is not what it was when the plan was made.
        case effectChanged
        /// People could not be told from the room, so effects are drawn in front of them.
        case peopleNotFound
        /// Faces could not be found, so the encoder does not protect them.
        case facesNotFound
        /// A pipe or the network has given nothing for a while; the run waits.
        case inputStalled
        /// The connection to the input was lost.
        case inputLost
        /// The connection to the input is back.
        case inputResumed
        /// The run was stopped before the end of the input.
        case interrupted
        /// The unfinished file of an earlier run to the same output, which was killed, was removed.
        case leftoverRemoved
    }

    /// What is known of a stream when it starts.
    public struct StreamDescription: Sendable, Hashable {
        /// The input's name as it was given.
        public var input: String
        /// The upright picture's width in pixels.
        public var width: Int
        /// The upright picture's height in pixels.
        public var height: Int
        /// The nominal frame rate in frames a second; `nil` where the input does not say.
        public var frameRate: Double?
        /// What can be shown.
        public var availableReactionTypes: [ReactionType]
        /// Whether hands are looked for.
        public var gesturesEnabled: Bool
        /// Whether reactions are shown.
        public var reactionsEnabled: Bool
        /// The frame rate while effects run; `nil` where it stays as it is.
        public var frameRateDuringEffects: Double?
        /// Why the whole video is encoded, where what no effect touches might have been copied; `nil` where it is
        /// copied, and where nobody asked for that.
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
        /// What the hands said.
        public var gesture: ReactionGesture
        /// How many hands made it: 1 or 2.
        public var handCount: Int
        /// How sure the recognition is, 0…1.
        public var confidence: Double
        /// The middle of the hand, or of both.
        public var origin: PicturePoint
        /// When the hold began, in seconds: halfway between the last look without it and the first one with it.
        public var heldSince: Double

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
        /// Tells the effects of one session apart.
        public var id: Int
        /// What is shown.
        public var reactionType: ReactionType
        /// What made it start.
        public var trigger: Trigger
        /// The gesture that triggered it, if one did.
        public var gesture: ReactionGesture?
        /// Where it starts in the upright picture.
        public var origin: PicturePoint
        /// The time stamp of the first frame drawn, in seconds.
        public var startTime: Double
        /// The share of its pieces that is drawn.
        public var detail = 1.0

        package init(
            id: Int, reactionType: ReactionType, trigger: Trigger, gesture: ReactionGesture? = nil,
            origin: PicturePoint, startTime: Double, detail: Double = 1.0
        ) {
            self.id = id
            self.reactionType = reactionType
            self.trigger = trigger
            self.gesture = gesture
            self.origin = origin
            self.startTime = startTime
            self.detail = detail
        }
    }

    /// An effect that has ended.
    public struct EffectEnd: Sendable, Hashable {
        /// Tells the effects of one session apart.
        public var id: Int
        /// What is shown.
        public var reactionType: ReactionType
        /// The time stamp of the first frame drawn, in seconds.
        public var startTime: Double
        /// The time stamp of the first frame without the effect, in seconds.
        public var endTime: Double
        /// Frames that were left out of the output while it ran.
        public var framesDropped = 0
        /// What the effect's frames cost; `nil` where nothing was encoded.
        public var encoder: EncoderCost?

        package init(
            id: Int, reactionType: ReactionType, startTime: Double, endTime: Double, framesDropped: Int = 0,
            encoder: EncoderCost? = nil
        ) {
            self.id = id
            self.reactionType = reactionType
            self.startTime = startTime
            self.endTime = endTime
            self.framesDropped = framesDropped
            self.encoder = encoder
        }
    }

    /// What the frames of an effect cost the encoder.
    public struct EncoderCost: Sendable, Hashable, Codable {
        /// The size of the effect's frames.
        public var bits: Int
        /// The mean quantiser of the frames; `nil` where the encoder does not tell.
        public var meanQP: Double?
        /// The largest quantiser of the frames; `nil` where the encoder does not tell.
        public var maxQP: Double?
        /// Frames that were left out of the output.
        public var framesDropped: Int

        package init(bits: Int, meanQP: Double? = nil, maxQP: Double? = nil, framesDropped: Int) {
            self.bits = bits
            self.meanQP = meanQP
            self.maxQP = maxQP
            self.framesDropped = framesDropped
        }
    }

    /// What a video encoder aims at.
    public struct EncoderTargets: Sendable, Hashable, Codable {
        /// Bits a second, where the rate is held.
        public var bitRate: Int?
        /// Constant quality, where that is held; lower is better.
        public var crf: Double?

        package init(bitRate: Int? = nil, crf: Double? = nil) {
            self.bitRate = bitRate
            self.crf = crf
        }
    }

    /// A change of what the encoder aims at.
    public struct EncoderAdjustment: Sendable, Hashable {
        /// Why: `effectComing`, `effectStarted`, `effectNeedsMore`, `effectNeedsLess`,
        /// `overBudget`, `underBudget`, `effectCalledOff`, `recovering` or `effectsEnded`.
        public var reason: String
        /// What held before.
        public var previous: EncoderTargets
        /// What was asked for.
        public var requested: EncoderTargets
        /// Why this encoder cannot do it; `nil` where it was done.
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

    /// How long the picture stayed coarse after effects.
    public struct EncoderRecovery: Sendable, Hashable, Codable {
        /// The time stamp of the first frame without effects, in seconds.
        public var endTime: Double
        /// Seconds from then until the quantiser was within 1 of what it was before.
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
        /// Frames a second before.
        public var from: Double
        /// Frames a second from this frame on.
        public var to: Double
        /// Why: `effectsInProgress`, `effectsEnded`, `frameQPAtLimit` or `frameQPBelowLimit`.
        public var reason: String

        package init(from: Double, to: Double, reason: String) {
            self.from = from
            self.to = to
            self.reason = reason
        }
    }

    /// The figures of a whole stream.
    public struct StreamSummary: Sendable, Hashable {
        /// Frames that were decoded.
        public var framesIn: Int
        /// Frames that were written.
        public var framesOut: Int
        /// Frames that were left out of the output.
        public var framesDropped: Int
        /// How many effects of each type were shown.
        public var effects: [ReactionType: Int]
        /// The length of the video in seconds.
        public var seconds: Double
        /// What was copied and what was encoded; `nil` where the whole video was encoded, or nothing.
        public var smartRender: SmartRenderSummary?

        package init(
            framesIn: Int, framesOut: Int, framesDropped: Int, effects: [ReactionType: Int], seconds: Double,
            smartRender: SmartRenderSummary? = nil
        ) {
            self.framesIn = framesIn
            self.framesOut = framesOut
            self.framesDropped = framesDropped
            self.effects = effects
            self.seconds = seconds
            self.smartRender = smartRender
        }
    }

    /// How a video was written of which only what effects touch was encoded again.
    public struct SmartRenderSummary: Sendable, Hashable {
        /// Frames whose packets are the input's.
        public var framesCopied: Int
        /// Frames that were encoded.
        public var framesEncoded: Int
        /// The stretches that were encoded, in order.
        public var spans: [Span]
        /// Seconds that the run spent on each pass.
        public var timing: Timing

        package init(framesCopied: Int, framesEncoded: Int, spans: [Span], timing: Timing) {
            self.framesCopied = framesCopied
            self.framesEncoded = framesEncoded
            self.spans = spans
            self.timing = timing
        }

        /// A stretch that was encoded.
        public struct Span: Sendable, Hashable, Codable {
            /// The first frame's time stamp in seconds.
            public var startTime: Double
            /// When the last frame ends, in seconds.
            public var endTime: Double
            /// How many frames of the input it replaces.
            public var frames: Int
            /// The reactions that made it necessary, in the order of their starts.
            public var reactionTypes: [ReactionType]

            package init(startTime: Double, endTime: Double, frames: Int, reactionTypes: [ReactionType]) {
                self.startTime = startTime
                self.endTime = endTime
                self.frames = frames
                self.reactionTypes = reactionTypes
            }
        }

        /// Where the time went, in seconds of wall time.
        public struct Timing: Sendable, Hashable, Codable {
            /// Reading the input to know where it can be cut and, where gestures are looked for, looking for them.
            public var looking: Double
            /// Copying, drawing and encoding.
            public var rendering: Double
            /// Comparing the output with the input.
            public var checking: Double

            package init(looking: Double, rendering: Double, checking: Double) {
                self.looking = looking
                self.rendering = rendering
                self.checking = checking
            }
        }
    }
}
