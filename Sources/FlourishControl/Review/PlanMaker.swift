import Flourish
import Platform
import Synchronization

/// Creates the plan of a review from the recording, or verifies that the existing plan belongs to it. Publishes its
/// phase and progress as the board's topic `status`.
final class PlanMaker: Sendable {
    private let input: String
    private let configuration: Configuration
    private let board: ReviewBoard
    private let session = Mutex<ReactionSession?>(nil)
    private let hasChanged = Atomic(false)

    init(_ input: String, _ configuration: Configuration, board: ReviewBoard) {
        self.input = input
        self.configuration = configuration
        self.board = board
        publish("opening")
    }

    /// Analyses the recording and gives the document its first plan.
    func make(_ document: ReviewDocument) async {
        let session = begin()
        let throttle = ProgressThrottle(board, .status)
        let start = ContinuousClock.now
        publish("planning", ["fraction": .number(0)])
        let observer = SessionObserver(progress: { [self] step in
            let elapsed = (ContinuousClock.now - start) / .seconds(1)
            let remaining = step.fraction.flatMap { $0 > 0.02 ? elapsed * (1 - $0) / $0 : nil }
            throttle.publish(
                status(
                    "planning",
                    [
                        "fraction": step.fraction.map { .number($0) } ?? .null, "effects": .integer(step.effects),
                        "remainingSeconds": remaining.map { .number($0) } ?? .null,
                    ]))
        })
        do {
            try await document.begin(with: try await session.planning(input, observer: observer).plan)
            publish("ready")
        } catch let error as FlourishError {
            if error.code != .interrupted { publish("failed", ["message": .text(error.problem)]) }
        } catch ReviewDocument.Refusal.unsaved(let message) {
            publish("failed", ["message": .text(message)])
        } catch {
            publish("failed", ["message": .text("another program has created the plan; start the review again")])
        }
    }

    /// Verifies that the document's plan is for the recording.
    func check(_ document: ReviewDocument) async {
        publish("checking")
        if let plan = await document.unchecked {
            do throws(FlourishError) {
                try await begin().check(plan, isFor: input)
                await document.accept(plan)
            } catch {
                await document.refuse("otherRecording", error.problem)
            }
        }
        publish("ready")
    }

    /// Publishes once that the recording's file has changed.
    func publishChange() {
        guard !hasChanged.exchange(true, ordering: .relaxed) else { return }
        guard case .object(var fields) = board[.status] else { return }
        fields["hasChanged"] = .flag(true)
        board.publish(.status, .object(fields))
    }

    /// Cancels the work.
    func stop() { session.withLock { $0?.stop() } }

    private func begin() -> ReactionSession {
        let fresh = ReactionSession(configuration: configuration)
        session.withLock { $0 = fresh }
        return fresh
    }

    private func publish(_ phase: String, _ fields: [String: JSONValue] = [:]) {
        board.publish(.status, status(phase, fields))
    }

    private func status(_ phase: String, _ fields: [String: JSONValue]) -> JSONValue {
        let changed = hasChanged.load(ordering: .relaxed)
        return .object(fields.merging(["phase": .text(phase), "hasChanged": .flag(changed)]) { $1 })
    }
}
