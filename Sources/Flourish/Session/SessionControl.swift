import MediaIO
import Synchronization

/// The state that an application and the running pipeline share.
final class SessionControl: Sendable {
    struct State: Sendable {
        var isRunning = false
        var reactionsEnabled: Bool
        var gesturesEnabled: Bool
        var inProgress: [ReactionEffectState] = []
        var requests: [EffectRequest] = []
    }

    let state: Mutex<State>
    /// Raised to end the run early; FFmpeg's blocking reads look at it too.
    let interrupt = InterruptFlag()

    init(configuration: Configuration) {
        state = Mutex(State(
            reactionsEnabled: configuration.reactionsEnabled,
            gesturesEnabled: configuration.gesturesEnabled))
    }

    func request(_ request: EffectRequest) {
        state.withLock { $0.requests.append(request) }
    }

    /// What was asked for since the last frame.
    func takeRequests() -> [EffectRequest] {
        state.withLock { state in
            guard !state.requests.isEmpty else { return [] }
            defer { state.requests.removeAll() }
            return state.requests
        }
    }

    func stop() { interrupt.raise() }
}
