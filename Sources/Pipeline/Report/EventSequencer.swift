import Reactions

/// Keeps events in order while an effect's cost is still inside the encoder.
///
/// An encoder gives a frame back many frames after it took it. `effectEnded`
/// tells what the effect's frames cost, so it waits until all of them have come
/// out, and later events wait behind it. A state machine without clock, lock or
/// I/O.
package struct EventSequencer: Sendable {
    /// What the encoder says about one frame.
    package struct Feedback: Sendable {
        /// Presentation and decoding time in seconds.
        var presentationTime: Double
        var decodingTime: Double
        var bits: Int
        /// `nil` where the encoder does not tell.
        var qp: Double?
    }

    private struct Tally: Sendable {
        let startTime: Double
        var endTime = Double.infinity
        var bits = 0
        var frames = 0
        var qpSum = 0.0
        var maxQP: Double?

        mutating func count(_ feedback: Feedback) {
            bits += feedback.bits
            guard let qp = feedback.qp else { return }
            frames += 1
            qpSum += qp
            maxQP = max(maxQP ?? qp, qp)
        }

        func cost(framesDropped: Int) -> ReactionEvent.EncoderCost {
            ReactionEvent.EncoderCost(
                bits: bits, meanQP: frames > 0 ? (qpSum / Double(frames) * 100).rounded() / 100 : nil, maxQP: maxQP,
                framesDropped: framesDropped)
        }
    }

    /// Whether anything is encoded at all; without it nothing ever waits.
    private let expectsFeedback: Bool
    private var waiting: [ReactionEvent] = []
    private var tallies: [Int: Tally] = [:]
    /// All frames before this time have come out of the encoder.
    private var completeUntil = -Double.infinity

    init(expectsFeedback: Bool) {
        self.expectsFeedback = expectsFeedback
    }

    /// Takes an event; returns those that are now ready, in order.
    mutating func add(_ event: ReactionEvent) -> [ReactionEvent] {
        switch event.kind {
        case .effectStarted(let effect) where expectsFeedback:
            tallies[effect.id] = Tally(startTime: effect.startTime)
        case .effectEnded(let effect): tallies[effect.id]?.endTime = effect.endTime
        default: break
        }
        waiting.append(event)
        return takeReady()
    }

    /// Takes what the encoder says of a frame; returns events that are now ready.
    mutating func add(_ feedback: Feedback) -> [ReactionEvent] {
        completeUntil = max(completeUntil, feedback.decodingTime)
        let time = feedback.presentationTime
        for id in tallies.keys {
            guard let tally = tallies[id], time >= tally.startTime, time < tally.endTime else { continue }
            tallies[id]?.count(feedback)
        }
        return takeReady()
    }

    /// Says that the encoder has given back everything; returns all that waited.
    mutating func finish() -> [ReactionEvent] {
        completeUntil = .infinity
        return takeReady()
    }

    private mutating func takeReady() -> [ReactionEvent] {
        var ready: [ReactionEvent] = []
        for event in waiting {
            guard case .effectEnded(var effect) = event.kind, let tally = tallies[effect.id] else {
                ready.append(event)
                continue
            }
            guard completeUntil >= effect.endTime else { break }
            effect.encoder = tally.cost(framesDropped: effect.framesDropped)
            tallies[effect.id] = nil
            ready.append(ReactionEvent(time: event.time, frame: event.frame, kind: .effectEnded(effect)))
        }
        waiting.removeFirst(ready.count)
        return ready
    }
}
