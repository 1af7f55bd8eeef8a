import Reactions

/// Keeps events right while the encoder's stage leaves frames out: a frame's index counts those
/// that stayed, and an effect's end tells how many were left out while it ran.
struct FrameDrops: Sendable {
    /// How many frames were left out.
    private(set) var count = 0
    /// How many were left out since each running effect began.
    private var byEffect: [Int: Int] = [:]

    /// Counts a frame that is left out.
    mutating func add() {
        count += 1
        for id in byEffect.keys { byEffect[id, default: 0] += 1 }
    }

    /// The event as it stands in the output.
    mutating func corrected(_ event: ReactionEvent) -> ReactionEvent {
        var event = event
        event.frame -= count
        switch event.kind {
        case .effectStarted(let effect): byEffect[effect.id] = 0
        case .effectEnded(var effect):
            effect.framesDropped += byEffect.removeValue(forKey: effect.id) ?? 0
            event.kind = .effectEnded(effect)
        default: break
        }
        return event
    }
}
