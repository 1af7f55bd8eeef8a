package import MediaIO
import Platform
import RateControl
package import Reactions
import Synchronization

/// Writes a recording again of which only what effects touch is encoded.
///
/// ```
/// read ──packets──▶ queue ─────────────────────▶ mux
///   └──▶ span: decode ▶ plan ▶ draw ▶ encode ──▶─┘
/// ```
///
/// The recording was read before: its ``VideoSurvey`` says where it can be cut. Of a part of one, the frames at its ends that
/// cannot be copied are encoded, too.
package struct SpliceRun {
    /// What came of it.
    package enum Result: Sendable {
        case done(SessionOutcome)
        /// Nothing was written; the whole must be encoded.
        case refused(SpliceObstacle)
    }

    let request: PipelineRequest
    let control: SessionControl
    let outlet: EventOutlet
    let ledger = FrameLedger()
    let catalog: EffectCatalog
    let demuxer: Demuxer
    let muxer: Muxer
    let survey: VideoSurvey
    let timing: SpliceTiming
    let touched: TouchedFrames
    let spans: [SpliceSpan]
    /// The frames' time stamps in ticks, sorted.
    let times: [Int64]
    /// How long the last picture is shown, in seconds.
    private let lastDuration: Double
    /// `nil` where nothing is drawn.
    let workshop: SpanWorkshop?
    let pool = FramePool()
    /// What is told once the result was checked: until then the whole may have to be encoded after all.
    private let told = Slot<[ReactionEvent]>([])
    let thinning: FrameThinning
    /// Seconds that were spent on looking.
    let lookingTime: Double

    /// Runs on threads of its own and waits without blocking the caller's.
    package static func start(
        _ request: PipelineRequest, survey: VideoSurvey, lookingTime: Double, control: SessionControl
    ) async throws(FlourishError) -> Result {
        try await StageThread.run { () throws(FlourishError) -> Result in
            do {
                return try SpliceRun(request, survey, lookingTime, control: control).run()
            } catch let obstacle as SpliceObstacle {
                return .refused(obstacle)
            } catch {
                throw FlourishError(describing: error)
            }
        }.get()
    }

    /// - Throws: `SpliceObstacle`, `MediaError`, ``FlourishError``.
    private init(
        _ request: PipelineRequest, _ survey: VideoSurvey, _ lookingTime: Double, control: SessionControl
    ) throws {
        let configuration = request.configuration
        let output = request.output ?? ""
        self.request = request
        self.control = control
        self.survey = survey
        self.lookingTime = lookingTime
        if let obstacle = survey.copyObstacle { throw obstacle }
        let catalog = try EffectCatalog(resources: request.resources, checking: configuration)
        try request.plan?.check(catalog)
        self.catalog = catalog
        outlet = EventOutlet(expectsFeedback: true, ledger: ledger) { [told] event in told.value.append(event) }
        let settings = InputSettings(configuration, address: request.input)
        demuxer = try Demuxer(path: request.input, settings: settings, interrupt: control.interrupt)
        times = survey.pictures.filter { !$0.isDiscarded }.map(\.presentationTime).sorted()
        lastDuration = Self.lastDuration(in: survey, times)
        timing = SpliceTiming(survey.pictures)
        let timeBase = survey.timeBase
        touched = TouchedFrames(
            request.scheduled, presets: catalog.presets, times: times, timeBase: timeBase,
            reactionsEnabled: configuration.reactionsEnabled)
        let rate = demuxer.video.averageFrameRate
        let gap = rate.isPositive ? Int(rate.value / 2) : 12
        spans = SpliceSpan.covering(touched.stretches, of: survey.pictures, gap: gap)
        if !spans.isEmpty {
            if let obstacle = survey.obstacle { throw obstacle }
            guard zip(times, times.dropFirst()).allSatisfy({ $0 < $1 }) else {
                throw SpliceObstacle("two of its pictures are shown at one time")
            }
        }
        let encoded = spans.reduce(0) { $0 + $1.keptCount(of: survey.pictures) }
        guard Double(encoded) <= SmartRendering.mostShare * Double(survey.pictures.count { !$0.isCutAway }) else {
            throw SpliceObstacle("effects, and what must be encoded with them, take most of it")
        }
        let changes = request.plan?.changes(in: catalog) ?? []
        for warning in request.forewarnings + changes + request.scheduledTooEarly { outlet.tell(warning) }
        thinning = FrameThinning(
            limit: configuration.limitWhileEffectsRun, inputRate: rate.isPositive ? rate.value : nil)
        let container = try ContainerFormat.chosen(configuration, path: output)
        if spans.isEmpty {
            workshop = nil
        } else {
            let firstTime = MediaTime(value: times.first ?? 0, timeBase: timeBase).seconds
            workshop = try SpanWorkshop(
                request, control: control, ledger: ledger, catalog: catalog, demuxer: demuxer, container: container,
                survey: survey,
                reorderDepth: timing.reorderDepth, firstTime: firstTime, pool: pool,
                sample: try FirstPicture.decode(of: try Demuxer(path: request.input, settings: settings), pool: pool))
        }
        muxer = try Muxer(
            path: output, overwrite: configuration.overwrite, format: container, copying: demuxer,
            interrupt: control.interrupt)
        try muxer.begin(copying: demuxer, with: workshop?.prototype)
    }

    /// - Throws: `SpliceObstacle`, ``FlourishError``.
    private func run() throws -> Result {
        let start = MonotonicClock.now
        let firstTime = seconds(times.first ?? 0)
        outlet.add(
            ReactionEvent(
                time: firstTime, frame: 0, kind: .streamStarted(.init(request, demuxer.video, catalog, thinning))))
        for skipped in muxer.skippedStreams { outlet.add(skipped.warning.event(time: firstTime, frame: 0)) }
        let teller = SpliceTeller((request.heard + touched.refusals).sorted { $0.time < $1.time }, outlet: outlet)
        let outcome = try splice(teller)
        if outcome.wasInterrupted, outcome.times.isEmpty {
            throw FlourishError(
                .interrupted, "\(request.input): stopped before the first picture; nothing was written")
        }
        let end = outcome.wasInterrupted ? endTime(of: outcome) : seconds(times.last ?? 0) + lastDuration
        teller.tell(until: outcome.wasInterrupted ? end : .infinity)
        let file = try muxer.complete()
        let rendered = MonotonicClock.now
        if let file { try check(file, outcome) }
        let framesOut = outcome.copied + outcome.encoded
        let endID =
            outcome.wasInterrupted
            ? times.partitioningIndex { [last = lastTime(of: outcome)] in $0 > last } : times.count
        let framesDropped = endID - ledger.index(of: endID)
        let trailing = (outcome.wasInterrupted ? [] : touched.neverCame) + warnings(outcome)
        for warning in trailing { outlet.add(warning.event(time: end, frame: endID)) }
        outlet.finish()
        let summary = ReactionEvent.StreamSummary(
            framesIn: outcome.wasInterrupted ? framesOut + framesDropped : times.count, framesOut: framesOut,
            framesDropped: framesDropped, effects: effectCounts, seconds: end - firstTime,
            smartRender: .init(
                framesCopied: outcome.copied, framesEncoded: outcome.encoded,
                spans: spans.indices.filter { outcome.witnesses[$0] != nil }.map { describe(spans[$0]) },
                timing: .init(
                    looking: lookingTime, rendering: Double(rendered - start) / 1e9,
                    checking: Double(MonotonicClock.now - rendered) / 1e9)))
        outlet.add(ReactionEvent(time: end, frame: endID, kind: .streamEnded(summary)))
        let path = try muxer.finish(asPart: outcome.wasInterrupted && request.marksPart)
        if let tell = request.observer.event { told.value.forEach(tell) }
        return .done(
            SessionOutcome(
                summary: summary, statistics: nil, interrupted: outcome.wasInterrupted, encoding: outlet.report,
                output: path))
    }

    /// Compares the file with the source.
    private func check(_ file: String, _ outcome: SpliceStage.Outcome) throws {
        let seams = spans.indices.compactMap { index -> SpliceCheck.Seam? in
            guard let witnesses = outcome.witnesses[index] else { return nil }
            let span = spans[index]
            let first = shownTimes(of: span).first ?? 0
            let after = span.end == .endOfStream ? nil : survey.pictures[span.packets.upperBound].presentationTime
            // The span begins with an entry of its own.
            let isPrimed = span.primer < span.packets.lowerBound && !survey.pictures[span.primer].isCutAway
            return SpliceCheck.Seam(
                primer: isPrimed ? survey.pictures[span.primer].presentationTime : first, first: first, after: after,
                witnesses: witnesses)
        }
        let check = SpliceCheck(
            times: outcome.times.sorted(), timeBase: survey.timeBase, start: demuxer.video.startTime, seams: seams)
        try check.check(file, pool: pool)
    }

    private static func lastDuration(in survey: VideoSurvey, _ times: [Int64]) -> Double {
        func seconds(_ ticks: Int64) -> Double { MediaTime(value: ticks, timeBase: survey.timeBase).seconds }
        let last = survey.pictures.filter { !$0.isCutAway }.max { $0.presentationTime < $1.presentationTime }
        guard let last else { return 0 }
        if last.duration > 0 { return seconds(last.duration) }
        return times.count > 1 ? seconds(times[times.count - 1]) - seconds(times[times.count - 2]) : 0
    }

    private func seconds(_ ticks: Int64) -> Double { MediaTime(value: ticks, timeBase: survey.timeBase).seconds }

    /// When the last picture that was handed on is shown, in ticks.
    private func lastTime(of outcome: SpliceStage.Outcome) -> Int64 { outcome.times.max() ?? times.first ?? 0 }

    /// When the last picture that was handed on ends, in seconds.
    private func endTime(of outcome: SpliceStage.Outcome) -> Double {
        let last = lastTime(of: outcome)
        let next = times.partitioningIndex { $0 > last }
        return next < times.count ? seconds(times[next]) : seconds(last) + lastDuration
    }

    /// How many effects of each type became part of the output.
    private var effectCounts: [ReactionType: Int] {
        told.value.reduce(into: [:]) { counts, event in
            if case .effectStarted(let effect) = event.kind { counts[effect.reactionType, default: 0] += 1 }
        }
    }

    private func warnings(_ outcome: SpliceStage.Outcome) -> [PipelineWarning] {
        var warnings: [PipelineWarning] = []
        // Who looked through the recording has told it.
        if let early = outcome.endedEarly, !request.wasLookedThrough {
            warnings.append(PipelineWarning(code: .damagedInput, message: early))
        }
        if outcome.wasInterrupted {
            warnings.append(PipelineWarning(code: .interrupted, message: "stopped before the end of \(request.input)"))
        }
        return warnings
    }
}

// MARK: - Threads

extension SpliceRun {
    /// Starts the reading thread, writes what comes, and waits.
    private func splice(_ teller: SpliceTeller) throws -> SpliceStage.Outcome {
        let failure = PipelineFailure()
        let packets = Channel<OutputItem>(capacity: PipelineRun.packetCapacity)
        failure.onFailure { packets.cancel() }
        let orders = makeOrders()
        let splicing = failure.start { [demuxer, workshop, survey, timing, control] in
            SpliceStage(
                demuxer: demuxer, workshop: workshop, survey: survey, timing: timing, orders: orders, into: packets,
                teller: teller, interrupt: control.interrupt)
        }
        _ = failure.run(
            MuxStage(
                packets, muxer: muxer, videoIndex: demuxer.video.index, outlet: outlet, meter: control.meter,
                progress: tellProgress))
        let outcome = splicing.join()
        if let obstacle = failure.cause as? SpliceObstacle { throw obstacle }
        try failure.check()
        guard let outcome else { throw FlourishError(.internal, "a run without outcome") }
        return outcome
    }

    private func tellProgress(frames: Int, time: Double) {
        request.observer.progress?(
            SessionProgress(
                frames: frames, seconds: time - seconds(times.first ?? 0),
                duration: seconds(times.last ?? 0) - seconds(times.first ?? 0) + lastDuration,
                effects: outlet.effectCount))
    }

    /// What each span is made of.
    private func makeOrders() -> [SpanWork.Order] {
        var nextID = 1
        return spans.map { span in
            let times = shownTimes(of: span)
            let (first, last) = (times.first ?? 0, times.last ?? 0)
            let starts = touched.starts.filter { first...last ~= $0.time }
            if let start = starts.first { nextID = start.effectID }
            return SpanWork.Order(
                span: span, times: times, firstFrame: self.times.partitioningIndex { $0 >= first },
                neighbours: neighbours(of: span, times), requests: starts.map(\.request), effectID: nextID,
                entrySize: Int(survey.pictures[span.primer].size), before: quietFrames(before: span))
        }
    }

    /// When the frames of a span are shown, in ticks, sorted.
    private func shownTimes(of span: SpliceSpan) -> [Int64] {
        span.numbers.map { survey.pictures[$0] }.filter { !$0.isDiscarded }.map(\.presentationTime).sorted()
    }

    /// The frames next to a span that are copied, in ticks.
    private func neighbours(of span: SpliceSpan, _ times: [Int64]) -> [Int64] {
        let before = self.times.partitioningIndex { $0 >= times[0] } - 1
        let primed = survey.pictures[span.primer..<span.packets.lowerBound].map(\.presentationTime)
        var found = before >= 0 && primed.contains(self.times[before]) ? [self.times[before]] : []
        if span.end != .endOfStream { found.append(survey.pictures[span.packets.upperBound].presentationTime) }
        return found
    }

    /// The frames of the source before a span, as far as its governor learns from them.
    private func quietFrames(before span: SpliceSpan) -> [EncodedFrame] {
        survey.pictures[max(0, span.packets.lowerBound - 300)..<span.packets.lowerBound].map { picture in
            EncodedFrame(
                time: seconds(picture.presentationTime), duration: seconds(picture.duration),
                bits: Int(picture.size) * 8,
                qp: nil, isKeyFrame: picture.role == .entry)
        }
    }

    private func describe(_ span: SpliceSpan) -> ReactionEvent.SmartRenderSummary.Span {
        let times = shownTimes(of: span)
        let (first, last) = (times.first ?? 0, times.last ?? 0)
        let next = self.times.partitioningIndex { $0 > last }
        let end = next < self.times.count ? seconds(self.times[next]) : seconds(last) + lastDuration
        return .init(
            startTime: seconds(first), endTime: end, frames: span.keptCount(of: survey.pictures),
            reactionTypes: touched.starts.filter { first...last ~= $0.time }.map(\.request.request.reactionType))
    }
}

extension [Int64] {
    /// The first index whose element fulfils a condition that holds for all after it; the end where none does.
    fileprivate func partitioningIndex(_ holds: (Int64) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if holds(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
