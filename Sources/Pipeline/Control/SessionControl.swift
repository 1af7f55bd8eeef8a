package import MediaIO
import Platform
package import Reactions
package import Synchronization

/// The state that an application and the running pipeline share.
package final class SessionControl: Sendable {
    package struct State: Sendable {
        package var isRunning = false
        package var reactionsEnabled: Bool
        package var gesturesEnabled: Bool
        package var disabledGestures: Set<ReactionGesture>
        package var style: ReactionStyle
        package var inProgress: [ReactionEffectState] = []
        package var requests: [EffectRequest] = []
        /// The effects to end with the next frame.
        var cancelled = Cancellation()
        /// The time in which gestures count for nothing; `nil` where they count.
        package var snooze: GestureSnooze?
        /// What a live run leaves out; `nil` in any other.
        package var quality: SessionQuality?
        package var hold: GestureHold?
        /// The same hold with the time at which it will be complete.
        package var coming: ComingGesture?

        package mutating func forgetHold() { (hold, coming) = (nil, nil) }

        /// Whether gestures are looked for, and answered.
        package var looksForGestures: Bool { gesturesEnabled && snooze == nil }
    }

    /// Effects that somebody wants to end.
    struct Cancellation: Sendable, Hashable {
        var types: Set<ReactionType> = []
        var ids: Set<Int> = []
    }

    /// What is switched on at a frame.
    package struct Switches: Sendable {
        package var reactionsEnabled: Bool
        /// Whether gestures count: they are on, and nobody holds them back.
        package var gesturesEnabled: Bool

        init(_ state: State) {
            (reactionsEnabled, gesturesEnabled) = (state.reactionsEnabled, state.looksForGestures)
        }
    }

    /// What was ordered since the last frame that stayed.
    struct Orders: Sendable {
        var style: ReactionStyle
        /// What was cancelled since the last frame, before anything in `requests` was asked for.
        var cancelled: Cancellation
        /// What was asked for since the last frame.
        var requests: [EffectRequest]
    }

    package let state: Mutex<State>
    /// Pictures of the output, for those who ask.
    package let pictures = PictureTap()
    /// Photographs, of gestures and for those who ask.
    package let photos = PhotoDesk()
    /// Measures, for those who watch.
    package let meter = SessionMeter()
    /// Raised to end the run early; FFmpeg's blocking reads look at it too.
    package let interrupt = InterruptFlag()
    /// What was refused since the session was made.
    let memory = RefusedMemory()

    package init(configuration: Configuration) {
        state = Mutex(
            State(
                reactionsEnabled: configuration.reactionsEnabled,
                gesturesEnabled: configuration.gesturesEnabled,
                disabledGestures: configuration.disabledGestures, style: configuration.style))
    }

    /// Asks for an effect with the next frame. However often a type is asked for before that, it is
    /// one effect, so that a flood of requests costs a frame no time.
    package func request(_ request: EffectRequest) {
        state.withLock { state in
            guard !state.requests.contains(where: { $0.reactionType == request.reactionType }) else { return }
            state.requests.append(request)
        }
    }

    /// Ends effects with the next frame, and forgets what was asked for.
    ///
    /// - Parameter type: `nil` for all that are in progress.
    package func cancel(_ type: ReactionType?) {
        state.withLock { state in
            let types = type.map { [$0] } ?? state.inProgress.map(\.reactionType)
            state.cancelled.types.formUnion(types)
            state.requests.removeAll { type == nil || $0.reactionType == type }
        }
    }

    /// Ends one effect with the next frame.
    ///
    /// - Parameter id: the effect's number.
    /// - Returns: whether it is in progress.
    package func cancel(id: Int) -> Bool {
        state.withLock { state in
            guard state.inProgress.contains(where: { $0.id == id }) else { return false }
            state.cancelled.ids.insert(id)
            return true
        }
    }

    /// Whether somebody asked for something since the last frame.
    var hasRequests: Bool { state.withLock { !$0.requests.isEmpty } }

    /// What is switched on now.
    package var switches: Switches {
        state.withLock { Switches($0) }
    }

    /// What is switched on at the next frame; what was to last until then is over.
    func switches(at time: Double) -> Switches {
        state.withLock { state in
            if state.snooze?.goesOn(at: time) == false { state.snooze = nil }
            return Switches(state)
        }
    }

    /// How the next frame is to look, and what was ordered since the last one.
    func takeOrders() -> Orders {
        state.withLock { state in
            defer {
                state.requests.removeAll()
                state.cancelled = Cancellation()
            }
            return Orders(
                style: state.style, cancelled: state.cancelled, requests: state.requests)
        }
    }

    package func stop() { interrupt.raise() }
}
