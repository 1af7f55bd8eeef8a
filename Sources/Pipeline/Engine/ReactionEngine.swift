package import MediaIO
import Raster
package import Reactions

/// Converts decoded frames into frames with effects.
///
/// ```
/// frame ──▶ plan ──▶ draw ──▶ embed ──▶ frame with effects, events and demands on the encoder
/// ```
///
/// Whole encodes, segments, overlays, previews and ``ReactionProcessor`` each use an engine, with different setups. An
/// engine has no reference to a session. Switches and requests are passed to it as values, so several engines can work
/// in parallel.
///
/// Used by one thread at a time.
package final class ReactionEngine {
    private var planner: FramePlanner
    /// The effects in the style of the last frame.
    private var catalog: EffectCatalog
    /// Draws effects; nil if effects are only emitted as events.
    private let compositor: FrameCompositor?
    /// Draws the effects without the picture; nil if effects are drawn on the frame.
    private let overlay: OverlayCanvas?
    private let pool: FramePool
    /// Shows the part of a picture that auto framing chooses.
    private let enlarger = PictureEnlarger()
    private var embedder: MetadataEmbedder?
    /// The captions of dropped frames, which the next kept frame carries.
    private var droppedCaptions: [UInt8] = []

    package init(_ setup: Setup) {
        planner = FramePlanner(setup)
        (catalog, pool) = (setup.catalog, setup.pool)
        compositor =
            setup.drawing == .none
            ? nil
            : FrameCompositor(
                catalog: setup.catalog, seed: setup.seed, resources: setup.resources,
                onTwoThreads: setup.drawsOnTwoThreads, limitsFlashes: setup.limitsFlashes)
        overlay = setup.drawing == .alone ? OverlayCanvas() : nil
        embedder = setup.embedsMetadata ? MetadataEmbedder(firstFrame: setup.start?.frame ?? 0) : nil
    }

    /// The number of frames in which people were segmented so that effects can be behind them.
    package var maskInferenceCount: Int { compositor?.inferenceCount ?? 0 }

    /// The number of frames received.
    package var frameCount: Int { planner.frameCount }

    /// Returns a Boolean value that indicates whether an effect in progress or a scheduled effect needs the picture of
    /// the next frame. Gestures and requests may also need it.
    package func needsPicture(at time: Double) -> Bool { planner.needsPicture(at: time) }

    /// Plans a frame, draws its effects, and embeds the effects in progress as metadata.
    ///
    /// - Parameters:
    ///   - switches: The switches that apply to the frame.
    ///   - requests: Returns the requests since the last kept frame. It is called only if the frame is kept.
    /// - Returns: `false` if the frame is dropped. Its events are emitted with the next kept frame.
    /// - Throws: The errors of ``draw(_:)``.
    package func process(
        _ frame: inout PipelineFrame, _ switches: EngineSwitches, requests: () -> EngineRequests
    ) throws -> Bool {
        guard plan(&frame, switches, requests: requests) else { return false }
        try draw(&frame)
        try embed(&frame)
        return true
    }

    /// Decides which effects and events a frame has, and stores them in ``PipelineFrame/plan``. This is the first step
    /// of ``process(_:_:requests:)``.
    package func plan(
        _ frame: inout PipelineFrame, _ switches: EngineSwitches, requests: () -> EngineRequests
    ) -> Bool {
        guard let plan = planner.plan(frame, switches, requests: requests) else {
            droppedCaptions += frame.frame.captions
            return false
        }
        frame.follow(plan)
        if !droppedCaptions.isEmpty {
            frame.frame.carriedCaptions = droppedCaptions + frame.frame.carriedCaptions
            droppedCaptions = []
        }
        return true
    }

    /// Draws the effects of a planned frame on it, or replaces the frame by its effects alone. This is the second step.
    ///
    /// - Throws: ``FlourishError`` if a sprite cannot be drawn, `MediaError` if there is no memory for a copy.
    package func draw(_ frame: inout PipelineFrame) throws {
        guard let compositor else { return }
        adopt(frame.plan.appearance, compositor)
        let (effects, coming) = (frame.plan.effects, frame.plan.coming)
        if !coming.isEmpty { compositor.prepare(coming, in: frame.plan.tiles, for: frame.frame) }
        if let overlay {
            let drawn = try compositor.drawAlone(
                effects, rings: frame.plan.rings, video: frame.plan.video, at: frame.time, before: frame.frame,
                on: overlay)
            frame.isEmpty = drawn == nil
            frame.frame = if let drawn { drawn } else { try overlay.emptyPicture(like: frame.frame) }
        } else {
            // A frame without effects is neither changed nor copied.
            guard frame.plan.drawsOnFrame else { return compositor.rest() }
            if let crop = frame.plan.crop, frame.frame.hasPicture {
                try frame.frame.show(crop.rectangle, by: enlarger, pool: pool)
            }
            try compositor.draw(
                effects, rings: frame.plan.rings, video: frame.plan.video, at: frame.time, on: &frame.frame, pool: pool)
        }
        for warning in compositor.takeWarnings() { frame.emit(warning) }
    }

    /// Applies the style and the detail of a frame to this frame and the following ones.
    private func adopt(_ appearance: EffectAppearance, _ compositor: FrameCompositor) {
        compositor.detail = appearance.detail
        compositor.maskIntervalScale = appearance.maskIntervalScale
        guard appearance.style != catalog.style else { return }
        catalog = catalog.styled(appearance.style)
        compositor.setLibrary(of: catalog)
    }

    /// Embeds the effects in progress as metadata, if the setup requests it. This is the last step.
    ///
    /// - Throws: `MediaError` if there is no memory.
    package func embed(_ frame: inout PipelineFrame) throws { try embedder?.mark(&frame) }

    /// Ends the effects in progress when the input ends.
    package func finish() -> PlanOutcome { planner.finish() }
}

extension ReactionEngine {
    /// The components and settings of an engine.
    package struct Setup {
        package enum Drawing: Sendable, Hashable {
            /// Effects are only emitted as events.
            case none
            /// Effects are drawn on the frame.
            case onFrames
            /// Effects replace the frame, on a transparent background.
            case alone
        }

        /// The position of the engine's first frame in a video, if it is not the first of the video.
        package struct Start: Sendable, Hashable {
            /// The time stamp of the video's first frame, in seconds.
            package var firstTime: Double
            /// The number of the next effect.
            package var effectID = 1
            /// The number of frames of the video before the engine's first one.
            package var frame = 0
        }

        var catalog: EffectCatalog
        var resources: Resources
        var pool: FramePool
        /// The seed of all random choices.
        var seed: UInt64
        /// The share of each effect's pieces that is drawn, 0…1. If nil, the encoder's bit rate determines it.
        var detail: Double?
        package var schedule: [ScheduledRequest] = []
        /// The tiles from an earlier pass or a plan; `nil` if the frames carry them.
        package var layouts: LayoutTimeline?
        /// The intervals in which a gesture was about to trigger a reaction, according to the plan.
        var anticipations: [ReactionPlan.Anticipation] = []
        package var drawing = Drawing.onFrames
        /// True if effects move away from faces.
        package var avoidsFaces = true
        /// True if the encoder is requested to encode faces at higher quality.
        var protectsFaces = false
        var embedsMetadata = false
        /// True if effects that flash too often are weakened.
        package var limitsFlashes = true
        /// True if a second thread draws part of each picture. The processor time is the same, but the frame is
        /// complete earlier.
        package var drawsOnTwoThreads = false
        var thinning = FrameThinning(limit: nil, inputRate: nil)
        var numbering = FrameNumbering()
        /// Decides what a live run omits on a slow machine; nil in other runs.
        package var quality: LiveQuality?
        /// Estimates the bits available for effects if the bit rate is limited; nil if nothing is encoded.
        var statistics: DelayedEncoderStatistics?
        /// Records the decisions for a plan; nil if none is made.
        var recorder: PlanRecorder?
        /// The events of an earlier pass, which are emitted when their times come.
        var replayed: [ReactionEvent] = []
        var start: Start?

        /// Reads the settings of a configuration that concern effects.
        package init(
            catalog: EffectCatalog, configuration: Configuration, resources: Resources, pool: FramePool
        ) {
            self.catalog = catalog
            self.resources = resources
            self.pool = pool
            seed = configuration.seed
            limitsFlashes = configuration.limitsFlashes
            detail = configuration.encoding.effectDetail
        }
    }
}

extension PipelineFrame {
    /// Adopts a plan, including its settings for the encoder.
    mutating func follow(_ plan: FramePlan) {
        self.plan = plan
        if !plan.effects.isEmpty { frame.regions = plan.regions }
        if let minimum = plan.minimumDuration, let duration = frame.duration, duration.seconds < minimum {
            frame.duration = MediaTime(seconds: minimum)
        }
    }
}
