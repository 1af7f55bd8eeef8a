import FoundationEssentials
import MediaIO
import Raster
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
struct PipelineRun {
    private let request: PipelineRequest
    private let control: SessionControl
    private let outlet: EventOutlet
    private let demuxer: Demuxer
    private let reader: ReadStage
    private let analyser: AnalyseStage?
    private let drawer: DrawStage
    private let catalog: EffectCatalog
    private let writer: Writer?
    /// What the encoder's stage left out.
    private let drops = FrameDrops()
    /// Frames a second while effects run; `nil` where it stays as it is.
    private let rateDuringEffects: Double?

    /// How many frames wait between two stages. One is enough to keep all of them busy, since
    /// decoder and encoder have queues of their own; more would only take memory.
    private static let channelCapacity = 1
    /// Each decoding thread holds frames of its own. One keeps ahead of an encoder on two cores,
    /// two on more; the pictures are the same.
    private static var decodingThreads: Int {
        ProcessInfo.processInfo.activeProcessorCount > 2 ? 2 : 1
    }
    /// How many packets wait for the muxer.
    private static let packetCapacity = 64

    /// Runs on threads of its own and waits without blocking the caller's.
    static func start(
        _ request: PipelineRequest, control: SessionControl
    ) async -> Result<SessionOutcome, FlourishError> {
        await StageThread.run { () throws(FlourishError) in
            try PipelineRun(request, control: control).run()
        }
    }

    /// Opens everything that can be opened before the first frame is there.
    private init(_ request: PipelineRequest, control: SessionControl) throws(FlourishError) {
        self.request = request
        self.control = control
        let configuration = request.configuration
        try configuration.validate()
        catalog = try EffectCatalog(resources: request.resources, style: configuration.style)
        try catalog.check(configuration.namedTypes)
        try configuration.ownGestures.check(catalog.types)
        if let output = request.output {
            try OutputCheck.check(output, input: request.input, overwrite: configuration.overwrite)
        }
        do {
            let demuxer = try Demuxer(
                path: request.input, settings: InputSettings(configuration.input, address: request.input),
                interrupt: control.interrupt)
            let pool = FramePool()
            reader = ReadStage(
                demuxer: demuxer, decoder: try VideoDecoder(demuxer, threads: Self.decodingThreads, pool: pool),
                copiesOtherStreams: request.output != nil, interrupt: control.interrupt)
            analyser = configuration.gesturesEnabled
                ? AnalyseStage(analyser: try HandAnalyser(
                    resources: request.resources, configuration: configuration), control: control)
                : nil
            let writer = try request.output.map {
                try Writer(path: $0, demuxer: demuxer, configuration: configuration, pool: pool)
            }
            outlet = EventOutlet(
                expectsFeedback: writer != nil, handler: request.observer.event ?? { _ in })
            let rate = demuxer.video.averageFrameRate
            // What writes nothing leaves nothing out.
            let thinning = FrameThinning(
                limit: writer == nil ? nil : configuration.encoding.effectsFrameRate,
                inputRate: rate.isPositive ? rate.value : nil)
            rateDuringEffects = thinning.rate
            drawer = DrawStage(
                presets: catalog.presets, catalog: catalog, schedule: configuration.scheduledReactions,
                bindings: configuration.allBindings,
                placer: EffectPlacer(catalog: catalog, resources: request.resources),
                thinning: thinning,
                painter: writer == nil ? nil : EffectPainter(
                    catalog: catalog, seed: configuration.seed, resources: request.resources),
                pool: pool, control: control)
            self.demuxer = demuxer
            self.writer = writer
        } catch {
            throw FlourishError(describing: error)
        }
    }

    /// What turns frames into a file.
    private struct Writer {
        let encoder: VideoEncoder
        let muxer: Muxer

        init(
            path: String, demuxer: Demuxer, configuration: Configuration, pool: FramePool
        ) throws(MediaError) {
            muxer = try Muxer(
                path: path, format: try ContainerFormat(configuration, path: path), timeout: configuration.input.timeout,
                copying: demuxer)
            encoder = VideoEncoder(
                settings: VideoEncoderSettings(configuration.encoding), source: demuxer.video,
                container: muxer.container, path: path, pool: pool)
        }
    }

    /// Runs all stages to their end.
    private func run() throws(FlourishError) -> SessionOutcome {
        control.state.withLock { $0.isRunning = true }
        defer {
            control.state.withLock {
                $0.isRunning = false
                $0.inProgress = []
                $0.hold = nil
            }
        }
        let muxed = try runStages()
        if drawer.frameCount == 0 { throw noPicture() }
        if let muxer = writer?.muxer {
            do { try muxer.finish() } catch { throw FlourishError(describing: error) }
        }
        let summary = tellEnd(framesOut: muxed ?? drawer.outputCount)
        return SessionOutcome(
            summary: summary, interrupted: reader.wasInterrupted, encoding: outlet.report)
    }
}

// MARK: - Failing

extension PipelineRun {
    /// Why a run that ended well has nothing to show.
    private func noPicture() -> FlourishError {
        reader.wasInterrupted
            ? FlourishError(.interrupted, "\(request.input): stopped before the first picture; nothing was written")
            : .noPicture(in: request.input)
    }
}

// MARK: - Threads

extension PipelineRun {
    /// Starts the threads and waits for them. The last stage runs on the calling one.
    ///
    /// - Returns: how many frames were written; `nil` where nothing is written.
    private func runStages() throws(FlourishError) -> Int? {
        let failure = PipelineFailure()
        // Wakes a reader that waits for a stalled pipe.
        failure.onFailure { [control] in control.interrupt.raise() }
        let decoded = Channel<PipelineFrame>(capacity: Self.channelCapacity)
        let analysed = Channel<PipelineFrame>(capacity: Self.channelCapacity)
        let drawn = Channel<PipelineFrame>(capacity: Self.channelCapacity)
        let packets = Channel<Packet>(capacity: Self.packetCapacity)
        failure.onFailure {
            for channel in [decoded, analysed, drawn] { channel.cancel() }
            packets.cancel()
        }

        let readThread = StageThread { [self] in
            failure.watch { try read(into: decoded, copies: packets) }
            decoded.finish()
        }
        let analyseThread = StageThread { [self] in
            failure.watch { try analyse(decoded, into: analysed) }
            analysed.finish()
        }
        let drawThread = StageThread { [self] in
            failure.watch { try draw(analysed, into: drawn) }
            drawn.finish()
        }
        let encodeThread = StageThread { [self] in
            failure.watch { try encode(drawn, into: packets) }
            // The reader, which copies packets, has ended by now: its frames were the input.
            packets.finish()
        }
        var framesOut: Int?
        failure.watch { framesOut = try mux(packets) }
        readThread.join()
        analyseThread.join()
        drawThread.join()
        encodeThread.join()
        try failure.check()
        return framesOut
    }

    private func read(into frames: Channel<PipelineFrame>, copies: Channel<Packet>) throws {
        while let frame = try reader.nextFrame(copy: { copies.send($0) }) {
            guard frames.send(frame) else { return }
        }
    }

    private func analyse(_ input: Channel<PipelineFrame>, into output: Channel<PipelineFrame>) throws {
        while var frame = input.receive() {
            try analyser?.process(&frame)
            guard output.send(frame) else { return }
        }
    }

    private func draw(_ input: Channel<PipelineFrame>, into output: Channel<PipelineFrame>) throws {
        while var frame = input.receive() {
            // The stream starts where its first frame does: nothing is told before.
            if drawer.frameCount == 0 { tellStart(at: frame.time) }
            guard try drawer.process(&frame) else { continue }
            control.meter.noteFrame(decodedAt: frame.arrival)
            if writer == nil {
                for event in frame.events { outlet.add(event) }
                tellProgress(frames: drawer.frameCount, time: frame.time)
            } else {
                guard output.send(frame) else { return }
            }
        }
    }

    private func encode(_ input: Channel<PipelineFrame>, into packets: Channel<Packet>) throws {
        guard let writer else { return }
        var stage = EncodeStage(
            encoder: writer.encoder,
            steering: EncoderSteering(request.configuration.encoding, encoder: writer.encoder),
            muxer: writer.muxer, output: packets, outlet: outlet, drops: drops)
        try stage.run(input)
    }

    private func mux(_ packets: Channel<Packet>) throws -> Int? {
        guard let writer else { return nil }
        let stage = MuxStage(
            muxer: writer.muxer, videoIndex: demuxer.video.index, outlet: outlet, meter: control.meter,
            progress: tellProgress)
        try stage.run(packets)
        return stage.frameCount
    }
}

// MARK: - Telling

extension PipelineRun {
    private func tellStart(at time: Double) {
        let video = demuxer.video
        let geometry = video.geometry
        let rate = video.averageFrameRate
        let configuration = request.configuration
        outlet.add(ReactionEvent(time: time, frame: 0, kind: .streamStarted(.init(
            input: request.input, width: Int(geometry.uprightWidth.rounded()),
            height: Int(geometry.uprightHeight.rounded()),
            frameRate: rate.isPositive ? rate.value : nil,
            availableReactionTypes: catalog.types,
            gesturesEnabled: configuration.gesturesEnabled,
            reactionsEnabled: configuration.reactionsEnabled, frameRateDuringEffects: rateDuringEffects))))
        for skipped in writer?.muxer.skippedStreams ?? [] {
            outlet.add(skipped.warning.event(time: time, frame: 0))
        }
    }

    private func tellProgress(frames: Int, time: Double) {
        request.observer.progress?(SessionProgress(
            frames: frames, seconds: time - (demuxer.video.startTime?.seconds ?? 0),
            duration: demuxer.video.duration?.seconds, effects: outlet.effectCount))
    }

    private func tellEnd(framesOut: Int) -> ReactionEvent.StreamSummary {
        let summary = ReactionEvent.StreamSummary(
            framesIn: drawer.frameCount, framesOut: framesOut,
            framesDropped: drawer.frameCount - framesOut, effects: drawer.effectCounts,
            seconds: drawer.seconds)
        for event in drawer.finish(trailing: reader.trailingWarnings()) { outlet.add(drops.corrected(event)) }
        outlet.finish()
        outlet.add(ReactionEvent(
            time: drawer.endTime, frame: drawer.outputCount - drops.count, kind: .streamEnded(summary)))
        return summary
    }
}
