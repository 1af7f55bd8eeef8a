import Synchronization

/// Where all threads of a run hand in their events: puts them in order and
/// passes them on, one at a time.
final class EventOutlet: Sendable {
    private let sequencer: Mutex<EventSequencer>
    private let started = Atomic(0)
    private let handler: @Sendable (ReactionEvent) -> Void

    init(expectsFeedback: Bool, handler: @escaping @Sendable (ReactionEvent) -> Void) {
        sequencer = Mutex(EventSequencer(expectsFeedback: expectsFeedback))
        self.handler = handler
    }

    /// How many effects have started.
    var effectCount: Int { started.load(ordering: .relaxed) }

    func add(_ event: ReactionEvent) {
        if case .effectStarted = event.kind { started.add(1, ordering: .relaxed) }
        deliver { $0.add(event) }
    }

    func add(_ feedback: EventSequencer.Feedback) { deliver { $0.add(feedback) } }

    /// Says that the encoder has given back everything.
    func finish() { deliver { $0.finish() } }

    /// The handler is called under the lock, which is what keeps events in order.
    private func deliver(_ step: (inout EventSequencer) -> [ReactionEvent]) {
        sequencer.withLock { sequencer in
            for event in step(&sequencer) { handler(event) }
        }
    }
}
