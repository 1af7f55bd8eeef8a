import MediaIO
import Platform
import RateControl
import Reactions

/// The division of a recording into copied and re-encoded segments. ``SpliceRun`` creates it before anything is
/// written.
struct SpliceLayout {
    let numbering = FrameNumbering()
    let catalog: EffectCatalog
    let demuxer: Demuxer
    let container: ContainerFormat
    let packetIndex: PacketIndex
    let timing: SpliceTiming
    let spans: [SpliceSpan]
    /// The encoding job of each segment.
    let jobs: [SegmentEncoder.Job]
    /// The frames' time stamps in ticks, sorted.
    let times: [Int64]
    /// The duration of the last picture, in seconds.
    let lastDuration: Double
    let touched: TouchedFrames
    /// The factory of segment encoders; `nil` if nothing is drawn.
    let factory: SegmentEncoderFactory?
    let entryHeaders: EntryHeaders
    let pool = FramePool()

    /// The maximum share of the frames that may be encoded again. Beyond it, copying the rest gains little.
    private static let maximumShare = 0.8

    /// - Parameter packetIndex: The index of the recording's packets.
    /// - Throws: `SmartRenderUnavailable`, `MediaError`, ``FlourishError``.
    init(_ pass: RunPass, _ packetIndex: PacketIndex, control: SessionControl) throws {
        let configuration = pass.configuration
        container = try ContainerFormat.chosen(configuration, path: pass.output ?? "")
        let packetIndex = packetIndex.cuttingHiddenPictures(for: container)
        self.packetIndex = packetIndex
        if let unavailable = packetIndex.copyingUnavailable { throw unavailable }
        catalog = try EffectCatalog(
            resources: pass.resources, checking: configuration, showing: pass.plan)
        try pass.plan?.check(catalog)
        demuxer = try pass.openInput(control.interrupt)
        let times = packetIndex.pictures.filter { !$0.isDiscarded }.map(\.presentationTime).sorted()
        self.times = times
        lastDuration = packetIndex.lastDuration(times)
        timing = SpliceTiming(packetIndex.pictures)
        let end = demuxer.clipped(times.last.map { packetIndex.seconds($0) + packetIndex.lastDuration(times) })
        touched = TouchedFrames(
            pass.schedule, presets: catalog.presets, times: times, timeBase: packetIndex.timeBase, until: end,
            reactionsEnabled: configuration.reactionsEnabled, includesEnds: configuration.embedsMetadata)
        let rate = demuxer.video.averageFrameRate
        // Effects less than a second apart are in one segment, because the limiter of flashes counts those of a second.
        let gap = rate.isPositive ? Int(rate.value.rounded(.up)) : 30
        // An ending before a recovery point needs every frame.
        let keepsAll = configuration.limitWhileEffectsRun == nil
        spans = SpliceSpan.covering(
            touched.ranges, of: packetIndex.pictures,
            tailLengths: packetIndex.tailLengths.map { keepsAll ? $0 : [:] }, gap: gap)
        if !spans.isEmpty {
            if let unavailable = packetIndex.smartRenderUnavailable(in: spans) { throw unavailable }
            guard zip(times, times.dropFirst()).allSatisfy({ $0 < $1 }) else {
                throw SmartRenderUnavailable("two of its frames have the same time stamp")
            }
        }
        let encoded = spans.reduce(0) { $0 + $1.keptCount(of: packetIndex.pictures) }
        guard Double(encoded) <= Self.maximumShare * Double(packetIndex.pictures.count { !$0.isCutAway }) else {
            throw SmartRenderUnavailable("most of it must be encoded because of effects")
        }
        if spans.isEmpty {
            factory = nil
        } else {
            factory = try SegmentEncoderFactory(
                pass, control: control, numbering: numbering, catalog: catalog, demuxer: demuxer, container: container,
                packetIndex: packetIndex, reorderDepth: timing.reorderDepth,
                firstTime: MediaTime(value: times.first ?? 0, timeBase: packetIndex.timeBase).seconds, pool: pool,
                sample: try FrameSource(pass.input, pass.inputSettings(), threads: 1, pool: pool).next())
        }
        entryHeaders = EntryHeaders(packetIndex, source: demuxer, changes: factory?.statesHeaders ?? false)
        jobs = packetIndex.jobs(spans, times, until: end, touched, framing: demuxer.videoFraming)
    }

    /// Returns a line for each segment of a recording, copied and encoded ones.
    ///
    /// - Returns: The reason if the recording cannot be rendered in segments.
    /// - Throws: ``FlourishError``.
    static func segments(
        of pass: RunPass, _ packetIndex: PacketIndex, _ control: SessionControl
    ) throws(FlourishError) -> Swift.Result<[String], SmartRenderUnavailable> {
        do {
            return .success(try SpliceLayout(pass, packetIndex, control: control).segments)
        } catch let unavailable as SmartRenderUnavailable {
            return .failure(unavailable)
        } catch {
            throw FlourishError(describing: error)
        }
    }

    private var segments: [String] {
        var lines: [String] = []
        var start = firstTime
        for span in spans.map(describe) {
            if span.startTime > start { lines.append(Self.line(start, span.startTime, "copied")) }
            let types = span.reactionTypes.map(\.rawValue).joined(separator: ", ")
            // Only the ends of a trim range are encoded without an effect.
            let reason = types.isEmpty ? "an end of the trim range" : types
            lines.append(Self.line(span.startTime, span.endTime, "encoded for \(reason) (\(span.frames) frames)"))
            start = span.endTime
        }
        let end = seconds(times.last ?? 0) + lastDuration
        if end > start { lines.append(Self.line(start, end, "copied")) }
        return lines
    }

    private static func line(_ start: Double, _ end: Double, _ text: String) -> String {
        "  \(JSONLine.rounded(start, places: 3)) s to \(JSONLine.rounded(end, places: 3)) s: \(text)"
    }

    /// The time of the first shown picture, in seconds. If a recording begins within a group of pictures, its first
    /// packets do not show any picture.
    var firstTime: Double {
        let origin = demuxer.video.startTime?.rescaled(to: packetIndex.timeBase).value ?? .min
        return seconds(times.first { $0 >= origin } ?? times.first ?? 0)
    }

    /// Returns a time in ticks as seconds.
    func seconds(_ ticks: Int64) -> Double { packetIndex.seconds(ticks) }

    /// Returns the time of the last picture that was emitted, in ticks.
    private func lastTime(of outcome: SpliceStage.Outcome) -> Int64 { outcome.times.max() ?? times.first ?? 0 }

    /// Returns the end of the last picture that was emitted, in seconds.
    func endTime(of outcome: SpliceStage.Outcome) -> Double { endTime(after: lastTime(of: outcome)) }

    /// Returns the number of the first frame that was not emitted.
    func endFrame(of outcome: SpliceStage.Outcome) -> Int { times.firstIndex(after: lastTime(of: outcome)) }

    /// Returns the end of a picture, in seconds.
    private func endTime(after last: Int64) -> Double {
        let next = times.firstIndex(after: last)
        return next < times.count ? seconds(times[next]) : seconds(last) + lastDuration
    }

    /// Returns the positions at which the finished file is compared with the source.
    func seams(of outcome: SpliceStage.Outcome) -> [SpliceCheck.Seam] {
        spans.indices.compactMap { index in
            guard let boundaryFrames = outcome.boundaryFrames[index] else { return nil }
            let span = spans[index]
            let first = packetIndex.shownTimes(of: span).first ?? 0
            let after = span.end == .endOfStream ? nil : packetIndex.pictures[span.packets.upperBound].presentationTime
            let last = packetIndex.pictures[span.decoded.upperBound - 1].presentationTime
            let resumed = jobs[index].ending?.tailTimes.first
            // If decoding does not begin with a copied picture, it begins with the segment's own entry picture.
            let isPrimed = span.primer < span.packets.lowerBound && !packetIndex.pictures[span.primer].isCutAway
            return SpliceCheck.Seam(
                primer: isPrimed ? packetIndex.pictures[span.primer].presentationTime : first, first: first,
                resumed: resumed ?? after, last: resumed == nil ? after : last, boundaryFrames: boundaryFrames)
        }
    }

    /// Returns the summary of a segment for the event.
    func describe(_ span: SpliceSpan) -> ReactionEvent.SmartRenderSummary.Span {
        let times = packetIndex.shownTimes(of: span)
        let (first, last) = (times.first ?? 0, times.last ?? 0)
        var types: [ReactionType] = []
        // A type is listed once, because a repeated request extends the effect instead of starting another.
        for start in touched.starts where first...last ~= start.time {
            let type = start.request.request.reactionType
            if !types.contains(type) { types.append(type) }
        }
        return .init(
            startTime: seconds(first), endTime: endTime(after: last), frames: span.keptCount(of: packetIndex.pictures),
            reactionTypes: types)
    }
}

extension PacketIndex {
    fileprivate func seconds(_ ticks: Int64) -> Double { MediaTime(value: ticks, timeBase: timeBase).seconds }

    /// Returns the duration of the last picture, in seconds.
    fileprivate func lastDuration(_ times: [Int64]) -> Double {
        let last = pictures.filter { !$0.isCutAway && !$0.isDiscarded }.max {
            $0.presentationTime < $1.presentationTime
        }
        guard let last else { return 0 }
        if last.duration > 0 { return seconds(last.duration) }
        return times.count > 1 ? seconds(times[times.count - 1]) - seconds(times[times.count - 2]) : 0
    }

    /// Returns the times of the frames of a segment, in ticks, sorted.
    fileprivate func shownTimes(of span: SpliceSpan) -> [Int64] {
        span.numbers.map { pictures[$0] }.filter { !$0.isDiscarded }.map(\.presentationTime).sorted()
    }

    /// Returns the encoding job of each segment.
    ///
    /// - Parameters:
    ///   - times: The times of all frames, in ticks, sorted.
    ///   - end: The end of the last frame, in seconds.
    fileprivate func jobs(
        _ spans: [SpliceSpan], _ times: [Int64], until end: Double?, _ touched: TouchedFrames, framing: NALFraming
    ) -> [SegmentEncoder.Job] {
        var nextID = 1
        return spans.map { span in
            let shown = shownTimes(of: span)
            let (first, last) = (shown.first ?? 0, shown.last ?? 0)
            let starts = touched.starts.filter { first...last ~= $0.time }
            if let start = starts.first { nextID = start.effectID }
            let next = times.firstIndex(after: last)
            return SegmentEncoder.Job(
                span: span, times: shown, endTime: next < times.count ? seconds(times[next]) : end,
                firstFrame: times.firstIndex(after: first - 1),
                neighbours: neighbours(of: span, from: first, times),
                ending: SegmentEnding(of: span, times: shown, in: self, framing: framing),
                requests: starts.map(\.request),
                effectID: nextID,
                entrySize: Int(pictures[span.primer].size),
                size: pictures[span.decoded].reduce(0) { $0 + Int($1.size) }, before: quietFrames(before: span))
        }
    }

    /// Returns the presentation times of the copied frames next to a segment, in ticks: the frame before it, if it is
    /// decoded for the segment, and the frames after it.
    private func neighbours(of span: SpliceSpan, from first: Int64, _ times: [Int64]) -> [Int64] {
        let before = times.firstIndex(after: first - 1) - 1
        let primed = pictures[span.primer..<span.packets.lowerBound].filter { !$0.isDiscarded && !$0.isCutAway }
            .map(\.presentationTime)
        var found = before >= 0 && primed.contains(times[before]) ? [times[before]] : []
        if span.end != .endOfStream { found.append(pictures[span.packets.upperBound].presentationTime) }
        return found + span.trailing.map { pictures[$0].presentationTime }
    }

    /// Returns up to 300 frames of the source before a segment. The governor of the segment's encoder learns from them
    /// how many bits frames without effects have.
    private func quietFrames(before span: SpliceSpan) -> [EncodedFrame] {
        pictures[max(0, span.packets.lowerBound - 300)..<span.packets.lowerBound].map { picture in
            EncodedFrame(
                time: seconds(picture.presentationTime), duration: seconds(picture.duration),
                bits: Int(picture.size) * 8,
                qp: nil, isKeyFrame: picture.role == .entry)
        }
    }
}

extension [Int64] {
    /// Returns the index of the first element after a time, in a sorted array; the end index if there is none.
    fileprivate func firstIndex(after time: Int64) -> Int { sortedIndex { $0 > time } }
}
