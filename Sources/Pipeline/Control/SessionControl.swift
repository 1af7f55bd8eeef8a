package import Effects
package import MediaIO
package import Platform
package import Reactions
package import Synchronization

/// The state that an application and the running pipeline share. Applications use it on any thread, and the stages on
/// theirs.
package final class SessionControl: Sendable {
    package struct State: Sendable {
        package var isRunning = false
        /// The settings in effect. Their `gestureSnooze` is `nil`, because ``snooze`` contains the remaining time.
        package var settings: LiveSettings
        package var inProgress: [ReactionEffectState] = []
        /// The effects of the newest frame; `nil` while none is in progress.
        package var shown: ShownEffects?
        var requests = EffectRequestQueue()
        /// The time in which gestures are ignored; `nil` if they are not ignored.
        package var snooze: GestureSnooze?
        /// The part of the newest frame that the output shows; `nil` for the whole frame.
        var crop: PictureCrop?
        /// The current quality reduction of a live run; `nil` in other runs.
        package var quality: SessionQuality?
        /// The gesture that is being held, and its progress; `nil` if none is held. The preparations of its reaction
        /// follow it.
        package var hold: GestureHold?
        /// The same of gestures that have a name, for users; `nil` while the confidence is too low to fire.
        package var namedHold: GestureHold?
        /// The held gesture, with the time at which its hold will be complete.
        package var coming: ComingGesture?

        /// The hands that were seen in the last analysis.
        package var hands: [SeenHand] = []

        package mutating func forgetHold() { (hold, namedHold, coming, hands) = (nil, nil, nil, []) }

        /// True if gestures are detected and trigger reactions.
        package var detectsGestures: Bool { settings.gesturesEnabled && snooze == nil }

        var switches: EngineSwitches {
            EngineSwitches(
                reactionsEnabled: settings.reactionsEnabled, gesturesEnabled: detectsGestures,
                bindings: settings.bindings, drawsHoldRings: settings.holdRing == .output,
                videoEffects: settings.videoEffects)
        }
    }

    package let state: Mutex<State>
    /// Wakes pages that draw the effects elsewhere when ``State/shown`` is no longer `nil`.
    package let effectsShown = WakeSignal()
    /// Pictures of the output, on request.
    package let pictures = PictureTap()
    /// Photographs, of gestures and on request.
    package let photos = PhotoCapture()
    /// Measures the frame rate, the latency and the bit rate of the run.
    package let meter = SessionMeter()
    /// The flag that ends the run early. FFmpeg's blocking reads check it, too.
    package let interrupt = InterruptFlag()
    /// Detects whether an allocation was refused since the session was created.
    let memory = RefusedMemory()

    package init(configuration: Configuration) {
        state = Mutex(State(settings: LiveSettings(configuration)))
    }

    /// Requests an effect for the next frame. Repeated requests for a type before that frame give one effect, so a
    /// flood of requests does not slow down the frame.
    ///
    /// - Parameters:
    ///   - time: Delays the effect to the first frame at this time, in seconds, or after it.
    ///   - answer: Called once. For a request for the next frame, it is called on the thread that plans that frame, or
    ///     that cancels the request. For a delayed or refused request, it is called before this function returns.
    package func request(
        _ request: EffectRequest, at time: Double? = nil, answer: (@Sendable (EffectReply) -> Void)? = nil
    ) {
        let reply: EffectReply? = state.withLock { state in
            if let time {
                return state.requests.schedule(request, at: time)
                    ? EffectReply(.scheduled, time: time) : EffectReply(.notShown)
            }
            return state.requests.add(request, answer) ? nil : EffectReply(.notShown)
        }
        if let reply { answer?(reply) }
    }

    /// Returns the rings that only previews show, for a frame at a time, in seconds.
    package func previewRings(at time: Double) -> [HoldRing] {
        state.withLock {
            $0.settings.holdRing == .preview && $0.detectsGestures
                ? $0.coming?.cropped(to: $0.crop).rings(at: time) ?? [] : []
        }
    }

    /// Ends effects with the next frame, and discards pending requests.
    package func cancel(_ target: EffectCancellation.Target) -> EffectCancellation {
        let (result, answers) = state.withLock { $0.requests.cancel(target, among: $0.inProgress) }
        for answer in answers { answer(EffectReply(.cancelled)) }
        return result
    }

    /// Ends effects with the first frame at a time, in seconds, or after it.
    ///
    /// - Returns: `false` if too many cancellations wait.
    package func cancel(_ target: EffectCancellation.Target, at time: Double) -> Bool {
        state.withLock { $0.requests.scheduleCancellation(target, at: time) }
    }

    /// Returns a Boolean value that indicates whether effects were requested for a frame at a time, in seconds.
    package func hasRequests(at time: Double) -> Bool { state.withLock { $0.requests.hasRequests(at: time) } }

    /// Removes all effects and requests when the run ends. Pending requests are answered with `notShown`.
    package func endEffects() {
        let answers = state.withLock { state in
            (state.inProgress, state.shown) = ([], nil)
            return state.requests.end()
        }
        for answer in answers { answer(EffectReply(.notShown)) }
    }

    /// The settings in effect.
    package var settings: LiveSettings {
        state.withLock { state in
            var settings = state.settings
            settings.gestureSnooze = state.snooze?.left
            return settings
        }
    }

    /// Changes settings, all at once: no frame sees a part of the changes. Changes nothing if `change` throws.
    package func update<Failure: Error>(
        _ change: (inout LiveSettings) throws(Failure) -> Void
    ) throws(Failure) {
        // `withLock` has no typed errors for a noncopyable closure result.
        let result: Result<Void, Failure> = state.withLock { state in
            var settings = state.settings
            settings.gestureSnooze = state.snooze?.left
            let before = settings.gestureSnooze
            do throws(Failure) { try change(&settings) } catch { return .failure(error) }
            if settings.gestureSnooze != before {
                let seconds = settings.gestureSnooze ?? 0
                state.snooze = seconds > 0 ? GestureSnooze(duration: min(seconds, GestureSnooze.longest)) : nil
            }
            settings.gestureSnooze = nil
            state.settings = settings
            return .success(())
        }
        try result.get()
    }

    /// The switches that apply now: reactions, gestures, and the reactions of gestures.
    package var switches: EngineSwitches { state.withLock { $0.switches } }

    /// Returns the switches that apply to the next frame, and ends a snooze that has expired.
    package func switches(at time: Double) -> EngineSwitches {
        state.withLock { state in
            if state.snooze?.goesOn(at: time) == false { state.snooze = nil }
            return state.switches
        }
    }

    /// Removes and returns the requests for a frame at a time, in seconds.
    package func dequeueRequests(at time: Double) -> EngineRequests {
        state.withLock { state in
            var requests = EngineRequests(style: state.settings.style)
            state.requests.dequeue(at: time, among: state.inProgress, into: &requests)
            requests.heldGesture = state.hold?.gesture
            return requests
        }
    }

    /// Publishes the changes of a frame, and answers its requests. Applications see new effects before they receive the
    /// events of these effects.
    package func publish(_ plan: FramePlan) {
        let begins = state.withLock { state in
            if let states = plan.newStates { state.inProgress = states }
            let wasEmpty = state.shown == nil
            (state.shown, state.crop) = (ShownEffects(plan), plan.crop)
            return wasEmpty && state.shown != nil
        }
        if begins { effectsShown.wake() }
        for answer in plan.answers {
            var reply = EffectReply(answer.outcome, id: answer.id, time: plan.time, frame: plan.id)
            for respond in state.withLock({ $0.requests.takeAnswers(answer.tickets) }) {
                respond(reply)
                if reply.id != nil { reply.outcome = .unchanged }
            }
        }
    }

    package func stop() { interrupt.raise() }
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

/// A period in which gestures are ignored at the user's request.
///
/// The snooze is measured in the video's time, so the output depends only on the input and the requests. In live video
/// this equals real time.
package struct GestureSnooze: Sendable, Hashable {
    /// The maximum duration, in seconds.
    package static let longest = 86_400.0

    /// The total duration, in seconds.
    package let duration: Double
    /// The time stamps of the snooze's first frame (`nil` before it) and newest frame, in seconds.
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
