package import MediaIO
import Platform
import RateControl
package import Reactions
import Synchronization

/// Writes a recording again, and encodes only the frames with effects.
///
/// ```
/// read ──packets──▶ queue ─────────────────────▶ mux
///   └──▶ span: decode ▶ plan ▶ draw ▶ encode ──▶─┘
/// ```
///
/// The recording was indexed before. Its ``PacketIndex`` contains the positions at which it can be cut. If a part of a
/// recording is written, the frames at its ends that cannot be copied are also encoded.
package struct SpliceRun {
    /// The result of a run.
    package enum Result: Sendable {
        case done(SessionOutcome)
        /// Nothing was written, and the whole video must be encoded.
        case refused(SmartRenderUnavailable)
    }

    let pass: RunPass
    let control: SessionControl
    let layout: SpliceLayout
    let outlet: EventEmitter
    let muxer: Muxer
    /// The events of the run, which are emitted after the result was checked. Until then, a failure may require that
    /// all frames are encoded, in another run.
    private let emitted = Slot<[ReactionEvent]>([])
    let thinning: FrameThinning
    /// Mixes the sounds of effects; nil if none are mixed.
    let sounds: ReactionSounds?
    /// The seconds that the analysis pass took.
    let analysisTime: Double

    /// Runs on separate threads, and waits without blocking the calling thread.
    package static func start(
        _ pass: RunPass, packetIndex: PacketIndex, analysisTime: Double, control: SessionControl
    ) async throws(FlourishError) -> Result {
        try await control.onThread { () throws(FlourishError) -> Result in
            do {
                return try SpliceRun(pass, packetIndex, analysisTime, control: control).run()
            } catch let unavailable as SmartRenderUnavailable {
                return .refused(unavailable)
            } catch let error as MediaError where error.code == .packetRefused {
                return .refused(SmartRenderUnavailable(error.problem))
            } catch let error as MediaError where error.isOfContent && error.file != pass.input {
                // Encoding the whole recording drops damaged data, or reports the fault of the input.
                return .refused(SmartRenderUnavailable("its packets cannot be read a second time"))
            } catch {
                throw FlourishError(describing: error)
            }
        }
    }

    /// - Throws: `SmartRenderUnavailable`, `MediaError`, ``FlourishError``.
    private init(
        _ pass: RunPass, _ packetIndex: PacketIndex, _ analysisTime: Double, control: SessionControl
    ) throws {
        let configuration = pass.configuration
        self.pass = pass
        self.control = control
        self.analysisTime = analysisTime
        layout = try SpliceLayout(pass, packetIndex, control: control)
        outlet = EventEmitter(expectsFeedback: true, numbering: layout.numbering) { [emitted] event in
            emitted.value.append(event)
        }
        thinning = FrameThinning(limit: configuration.limitWhileEffectsRun, of: layout.demuxer.video)
        var options = Muxer.Options(overwrite: configuration.overwrite, format: layout.container)
        options.addsChapters = configuration.writesChapters
        muxer = try Muxer(
            path: pass.output ?? "", options, copying: layout.demuxer, memory: control.memory,
            interrupt: control.interrupt)
        outlet.emitWarnings(of: pass, layout.catalog, layout.demuxer, muxer)
        sounds = ReactionSounds(configuration, layout.demuxer, muxer, layout.catalog.sounds, outlet)
        try muxer.begin(copying: layout.demuxer, with: layout.factory?.prototype)
    }

    /// - Throws: `SmartRenderUnavailable`, ``FlourishError``.
    private func run() throws -> Result {
        let start = MonotonicClock.now
        let times = layout.times
        let firstTime = layout.firstTime
        outlet.begin(pass, layout.demuxer, muxer, layout.catalog, thinning, at: firstTime)
        let merger = EventMerger(
            (pass.replayedEvents + layout.touched.refusals).sorted { $0.time < $1.time }, outlet: outlet)
        let outcome = try splice(merger)
        if outcome.wasInterrupted, outcome.times.isEmpty {
            throw FlourishError(
                .interrupted, "\(pass.input): stopped before the first frame; nothing was written")
        }
        let end =
            outcome.wasInterrupted
            ? layout.endTime(of: outcome) : layout.seconds(times.last ?? 0) + layout.lastDuration
        merger.emit(until: outcome.wasInterrupted ? end : .infinity)
        if muxer.addsChapters { try muxer.add(Chapter.all(for: outlet.startedEffects, until: end)) }
        let file = try muxer.complete()
        let rendered = MonotonicClock.now
        var read: Demuxer?
        if let file {
            let check = SpliceCheck(
                times: outcome.times.sorted(), timeBase: layout.packetIndex.timeBase,
                start: layout.demuxer.video.startTime,
                seams: layout.seams(of: outcome))
            do {
                read = try check.check(
                    file, stream: muxer.videoPlace, maxPixels: layout.demuxer.maxPixels, pool: layout.pool)
            } catch let error as MediaError where error.code == .notFound {
                throw FileError(removed: file, of: muxer.path)
            }
        }
        let framesOut = outcome.copied + outcome.encoded
        let endID = outcome.wasInterrupted ? layout.endFrame(of: outcome) : times.count
        let framesDropped = endID - layout.numbering.index(of: endID)
        let trailing =
            (outcome.wasInterrupted ? [] : layout.touched.neverCame) + warnings(outcome)
            + [muxer.lossWarning(in: read)].compactMap(\.self)
        for warning in trailing { outlet.add(warning.event(time: end, frame: endID)) }
        outlet.finish()
        let spans = layout.spans
        let summary = ReactionEvent.StreamSummary(
            framesIn: outcome.wasInterrupted ? framesOut + framesDropped : times.count, framesOut: framesOut,
            framesDropped: framesDropped, effects: effectCounts, seconds: end - firstTime,
            smartRender: .init(
                framesCopied: outcome.copied, framesEncoded: outcome.encoded,
                spans: spans.indices.filter { outcome.boundaryFrames[$0] != nil }.map { layout.describe(spans[$0]) },
                timing: .init(
                    looking: analysisTime, rendering: Double(rendered - start) / 1e9,
                    checking: Double(MonotonicClock.now - rendered) / 1e9)),
            sounds: sounds?.intervals)
        outlet.add(ReactionEvent(time: end, frame: endID, kind: .streamEnded(summary)))
        let path = try muxer.finish(
            asPart: outcome.wasInterrupted && pass.configuration.keepsPart(of: pass.input))
        if let emit = pass.observer.event { emitted.value.forEach(emit) }
        return .done(
            SessionOutcome(
                summary: summary, statistics: nil, interrupted: outcome.wasInterrupted, encoding: outlet.report,
                output: path))
    }

    /// The number of effects of each type in the output.
    private var effectCounts: [ReactionType: Int] {
        emitted.value.reduce(into: [:]) { counts, event in
            if case .effectStarted(let effect) = event.kind { counts[effect.reactionType, default: 0] += 1 }
        }
    }

    private func warnings(_ outcome: SpliceStage.Outcome) -> [PipelineWarning] {
        var warnings: [PipelineWarning] = []
        if pass.reportsInputFaults {
            warnings += outcome.clockRepairs.map { PipelineWarning(code: .timestampGap, message: $0) }
            warnings += outcome.faults.map { PipelineWarning(code: .damagedInput, message: $0) }
        }
        if outcome.wasInterrupted {
            warnings.append(PipelineWarning(code: .interrupted, message: "stopped before the end of \(pass.input)"))
        }
        return warnings
    }
}

// MARK: - Threads

extension SpliceRun {
    /// Starts the reading thread, writes its packets, and waits for its end.
    private func splice(_ merger: EventMerger) throws -> SpliceStage.Outcome {
        let failure = PipelineFailure()
        let packets = Channel<OutputItem>(capacity: PipelineRun.packetCapacity)
        failure.onFailure { packets.cancel() }
        let splicing = failure.start { [layout, control] in
            SpliceStage(layout, into: packets, merger: merger, interrupt: control.interrupt)
        }
        _ = failure.run(
            MuxStage(
                packets, muxer: muxer, videoIndex: layout.demuxer.video.index, outlet: outlet, meter: control.meter,
                sounds: sounds, progress: reportProgress))
        let outcome = splicing.join()
        if let unavailable = failure.cause as? SmartRenderUnavailable { throw unavailable }
        if let error = failure.cause as? MediaError, error.isOfContent || error.code == .packetRefused { throw error }
        try failure.check()
        guard let outcome else { throw FlourishError(.internal, "a run without a result") }
        return outcome
    }

    private func reportProgress(frames: Int, time: Double) {
        let first = layout.firstTime, last = layout.seconds(layout.times.last ?? 0)
        pass.observer.progress?(
            SessionProgress(
                frames: frames, seconds: time - first, duration: last - first + layout.lastDuration,
                effects: outlet.effectCount))
    }
}

/// Emits the events of a smartly rendered recording in the order of time. It merges the events of the analysis pass
/// with the events of the encoded segments.
final class EventMerger: Sendable {
    private struct State {
        /// The events of the analysis pass, in order.
        var pending: ArraySlice<ReactionEvent>
        /// The events of finished segments, by the segments' numbers.
        var spans: [Int: [ReactionEvent]] = [:]
    }

    private let outlet: EventEmitter
    private let state: Mutex<State>

    init(_ pending: [ReactionEvent], outlet: EventEmitter) {
        self.outlet = outlet
        state = Mutex(State(pending: pending[...]))
    }

    /// Records the events of a segment. They are emitted in the order of time.
    func note(_ result: SegmentEncoder.Result, of span: Int) {
        state.withLock { $0.spans[span] = result.events }
    }

    /// Emits the events of the analysis pass up to a time, in seconds.
    func emit(until time: Double) {
        state.withLock { emit(until: time, &$0) }
    }

    /// Emits the events of a segment, once.
    func emit(span: Int) {
        state.withLock { state in
            guard let events = state.spans.removeValue(forKey: span) else { return }
            for event in events {
                emit(until: event.time, &state)
                outlet.add(event)
            }
        }
    }

    private func emit(until time: Double, _ state: inout State) {
        while let event = state.pending.first, event.time <= time {
            state.pending.removeFirst()
            outlet.add(event)
        }
    }
}
