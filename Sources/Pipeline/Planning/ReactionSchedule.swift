import RateControl
import Reactions

/// What is asked for before the video begins.
package struct ScheduledRequest: Sendable {
    /// Seconds from the first frame.
    var seconds: Double
    var request: EffectRequest
    /// The time that somebody named, where that is another one.
    var namedSeconds: Double?

    /// Why it is not shown from a frame on, whose time stamp is in seconds; `nil` where it is.
    func obstacle(at time: Double, reactionsEnabled: Bool) -> String? {
        if !reactionsEnabled { return "reactions are switched off (effects.reactions)" }
        guard let end = request.endTime, end <= time else { return nil }
        return "no frame is shown between its start and its end"
    }

    func notShown(_ reason: String) -> PipelineWarning {
        PipelineWarning(
            code: .reactionNotShown,
            message: "\(request.reactionType) at \(namedSeconds ?? seconds) s was not shown: \(reason)")
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

/// The reactions that are known before the video begins, until their times come.
struct ReactionSchedule {
    /// What is still to come, sorted by time.
    var entries: [ScheduledRequest]

    init(_ requests: [ScheduledRequest]) {
        entries = requests.enumerated().sorted { ($0.element.seconds, $0.offset) < ($1.element.seconds, $1.offset) }
            .map(\.element)
    }

    /// Where those stand whose time has come.
    ///
    /// - Parameters:
    ///   - time: a frame's time stamp in seconds.
    ///   - first: the first frame's.
    func due(at time: Double, since first: Double?) -> Range<Int> {
        guard let first, !entries.isEmpty else { return 0..<0 }
        // Half a millisecond: time stamps of milliseconds are rounded.
        return 0..<entries.prefix { $0.seconds <= time - first + 0.0005 }.count
    }

    /// Takes those of before the first frame.
    mutating func takeEarlier() -> [ScheduledRequest] {
        let earlier = entries.prefix { $0.seconds < -0.0005 }
        defer { entries.removeFirst(earlier.count) }
        return Array(earlier)
    }

    /// Takes those whose time has come.
    mutating func take(at time: Double, since first: Double?, reactionsEnabled: Bool) -> ReactionAnswers {
        let range = due(at: time, since: first)
        if range.isEmpty { return ReactionAnswers() }
        defer { entries.removeSubrange(range) }
        var answers = ReactionAnswers()
        for entry in entries[range] {
            if let reason = entry.obstacle(at: time, reactionsEnabled: reactionsEnabled) {
                let warning = entry.notShown(reason)
                answers.events.append(.warning(code: warning.code, message: warning.message))
            } else {
                answers.requests.append(entry.request)
            }
        }
        return answers
    }

    /// What is known to start within the encoder's lead. Gestures are not: a plan says apart when they were foreseen.
    func demands(after time: Double, since first: Double?, in timeline: EffectTimeline) -> [EffectDemand] {
        guard let first, !entries.isEmpty else { return [] }
        return entries.prefix { $0.seconds <= time - first + EncoderGovernor.lead }
            .filter { $0.request.trigger != .gesture }
            .compactMap { timeline.demand(of: $0.request.reactionType, at: first + $0.seconds) }
    }

    /// What starts until a time.
    func types(until time: Double, since first: Double?) -> [ReactionType] {
        guard let first, !entries.isEmpty else { return [] }
        return entries.prefix { $0.seconds <= time - first }.map(\.request.reactionType)
    }

    /// What never came, when the video has ended.
    func leftOver() -> [PipelineWarning] { entries.map { $0.notShown("the video ends before") } }
}
