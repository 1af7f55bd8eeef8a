import Flourish
import Platform
import Synchronization

/// Gets the plan that is reviewed: looks through the recording, or makes sure that the plan beside it is for it. Tells
/// where that stands.
final class PlanMaking: Sendable {
    private let input: String
    private let configuration: Configuration
    private let board: ReviewBoard
    private let session = Mutex<ReactionSession?>(nil)
    private let hasChanged = Atomic(false)

    init(_ input: String, _ configuration: Configuration, board: ReviewBoard) {
        self.input = input
        self.configuration = configuration
        self.board = board
        tell("opening")
    }

    /// Looks through the recording and gives the document its first plan.
    func make(_ document: ReviewDocument) async {
        let session = begin()
        let pace = ProgressPace(board, .status)
        let start = ContinuousClock.now
        tell("planning", ["fraction": .number(0)])
        let observer = SessionObserver(progress: { [self] step in
            let elapsed = (ContinuousClock.now - start) / .seconds(1)
            let remaining = step.fraction.flatMap { $0 > 0.02 ? elapsed * (1 - $0) / $0 : nil }
            pace.tell(
                status(
                    "planning",
                    [
                        "fraction": step.fraction.map { .number($0) } ?? .null, "effects": .integer(step.effects),
                        "remainingSeconds": remaining.map { .number($0) } ?? .null,
                    ]))
        })
        do {
            try await document.begin(with: try await session.planning(input, observer: observer).plan)
            tell("ready")
        } catch let error as FlourishError {
            if error.code != .interrupted { tell("failed", ["message": .text(error.problem)]) }
        } catch ReviewDocument.Refusal.unsaved(let message) {
            tell("failed", ["message": .text(message)])
        } catch {
            tell("failed", ["message": .text("somebody else made a plan meanwhile; open the review again")])
        }
    }

    /// Makes sure that the document's plan is for the recording.
    func check(_ document: ReviewDocument) async {
        tell("checking")
        if let plan = await document.unchecked {
            do throws(FlourishError) {
                try await begin().check(plan, isFor: input)
                await document.accept(plan)
            } catch {
                await document.refuse("otherRecording", error.problem)
            }
        }
        tell("ready")
    }

    /// Notes that the recording is not what it was.
    func noteChange() {
        guard !hasChanged.exchange(true, ordering: .relaxed) else { return }
        guard case .object(var fields) = board[.status] else { return }
        fields["hasChanged"] = .flag(true)
        board.tell(.status, .object(fields))
    }

    /// Ends it early.
    func stop() { session.withLock { $0?.stop() } }

    private func begin() -> ReactionSession {
        let fresh = ReactionSession(configuration: configuration)
        session.withLock { $0 = fresh }
        return fresh
    }

    private func tell(_ phase: String, _ fields: [String: ControlValue] = [:]) {
        board.tell(.status, status(phase, fields))
    }

    private func status(_ phase: String, _ fields: [String: ControlValue]) -> ControlValue {
        let changed = hasChanged.load(ordering: .relaxed)
        return .object(fields.merging(["phase": .text(phase), "hasChanged": .flag(changed)]) { $1 })
    }
}
