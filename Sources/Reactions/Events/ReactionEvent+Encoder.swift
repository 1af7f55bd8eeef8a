extension ReactionEvent {
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
}
