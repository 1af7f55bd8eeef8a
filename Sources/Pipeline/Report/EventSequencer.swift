package import Reactions

/// Keeps events in order while the encoder's feedback about an effect is pending.
///
/// An encoder returns a frame many frames after it received it. `effectEnded` contains the cost of the effect's frames.
/// It is held back until the encoder has returned all of these frames, and later events queue after it.
/// ``EventEmitter`` uses the sequencer, a state machine without clock, lock or I/O.
package struct EventSequencer: Sendable {
    /// The encoder's feedback about one frame.
    package struct Feedback: Sendable {
        /// The presentation and decoding times in seconds.
        package var presentationTime: Double
        package var decodingTime: Double
        package var bits: Int
        /// The quantiser; `nil` if the encoder does not report it.
        package var qp: Double?
    }

    /// The cost of the frames of an effect so far.
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

    /// True if anything is encoded; if `false`, no event waits.
    private let expectsFeedback: Bool
    private var waiting: [ReactionEvent] = []
    private var tallies: [Int: Tally] = [:]
    /// The time, in seconds, before which the encoder has returned all frames.
    private var completeUntil = -Double.infinity

    init(expectsFeedback: Bool) { self.expectsFeedback = expectsFeedback }

    /// Adds an event, and returns the events that are now ready, in order.
    package mutating func add(_ event: ReactionEvent) -> [ReactionEvent] {
        switch event.kind {
        case .effectStarted(let effect) where expectsFeedback:
            tallies[effect.id] = Tally(startTime: effect.startTime)
        case .effectEnded(let effect): tallies[effect.id]?.endTime = effect.endTime
        default: break
        }
        waiting.append(event)
        return dequeueReady()
    }

    /// Adds the encoder's feedback about a frame, and returns the events that are now ready.
    package mutating func add(_ feedback: Feedback) -> [ReactionEvent] {
        completeUntil = max(completeUntil, feedback.decodingTime)
        let time = feedback.presentationTime
        for id in tallies.keys {
            guard let tally = tallies[id], time >= tally.startTime, time < tally.endTime else { continue }
            tallies[id]?.count(feedback)
        }
        return dequeueReady()
    }

    /// Marks all feedback as received, and returns all events that waited.
    package mutating func finish() -> [ReactionEvent] {
        completeUntil = .infinity
        return dequeueReady()
    }

    /// Removes and returns the events before the first `effectEnded` whose cost is not complete.
    private mutating func dequeueReady() -> [ReactionEvent] {
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
