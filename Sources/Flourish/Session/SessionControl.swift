import MediaIO
import Synchronization

/// The state that an application and the running pipeline share.
final class SessionControl: Sendable {
    struct State: Sendable {
        var isRunning = false
        var reactionsEnabled: Bool
        var gesturesEnabled: Bool
        var disabledGestures: Set<ReactionGesture>
        var style: ReactionStyle
        var inProgress: [ReactionEffectState] = []
        var requests: [EffectRequest] = []
        /// The effects to end with the next frame.
        var cancelled: Set<ReactionType> = []
        var hold: GestureHold?
        /// The same hold with the time at which it will be complete.
        var coming: ComingGesture?

        mutating func forgetHold() { (hold, coming) = (nil, nil) }
    }

    /// What is switched on at a frame.
    struct Switches: Sendable {
        var reactionsEnabled: Bool
        var gesturesEnabled: Bool
    }

    /// What was ordered since the last frame that stayed.
    struct Orders: Sendable {
        var style: ReactionStyle
        /// What was cancelled since the last frame, before anything in `requests` was asked for.
        var cancelled: Set<ReactionType>
        /// What was asked for since the last frame.
        var requests: [EffectRequest]
    }

    let state: Mutex<State>
    /// Pictures of the output, for those who ask.
    let pictures = PictureTap()
    /// Measures, for those who watch.
    let meter = SessionMeter()
    /// Raised to end the run early; FFmpeg's blocking reads look at it too.
    let interrupt = InterruptFlag()

    init(configuration: Configuration) {
        state = Mutex(
            State(
                reactionsEnabled: configuration.reactionsEnabled,
                gesturesEnabled: configuration.gesturesEnabled,
                disabledGestures: configuration.disabledGestures, style: configuration.style))
    }

    /// Asks for an effect with the next frame. However often a type is asked for before that, it is
    /// one effect, so that a flood of requests costs a frame no time.
    func request(_ request: EffectRequest) {
        state.withLock { state in
            guard !state.requests.contains(where: { $0.reactionType == request.reactionType }) else { return }
            state.requests.append(request)
        }
    }

    /// Ends effects with the next frame, and forgets what was asked for.
    ///
    /// - Parameter type: `nil` for all that are in progress.
    func cancel(_ type: ReactionType?) {
        state.withLock { state in
            let types = type.map { [$0] } ?? state.inProgress.map(\.reactionType)
            state.cancelled.formUnion(types)
            state.requests.removeAll { type == nil || $0.reactionType == type }
        }
    }

    /// Whether somebody asked for something since the last frame.
    var hasRequests: Bool { state.withLock { !$0.requests.isEmpty } }

    /// What is switched on now.
    var switches: Switches {
        state.withLock { Switches(reactionsEnabled: $0.reactionsEnabled, gesturesEnabled: $0.gesturesEnabled) }
    }

    /// How the next frame is to look, and what was ordered since the last one.
    func takeOrders() -> Orders {
        state.withLock { state in
            defer {
                state.requests.removeAll()
                state.cancelled.removeAll()
            }
            return Orders(
                style: state.style, cancelled: state.cancelled, requests: state.requests)
        }
    }

    func stop() { interrupt.raise() }
}
