package import MediaIO
import Platform
package import Reactions
import Synchronization

/// Captures photographs of a run. It keeps the frames of the last half second, accepts requests, and queues them for
/// the run's ``PhotoStage``, which creates photographs on its own thread.
///
/// Requests may be made on any thread. When the limit of requests is reached, the run's ``PhotoPolicy`` determines
/// whether further requests are refused, or the video waits.
package final class PhotoCapture: Sendable {
    /// Settings that all photographs of a run share.
    package struct Run: Sendable {
        package var options: PhotoOptions
        package var policy: PhotoPolicy
        /// True if a plan's reactions are shown, including gesture reactions, and no gestures are detected.
        var showsPlan = false
        package var resources: Resources
        /// The input's metadata, and the time of its first picture on the frames' clock, in seconds.
        package var metadata: [String: String]
        package var start: Double
        /// The prefix of the files' names.
        package var stem: String
        /// The existing files that are replaced.
        var replacement: PhotoReplacement
        /// The store of deferred photographs; `nil` if all photographs are created immediately.
        var deferredPhotos: DeferredPhotoStore?
        /// Emits an event during the run.
        package var emit: @Sendable (ReactionEvent.Kind) -> Void

        /// Returns whether a photograph with these settings is finished later.
        func defers(_ settings: PhotoSettings) -> Bool {
            deferredPhotos != nil && settings.photoQualityPrioritization == .quality
        }
    }

    private struct State {
        var worker: PhotoStage?
        /// The last frames before effects are drawn on them; `drawn` contains them with effects.
        var ring = FrameRing()
        var drawn = FrameRing()
        /// The requested photographs with effects that wait until these effects have unfolded, and the times at which
        /// they have.
        var awaited: [(time: Double, subject: PhotoSubject)] = []
        var requests = PhotoRequestQueue()
        var readiness = PhotoCaptureReadiness.sessionNotRunning
        var preparation = PhotoPreparation()
        var scene = PhotoSceneMonitor()
        /// The part of the newest frame that the video shows; `nil` for the whole frame.
        var crop: PictureCrop?

        /// The time of the newest frame, in seconds on the video's clock.
        var now: Double? { ring.frames.last?.frame.time.seconds }
    }

    private typealias Instant = (moment: CapturedMoment, isShown: Bool)

    private static let hasEnded = FlourishError(.unavailable, "no photograph can be captured: the video has ended")
    /// The time from an effect's first frame until the effect has unfolded, in seconds.
    private static let unfolding = 1.2

    private let state = Mutex(State())
    private let isOn = Atomic(false)

    package init() {}

    /// True if photographs may be captured. Otherwise no frames are buffered.
    private var isEnabled: Bool { isOn.load(ordering: .relaxed) }

    /// The readiness for the next request.
    package var readiness: PhotoCaptureReadiness { state.withLock { $0.readiness } }

    /// The time of the newest frame, in seconds on the video's clock; `nil` if there is none.
    package var newestTime: Double? { state.withLock { $0.now } }

    /// True if fusion would visibly improve photographs at the monitored quality.
    package var isFusionScene: Bool {
        state.withLock { $0.scene.isFusionScene($0.worker?.run.options.photoSettingsForSceneMonitoring) }
    }

    /// True if there is too little light for a good photograph.
    package var isDarkScene: Bool { state.withLock { $0.scene.isDark } }

    /// The settings for which memory is reserved.
    package var prepared: [PhotoSettings] { state.withLock { $0.preparation.settings ?? [PhotoSettings()] } }
}

// MARK: The run

extension PhotoCapture {
    /// Starts capturing photographs of a run.
    package func open(_ run: Run) {
        state.withLock { state in
            state.worker = PhotoStage(run)
            state.requests.reset()
        }
        isOn.store(true, ordering: .relaxed)
        updateReadiness()
    }

    /// Signals that no more frames follow. Accepted requests are still processed.
    package func close() {
        guard isEnabled else { return }
        isOn.store(false, ordering: .relaxed)
        let (preparing, waiting, worker) = state.withLock { state in
            state.scene = PhotoSceneMonitor()
            state.ring.removeAll()
            state.crop = nil
            state.drawn.removeAll()
            state.awaited.removeAll()
            return (state.preparation.dequeueCompletion(), state.requests.dequeueWaiting(), state.worker)
        }
        preparing?(false)
        for request in waiting { request.completion(.failure(Self.hasEnded)) }
        updateReadiness()
        worker?.jobs.finish()
    }

    /// Creates the requested photographs, on a separate thread. It returns after ``close()``, when all accepted
    /// requests are processed.
    package func develop() {
        guard let worker = state.withLock({ $0.worker }) else { return }
        worker.process {
            state.withLock { $0.preparation.frameCount }
        } onDone: {
            complete($0)
        }
    }

    /// Finishes the deferred photographs at the run's end.
    package func developRest() { state.withLock { $0.worker }?.deferral.developRest() }

    /// Removes and returns the events that a run emits at its end.
    package func takeResults() -> [ReactionEvent.Kind] { state.withLock { $0.worker }?.events.dequeueAll() ?? [] }
}

// MARK: Frames and events

extension PhotoCapture {
    /// Records a frame before effects are drawn.
    package func offer(_ frame: borrowing VideoFrame) {
        // A frame is omitted if there is no memory for it.
        guard isEnabled, frame.hasPicture, let shared = try? frame.shared() else { return }
        let picture = SharedPicture(shared)
        let isFirst = state.withLock { state in
            if let options = state.worker?.run.options, options.photoSettingsForSceneMonitoring != nil {
                state.scene.update(with: picture, after: state.ring.frames.last)
            }
            defer { state.ring.add(picture) }
            return state.ring.frames.isEmpty
        }
        if isFirst {
            updateReadiness()
            startPreparation()
        }
        enqueueWaiting()
        developWhileIdle()
    }

    /// Records which part of the newest frame the video shows; `nil` for the whole frame. Photographs without effects show
    /// it, too.
    package func show(_ crop: PictureCrop?) {
        if isEnabled { state.withLock { $0.crop = crop } }
    }

    /// Records a frame with its effects.
    package func offer(drawn frame: borrowing VideoFrame) {
        guard isEnabled, state.withLock({ $0.worker?.run.options.content != .clean }), let shared = try? frame.shared()
        else { return }
        let picture = SharedPicture(shared)
        let time = frame.time.seconds
        let due = state.withLock { state in
            state.drawn.add(picture)
            let due = state.awaited.filter { $0.time <= time }
            state.awaited.removeAll { $0.time <= time }
            return due
        }
        for (_, subject) in due {
            enqueue(subject: subject, content: .withEffects) { state in
                state.drawn.moment(at: nil).map { ($0.moment, true) }
            }
        }
    }

    /// Requests photographs of the reactions of a frame: of gestures that fire, and of effects that begin.
    ///
    /// The reaction to a gesture is photographed at the best instant of the hold, any other reaction at its beginning.
    package func see(_ events: [ReactionEvent], binding: (ReactionGesture) -> ReactionType) {
        guard isEnabled, let run = state.withLock({ $0.worker?.run }), run.options.folder != nil else { return }
        let options = run.options
        for event in events {
            switch event.kind {
            case .gesture(let detail) where options.content != .withEffects:
                let subject = PhotoSubject(
                    reactionType: binding(detail.gesture), gesture: detail.gesture, origin: detail.origin,
                    tile: detail.tile)
                enqueue(subject: subject, chosenFrom: detail.heldSince) { $0.ring.moment(at: event.time) }
            case .effectStarted(let effect):
                let subject = PhotoSubject(
                    reactionType: effect.reactionType, gesture: effect.gesture, origin: effect.origin, tile: effect.tile
                )
                let isHeld = effect.trigger == .gesture
                if options.content != .withEffects, run.showsPlan || !isHeld {
                    // A plan does not state when a hold began, so all frames of the ring are candidates.
                    enqueue(subject: subject, chosenFrom: isHeld ? event.time - FrameRing.length : nil) {
                        $0.ring.moment(at: event.time)
                    }
                }
                if options.content != .clean {
                    state.withLock { $0.awaited.append((event.time + Self.unfolding, subject)) }
                }
            default: break
            }
        }
    }

    /// Queues the finishing of a deferred photograph, if no photograph was requested recently.
    private func developWhileIdle() {
        let worker = state.withLock { state -> PhotoStage? in
            guard let worker = state.worker, worker.run.options.deferredPhotoDelivery == .idle,
                state.requests.isIdle(at: state.now), worker.deferral.beginDeveloping()
            else { return nil }
            return worker
        }
        _ = worker?.jobs.sendUnlessFinished(.developDeferred)
    }
}

// MARK: Requests

extension PhotoCapture {
    /// Captures a photograph that a client requests.
    ///
    /// - Parameters:
    ///   - time: the instant, in seconds on the video's clock; if `nil`, the time of the newest frame minus `delay`.
    ///   - delay: the delay, in seconds, with which the client sees the video.
    /// - Throws: ``FlourishError/Code/unavailable`` if no photograph can be captured, ``FlourishError/Code/usage`` if
    ///   the settings exceed the session's, and any error of encoding and writing.
    package func capture(
        _ settings: PhotoSettings, at time: Double?, delay: Double
    ) async throws(FlourishError) -> Photo {
        guard let run = state.withLock({ $0.worker?.run }), isEnabled else {
            throw FlourishError(.unavailable, "no photograph can be captured: no run with photographs is in progress")
        }
        let maximum = run.options.maxPhotoQualityPrioritization
        if settings.photoQualityPrioritization > maximum {
            throw FlourishError(
                .usage,
                "a photograph of \(settings.photoQualityPrioritization.rawValue) exceeds the session's maximum, \(maximum.rawValue)"
            )
        }
        let usesPastFrames = run.options.isZeroShutterLagEnabled
        let result: Result<Photo, FlourishError> = await withCheckedContinuation { continuation in
            let completion: PhotoRequest.Completion = { continuation.resume(returning: $0) }
            do throws(FlourishError) {
                if try wait(for: usesPastFrames ? time : nil, settings, usesPastFrames: usesPastFrames, completion) {
                    return
                }
            } catch {
                return completion(.failure(error))
            }
            let refusal = enqueue(settings: settings, completion: completion) { state in
                state.ring.moment(at: time ?? state.now.map { $0 - delay })
            }
            if let refusal { completion(.failure(refusal)) }
        }
        return try result.get()
    }

    /// Lets a request wait for its frame, if the frame has not arrived yet.
    ///
    /// - Returns: whether the request waits. In that case `completion` will be called.
    /// - Throws: ``FlourishError`` if the request is refused.
    private func wait(
        for time: Double?, _ settings: PhotoSettings, usesPastFrames: Bool,
        _ completion: @escaping PhotoRequest.Completion
    ) throws(FlourishError) -> Bool {
        let waits = try state.withLock { state throws(FlourishError) -> Bool in
            guard isEnabled, let newest = state.ring.frames.last else { return false }
            if usesPastFrames {
                guard let time, try PhotoRequestQueue.waits(for: time, newest: newest) else { return false }
            }
            try state.requests.wait(
                PhotoRequestQueue.Waiting(settings: settings, time: time, completion: completion),
                state.worker?.run.options)
            return true
        }
        if waits { updateReadiness() }
        return waits
    }

    /// Queues the requests that waited for the newest frame.
    private func enqueueWaiting() {
        let due = state.withLock { state in
            state.ring.frames.last.map { state.requests.dequeueWaiting(shownBy: $0) } ?? []
        }
        for request in due {
            let refusal = enqueue(settings: request.settings, completion: request.completion) { state in
                state.ring.moment(at: request.time).map { ($0.moment, request.time != nil) }
            }
            if let refusal { request.completion(.failure(refusal)) }
        }
        if !due.isEmpty { updateReadiness() }
    }

    /// Queues a request for the worker.
    ///
    /// - Parameter find: returns the frames of the photograph.
    /// - Returns: the reason for a refusal. In that case `completion` is not called.
    @discardableResult
    private func enqueue(
        settings: PhotoSettings? = nil, subject: PhotoSubject? = nil, content: PhotoOptions.Content = .clean,
        chosenFrom: Double? = nil, completion: PhotoRequest.Completion? = nil, of find: (borrowing State) -> Instant?
    ) -> FlourishError? {
        let worker = state.withLock { $0.worker }
        do throws(FlourishError) {
            let (worker, request) = try state.withLock { state throws(FlourishError) -> (PhotoStage, PhotoRequest) in
                guard let worker = state.worker, var instant = find(state) else {
                    throw FlourishError(.unavailable, "no photograph can be captured: there is no frame yet")
                }
                // Pictures with effects are cropped already.
                let crop = content == .clean && subject?.tile == nil ? state.crop : nil
                if let tile = subject?.tile ?? crop?.tile { instant.moment = try instant.moment.picture(of: tile) }
                var request = try state.requests.admit(
                    instant.moment, isShown: instant.isShown, settings, subject, content, chosenFrom: chosenFrom,
                    worker.run, at: state.now, completion)
                request.crop = crop
                return (worker, request)
            }
            updateReadiness()
            if !worker.jobs.sendUnlessFinished(.photograph(request)) {
                complete(request)
                return Self.hasEnded
            }
            return nil
        } catch {
            if subject != nil {
                let id = state.withLock { $0.requests.lastID }
                worker?.events.emit(.photoFailed(id: id, message: error.message), 0)
            }
            return error
        }
    }

    private func complete(_ request: PhotoRequest) {
        state.withLock { $0.requests.complete(request) }
        updateReadiness()
    }

    /// Determines the readiness, and emits a change if the policy requires it.
    private func updateReadiness() {
        let change = state.withLock { state -> (PhotoCaptureReadiness, Run)? in
            let run = state.worker?.run
            let now: PhotoCaptureReadiness =
                if !isEnabled || run == nil {
                    .sessionNotRunning
                } else if state.ring.frames.isEmpty {
                    .notReadyMomentarily
                } else {
                    state.requests.readiness(run?.options)
                }
            guard now != state.readiness, let run else { return nil }
            state.readiness = now
            return run.policy.emitsReadiness ? (now, run) : nil
        }
        if let (readiness, run) = change { run.emit(.photoReadiness(readiness)) }
    }
}

// MARK: Preparation

extension PhotoCapture {
    /// Reserves memory for photographs when the size of a frame is known, and releases memory reserved earlier.
    ///
    /// - Parameter completion: receives `true` if the memory is reserved, `false` if another call replaces this one or
    ///   the run ends before.
    package func prepare(_ settings: [PhotoSettings], completion: @escaping @Sendable (Bool) -> Void) {
        let replaced = state.withLock { $0.preparation.replace(with: settings, completion) }
        replaced?(false)
        startPreparation()
    }

    /// Queues the reservation if one is pending and the frames' format is known.
    private func startPreparation() {
        let pending = state.withLock { state -> (worker: PhotoStage?, job: PhotoStage.Job, (Bool) -> Void)? in
            guard let format = state.ring.frames.last?.frame.pictureFormat,
                let completion = state.preparation.dequeueCompletion()
            else { return nil }
            return (state.worker, .prepare(format, state.preparation.frameCount ?? 0, completion), completion)
        }
        guard let (worker, job, completion) = pending, worker?.jobs.sendUnlessFinished(job) != true else { return }
        completion(false)
    }
}
