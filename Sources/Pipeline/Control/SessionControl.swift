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
        /// The time in which gestures are ignored; `nil` if they are not ignored.
        package var snooze: GestureSnooze?
        /// The current quality reduction of a live run; `nil` in other runs.
        package var quality: SessionQuality?
        package var hold: GestureHold?
        /// The gesture of this hold, with the time at which the hold will be complete.
        package var coming: ComingGesture?

        package mutating func forgetHold() { (hold, coming) = (nil, nil) }

        /// A Boolean value that indicates whether gestures are detected and trigger reactions.
        package var detectsGestures: Bool { gesturesEnabled && snooze == nil }

        var switches: EngineSwitches {
            EngineSwitches(reactionsEnabled: reactionsEnabled, gesturesEnabled: detectsGestures)
        }
    }

    package let state: Mutex<State>
    /// Pictures of the output, on request.
    package let pictures = PictureTap()
    /// Photographs, of gestures and on request.
    package let photos = PhotoCapture()
    /// Measures the run, for its observers.
    package let meter = SessionMeter()
    /// The flag that ends the run early. FFmpeg's blocking reads check it, too.
    package let interrupt = InterruptFlag()
    /// Detects memory that was refused since the session was created.
    let memory = RefusedMemory()

    package init(configuration: Configuration) {
        state = Mutex(
            State(
                reactionsEnabled: configuration.reactionsEnabled,
                gesturesEnabled: configuration.gesturesEnabled,
                disabledGestures: configuration.disabledGestures, style: configuration.style))
    }

    /// The maximum number of requests between two frames.
    private static let maximumRequests = 64

    /// Requests an effect for the next frame. Repeated requests for a type before that frame give one effect, so a
    /// flood of requests does not slow down the frame.
    package func request(_ request: EffectRequest) {
        state.withLock { state in
            let isWaiting = state.requests.contains {
                // Requests at two places may be for two tiles.
                $0.reactionType == request.reactionType && $0.origin == request.origin
            }
            guard !isWaiting, state.requests.count < Self.maximumRequests else { return }
            state.requests.append(request)
        }
    }

    /// Ends effects with the next frame, and discards pending requests.
    ///
    /// - Parameter type: the type of the effects; `nil` for all effects in progress.
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
    /// - Returns: whether the effect is in progress.
    package func cancel(id: Int) -> Bool {
        state.withLock { state in
            guard state.inProgress.contains(where: { $0.id == id }) else { return false }
            state.cancelled.ids.insert(id)
            return true
        }
    }

    /// A Boolean value that indicates whether effects were requested since the last kept frame.
    package var hasRequests: Bool { state.withLock { !$0.requests.isEmpty } }

    /// The switches that apply now.
    package var switches: EngineSwitches { state.withLock { $0.switches } }

    /// Returns the switches that apply to the next frame, and ends a snooze that has expired.
    package func switches(at time: Double) -> EngineSwitches {
        state.withLock { state in
            if state.snooze?.goesOn(at: time) == false { state.snooze = nil }
            return state.switches
        }
    }

    /// Returns the requests since the last kept frame, and removes them.
    package func dequeueRequests() -> EngineRequests {
        state.withLock { state in
            var requests = EngineRequests(style: state.style)
            (requests.cancelled, requests.effects) = (state.cancelled, state.requests)
            requests.heldGesture = state.hold?.gesture
            (state.cancelled, state.requests) = (EngineRequests.Cancellation(), [])
            return requests
        }
    }

    /// Publishes the changes of a frame. Applications see new effects before they receive the events of these effects.
    package func publish(_ plan: FramePlan) {
        if let states = plan.newStates { state.withLock { $0.inProgress = states } }
    }

    package func stop() { interrupt.raise() }
}

/// A period in which gestures are ignored at the user's request.
///
/// The snooze is measured in the video's time, so the output depends only on the input and the requests. In live video
/// this equals real time.
package struct GestureSnooze: Sendable, Hashable {
    /// The maximum duration, in seconds.
    package static let longest = 86_400.0

    /// The total duration, in seconds.
    package let duration: Double
    /// The first frame's time stamp, once there is one, and the newest frame's, in seconds.
    private var start: Double?
    private var now = 0.0

    package init(duration: Double) { self.duration = duration }

    /// The remaining seconds.
    package var left: Double { max(duration - (start.map { now - $0 } ?? 0), 0) }

    /// Records the time of the next frame.
    ///
    /// - Returns: whether gestures are still ignored at this time. `false` if the time is before the beginning of the
    ///   snooze.
    mutating func goesOn(at time: Double) -> Bool {
        let start = start ?? time
        (self.start, now) = (start, time)
        return time >= start && left > 0
    }
}

/// The current quality reduction of a live run, and its cause.
public struct SessionQuality: Sendable, Hashable {
    /// The name of the quality level: `full` if nothing is reduced, or otherwise the last reduced one of `analysis`,
    /// `mask`, `detail`, `effectFrameRate` and `frameRate`. They are reduced in this order, as
    /// ``ReactionEvent/QualityChange`` describes.
    public var level: String
    /// All quality reductions, in their order.
    public var lowered: [String]
    /// The share of the last half second in which the busiest stage worked; 1 is all of it. `nil` before anything was
    /// measured.
    public var load: Double?
    /// The name of the busiest stage: `decoding`, `drawing` or `encoding`.
    public var busiestStage: String?
}
