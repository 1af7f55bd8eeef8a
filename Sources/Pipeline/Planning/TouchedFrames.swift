import MediaIO
import Reactions

/// Which frames of a recording show effects, before any of them is decoded.
///
/// Follows the same schedule and time line as planning does, on time stamps alone.
struct TouchedFrames: Sendable {
    /// A frame at which something is asked for.
    struct Start: Sendable {
        /// Its time stamp in ticks.
        var time: Int64
        var request: ScheduledRequest
        /// What tells the next effect apart at that frame.
        var effectID: Int
    }

    /// Closed ranges of time stamps, in ticks, in order.
    private(set) var stretches: [ClosedRange<Int64>] = []
    private(set) var starts: [Start] = []
    /// What is to be told of reactions that are not shown, by the number of the frame.
    private(set) var refusals: [ReactionEvent] = []
    /// The same of those whose time never comes.
    private(set) var neverCame: [PipelineWarning] = []

    /// - Parameters:
    ///   - times: all frames' time stamps, in ticks, sorted.
    ///   - presets: how long effects last.
    ///   - includesEnds: whether the first frame without effects counts, too, since it bears a message that says so.
    init(
        _ requests: [ScheduledRequest], presets: [ReactionType: EffectTimeline.Preset], times: [Int64],
        timeBase: TimeBase, reactionsEnabled: Bool, includesEnds: Bool = false
    ) {
        func seconds(_ ticks: Int64) -> Double { MediaTime(value: ticks, timeBase: timeBase).seconds }
        var schedule = ReactionSchedule(requests)
        var timeline = EffectTimeline(presets: presets)
        let first = times.first.map(seconds)
        var begin: Int64?
        var last = times.first ?? 0
        for (index, ticks) in times.enumerated() {
            let time = seconds(ticks)
            let due = schedule.due(at: time, since: first)
            if due.isEmpty, timeline.running.isEmpty { continue }
            starts += schedule.entries[due].filter {
                $0.obstacle(at: time, reactionsEnabled: reactionsEnabled) == nil
            }.map { Start(time: ticks, request: $0, effectID: timeline.startedCount + 1) }
            let answers = schedule.take(at: time, since: first, reactionsEnabled: reactionsEnabled)
            refusals += answers.events.map { ReactionEvent(time: time, frame: index, kind: $0) }
            for request in answers.requests { timeline.request(request) }
            _ = timeline.advance(to: time, frame: index)
            if !timeline.running.isEmpty {
                begin = begin ?? ticks
            } else if let start = begin {
                stretches.append(start...(includesEnds ? ticks : last))
                begin = nil
            }
            last = ticks
        }
        if let begin { stretches.append(begin...last) }
        neverCame = schedule.leftOver()
    }
}

extension EffectTimeline {
    /// How many effects have started.
    fileprivate var startedCount: Int { counts.values.reduce(0, +) }
}
