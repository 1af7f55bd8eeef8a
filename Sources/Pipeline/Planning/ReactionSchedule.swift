import Frames
import MediaIO
import RateControl
import Reactions
package import SessionSettings

/// A request made before the video begins.
package struct ScheduledRequest: Sendable {
    /// The time in seconds from the first frame.
    var seconds: Double
    var request: EffectRequest
    /// The time that the user specified, if it differs.
    var namedSeconds: Double?

    /// Returns the reason why the request is not shown when it is due; `nil` if it is shown.
    ///
    /// - Parameter time: The time stamp of the frame at which it is due, in seconds.
    func suppressionReason(at time: Double, reactionsEnabled: Bool) -> String? {
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

/// Keeps the reactions that are known before the video begins, until their times are reached.
struct ReactionSchedule {
    /// The remaining requests, sorted by time.
    var entries: [ScheduledRequest]

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

    /// Removes and returns the reactions whose time is reached.
    mutating func take(
        at time: Double, since first: Double?, reactionsEnabled: Bool
    ) -> (events: [ReactionEvent.Kind], requests: [EffectRequest]) {
        let range = due(at: time, since: first)
        if range.isEmpty { return ([], []) }
        defer { entries.removeSubrange(range) }
        var events: [ReactionEvent.Kind] = []
        var requests: [EffectRequest] = []
        for entry in entries[range] {
            if let reason = entry.suppressionReason(at: time, reactionsEnabled: reactionsEnabled) {
                let warning = entry.notShown(reason)
                events.append(.warning(code: warning.code, message: warning.message))
            } else {
                requests.append(entry.request)
            }
        }
        return (events, requests)
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
    func leftOver() -> [PipelineWarning] { entries.map { $0.notShown("the video ends before that time") } }
}
