import Flourish
import Platform
import Synchronization

/// Notices changed files of custom effects during a review, and publishes the effects as the board's topic `effects`.
/// Previews and renderings read the files anew, so a page only has to show its preview again.
final class EffectWatch: Sendable {
    private struct State {
        var stamps: [String: FileStamp]
        var revision = 0
    }

    private let session: ReactionSession
    private let board: ReviewBoard
    private let state: Mutex<State>

    init(_ configuration: Configuration, board: ReviewBoard) {
        session = ReactionSession(configuration: configuration)
        self.board = board
        state = Mutex(State(stamps: session.effectFileStamps()))
    }

    /// The number of changes so far.
    var revision: Int { state.withLock { $0.revision } }

    /// Publishes the effects if a file has changed since the last call.
    func check() {
        let stamps = session.effectFileStamps()
        let revision = state.withLock { (state) -> Int? in
            guard state.stamps != stamps else { return nil }
            state.stamps = stamps
            state.revision += 1
            return state.revision
        }
        guard let revision else { return }
        var fault = ControlValue.null, types = ControlValue.null
        do throws(FlourishError) {
            types = try Self.list(session.loadReactionTypes(), session.effectDurations())
        } catch {
            fault = .text(error.problem)
        }
        board.publish(.effects, .object(["revision": .integer(revision), "fault": fault, "types": types]))
    }

    /// Returns types with the durations of their effects, as pages expect them.
    static func list(_ types: [ReactionType], _ durations: [ReactionType: Double]) -> ControlValue {
        .list(
            types.map { .object(["name": .text($0.rawValue), "duration": .number(durations[$0] ?? 3)]) })
    }
}
