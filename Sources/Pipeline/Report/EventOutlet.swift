package import Reactions
import Synchronization

/// Where all threads of a run hand in their events: puts them in order and
/// passes them on, one at a time.
///
/// Who hands in an event names its frame by its id; what is passed on has its index in the output.
package final class EventOutlet: Sendable {
    private struct State: Sendable {
        var sequencer: EventSequencer
        var recorder: ReportRecorder?
        /// What was told of models that are missing.
        var missing: Set<ReactionEvent.Kind> = []

        /// Whether it was told before and holds for the whole run: each span of a recording finds out anew that a
        /// model is missing.
        mutating func repeats(_ event: ReactionEvent) -> Bool {
            switch event.kind {
            case .warning(.peopleNotFound, _), .warning(.facesNotFound, _): !missing.insert(event.kind).inserted
            default: false
            }
        }
    }

    private let state: Mutex<State>
    private let started = Atomic(0)
    private let ledger: FrameLedger
    private let handler: @Sendable (ReactionEvent) -> Void

    /// - Parameters:
    ///   - expectsFeedback: whether frames are encoded, and ends of effects wait for what theirs cost.
    ///   - ledger: knows which frames were left out.
    package init(
        expectsFeedback: Bool, ledger: FrameLedger = FrameLedger(), handler: @escaping @Sendable (ReactionEvent) -> Void
    ) {
        self.ledger = ledger
        state = Mutex(
            State(
                sequencer: EventSequencer(expectsFeedback: expectsFeedback),
                recorder: expectsFeedback ? ReportRecorder() : nil))
        self.handler = handler
    }

    /// How many effects have started.
    var effectCount: Int { started.load(ordering: .relaxed) }

    /// What encoding came to; `nil` where nothing is encoded.
    package var report: EncodingReport? { state.withLock { $0.recorder?.report } }

    /// Where the stream is by its last frame.
    private struct Place {
        var time = 0.0
        var frame = 0
        var hasBegun = false
        /// What went wrong before there was a stream to tell it of.
        var early: [PipelineWarning] = []
    }

    private let place = Mutex(Place())

    /// Tells what went wrong while no frame comes.
    package func tell(_ warning: PipelineWarning) {
        tell(orElse: { $0.early.append(warning) }, { warning.event(time: $0, frame: $1) })
    }

    /// Tells what happens beside the frames, once the stream has begun.
    func tell(_ kind: ReactionEvent.Kind) { tell { ReactionEvent(time: $0, frame: $1, kind: kind) } }

    /// Tells of the place that the stream has reached. It is read while nothing else is delivered, so that no event of a
    /// later frame comes between.
    private func tell(
        orElse note: (inout Place) -> Void = { _ in }, _ event: (_ time: Double, _ frame: Int) -> ReactionEvent
    ) {
        deliver { sequencer in
            let now: (time: Double, frame: Int)? = place.withLock { place in
                if !place.hasBegun { note(&place) }
                return place.hasBegun ? (place.time, place.frame) : nil
            }
            return now.map { sequencer.add(ledger.numbered(event($0.time, $0.frame))) } ?? []
        }
    }

    /// Notes that the events of a frame come next.
    ///
    /// - Parameters:
    ///   - time: its time stamp in seconds.
    ///   - frame: its id.
    package func pass(time: Double, frame: Int) {
        ledger.pass(frame)
        place.withLock { ($0.time, $0.frame) = (time, frame) }
    }

    package func add(_ event: ReactionEvent) {
        let early = place.withLock { place in
            if !place.hasBegun { (place.time, place.frame, place.hasBegun) = (event.time, event.frame, true) }
            defer { place.early.removeAll() }
            return place.early
        }
        defer { for warning in early { tell(warning) } }
        if case .effectStarted = event.kind { started.add(1, ordering: .relaxed) }
        deliver { $0.add(ledger.numbered(event)) }
    }

    package func add(_ feedback: EventSequencer.Feedback) {
        state.withLock { $0.recorder?.add(feedback) }
        deliver { $0.add(feedback) }
    }

    /// Says that the encoder has given back everything.
    package func finish() { deliver { $0.finish() } }

    /// The handler is called under the lock, which is what keeps events in order.
    private func deliver(_ step: (inout EventSequencer) -> [ReactionEvent]) {
        state.withLock { state in
            for event in step(&state.sequencer) where !state.repeats(event) {
                state.recorder?.add(event)
                handler(event)
            }
        }
    }
}

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
