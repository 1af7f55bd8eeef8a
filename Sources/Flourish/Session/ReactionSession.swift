package import MediaIO
import Synchronization

/// Shows reactions over one video. Gestures of the people in the video trigger them, as do requests of the program.
///
/// ```swift
/// let session = ReactionSession()
/// let events = session.events
/// Task { for await event in events { print(event.jsonLine) } }
/// try await session.filter("call.mp4", to: "reacted.mp4")
/// ```
///
/// Members have the names that AVFoundation uses for reactions. A session runs once. All its members may be used from
/// any thread at any time.
public final class ReactionSession: Sendable {
    /// The configuration of the session.
    public let configuration: Configuration

    let control: SessionControl
    /// The times at which someone speaks near the camera whose pictures a ``ReactionProcessor`` is given; `nil` if that
    /// does not matter.
    package let speech: SpeechTimeline?
    let hub = EventHub(capacity: ReactionEvents.capacity, replayed: ReactionEvents.capacity)
    private let progressHub = Hub<SessionProgress>(capacity: 1)
    private let hasRun = Atomic(false)
    /// The result of ``availableReactionTypes``, once types were found.
    private let knownTypes = Mutex<[ReactionType]?>(nil)

    /// Creates a session that has not yet run.
    public init(configuration: Configuration = Configuration()) {
        self.configuration = configuration
        speech = configuration.speechPolicy == .allow ? nil : SpeechTimeline()
        control = SessionControl(configuration: configuration)
    }

    // MARK: Available reactions

    /// The available reaction types, for which effect descriptions were found.
    public var availableReactionTypes: [ReactionType] {
        knownTypes.withLock { known in
            if let known { return known }
            let found = EffectCatalog.availableTypes(in: resources)
            if !found.isEmpty { known = found }
            return found
        }
    }

    /// Reads the effect descriptions again, and returns the types that can be performed.
    ///
    /// - Throws: ``FlourishError`` if there are none, or if a custom description cannot be used.
    public func loadReactionTypes() throws(FlourishError) -> [ReactionType] {
        try EffectCatalog(resources: resources).types
    }

    /// True if a requested effect would be shown: reactions are enabled and a run is in progress.
    public var canPerformReactionEffects: Bool {
        control.state.withLock { $0.isRunning && $0.settings.reactionsEnabled }
    }

    /// The frame rate of the output while effects are in progress, in frames a second. The range is from 0 to
    /// ``EncodingOptions/effectsFrameRate``, because a slower input keeps its rate. `nil` if the rate is always that of
    /// the input, or depends on an input that is not yet known.
    public var videoFrameRateRangeForReactionEffectsInProgress: ClosedRange<Double>? {
        configuration.encoding.effectsFrameRate?.rate(forInput: nil).map { 0...$0 }
    }

    // MARK: Switches

    /// True if reactions are shown. Effects in progress run to their end.
    public var reactionEffectsEnabled: Bool {
        get { control.settings.reactionsEnabled }
        set { control.update { $0.reactionsEnabled = newValue } }
    }

    /// True if gestures trigger reactions. ``performEffect(for:at:)`` works regardless of this value.
    ///
    /// A session that was configured without gestures has not loaded any models, and cannot enable gestures later.
    public var reactionEffectGesturesEnabled: Bool {
        get { control.settings.gesturesEnabled }
        set { control.update { $0.gesturesEnabled = newValue && configuration.gesturesEnabled } }
    }

    // MARK: Effects

    /// The effects in progress, sorted by their start.
    public var reactionEffectsInProgress: [ReactionEffectState] {
        control.state.withLock { $0.inProgress }
    }

    /// Shows an effect from the next frame on. A request for a type that is in
    /// progress extends it.
    ///
    /// Does nothing if ``canPerformReactionEffects`` is false. ``requestEffect(for:at:time:)`` returns the effect's
    /// number.
    ///
    /// - Parameters:
    ///   - reactionType: One of ``availableReactionTypes``.
    ///   - origin: The place where the effect starts; a default place if `nil`.
    /// - Throws: ``FlourishError/Code/usage`` for any other type.
    public func performEffect(
        for reactionType: ReactionType, at origin: PicturePoint? = nil
    ) throws(FlourishError) {
        try request(reactionType, at: origin)
    }

    /// Shows an effect from the next frame on, or from a later one, and waits for the result.
    ///
    /// ```swift
    /// let reply = try await session.requestEffect(for: .confetti)
    /// print(reply.outcome, reply.id ?? 0)
    /// ```
    ///
    /// - Parameters:
    ///   - reactionType: One of ``availableReactionTypes``.
    ///   - origin: The place where the effect starts; a default place if `nil`.
    ///   - time: Delays the effect to the first frame at this time, in seconds on the video's clock, or after it.
    /// - Returns: The effect, when its frame is planned; ``EffectReply/Outcome/scheduled`` at once if a time is given.
    /// - Throws: ``FlourishError/Code/usage`` for any other type.
    public func requestEffect(
        for reactionType: ReactionType, at origin: PicturePoint? = nil, time: Double? = nil
    ) async throws(FlourishError) -> EffectReply {
        try check(reactionType)
        return await withCheckedContinuation { continuation in
            request(checked: reactionType, at: origin, time: time) { continuation.resume(returning: $0) }
        }
    }

    /// Requests an effect.
    ///
    /// - Parameter answer: Called once, on any thread; see ``SessionControl/request(_:at:answer:)``.
    /// - Throws: ``FlourishError/Code/usage`` for an unknown type.
    package func request(
        _ type: ReactionType, at origin: PicturePoint? = nil, time: Double? = nil,
        answer: (@Sendable (EffectReply) -> Void)? = nil
    ) throws(FlourishError) {
        try check(type)
        request(checked: type, at: origin, time: time, answer: answer)
    }

    private func request(
        checked type: ReactionType, at origin: PicturePoint?, time: Double?,
        answer: (@Sendable (EffectReply) -> Void)?
    ) {
        guard canPerformReactionEffects else {
            answer?(EffectReply(.notShown))
            return
        }
        control.request(
            EffectRequest(reactionType: type, origin: origin, trigger: .request, gesture: nil), at: time,
            answer: answer)
    }

    /// Refuses an unknown type.
    func check(_ type: ReactionType) throws(FlourishError) {
        if !availableReactionTypes.contains(type) {
            try EffectCatalog(resources: resources).check([type])
        }
    }

    /// Ends effects in progress with the next frame, and discards requests that wait for their frame.
    ///
    /// - Parameter reactionType: `nil` for all of them.
    /// - Returns: The effects that end.
    @discardableResult
    public func cancelEffects(for reactionType: ReactionType? = nil) -> EffectCancellation {
        cancelEffects(reactionType.map { .type($0) } ?? .all)
    }

    /// Ends effects in progress with the next frame, and discards requests that wait for their frame.
    ///
    /// - Returns: The effects that end.
    @discardableResult
    public func cancelEffects(_ target: EffectCancellation.Target) -> EffectCancellation { control.cancel(target) }

    /// Ends one effect with the next frame.
    ///
    /// - Parameter id: the ``ReactionEffectState/id`` of one of ``reactionEffectsInProgress``.
    /// - Throws: ``FlourishError/Code/usage`` if there is no effect with this number.
    public func cancelEffect(id: Int) throws(FlourishError) {
        guard !cancelEffects(.id(id)).isEmpty else {
            throw FlourishError(.usage, "no effect in progress has the number \(id)")
        }
    }

    /// Ends effects with the first frame at a time, in seconds on the video's clock, or after it.
    ///
    /// - Returns: `false` if too many cancellations wait.
    @discardableResult
    public func cancelEffects(_ target: EffectCancellation.Target, at time: Double) -> Bool {
        control.cancel(target, at: time)
    }

    // MARK: Watching

    /// The events of the session: those so far, and those that follow.
    public var events: ReactionEvents { ReactionEvents(stream: hub.subscribe()) }

    /// The progress of the run from now on.
    ///
    /// ```swift
    /// let progress = session.progress
    /// Task { for await step in progress { print(step.fraction ?? 0) } }
    /// ```
    public var progress: ReactionProgress { ReactionProgress(stream: progressHub.subscribe()) }

    // MARK: Running

    /// Reads a video, shows reactions over it, and writes it again.
    ///
    /// The output is written under another name in the same folder, and renamed when it is complete. So a failure
    /// leaves no file.
    ///
    /// - Returns: the outcome of the run.
    /// - Throws: ``FlourishError``.
    @discardableResult
    public func filter(
        _ input: String, to output: String, observer: SessionObserver = SessionObserver()
    ) async throws(FlourishError) -> SessionOutcome {
        try begin()
        defer { end() }
        return try await Rendering(control).write(pass(input, to: output, observer: observer))
    }

    /// Reads a video, and emits the events that ``filter(_:to:observer:)`` would emit. Nothing is drawn or written.
    ///
    /// For a recording, a quick scan selects the intervals that are analysed. Events are emitted when the analysis
    /// reaches these intervals.
    ///
    /// - Returns: the outcome of the run.
    /// - Throws: ``FlourishError``.
    @discardableResult
    public func detect(
        _ input: String, observer: SessionObserver = SessionObserver()
    ) async throws(FlourishError) -> SessionOutcome {
        try begin()
        defer { end() }
        return try await RecordingAnalysis.detect(pass(input, observer: observer), control)
    }

    /// Describes the way of a run without writing anything: its route, and for a recording that is rendered smartly, a
    /// line for each of its segments, for which it is analysed.
    ///
    /// - Parameter plan: The plan whose reactions are shown; nil to detect reactions.
    /// - Throws: The errors that a run throws before it writes, except for the error that the output exists.
    package func explain(
        _ input: String, to output: String, plan: ReactionPlan?
    ) async throws(FlourishError) -> String {
        try configuration.validate()
        return try await Rendering(control).explanation(
            of: RunPass(
                input: input, output: output, configuration: configuration, resources: resources,
                observer: SessionObserver(), plan: plan))
    }

    /// Ends the run as if the input ended at this point. The frames that were read are finished, so the output can be
    /// played. Cancelling the task that runs the session does the same.
    public func stop() { control.stop() }

    package var resources: Resources { configuration.resources ?? .located() }

    /// Begins the session's only run.
    func begin() throws(FlourishError) {
        guard !hasRun.exchange(true, ordering: .relaxed) else {
            throw FlourishError(.usage, "a session runs once; create a new one for each input")
        }
    }

    /// Ends the run for all its observers.
    func end() {
        control.state.withLock {
            $0.isRunning = false
            ($0.snooze, $0.quality) = (nil, nil)
            $0.forgetHold()
        }
        control.endEffects()
        hub.close()
        progressHub.close()
        control.pictures.close()
    }

    /// Returns the first pass of a run with the session's configuration.
    func pass(
        _ input: String, to output: String? = nil, observer: SessionObserver
    ) throws(FlourishError) -> RunPass {
        try pass(
            RunPass(
                input: input, output: output, configuration: configuration, resources: resources, observer: observer))
    }

    /// Prepares the first pass of a run. The pass also sends its events to ``events``. The pass reports progress on the
    /// scale of the whole run. Removes stale temporary files of the output.
    ///
    /// - Throws: ``FlourishError/Code/usage`` if the configuration is invalid.
    func pass(_ pass: RunPass) throws(FlourishError) -> RunPass {
        try pass.configuration.validate()
        var pass = pass
        pass.observer.event = { [hub, emit = pass.observer.event] event in
            emit?(event)
            hub.publish(event)
        }
        let scale = ProgressScale()
        pass.observer.progress = { [progressHub, report = pass.observer.progress] step in
            let step = scale.placed(step)
            report?(step)
            progressHub.publish(step)
        }
        pass.startupWarnings = StaleTemporaryFiles.remove(besides: pass.output) + pass.startupWarnings
        return pass
    }
}
