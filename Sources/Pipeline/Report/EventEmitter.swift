package import Reactions
import Synchronization

/// Orders the events of all threads of a run, and passes them to a handler one at a time.
///
/// An added event has the identifier of its frame; an emitted event has the frame's index in the output.
package final class EventEmitter: Sendable {
    private struct State: Sendable {
        var sequencer: EventSequencer
        var recorder: ReportRecorder?
        /// The warnings about missing models that were emitted.
        var missing: Set<ReactionEvent.Kind> = []

        /// Returns whether an event repeats a warning that applies to the whole run. Each segment of a recording
        /// detects a missing model again.
        mutating func repeats(_ event: ReactionEvent) -> Bool {
            switch event.kind {
            case .warning(.peopleNotFound, _), .warning(.facesNotFound, _): !missing.insert(event.kind).inserted
            default: false
            }
        }
    }

    private let state: Mutex<State>
    private let started = Mutex<[ReactionEvent.EffectDetail]>([])
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
    package var effectCount: Int { started.withLock(\.count) }

    /// The effects that have started, including those whose events still wait for the encoder's feedback.
    package var startedEffects: [ReactionEvent.EffectDetail] { started.withLock(\.self) }

    /// Returns the effects that have started, except a number of first ones.
    package func startedEffects(from count: Int) -> [ReactionEvent.EffectDetail] {
        started.withLock { Array($0.dropFirst(count)) }
    }

    /// The report of the encoding; `nil` if nothing is encoded.
    package var report: EncodingReport? { state.withLock { $0.recorder?.report } }

    /// The position of the stream: its last frame.
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

    /// Emits an event at the stream's position. The position is read under the lock of delivery, so no event of a later
    /// frame is emitted before.
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

    /// Moves the stream's position to a frame. The events of that frame follow.
    ///
    /// - Parameters:
    ///   - time: its time stamp in seconds.
    ///   - frame: its identifier.
    package func pass(time: Double, frame: Int) {
        numbering.pass(frame)
        place.withLock { ($0.time, $0.frame) = (time, frame) }
    }

    /// Emits an event of a frame, in order after the earlier events. The first event begins the stream.
    package func add(_ event: ReactionEvent) {
        let early = place.withLock { place in
            if !place.hasBegun { (place.time, place.frame, place.hasBegun) = (event.time, event.frame, true) }
            defer { place.early.removeAll() }
            return place.early
        }
        defer { for warning in early { emit(warning) } }
        if case .effectStarted(let effect) = event.kind { started.withLock { $0.append(effect) } }
        deliver { $0.add(numbering.numbered(event)) }
    }

    /// Adds the encoder's feedback about a frame, and emits the events that waited for it.
    package func add(_ feedback: EventSequencer.Feedback) {
        state.withLock { $0.recorder?.add(feedback) }
        deliver { $0.add(feedback) }
    }

    /// Passes on all waiting events, because the encoder has returned everything.
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

/// The time at which events of work that is not part of a frame are emitted.
package enum EmissionTime: Sendable {
    /// The events are emitted immediately, for a user who watches the run.
    case atOnce
    /// The events are emitted at the end of the run, so that identical runs emit identical events.
    case atEnd
}
