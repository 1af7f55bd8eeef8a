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
