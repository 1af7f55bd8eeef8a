import MediaIO
import Platform
import Raster
package import Reactions
import Synchronization

/// One run of the pipeline over one input. It opens the input and the output, and connects the stages. A
/// ``Rendering`` and a ``RecordingAnalysis`` start one for each pass, except for smart rendering (``SpliceRun``).
///
/// ```
/// read ──frames──▶ analyse ──▶ draw ──▶ encode ──packets──▶ mux
///   └───────────────────copied packets──────────────────────▲
/// ```
///
/// Each stage has a separate thread. The channels between stages are short, so memory does not grow with the input. The
/// first failure cancels all stages.
package struct PipelineRun {
    let pass: RunPass
    let control: SessionControl
    let outlet: EventEmitter
    let numbering = FrameNumbering()
    let source: FrameSource
    /// Opens the input again.
    let reopen: @Sendable () throws(MediaError) -> FrameSource
    let reconnection: Reconnection?
    /// Decides what a live run omits on a slow machine; nil if frames wait for all work.
    let quality: LiveQuality?
    /// Detects the gestures of a live run on a separate thread; nil if the pipeline's stages detect them, or if gestures
    /// are disabled.
    let liveAnalysis: LiveAnalysis?
    /// Detects speech; nil if gestures do not depend on it.
    let speech: SpeechAnalysis?
    let latency: LatencyMeter?
    /// The encoder's statistics of frames without effects; `nil` if nothing is encoded.
    let statistics: DelayedEncoderStatistics?
    let pool: FramePool
    let thinning: FrameThinning
    let catalog: EffectCatalog
    let output: RunOutput
    /// Mixes the sounds of effects; nil if none are mixed.
    let sounds: ReactionSounds?

    var configuration: Configuration { pass.configuration }
    var demuxer: Demuxer { source.demuxer }

    /// The number of threads that decode a recording. There are few, because each keeps frames in memory. With two
    /// cores, one thread is enough, since it decodes faster than the encoder encodes. Pictures do not depend on the
    /// number.
    private static var decodingThreads: Int { Machine.cores > 2 ? 2 : 1 }
    /// The number of packets that may wait for the muxer.
    static let packetCapacity = 64

    /// Runs on separate threads, and waits without blocking the calling task. Cancelling the task stops the run.
    package static func start(
        _ pass: RunPass, control: SessionControl
    ) async throws(FlourishError) -> SessionOutcome {
        try await control.onThread { () throws(FlourishError) in try PipelineRun(pass, control: control).run() }
    }

    /// Opens everything that can be opened before the first frame is available.
    private init(_ pass: RunPass, control: SessionControl) throws(FlourishError) {
        self.pass = pass
        self.control = control
        let configuration = pass.configuration
        catalog = try pass.readCatalog()
        try pass.checkOutput()
        do {
            let outlet = EventEmitter(
                expectsFeedback: [.video, .overlay].contains(pass.outputKind), numbering: numbering,
                handler: pass.observer.event ?? { _ in }
            )
            let pool = FramePool()
            let settings = pass.inputSettings {
                outlet.emit(.stalled(pass.input, seconds: configuration.input.stallAfter))
            }
            let isLive = configuration.isLive
            quality = isLive ? LiveQuality() : nil
            liveAnalysis = isLive && configuration.gesturesEnabled ? LiveAnalysis() : nil
            reopen = { [interrupt = control.interrupt] () throws(MediaError) in
                try FrameSource(
                    pass.input, settings, threads: isLive ? 0 : Self.decodingThreads, isLowDelay: isLive,
                    interrupt: interrupt, pool: pool)
            }
            reconnection = Reconnection(
                to: pass.input, attempts: configuration.input.reconnects, control.interrupt, emit: outlet.emit,
                open: reopen)
            let source = try reopen(), demuxer = source.demuxer
            speech = SpeechAnalysis(pass)
            latency = configuration.measuresLatency ? LatencyMeter() : nil
            let output = try RunOutput(pass, demuxer, pool, control)
            self.outlet = outlet
            // A run that writes nothing drops no frames.
            thinning = FrameThinning(
                limit: output.writer == nil ? nil : configuration.limitWhileEffectsRun, of: demuxer.video)
            statistics =
                output.writer == nil
                ? nil
                : DelayedEncoderStatistics(
                    configuration.encoding, frameRate: thinning.rate ?? thinning.inputRate)
            self.pool = pool
            self.source = source
            self.output = output
            let muxer = output.writer?.muxer
            outlet.emitWarnings(of: pass, catalog, demuxer, muxer)
            sounds = if let muxer { ReactionSounds(configuration, demuxer, muxer, catalog.sounds, outlet) } else { nil }
        } catch {
            throw FlourishError(describing: error)
        }
    }

    /// Creates the reader that decodes the input.
    func makeReader() throws(MediaError) -> any FrameReading {
        if let scan = pass.scan {
            return SparseFrameReader(scan, source: source, reopen: reopen, interrupt: control.interrupt)
        }
        return InputReader(
            source,
            copiesOtherStreams: output.copiesOtherStreams, load: quality?.load,
            reconnection: reconnection, indexer: pass.recordsPlan ? try PacketIndexer(demuxer) : nil,
            skipsUnreferencedFrames: pass.configuration.input.entry.skipsUnreferencedFrames,
            looksAhead: !pass.configuration.isLive && RecordedFile.size(of: pass.input) != nil,
            makeSpeechReader: { [speech] in speech?.reader($0) }, interrupt: control.interrupt)
    }

    /// Creates the analyser that detects gestures, and loads its models.
    ///
    /// - Parameter intervals: The intervals that are analysed; `nil` for everything.
    func makeAnalyser(of intervals: CandidateIntervals? = nil) throws(FlourishError) -> FrameAnalyser {
        try FrameAnalyser(
            resources: pass.resources, configuration: pass.configuration, control: control,
            layout: pass.layout, intervals: intervals, speech: speech?.run(control.interrupt))
    }

    /// Creates the engine that plans and draws.
    func makeEngine() -> ReactionEngine {
        var setup = ReactionEngine.Setup(
            catalog: catalog, configuration: configuration, resources: pass.resources, pool: pool)
        setup.schedule = pass.schedule
        setup.anticipations = pass.plan?.anticipated() ?? []
        setup.layouts = pass.knownLayouts
        setup.drawing = output.drawing
        setup.avoidsFaces = !pass.defersPlaces
        setup.protectsFaces = output.writer != nil && configuration.encoding.protectsFaces
        setup.embedsMetadata = output.writer != nil && configuration.embedsMetadata
        setup.drawsOnTwoThreads = true
        (setup.thinning, setup.numbering) = (thinning, numbering)
        (setup.quality, setup.statistics) = (quality, statistics)
        setup.recorder = pass.recordsPlan ? PlanRecorder(defersPlaces: pass.defersPlaces) : nil
        setup.replayed = pass.replayedEvents
        return ReactionEngine(setup)
    }

    /// Runs all stages to their end.
    private func run() throws(FlourishError) -> SessionOutcome {
        try openPhotos()
        defer { control.photos.close() }
        control.state.withLock { $0.isRunning = true }
        let (read, outcome, framesOut) = try runStages()
        let wasInterrupted = read.wasInterrupted
        if outcome.frameCount == 0 { throw noPicture(wasInterrupted) }
        let path: String?
        do { path = try finish(at: outcome.endTime, outcome.endID, wasInterrupted) } catch {
            throw FlourishError(describing: error)
        }
        finishPhotos(wasInterrupted)
        let summary = emitEnd(read, outcome, framesOut: framesOut)
        return SessionOutcome(
            summary: summary, statistics: latency?.summary, interrupted: wasInterrupted,
            encoding: outlet.report, output: path, indexedRecording: read.indexedRecording,
            plan: outcome.recorder.map { plan($0, outcome) })
    }

    /// Gives the output its final name, if there is an output, and returns the path.
    private func finish(at time: Double, _ frame: Int, _ wasInterrupted: Bool) throws(MediaError) -> String? {
        guard let muxer = output.writer?.muxer else {
            if control.memory.isSome, !wasInterrupted { throw .refusedMemory(pass.output ?? pass.input) }
            return try output.pictures?.finish(at: time)
        }
        // A live run cannot be repeated, so what it wrote until memory ran out is kept.
        let isIncomplete = configuration.isLive && control.memory.isSome
        if muxer.addsChapters { try muxer.add(Chapter.all(for: outlet.startedEffects, until: time)) }
        try muxer.complete()
        if let warning = muxer.lossWarning() { outlet.add(warning.event(time: time, frame: frame)) }
        let path = try muxer.finish(
            asPart: isIncomplete || wasInterrupted && pass.configuration.keepsPart(of: pass.input))
        if isIncomplete { throw .refusedMemory(path) }
        return path
    }

    /// Returns the decisions as a plan, without the size and the fingerprint of its source.
    private func plan(_ recorder: PlanRecorder, _ outcome: PlanOutcome) -> ReactionPlan {
        var plan = recorder.plan(of: source(outcome), style: ReactionPlan.Style(pass.configuration))
        plan.style.effects = catalog.hashes(of: plan.reactions.map(\.reactionType))
        return plan
    }

    /// Returns the description of the recording in a plan.
    private func source(_ outcome: PlanOutcome) -> ReactionPlan.Source {
        let (video, rate) = (demuxer.video, demuxer.video.averageFrameRate)
        return ReactionPlan.Source(
            path: pass.input, size: 0, fingerprint: "", codec: video.codec,
            width: Int(video.geometry.uprightWidth.rounded()), height: Int(video.geometry.uprightHeight.rounded()),
            frameRate: rate.isPositive ? rate.value : nil,
            timeBase: "\(video.timeBase.numerator)/\(video.timeBase.denominator)", startTime: outcome.firstTime,
            duration: outcome.seconds, frames: outcome.frameCount)
    }
}

// MARK: - Failing

extension PipelineRun {
    /// Returns the error of a run that ended without an error in its stages, but also without a frame.
    private func noPicture(_ wasInterrupted: Bool) -> FlourishError {
        if wasInterrupted {
            return FlourishError(
                .interrupted, "\(pass.input): stopped before the first frame; nothing was written")
        }
        if control.memory.isSome { return FlourishError(describing: MediaError.refusedMemory(pass.input)) }
        return .noPicture(in: demuxer)
    }
}

/// Events of the whole run rather than of single frames.
extension PipelineRun {
    func emitStart(at time: Double) {
        outlet.begin(pass, demuxer, output.writer?.muxer, catalog, thinning, at: time)
    }

    func reportProgress(frames: Int, time: Double) {
        pass.observer.progress?(
            SessionProgress(
                frames: frames, seconds: time - (demuxer.video.startTime?.seconds ?? 0),
                duration: demuxer.video.duration?.seconds, effects: outlet.effectCount))
    }

    /// Emits the events of a frame in a run without encoding.
    func emit(_ frame: borrowing PipelineFrame) {
        let (time, id) = (frame.time, frame.plan.id)
        outlet.pass(time: time, frame: id)
        for event in frame.plan.events { outlet.add(event) }
        if let statistics = latency?.report(at: time) {
            outlet.add(ReactionEvent(time: time, frame: id, kind: .statistics(statistics)))
        }
        reportProgress(frames: id + 1, time: time)
    }

    func emitEnd(_ read: ReadOutcome, _ outcome: PlanOutcome, framesOut: Int) -> ReactionEvent.StreamSummary {
        let summary = ReactionEvent.StreamSummary(
            framesIn: outcome.frameCount, framesOut: framesOut, framesDropped: outcome.frameCount - framesOut,
            effects: outcome.effectCounts, seconds: outcome.seconds, sounds: sounds?.intervals)
        for event in outcome.events(trailing: read.warnings) { outlet.add(event) }
        for kind in control.photos.takeResults() {
            outlet.add(ReactionEvent(time: outcome.endTime, frame: outcome.endID, kind: kind))
        }
        outlet.finish()
        outlet.add(ReactionEvent(time: outcome.endTime, frame: outcome.endID, kind: .streamEnded(summary)))
        return summary
    }
}

extension ReactionEvent.Kind {
    /// True if the event reports a photograph.
    package var isPhotograph: Bool {
        switch self {
        case .photoProxy, .photoFinished, .photoFailed: true
        default: false
        }
    }
}

/// The photographs of a run.
extension PipelineRun {
    /// Starts capturing the photographs of the pass.
    func openPhotos() throws(FlourishError) {
        guard let options = pass.photos else { return }
        var deferredPhotos: DeferredPhotoStore?
        if let folder = options.folder {
            try Self.makeFolder(folder)
            if options.deferredPhotoDelivery != .off {
                deferredPhotos = try DeferredPhotoStore(of: folder, making: true)
            }
        }
        control.photos.open(
            PhotoCapture.Run(
                options: options, policy: configuration.isLive ? .live : .recorded, showsPlan: pass.plan != nil,
                resources: pass.resources,
                metadata: demuxer.metadata,
                start: firstPicture,
                stem: options.stem.map(Self.plain) ?? Self.stem(of: pass.input),
                replacement: pass.configuration.photoReplacement
                    ?? (pass.configuration.overwrite ? .all : .none),
                deferredPhotos: deferredPhotos, emit: { [outlet] in outlet.emit($0) }))
    }

    /// The time of the recording's first picture on the frames' clock, which is 0 at the start of a trim range.
    private var firstPicture: Double {
        if let trim = demuxer.trim { return -trim.start }
        return (demuxer.video.startTime ?? demuxer.startTime)?.seconds ?? 0
    }

    /// Finishes the photographs that wait for the end of the run. If the run was stopped, only a live run finishes
    /// them.
    func finishPhotos(_ wasInterrupted: Bool) {
        if wasInterrupted, !configuration.isLive { return }
        control.photos.developRest()
    }

    private static func makeFolder(_ path: String) throws(FlourishError) {
        if TemporaryFile.isFolder(path) { return }
        do { try RawFile.makeFolder(Array(path.utf8)) } catch {
            throw FlourishError(
                .outputUnavailable, "\(path): the folder for photographs cannot be created (\(error.message))")
        }
    }

    /// Returns the common stem of the names of an input's photographs: the input's name without folder and extension.
    private static func stem(of input: String) -> String {
        let name = input.split(separator: "/").last.map(String.init) ?? ""
        let bare = name.lastIndex(of: ".").map { name[..<$0] }.flatMap { $0.isEmpty ? nil : String($0) } ?? name
        return plain(bare)
    }

    /// Returns a name that every file system and shell accepts.
    private static func plain(_ name: String) -> String {
        let plain = name.prefix(80).map { $0.isLetter || $0.isNumber || "-_.".contains($0) ? $0 : "_" }
        return plain.isEmpty || plain == ["-"] ? "stream" : String(plain)
    }
}

extension PipelineRun {
    /// Encodes the recording's first picture as the run would, and discards the result. An output that cannot be
    /// written is thus reported before minutes of analysis.
    ///
    /// - Throws: ``FlourishError``, as the run would.
    static func preflight(_ pass: RunPass, control: SessionControl) async throws(FlourishError) {
        guard pass.output != nil else { return }
        try await control.onThread { () throws(FlourishError) in
            try pass.checkOutput()
            do {
                let pool = FramePool()
                let source = try FrameSource(
                    pass.input, pass.inputSettings(), threads: 1, interrupt: control.interrupt, pool: pool)
                let writer = try RunOutput(pass, source.demuxer, pool, control).writer
                if let writer, let frame = try source.next() { try writer.write(frame) }
            } catch {
                throw FlourishError(describing: error)
            }
        }
    }
}
