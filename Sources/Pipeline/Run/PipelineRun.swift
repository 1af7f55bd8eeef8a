import MediaIO
import Platform
import Raster
package import Reactions
import Synchronization

/// One run of the pipeline over one input.
///
/// ```
/// read ──frames──▶ analyse ──▶ draw ──▶ encode ──packets──▶ mux
///   └───────────────────copied packets──────────────────────▲
/// ```
///
/// Each stage has a thread of its own; the channels between them are short, so
/// that memory does not grow with the input. The first failure cancels all of
/// them.
package struct PipelineRun {
    let pass: RunPass
    let control: SessionControl
    let outlet: EventOutlet
    let ledger = FrameLedger()
    let source: FrameSource
    let reconnection: Reconnection?
    /// Looks beside the frames' way, in a live run.
    let liveAnalysis: LiveAnalysis?
    let quality: LiveQuality?
    let latency: LatencyMeter?
    /// What the encoder makes of frames without effects; `nil` where nobody asks.
    let outlook: EncoderOutlook?
    let pool: FramePool
    let thinning: FrameThinning
    let catalog: EffectCatalog
    /// `nil` where nothing is encoded.
    let writer: VideoWriter?
    /// Takes an overlay as pictures; `nil` where it is none, or a video.
    let pictures: PictureSequence?

    var request: PipelineRequest { pass.request }
    var demuxer: Demuxer { source.demuxer }

    /// How many packets wait for the muxer.
    static let packetCapacity = 64

    /// Runs on threads of its own and waits without blocking the caller's.
    package static func start(
        _ pass: RunPass, control: SessionControl
    ) async -> Result<SessionOutcome, FlourishError> {
        await StageThread.run { () throws(FlourishError) in
            try PipelineRun(pass, control: control).run()
        }
    }

    /// Opens everything that can be opened before the first frame is there.
    private init(_ pass: RunPass, control: SessionControl) throws(FlourishError) {
        self.pass = pass
        self.control = control
        let request = pass.request
        let configuration = request.configuration
        catalog = try EffectCatalog(resources: request.resources, checking: configuration)
        try request.plan?.check(catalog)
        if let output = request.output {
            try OutputCheck.check(output, input: request.input, overwrite: configuration.overwrite)
        }
        do {
            pictures = request.pictures
            let output = pictures == nil ? request.output : nil
            let outlet = EventOutlet(
                expectsFeedback: output != nil, ledger: ledger, handler: request.observer.event ?? { _ in })
            let pool = FramePool()
            let input = RunInput(request.input, configuration, interrupt: control.interrupt, pool: pool, outlet: outlet)
            let source = try input.open(), demuxer = source.demuxer
            for warning in pass.startupWarnings + (request.plan?.changes(in: catalog) ?? []) { outlet.tell(warning) }
            let isLive = configuration.isLive
            quality = isLive ? LiveQuality() : nil
            latency = configuration.measuresLatency ? LatencyMeter() : nil
            reconnection = input.reconnection
            liveAnalysis = configuration.gesturesEnabled && isLive ? LiveAnalysis() : nil
            let writer = try output.map { try Self.makeWriter($0, demuxer, configuration, pool, control) }
            self.outlet = outlet
            let rate = demuxer.video.averageFrameRate
            // What writes nothing leaves nothing out.
            thinning = FrameThinning(
                limit: writer == nil ? nil : configuration.limitWhileEffectsRun,
                inputRate: rate.isPositive ? rate.value : nil)
            outlook =
                writer == nil
                ? nil
                : EncoderOutlook(
                    configuration.encoding, frameRate: thinning.rate ?? (rate.isPositive ? rate.value : nil))
            self.pool = pool
            self.source = source
            self.writer = writer
        } catch {
            throw FlourishError(describing: error)
        }
    }

    /// What reads and decodes.
    func makeReader() throws(MediaError) -> any FrameReading {
        if let scan = pass.scan {
            return StretchReader(scan, source: source, interrupt: control.interrupt)
        }
        return InputReader(
            source,
            copiesOtherStreams: writer != nil && !request.configuration.writesOverlay, load: quality?.load,
            reconnection: reconnection, surveyor: pass.recordsPlan ? try RecordingSurveyor(demuxer) : nil,
            hurries: request.configuration.isPreview,
            interrupt: control.interrupt)
    }

    /// What looks for gestures. Loads the models.
    func makeAnalyser() throws(FlourishError) -> FrameAnalyser {
        try FrameAnalyser(
            resources: request.resources, configuration: request.configuration, control: control,
            stretches: pass.scan?.stretches)
    }

    /// Makes the engine that plans and draws.
    func makeEngine() -> ReactionEngine {
        let configuration = request.configuration
        var setup = ReactionEngine.Setup(
            catalog: catalog, configuration: configuration, resources: request.resources, pool: pool)
        setup.schedule = pass.schedule
        setup.anticipations = request.plan?.anticipated() ?? []
        setup.drawing = request.output == nil ? .none : configuration.writesOverlay ? .alone : .onFrames
        setup.protectsFaces = writer != nil && configuration.encoding.protectsFaces
        setup.embedsMetadata = writer != nil && configuration.embedsMetadata
        setup.drawsOnTwoThreads = true
        (setup.thinning, setup.numbering) = (thinning, ledger)
        (setup.quality, setup.outlook) = (quality, outlook)
        (setup.recordsPlan, setup.replayed) = (pass.recordsPlan, pass.replayedEvents)
        return ReactionEngine(setup)
    }

    /// What turns frames into a file.
    static func makeWriter(
        _ path: String, _ demuxer: Demuxer, _ configuration: Configuration, _ pool: FramePool,
        _ control: SessionControl
    ) throws(MediaError) -> VideoWriter {
        if configuration.writesOverlay { return try makeOverlayWriter(path, demuxer, configuration, pool, control) }
        let muxer = try Muxer(
            path: path, overwrite: configuration.overwrite,
            format: try ContainerFormat(configuration, path: path), timeout: configuration.input.timeout,
            isLive: configuration.isLive || configuration.isPreview, copying: demuxer,
            opensWithPictures: configuration.isPreview, memory: control.memory, interrupt: control.interrupt)
        var settings = VideoEncoderSettings(configuration)
        if configuration.isLive, settings.preset == nil, [.h264, .hevc].contains(settings.codec) {
            settings.preset = LivePreset.name(demuxer.video)
        }
        // Cameras send 4:2:2 because it is little work, not because anybody needs it; few players show it.
        if case .videoDevice = MediaAddress(demuxer.path), settings.pixelFormat == nil {
            settings.pixelFormat = "yuv420p"
        }
        let encoder = VideoEncoder(
            settings: settings, source: demuxer.video, container: muxer.container, path: path, pool: pool)
        return VideoWriter(encoder: encoder, muxer: muxer)
    }

    /// What turns effects alone into a file, which has no other stream.
    private static func makeOverlayWriter(
        _ path: String, _ demuxer: Demuxer, _ configuration: Configuration, _ pool: FramePool,
        _ control: SessionControl
    ) throws(MediaError) -> VideoWriter {
        let format = try ContainerFormat(configuration, path: path)
        let muxer = try Muxer(
            path: path, overwrite: configuration.overwrite, format: format, timeout: configuration.input.timeout,
            isLive: configuration.isLive, roundsTimesDown: true, memory: control.memory, interrupt: control.interrupt)
        var settings = VideoEncoderSettings()
        settings.isLowLatency = configuration.isLive
        settings.transparency = try TransparentCoding(for: path, in: muxer.container)
        var video = demuxer.video
        video.index = 0
        let encoder = VideoEncoder(
            settings: settings, source: video, container: muxer.container, path: path, pool: pool)
        return VideoWriter(encoder: encoder, muxer: muxer)
    }

    /// Runs all stages to their end.
    private func run() throws(FlourishError) -> SessionOutcome {
        try openPhotos()
        defer { control.photos.close() }
        control.state.withLock { $0.isRunning = true }
        let outcomes = try runStages()
        let (outcome, wasInterrupted) = (outcomes.planned, outcomes.read.wasInterrupted)
        if outcome.frameCount == 0 { throw noPicture(wasInterrupted) }
        let path: String?
        do { path = try finish(at: outcome.endTime, outcome.endID, wasInterrupted) } catch {
            throw FlourishError(describing: error)
        }
        finishPhotos(wasInterrupted)
        let summary = tellEnd(outcomes)
        return SessionOutcome(
            summary: summary, statistics: latency?.summary, interrupted: wasInterrupted,
            encoding: outlet.report, output: path, survey: outcomes.read.survey,
            plan: outcome.recorder.map { plan($0, outcome) })
    }

    /// Gives the output its name, where there is one, and returns it.
    private func finish(at time: Double, _ frame: Int, _ wasInterrupted: Bool) throws(MediaError) -> String? {
        guard let muxer = writer?.muxer else {
            if control.memory.isSome, !wasInterrupted { throw .refusedMemory(request.output ?? request.input) }
            return try pictures?.finish(at: time)
        }
        // A recording can be read again; of what was live there is no more than this.
        let isSpoilt = request.configuration.isLive && control.memory.isSome
        try muxer.complete()
        if let warning = muxer.lossWarning { outlet.add(warning.event(time: time, frame: frame)) }
        let path = try muxer.finish(asPart: isSpoilt || wasInterrupted && request.marksPart)
        if isSpoilt { throw .refusedMemory(path) }
        return path
    }

    /// What was decided, as a plan, but for what of its source only reading all of it tells.
    private func plan(_ recorder: PlanRecorder, _ outcome: PlanOutcome) -> ReactionPlan {
        var plan = recorder.plan(of: source(outcome), style: ReactionPlan.Style(request.configuration))
        plan.style.effects = catalog.hashes(of: plan.reactions.map(\.reactionType))
        return plan
    }

    /// The recording as a plan names it.
    private func source(_ outcome: PlanOutcome) -> ReactionPlan.Source {
        let (video, rate) = (demuxer.video, demuxer.video.averageFrameRate)
        return ReactionPlan.Source(
            path: request.input, size: 0, fingerprint: "", codec: video.codec,
            width: Int(video.geometry.uprightWidth.rounded()), height: Int(video.geometry.uprightHeight.rounded()),
            frameRate: rate.isPositive ? rate.value : nil,
            timeBase: "\(video.timeBase.numerator)/\(video.timeBase.denominator)", startTime: outcome.firstTime,
            duration: outcome.seconds, frames: outcome.frameCount)
    }
}

// MARK: - Failing

extension PipelineRun {
    /// Why a run that ended well has nothing to show.
    private func noPicture(_ wasInterrupted: Bool) -> FlourishError {
        if wasInterrupted {
            return FlourishError(
                .interrupted, "\(request.input): stopped before the first picture; nothing was written")
        }
        if control.memory.isSome { return FlourishError(describing: MediaError.refusedMemory(request.input)) }
        return .noPicture(in: demuxer)
    }
}
