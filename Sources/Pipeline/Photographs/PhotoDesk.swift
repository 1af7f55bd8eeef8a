import MediaIO
import Platform
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

    private struct State {
        var run: Run?
        var ring = FrameRing()
        var drawn = FrameRing()
        /// Photographs with effects that wait until these have unfolded.
        var awaited: [(time: Double, subject: PhotoSubject)] = []
        var lastID = 0
        /// Orders that are not done, and the frames that they hold.
        var pending = 0, held = 0
        var readiness = PhotoCaptureReadiness.sessionNotRunning
        /// What is told at the end.
        var results: [(id: Int, kind: ReactionEvent.Kind)] = []
    }

    /// Orders that may be under way at once.
    static let mostOrders = 24
    /// Frames that these may hold, each with a ring's own frames beside.
    private static let mostHeld = 96
    /// So long after an effect's first frame it has unfolded, in seconds.
    private static let unfolding = 1.2

    private let state = Mutex(State())
    private let queue = Slot<Channel<Order>?>(nil)
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
        state.withLock { state in
            state.ring.removeAll()
            state.drawn.removeAll()
            state.awaited.removeAll()
        }
        update()
        queue.value?.finish()
    }

    /// Takes a frame as it came.
    func offer(_ frame: borrowing VideoFrame) {
        // Without memory for it, it is left out.
        guard isEnabled, frame.hasPicture, let shared = try? frame.shared() else { return }
        let picture = SharedPicture(shared)
        let isFirst = state.withLock { state in
            defer { state.ring.add(picture) }
            return state.ring.frames.isEmpty
        }
        if isFirst { update() }
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
            if queue.value?.send(order) != true {
                done(order)
                return FlourishError(.unavailable, "no photograph can be taken: the video has ended")
            }
            return nil
        }
    }

    private func done(_ order: Order) {
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
    private func tell(_ kind: ReactionEvent.Kind, _ id: Int) {
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

// MARK: - Processing

extension PhotoDesk {
    /// Makes photographs until no more are asked for. On a thread of its own.
    func develop() {
        guard let queue = queue.value, let run = state.withLock({ $0.run }) else { return }
        if run.isLive { StageThread.yieldToOthers() }
        let processor = PhotoProcessor()
        let finder = FaceFinder(resources: run.resources)
        while let order = queue.receive() {
            let result = Result { () throws(FlourishError) in try make(order, run, processor, finder) }
            switch result {
            case .success(let detail): tell(.photoFinished(detail), order.id)
            case .failure(let error): tell(.photoFailed(id: order.id, message: error.message), order.id)
            }
            done(order)
        }
    }

    private func make(
        _ order: Order, _ run: Run, _ processor: PhotoProcessor, _ finder: FaceFinder
    ) throws(FlourishError) -> ReactionEvent.PhotoDetail {
        do {
            var (moment, choice) = (order.moment, PhotoChoice?.none)
            if let start = order.chosenFrom {
                (moment, choice) = moment.best(from: start, near: order.subject?.origin, finder)
            }
            let time = moment.frames[moment.reference].frame.time.seconds
            var metadata = StillMetadata(recording: run.metadata, at: time - run.start)
            metadata.software = "Flourish"
            metadata.description = order.subject?.reactionType.words
            metadata.comment = comment(order, time)
            var photo = try processor.photo(of: moment, order.settings, metadata: metadata)
            photo.choice = choice
            if let folder = run.options.folder { photo.path = try write(photo, order, run, into: folder) }
            order.completion?(.success(photo))
            return detail(order, photo)
        } catch {
            let error = FlourishError(describing: error)
            order.completion?(.failure(error))
            throw error
        }
    }

    /// What the file tells programs.
    private func comment(_ order: Order, _ time: Double) -> String {
        var fields = ["\"time\":\(time.milliseconds.plainText)"]
        if let subject = order.subject {
            fields.append("\"reactionType\":\"\(subject.reactionType.rawValue)\"")
            let (x, y) = (subject.origin.x.milliseconds.plainText, subject.origin.y.milliseconds.plainText)
            fields.append("\"origin\":{\"x\":\(x),\"y\":\(y)}")
        }
        return "{" + fields.joined(separator: ",") + "}"
    }

    private func detail(_ order: Order, _ photo: Photo) -> ReactionEvent.PhotoDetail {
        let resolved = photo.resolvedSettings
        var detail = ReactionEvent.PhotoDetail(
            id: order.id, path: photo.path, photoTime: photo.time, content: order.content.rawValue,
            photoQualityPrioritization: resolved.photoQualityPrioritization, frames: resolved.frames,
            width: resolved.width, height: resolved.height, zeroShutterLag: order.isZeroShutterLag)
        detail.reactionType = order.subject?.reactionType
        detail.gesture = order.subject?.gesture
        detail.origin = order.subject?.origin
        detail.choice = photo.choice
        return detail
    }

    /// Writes a photograph under a name that says what it shows: `call-0012.480-heart.jpg`.
    private func write(
        _ photo: Photo, _ order: Order, _ run: Run, into folder: String
    ) throws(FlourishError) -> String {
        let milliseconds = Int((max(photo.time, 0) * 1000).rounded())
        let (whole, rest) = (String(milliseconds / 1000), String(milliseconds % 1000))
        let clock =
            String(repeating: "0", count: max(0, 4 - whole.count)) + whole + "."
            + String(repeating: "0", count: max(0, 3 - rest.count)) + rest
        let what = order.subject?.reactionType.rawValue ?? "photo"
        let kind = order.content == .withEffects ? "-effects" : ""
        let type = StillFormat(order.settings.processedFileType).pathExtension
        let stem = "\(folder.hasSuffix("/") ? folder : folder + "/")\(run.stem)-\(clock)-\(what)\(kind)"
        for number in 1..<1000 {
            let path = stem + (number == 1 ? "" : "-\(number)") + ".\(type)"
            if !run.overwrite, FileKind.of(path) != nil { continue }
            try photo.write(to: path, overwrite: run.overwrite)
            return path
        }
        throw FlourishError(.outputUnavailable, "\(stem).\(type): exists already", remedy: .overwriting)
    }
}

extension ReactionType {
    /// As people say it: `thumbsUp` is "thumbs up".
    fileprivate var words: String {
        rawValue.map { $0.isUppercase ? " " + $0.lowercased() : String($0) }.joined()
    }
}
