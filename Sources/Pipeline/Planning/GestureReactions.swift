import RateControl
import Reactions
import Vision

/// Maps gestures to reactions. A ``FramePlanner`` uses it.
struct GestureReactions {
    /// The reactions that gestures trigger instead of their default ones.
    var bindings: [ReactionGesture: ReactionType]

    /// Returns the reaction that a gesture triggers.
    func reactionType(for gesture: ReactionGesture) -> ReactionType { bindings[gesture] ?? gesture.reactionType }

    /// Returns the events of a frame's findings, and the effects that the gestures request.
    func answers(
        to findings: GestureFindings, reactionsEnabled: Bool
    ) -> (events: [ReactionEvent.Kind], requests: [EffectRequest]) {
        var requests: [EffectRequest] = []
        var events: [ReactionEvent.Kind] = findings.unfired.map { .candidate(ReactionEvent.CandidateDetail($0)) }
        for event in findings.fired {
            let gesture = event.gesture.name
            var seen = ReactionEvent.GestureDetail(
                gesture: gesture, handCount: event.hands, confidence: event.confidence,
                origin: event.origin, heldSince: event.heldSince)
            seen.tile = event.tile
            events.append(.gesture(seen))
            guard reactionsEnabled else { continue }
            var request = request(for: gesture, hands: event.hands, at: seen.origin)
            request.seen = seen
            request.tile = event.tile
            requests.append(request)
        }
        return (events, requests)
    }

    /// Returns the request that a gesture that almost fired would have made.
    func request(for candidate: ReactionEvent.CandidateDetail) -> EffectRequest {
        var request = request(for: candidate.gesture, hands: candidate.handCount, at: candidate.origin)
        request.tile = candidate.tile
        return request
    }

    /// Returns a gesture's request. The reaction to a one-hand gesture is next to the hand, and the reaction to a
    /// two-hand gesture is between the hands. Both avoid faces.
    private func request(for gesture: ReactionGesture, hands: Int, at origin: PicturePoint) -> EffectRequest {
        EffectRequest(
            reactionType: reactionType(for: gesture), origin: origin, trigger: .gesture, gesture: gesture,
            placement: hands == 1 ? .besideHand : .free)
    }

    /// Returns the reaction that a gesture that is being held is about to trigger.
    func coming(_ gesture: ComingGesture) -> ComingReaction {
        ComingReaction(reactionType: reactionType(for: gesture.gesture), time: gesture.time, tile: gesture.tile)
    }
}

/// A reaction that a held gesture is about to trigger, and the time at which it will start.
package struct ComingReaction: Sendable, Hashable {
    var reactionType: ReactionType
    /// The expected start, in seconds.
    var time: Double
    /// The number of the tile in which the reaction will be drawn; `nil` for the whole picture.
    var tile: Int?

    /// Returns the effect's demand on the encoder shortly before its expected start; `nil` before that, and if the
    /// effect already runs. The effect may start a little later than expected, or not at all.
    func demand(after now: Double, in timeline: EffectTimeline) -> EffectDemand? {
        guard time - EncoderGovernor.lead <= now, now < time + Self.maximumDelay,
            !timeline.running.contains(where: { $0.reactionType == reactionType && $0.tile?.id == tile })
        else { return nil }
        return timeline.demand(of: reactionType, at: max(time, now + EncoderGovernor.lead / 2))
    }

    /// The seconds after the expected time during which an incomplete hold is still expected to complete.
    private static let maximumDelay = 0.3
}

extension ReactionEvent.CandidateDetail {
    init(_ hold: NearMiss) {
        self.init(
            gesture: hold.gesture.name, handCount: hold.gesture.hands, confidence: hold.confidence,
            origin: hold.origin, heldSince: hold.heldSince, heldUntil: hold.heldUntil, hold: hold.hold,
            reason: hold.reason)
        tile = hold.tile
    }
}
