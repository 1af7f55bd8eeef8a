package import Reactions
import Synchronization

/// Orders the events of all threads of a run, and passes them to a handler, one at a time.
///
/// An added event has the identifier of its frame; an emitted event has the frame's index in the output.
package final class EventEmitter: Sendable {
    private struct State: Sendable {
        var sequencer: EventSequencer
        var recorder: ReportRecorder?
        /// The warnings about missing models that were emitted.
        var missing: Set<ReactionEvent.Kind> = []

        /// Returns whether an event repeats a warning that holds for the whole run: each segment of a recording detects a
        /// missing model again.
        mutating func repeats(_ event: ReactionEvent) -> Bool {
            switch event.kind {
            case .warning(.peopleNotFound, _), .warning(.facesNotFound, _): !missing.insert(event.kind).inserted
            default: false
            }
        }
    }

    private let state: Mutex<State>
    private let started = Atomic(0)
    private let numbering: FrameNumbering
    private let handler: @Sendable (ReactionEvent) -> Void

    /// - Parameters:
    ///   - expectsFeedback: whether frames are encoded, so that `effectEnded` waits until the effect's cost is known.
    ///   - numbering: maps identifiers of frames to indices in the output.
    package init(
        expectsFeedback: Bool, numbering: FrameNumbering = FrameNumbering(),
        handler: @escaping @Sendable (ReactionEvent) -> Void
    ) {
        self.numbering = numbering
        state = Mutex(
            State(
                sequencer: EventSequencer(expectsFeedback: expectsFeedback),
                recorder: expectsFeedback ? ReportRecorder() : nil))
        self.handler = handler
    }

    /// The number of effects that have started.
    package var effectCount: Int { started.load(ordering: .relaxed) }

    /// The report of the encoding; `nil` if nothing is encoded.
    package var report: EncodingReport? { state.withLock { $0.recorder?.report } }

    /// The position of the stream, at its last frame.
    private struct Place {
        var time = 0.0
        var frame = 0
        var hasBegun = false
        /// The warnings from before the stream began.
        var early: [PipelineWarning] = []
    }

    private let place = Mutex(Place())

    /// Emits a warning at the stream's position, or once the stream has begun.
    package func emit(_ warning: PipelineWarning) {
        emit(orElse: { $0.early.append(warning) }, { warning.event(time: $0, frame: $1) })
    }

    /// Emits an event at the stream's position. It is dropped if the stream has not begun.
    package func emit(_ kind: ReactionEvent.Kind) { emit { ReactionEvent(time: $0, frame: $1, kind: kind) } }

    /// Emits an event at the stream's position. The position is read while nothing else is delivered, so that no event of a
    /// later frame intervenes.
    private func emit(
        orElse note: (inout Place) -> Void = { _ in }, _ event: (_ time: Double, _ frame: Int) -> ReactionEvent
    ) {
        deliver { sequencer in
            let now: (time: Double, frame: Int)? = place.withLock { place in
                if !place.hasBegun { note(&place) }
                return place.hasBegun ? (place.time, place.frame) : nil
            }
            return now.map { sequencer.add(numbering.numbered(event($0.time, $0.frame))) } ?? []
        }
    }

    /// Moves the stream's position to a frame, whose events follow.
    ///
    /// - Parameters:
    ///   - time: its time stamp in seconds.
    ///   - frame: its identifier.
    package func pass(time: Double, frame: Int) {
        numbering.pass(frame)
        place.withLock { ($0.time, $0.frame) = (time, frame) }
    }

    package func add(_ event: ReactionEvent) {
        let early = place.withLock { place in
            if !place.hasBegun { (place.time, place.frame, place.hasBegun) = (event.time, event.frame, true) }
            defer { place.early.removeAll() }
            return place.early
        }
        defer { for warning in early { emit(warning) } }
        if case .effectStarted = event.kind { started.add(1, ordering: .relaxed) }
        deliver { $0.add(numbering.numbered(event)) }
    }

    package func add(_ feedback: EventSequencer.Feedback) {
        state.withLock { $0.recorder?.add(feedback) }
        deliver { $0.add(feedback) }
    }

    /// Passes on all events that wait: the encoder has returned everything.
    package func finish() { deliver { $0.finish() } }

    /// Passes events to the handler under the lock, which keeps them in order.
    private func deliver(_ step: (inout EventSequencer) -> [ReactionEvent]) {
        state.withLock { state in
            for event in step(&state.sequencer) where !state.repeats(event) {
                state.recorder?.add(event)
                handler(event)
            }
        }
    }
}

/// Keeps events in order while the encoder's feedback about an effect is pending.
///
/// An encoder returns a frame many frames after it received it. `effectEnded` contains the cost of the effect's frames.
/// It is held back until the encoder has returned all of them, and later events queue after it. A state machine without
/// clock, lock or I/O.
package struct EventSequencer: Sendable {
    /// The encoder's feedback about one frame.
    package struct Feedback: Sendable {
        /// The presentation and decoding times in seconds.
        package var presentationTime: Double
        package var decodingTime: Double
        package var bits: Int
        /// The quantiser; `nil` if the encoder does not report it.
        package var qp: Double?

        package init(presentationTime: Double, decodingTime: Double, bits: Int, qp: Double? = nil) {
            (self.presentationTime, self.decodingTime) = (presentationTime, decodingTime)
            (self.bits, self.qp) = (bits, qp)
        }
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

    /// A Boolean value that indicates whether anything is encoded; if `false`, no event waits.
    private let expectsFeedback: Bool
    private var waiting: [ReactionEvent] = []
    private var tallies: [Int: Tally] = [:]
    /// The time before which the encoder has returned all frames.
    private var completeUntil = -Double.infinity

    package init(expectsFeedback: Bool) {
        self.expectsFeedback = expectsFeedback
    }

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

/// The time at which events of work that is not part of a frame are emitted.
package enum EmissionTime: Sendable {
    /// At once, for a user who watches the run.
    case atOnce
    /// At the end of the run, so that equal runs emit the same.
    case atEnd
}
