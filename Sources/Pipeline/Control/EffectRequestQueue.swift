public import Reactions

/// The effects that a cancellation ends.
public struct EffectCancellation: Sendable, Hashable {
    /// A choice among the effects in progress.
    public enum Target: Sendable, Hashable {
        /// All effects.
        case all
        /// The effects of a type.
        case type(ReactionType)
        /// The effect with a number.
        case id(Int)
    }

    /// The numbers of the effects that end with the next frame.
    public var ids: [Int]
    /// The number of requests that were discarded before their frame.
    public var discardedRequests: Int

    /// True if there was nothing to cancel.
    public var isEmpty: Bool { ids.isEmpty && discardedRequests == 0 }
}

/// The requests for effects that wait for their frame. It is a part of ``SessionControl/State``, whose lock protects
/// it.
struct EffectRequestQueue: Sendable {
    typealias Answer = @Sendable (EffectReply) -> Void

    /// The maximum number of different requests between two frames, and of scheduled requests. The limits prevent a
    /// flood of requests from slowing down a frame.
    static let maximum = (next: 64, scheduled: 1024)

    private struct Scheduled: Sendable {
        var time: Double
        var request: EffectRequest
    }

    /// Requests for the next frame.
    private var next: [EffectRequest] = []
    /// Requests for later frames, sorted by time.
    private var later: [Scheduled] = []
    /// The cancellations for the next frame.
    private var cancelled = EngineRequests.Cancellation()
    /// The cancellations for later frames, with their times in seconds.
    private var laterCancelled: [(time: Double, target: EffectCancellation.Target)] = []
    /// The callbacks of pending requests, by the tickets of the requests.
    private var answers: [Int: Answer] = [:]
    private var lastTicket = 0

    /// Half a millisecond, in seconds: clients may name times of events, which are rounded to milliseconds.
    private static let slack = 0.0005

    /// Adds a request for the next frame. Repeated requests for a type before that frame become one.
    ///
    /// - Returns: `false` if too many requests wait. Then neither the request nor its answer is stored.
    mutating func add(_ request: EffectRequest, _ answer: Answer?) -> Bool {
        // Requests with different origins are kept apart, because they may be for different tiles.
        let same = next.firstIndex { $0.reactionType == request.reactionType && $0.origin == request.origin }
        guard same != nil || next.count < Self.maximum.next,
            answer == nil || answers.count < Self.maximum.scheduled
        else { return false }
        let index = same ?? next.count
        if same == nil { next.append(request) }
        if let answer {
            lastTicket += 1
            answers[lastTicket] = answer
            next[index].tickets.append(lastTicket)
        }
        return true
    }

    /// Adds a request for the first frame at a time or after it.
    ///
    /// - Returns: `false` if too many requests wait.
    mutating func schedule(_ request: EffectRequest, at time: Double) -> Bool {
        guard later.count < Self.maximum.scheduled else { return false }
        later.insert(Scheduled(time: time, request: request), at: later.firstIndex { $0.time > time } ?? later.count)
        return true
    }

    /// Ends effects with the next frame, and discards requests.
    ///
    /// - Returns: The effects that end, and the callbacks of discarded requests.
    mutating func cancel(
        _ target: EffectCancellation.Target, among states: [ReactionEffectState]
    ) -> (EffectCancellation, [Answer]) {
        let ids = Self.ids(of: target, among: states)
        cancelled.ids.formUnion(ids)
        if case .type(let type) = target { cancelled.types.insert(type) }
        let isMeant: (EffectRequest) -> Bool = { request in
            switch target {
            case .all: true
            case .type(let type): request.reactionType == type
            case .id: false
            }
        }
        let discarded = next.filter(isMeant).flatMap(\.tickets)
        let count = next.count + later.count
        next.removeAll(where: isMeant)
        later.removeAll { isMeant($0.request) }
        let result = EffectCancellation(ids: ids, discardedRequests: count - next.count - later.count)
        return (result, discarded.compactMap { answers.removeValue(forKey: $0) })
    }

    /// Ends effects with the first frame at a time or after it.
    ///
    /// - Returns: `false` if too many cancellations wait.
    mutating func scheduleCancellation(_ target: EffectCancellation.Target, at time: Double) -> Bool {
        guard laterCancelled.count < Self.maximum.scheduled else { return false }
        laterCancelled.append((time, target))
        return true
    }

    /// Returns whether effects were requested for a frame at a time, in seconds.
    func hasRequests(at time: Double) -> Bool {
        !next.isEmpty || later.first.map { $0.time <= time + Self.slack } == true
    }

    /// Moves the requests for a frame at a time into `requests`.
    mutating func dequeue(
        at time: Double, among states: [ReactionEffectState], into requests: inout EngineRequests
    ) {
        let due = later.prefix { $0.time <= time + Self.slack }
        requests.effects = next + due.map(\.request)
        for (_, target) in laterCancelled.filter({ $0.time <= time + Self.slack }) {
            cancelled.ids.formUnion(Self.ids(of: target, among: states))
        }
        requests.cancelled = cancelled
        later.removeFirst(due.count)
        laterCancelled.removeAll { $0.time <= time + Self.slack }
        (next, cancelled) = ([], EngineRequests.Cancellation())
    }

    /// Removes and returns the callbacks with these tickets, in the order of the tickets.
    mutating func takeAnswers(_ tickets: [Int]) -> [Answer] { tickets.compactMap { answers.removeValue(forKey: $0) } }

    /// Removes all requests, and returns their callbacks, oldest first.
    mutating func end() -> [Answer] {
        defer { self = EffectRequestQueue() }
        return answers.sorted { $0.key < $1.key }.map(\.value)
    }

    private static func ids(of target: EffectCancellation.Target, among states: [ReactionEffectState]) -> [Int] {
        states.filter { state in
            switch target {
            case .all: true
            case .type(let type): state.reactionType == type
            case .id(let id): state.id == id
            }
        }.map(\.id)
    }
}
