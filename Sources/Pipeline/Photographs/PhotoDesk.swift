import MediaIO
import Photography
import Platform
import Raster
package import Reactions
import Synchronization

/// Takes photographs of a run: keeps the frames of the last half second, and has pictures made of them on a thread of
/// its own, so that no frame waits for one.
///
/// Requests come from any thread. Where as many are under way as there is memory for, a live run refuses more, and
/// others wait.
package final class PhotoDesk: Sendable {
    /// A photograph that was asked for.
    struct Order: Sendable {
        let id: Int
        var settings: PhotoSettings
        var moment: CapturedMoment
        var subject: PhotoSubject?
        var content = PhotoOptions.Content.clean
        /// Whether the best instant is to be chosen, from this time on; otherwise it is the moment's reference.
        var chosenFrom: Double?
        var isZeroShutterLag = true
        var completion: (@Sendable (Result<Photo, FlourishError>) -> Void)?
    }

    /// What photographs of a run have in common.
    struct Run: Sendable {
        var options: PhotoOptions
        var isLive: Bool
        var resources: Resources
        /// What the input tells of itself, and when its first picture is shown.
        var metadata: [String: String]
        var start: Double
        /// What the files' names begin with.
        var stem: String
        var overwrite: Bool
        /// Tells what happens while it happens.
        var tell: @Sendable (ReactionEvent.Kind) -> Void
    }

    struct State {
        var run: Run?
        var ring = FrameRing()
        var drawn = FrameRing()
        /// Photographs with effects that wait until these have unfolded.
        var awaited: [(time: Double, subject: PhotoSubject)] = []
        var lastID = 0
        /// Orders that are not done, and the frames that they hold.
        var pending = 0, held = 0
        var readiness = PhotoCaptureReadiness.sessionNotRunning
        /// What photographs will be, so that there is room for them, and who waits to hear that there is.
        var prepared: [PhotoSettings]?
        var preparing: (@Sendable (Bool) -> Void)?
        /// What was seen of the scene, and when.
        var scene: (reading: SceneMeter.Reading, time: Double)?
        /// What is told at the end.
        var results: [(id: Int, kind: ReactionEvent.Kind)] = []
    }

    /// What the photographs' thread is to do.
    enum Job: Sendable {
        case photograph(Order)
        /// Have room for so many frames, and for no more.
        case prepare(PictureFormat, Int, @Sendable (Bool) -> Void)
    }

    /// Orders that may be under way at once.
    static let mostOrders = 24
    /// Frames that these may hold, each with a ring's own frames beside.
    private static let mostHeld = 96
    /// Seconds from one look at the scene to the next.
    private static let lookEvery = 0.25
    /// From so much noise on, in codes of 8 bits, fusion is worth its time; below so much light, as a share, there is too
    /// little for it.
    static let noisy = 1.5, dark = 0.06
    /// So long after an effect's first frame it has unfolded, in seconds.
    private static let unfolding = 1.2

    let state = Mutex(State())
    let queue = Slot<Channel<Job>?>(nil)
    private let isOn = Atomic(false)

    package init() {}

    /// Whether photographs are taken at all; otherwise no frame is kept.
    var isEnabled: Bool { isOn.load(ordering: .relaxed) }

    /// Whether a photograph could be taken at once.
    package var readiness: PhotoCaptureReadiness { state.withLock { $0.readiness } }

    /// Begins to take photographs of a run.
    func open(_ run: Run) {
        queue.value = Channel(capacity: Self.mostOrders)
        state.withLock { state in
            state.run = run
            state.results = []
            (state.pending, state.held) = (0, 0)
        }
        isOn.store(true, ordering: .relaxed)
        update()
    }

    /// Says that no frame comes any more; what was asked for is done all the same.
    func close() {
        guard isEnabled else { return }
        isOn.store(false, ordering: .relaxed)
        let waiting = state.withLock { state in
            state.scene = nil
            state.ring.removeAll()
            state.drawn.removeAll()
            state.awaited.removeAll()
            defer { state.preparing = nil }
            return state.preparing
        }
        waiting?(false)
        update()
        queue.value?.finish()
    }

    /// Takes a frame as it came.
    func offer(_ frame: borrowing VideoFrame) {
        // Without memory for it, it is left out.
        guard isEnabled, frame.hasPicture, let shared = try? frame.shared() else { return }
        let picture = SharedPicture(shared)
        let isFirst = state.withLock { state in
            look(at: picture, &state)
            defer { state.ring.add(picture) }
            return state.ring.frames.isEmpty
        }
        if isFirst {
            update()
            prepare()
        }
    }

    /// Looks at the scene a few times a second, where somebody wants to know.
    private func look(at picture: SharedPicture, _ state: inout State) {
        let time = picture.frame.time.seconds
        guard state.run?.options.photoSettingsForSceneMonitoring != nil, let last = state.ring.frames.last,
            abs(time - (state.scene?.time ?? -1)) >= Self.lookEvery
        else { return }
        let reading = picture.frame.withPicture { now in
            last.frame.withPicture { SceneMeter.reading(now, $0) }
        }
        if let reading { state.scene = (reading, time) }
    }

    /// Takes a frame as it goes out.
    func offer(drawn frame: borrowing VideoFrame) {
        guard isEnabled, state.withLock({ $0.run?.options.content != .clean }), let shared = try? frame.shared() else {
            return
        }
        let picture = SharedPicture(shared)
        let time = frame.time.seconds
        let due = state.withLock { state in
            state.drawn.add(picture)
            let due = state.awaited.filter { $0.time <= time }
            state.awaited.removeAll { $0.time <= time }
            return due
        }
        for (_, subject) in due {
            order(subject: subject) { state in
                state.drawn.moment(at: nil).map { Wanted(moment: $0.moment, isShown: true, content: .withEffects) }
            }
        }
    }

    /// Notes what happens at a frame: gestures that fire, and effects that begin.
    func see(_ events: [ReactionEvent], binding: (ReactionGesture) -> ReactionType) {
        guard isEnabled, let options = state.withLock({ $0.run?.options }), options.folder != nil else { return }
        for event in events {
            switch event.kind {
            case .gesture(let detail) where options.content != .withEffects:
                let subject = PhotoSubject(
                    reactionType: binding(detail.gesture), gesture: detail.gesture, origin: detail.origin)
                order(subject: subject, chosenFrom: detail.heldSince) { state in
                    state.ring.moment(at: event.time).map { Wanted(moment: $0.moment, isShown: $0.isShown) }
                }
            case .effectStarted(let effect) where options.content != .clean && effect.trigger == .gesture:
                let subject = PhotoSubject(
                    reactionType: effect.reactionType, gesture: effect.gesture, origin: effect.origin)
                state.withLock { $0.awaited.append((event.time + Self.unfolding, subject)) }
            default: break
            }
        }
    }
}

/// Of what a photograph is taken.
struct PhotoSubject: Sendable, Hashable {
    var reactionType: ReactionType
    var gesture: ReactionGesture?
    /// Where in the upright picture.
    var origin: PicturePoint
}

// MARK: - Orders

extension PhotoDesk {
    /// What is to be photographed.
    private struct Wanted {
        var moment: CapturedMoment
        var isShown: Bool
        var content = PhotoOptions.Content.clean
    }

    /// Takes a photograph for somebody who asks for it.
    ///
    /// - Parameters:
    ///   - time: the instant, in seconds on the video's clock; the newest frame's less `delay` where it is `nil`.
    ///   - delay: by how much whoever asks sees the video late, in seconds.
    /// - Throws: ``FlourishError/Code/unavailable`` where no photograph can be taken, ``FlourishError/Code/usage`` where too
    ///   much is asked of one, and whatever goes wrong.
    package func capture(
        _ settings: PhotoSettings, at time: Double?, delay: Double
    ) async throws(FlourishError) -> Photo {
        guard let run = state.withLock({ $0.run }), isEnabled else {
            throw FlourishError(.unavailable, "no photograph can be taken: no video is running that takes photographs")
        }
        let most = run.options.maxPhotoQualityPrioritization
        if settings.photoQualityPrioritization > most {
            throw FlourishError(
                .usage,
                "a photograph of \(settings.photoQualityPrioritization.rawValue) is more than the session's \(most.rawValue)"
            )
        }
        let result: Result<Photo, FlourishError> = await withCheckedContinuation { continuation in
            let refusal = order(settings: settings, completion: { continuation.resume(returning: $0) }) { state in
                let newest = state.ring.frames.last?.frame.time.seconds
                return state.ring.moment(at: time ?? newest.map { $0 - delay })
                    .map { Wanted(moment: $0.moment, isShown: $0.isShown) }
            }
            if let refusal { continuation.resume(returning: .failure(refusal)) }
        }
        return try result.get()
    }

    /// Puts an order into the queue.
    ///
    /// - Returns: why it could not be; then `completion` is not called.
    @discardableResult
    private func order(
        settings: PhotoSettings? = nil, subject: PhotoSubject? = nil, chosenFrom: Double? = nil,
        completion: (@Sendable (Result<Photo, FlourishError>) -> Void)? = nil,
        of wanted: (inout State) -> Wanted?
    ) -> FlourishError? {
        let decided = state.withLock { state -> Result<Order, FlourishError> in
            guard let run = state.run, let wanted = wanted(&state) else {
                return .failure(FlourishError(.unavailable, "no photograph can be taken: there is no frame yet"))
            }
            state.lastID += 1
            if run.isLive, state.pending >= Self.mostOrders {
                return .failure(
                    FlourishError(.unavailable, "no photograph can be taken: \(state.pending) are being processed"))
            }
            var settings = settings ?? PhotoSettings(run.options.processedFileType)
            if subject != nil { settings.photoQualityPrioritization = run.options.photoQualityPrioritization }
            // Beyond what may be held, one frame will do: what is resolved tells.
            var most = chosenFrom == nil ? settings.photoQualityPrioritization.maxFrameCount : Int.max
            if run.isLive, state.held + min(most, wanted.moment.frames.count) > Self.mostHeld { most = 1 }
            let moment = most == .max ? wanted.moment : wanted.moment.limited(to: most)
            state.pending += 1
            state.held += moment.frames.count
            return .success(
                Order(
                    id: state.lastID, settings: settings, moment: moment, subject: subject, content: wanted.content,
                    chosenFrom: most == 1 ? nil : chosenFrom, isZeroShutterLag: wanted.isShown, completion: completion))
        }
        switch decided {
        case .failure(let error):
            if subject != nil { tell(.photoFailed(id: state.withLock { $0.lastID }, message: error.message), 0) }
            return error
        case .success(let order):
            update()
            if queue.value?.send(.photograph(order)) != true {
                done(order)
                return FlourishError(.unavailable, "no photograph can be taken: the video has ended")
            }
            return nil
        }
    }

    func done(_ order: Order) {
        state.withLock { state in
            state.pending -= 1
            state.held -= order.moment.frames.count
        }
        update()
    }

    /// Finds out anew how ready it is, and tells where that changed.
    private func update() {
        let change = state.withLock { state -> (PhotoCaptureReadiness, Run)? in
            let now: PhotoCaptureReadiness =
                if !isEnabled || state.run == nil {
                    .sessionNotRunning
                } else if state.ring.frames.isEmpty {
                    .notReadyMomentarily
                } else if state.pending >= Self.mostOrders {
                    .notReadyWaitingForProcessing
                } else {
                    .ready
                }
            guard now != state.readiness, let run = state.run else { return nil }
            state.readiness = now
            return run.isLive ? (now, run) : nil
        }
        if let (readiness, run) = change { run.tell(.photoReadiness(readiness)) }
    }

    /// Tells what became of a photograph: at once in a live run, and else at the end, so that equal runs tell the same.
    func tell(_ kind: ReactionEvent.Kind, _ id: Int) {
        let live = state.withLock { state -> Run? in
            if state.run?.isLive == true { return state.run }
            state.results.append((id, kind))
            return nil
        }
        live?.tell(kind)
    }

    /// What there is to tell at the end.
    func takeResults() -> [ReactionEvent.Kind] {
        state.withLock { state in
            defer { state.results = [] }
            return state.results.sorted { $0.id < $1.id }.map(\.kind)
        }
    }
}
