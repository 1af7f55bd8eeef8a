/// The reply to a client's request for an effect.
///
/// ```swift
/// let reply = try await session.requestEffect(for: .confetti)
/// if let id = reply.id { try session.cancelEffect(id: id) }
/// ```
public struct EffectReply: Sendable, Hashable {
    /// The result of a request.
    public enum Outcome: String, Sendable, Hashable, CaseIterable {
        /// The request started an effect.
        case started
        /// An effect of the type was in progress and continues with another burst.
        case extended
        /// An effect of the type is in progress and continues unchanged: another request of the same frame started or
        /// extended it, or its next burst is scheduled already.
        case unchanged
        /// The effect starts with the first frame at the requested time, or after it.
        case scheduled
        /// The request was cancelled before its frame.
        case cancelled
        /// No effect is shown: reactions are switched off, the run ended, or too many requests wait.
        case notShown
    }

    /// The result.
    public var outcome: Outcome
    /// The effect's number, as in its events; `nil` if no effect is in progress.
    public var id: Int?
    /// The time of the frame, in seconds on the output video's clock; for a scheduled request, the requested time.
    public var time: Double?
    /// The frame's index; `nil` if it is not known yet.
    public var frame: Int?

    package init(_ outcome: Outcome, id: Int? = nil, time: Double? = nil, frame: Int? = nil) {
        (self.outcome, self.id, self.time, self.frame) = (outcome, id, time, frame)
    }
}

/// The answer to the requests of one effect at a frame.
package struct RequestAnswer: Sendable, Hashable {
    package var tickets: [Int]
    package var outcome: EffectReply.Outcome
    package var id: Int?
}
