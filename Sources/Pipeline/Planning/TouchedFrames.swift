import Frames
import MediaIO
import RateControl
import Reactions

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
    ///   - includesEnds: Whether ranges include the first frame after their effects. Embedded metadata needs this
    ///     frame, because its message states that no effects are in progress.
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
                $0.suppressionReason(at: time, reactionsEnabled: reactionsEnabled) == nil
            }.map { Start(time: ticks, request: $0, effectID: timeline.startedCount + 1) }
            let answers = schedule.take(at: time, since: first, reactionsEnabled: reactionsEnabled)
            refusals += answers.events.map { ReactionEvent(time: time, frame: index, kind: $0) }
            for request in answers.requests { timeline.request(request) }
            _ = timeline.advance(to: time, frame: index)
            if !timeline.running.isEmpty {
                begin = begin ?? ticks
            } else if let start = begin {
                ranges.append(start...(includesEnds ? ticks : last))
                begin = nil
            }
            last = ticks
        }
        if let begin { ranges.append(begin...last) }
        neverCame = schedule.leftOver()
    }
}

extension EffectTimeline {
    /// The number of effects that have started.
    fileprivate var startedCount: Int { counts.values.reduce(0, +) }
}
