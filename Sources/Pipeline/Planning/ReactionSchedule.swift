import MediaIO
import RateControl
import Reactions

/// A request made before the video begins.
package struct ScheduledRequest: Sendable {
    /// The time in seconds from the first frame.
    var seconds: Double
    var request: EffectRequest
    /// The time that the user specified, if it differs.
    var namedSeconds: Double?

    /// Returns the reason why the request is not shown when it is due; `nil` if it is shown.
    ///
    /// - Parameters:
    ///   - moment: The frame at which it is due.
    func suppressionReason(at moment: ReactionSchedule.Moment, reactionsEnabled: Bool) -> String? {
        if !reactionsEnabled { return "reactions are switched off (effects.reactions)" }
        let time = moment.time
        if let previous = moment.previous, let first = moment.first {
            let stay = PictureStay(start: previous, end: time)
            if stay.delays(first + seconds) { return named(stay, since: first) }
        }
        guard let end = request.endTime, end <= time else { return nil }
        return "no frame is shown between its start and its end"
    }

    /// Returns the reason that a picture stands, on the clock of ``namedSeconds``.
    func named(_ stay: PictureStay, since first: Double) -> String {
        stay.reason(since: first - ((namedSeconds ?? seconds) - seconds))
    }

    func notShown(_ reason: String) -> PipelineWarning {
        let time = JSONLine.rounded(namedSeconds ?? seconds, places: 3)
        return PipelineWarning(
            code: .reactionNotShown, message: "\(request.reactionType) at \(time) s was not shown: \(reason)")
    }
}

extension ScheduledRequest {
    package init(_ reaction: ScheduledReaction) {
        seconds = reaction.seconds
        namedSeconds = reaction.seconds
        request = EffectRequest(
            reactionType: reaction.reactionType, origin: reaction.origin, trigger: .schedule, gesture: nil)
    }
}

/// Keeps the reactions that are known before the video begins, until their times are reached.
struct ReactionSchedule {
    /// The remaining requests, sorted by time.
    var entries: [ScheduledRequest]

    /// A frame at which requests become due. Times are in seconds.
    struct Moment: Sendable {
        var time: Double
        /// The time of the video's first frame.
        var first: Double?
        /// The time of the frame before; `nil` at the first frame.
        var previous: Double?
    }

    init(_ requests: [ScheduledRequest]) {
        entries = requests.enumerated().sorted { ($0.element.seconds, $0.offset) < ($1.element.seconds, $1.offset) }
            .map(\.element)
    }

    /// Returns the indices of the requests that are due.
    ///
    /// - Parameters:
    ///   - time: A frame's time stamp in seconds.
    ///   - first: The first frame's time stamp.
    func due(at time: Double, since first: Double?) -> Range<Int> {
        guard let first, !entries.isEmpty else { return 0..<0 }
        // Half a millisecond allows for time stamps that are rounded to milliseconds.
        return 0..<entries.prefix { $0.seconds <= time - first + 0.0005 }.count
    }

    /// Removes and returns the reactions before the first frame.
    mutating func takeEarlier() -> [ScheduledRequest] {
        let earlier = entries.prefix { $0.seconds < -0.0005 }
        defer { entries.removeFirst(earlier.count) }
        return Array(earlier)
    }

    /// Removes and returns the reactions whose time is reached, and the warnings about those that are not shown.
    mutating func take(
        at moment: Moment, reactionsEnabled: Bool
    ) -> (warnings: [PipelineWarning], requests: [ScheduledRequest]) {
        let range = due(at: moment.time, since: moment.first)
        if range.isEmpty { return ([], []) }
        defer { entries.removeSubrange(range) }
        var warnings: [PipelineWarning] = []
        var requests: [ScheduledRequest] = []
        for entry in entries[range] {
            if let reason = entry.suppressionReason(at: moment, reactionsEnabled: reactionsEnabled) {
                warnings.append(entry.notShown(reason))
            } else {
                requests.append(entry)
            }
        }
        return (warnings, requests)
    }

    /// Returns the demands of effects known to start within the encoder's lead. Gestures are excluded, because a plan
    /// records separately when they were foreseen.
    func demands(after time: Double, since first: Double?, in timeline: EffectTimeline) -> [EffectDemand] {
        guard let first, !entries.isEmpty else { return [] }
        return entries.prefix { $0.seconds <= time - first + EncoderGovernor.lead }
            .filter { $0.request.trigger != .gesture }
            .compactMap { timeline.demand(of: $0.request.reactionType, at: first + $0.seconds) }
    }

    /// Returns the types of the reactions that start until a time.
    func types(until time: Double, since first: Double?) -> [ReactionType] {
        guard let first, !entries.isEmpty else { return [] }
        return entries.prefix { $0.seconds <= time - first }.map(\.request.reactionType)
    }

    /// Returns warnings about requests that never became due, after the video has ended.
    ///
    /// - Parameters:
    ///   - last: The interval of the last picture; `nil` if its end is unknown.
    ///   - first: The time of the first frame, in seconds.
    func leftOver(after last: PictureStay? = nil, since first: Double? = nil) -> [PipelineWarning] {
        entries.map { entry in
            if let last, let first, last.hides(first + entry.seconds) {
                return entry.notShown(entry.named(last, since: first))
            }
            return entry.notShown("the video ends before that time")
        }
    }
}

/// The frames of a recording that show effects, determined before any of them is decoded. ``SpliceLayout`` derives the
/// encoded segments from them.
///
/// The same ``ReactionSchedule`` and ``EffectTimeline`` as in planning determine them, from time stamps alone.
struct TouchedFrames: Sendable {
    /// A frame at which an effect is requested.
    struct Start: Sendable {
        /// The frame's time stamp in ticks.
        var time: Int64
        var request: ScheduledRequest
        /// The identifier of the next effect at that frame.
        var effectID: Int
    }

    /// Closed ranges of time stamps, in ticks, in order.
    private(set) var ranges: [ClosedRange<Int64>] = []
    private(set) var starts: [Start] = []
    /// The events of reactions that are not shown, with the numbers of their frames.
    private(set) var refusals: [ReactionEvent] = []
    /// The warnings about reactions whose time was never reached.
    private(set) var neverCame: [PipelineWarning] = []

    /// - Parameters:
    ///   - times: All frames' time stamps, in ticks, sorted.
    ///   - presets: The durations of effects.
    ///   - end: The end of the last frame, in seconds; `nil` if it is unknown.
    ///   - includesEnds: Whether ranges include the first frame after their effects. Embedded metadata needs this
    ///     frame, because its message states that no effects are in progress.
    init(
        _ requests: [ScheduledRequest], presets: [ReactionType: EffectTimeline.Preset], times: [Int64],
        timeBase: TimeBase, until end: Double? = nil, reactionsEnabled: Bool, includesEnds: Bool = false
    ) {
        func seconds(_ ticks: Int64) -> Double { MediaTime(value: ticks, timeBase: timeBase).seconds }
        var schedule = ReactionSchedule(requests)
        var timeline = EffectTimeline(presets: presets)
        guard let first = times.first.map(seconds) else {
            neverCame = schedule.leftOver()
            return
        }
        var begin: Int64?
        var last = times.first ?? 0
        for (index, ticks) in times.enumerated() {
            let time = seconds(ticks)
            let due = schedule.due(at: time, since: first)
            if due.isEmpty, timeline.running.isEmpty { continue }
            let answers = schedule.take(
                at: .init(time: time, first: first, previous: index > 0 ? seconds(times[index - 1]) : nil),
                reactionsEnabled: reactionsEnabled)
            let accepted = answers.requests.filter { timeline.request($0.request) }
            let effectID = timeline.startedCount + 1
            _ = timeline.advance(
                to: time, until: index + 1 < times.count ? seconds(times[index + 1]) : end, frame: index)
            var warnings = answers.warnings + timeline.shortened.map { $0.warning(since: first) }
            for (request, answered) in zip(accepted, timeline.answered) {
                if case .refused(let stay) = answered.answer {
                    warnings.append(request.notShown(request.named(stay, since: first)))
                } else {
                    starts.append(Start(time: ticks, request: request, effectID: effectID))
                }
            }
            refusals += warnings.map { $0.event(time: time, frame: index) }
            if !timeline.running.isEmpty {
                begin = begin ?? ticks
            } else if let start = begin {
                ranges.append(start...(includesEnds ? ticks : last))
                begin = nil
            }
            last = ticks
        }
        if let begin { ranges.append(begin...last) }
        let stay = end.map { PictureStay(start: seconds(times[times.count - 1]), end: $0) }
        neverCame = schedule.leftOver(after: stay, since: first)
    }
}

extension EffectTimeline {
    /// The number of effects that have started.
    fileprivate var startedCount: Int { counts.values.reduce(0, +) }
}
