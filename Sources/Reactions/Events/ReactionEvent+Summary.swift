extension ReactionEvent {
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
