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
        var cancelled = EngineRequests.Cancellation()
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

        var switches: EngineSwitches {
            EngineSwitches(reactionsEnabled: reactionsEnabled, gesturesEnabled: looksForGestures)
        }
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

    /// A Boolean value that indicates whether effects were requested since the last frame that stayed.
    package var hasRequests: Bool { state.withLock { !$0.requests.isEmpty } }

    /// The switches that hold now.
    package var switches: EngineSwitches { state.withLock { $0.switches } }

    /// Returns the switches that hold at the next frame, and ends a snooze that is over by then.
    package func switches(at time: Double) -> EngineSwitches {
        state.withLock { state in
            if state.snooze?.goesOn(at: time) == false { state.snooze = nil }
            return state.switches
        }
    }

    /// Returns the requests since the last frame that stayed, and removes them.
    package func dequeueRequests() -> EngineRequests {
        state.withLock { state in
            var requests = EngineRequests(style: state.style)
            (requests.cancelled, requests.effects) = (state.cancelled, state.requests)
            requests.heldGesture = state.hold?.gesture
            (state.cancelled, state.requests) = (EngineRequests.Cancellation(), [])
            return requests
        }
    }

    /// Publishes what a frame changed: applications see new effects before they receive their events.
    package func publish(_ plan: FramePlan) {
        if let states = plan.newStates { state.withLock { $0.inProgress = states } }
    }

    package func stop() { interrupt.raise() }
}
