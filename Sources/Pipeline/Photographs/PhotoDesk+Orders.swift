import MediaIO
import Platform
package import Reactions
import Synchronization

/// How photographs are asked for.
extension PhotoDesk {
    static let hasEnded = FlourishError(.unavailable, "no photograph can be taken: the video has ended")

    /// What is to be photographed.
    struct Wanted {
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
        let looksBack = run.options.isZeroShutterLagEnabled
        let result: Result<Photo, FlourishError> = await withCheckedContinuation { continuation in
            let completion: @Sendable (Result<Photo, FlourishError>) -> Void = { continuation.resume(returning: $0) }
            switch wait(for: looksBack ? time : nil, settings, looksBack: looksBack, completion) {
            case .waits: return
            case .refused(let error): return completion(.failure(error))
            case .isThere: break
            }
            let refusal = order(settings: settings, completion: completion) { state in
                let newest = state.ring.frames.last?.frame.time.seconds
                return state.ring.moment(at: time ?? newest.map { $0 - delay })
                    .map { Wanted(moment: $0.moment, isShown: $0.isShown) }
            }
            if let refusal { continuation.resume(returning: .failure(refusal)) }
        }
        return try result.get()
    }

    /// What becomes of a request whose frame may not have come yet.
    private enum Waited {
        /// It waits, and `completion` will be called.
        case waits
        case refused(FlourishError)
        /// There is nothing to wait for.
        case isThere
    }

    /// Has a request wait for its frame, where that has not come yet.
    ///
    /// An instant further ahead than the ring is long is nobody's who sees the video: it is refused.
    private func wait(
        for time: Double?, _ settings: PhotoSettings, looksBack: Bool,
        _ completion: @escaping @Sendable (Result<Photo, FlourishError>) -> Void
    ) -> Waited {
        let decided = state.withLock { state -> Waited in
            guard isEnabled, let newest = state.ring.frames.last else { return .isThere }
            if looksBack {
                guard let time else { return .isThere }
                let now = newest.frame.time.seconds
                let end = now + (newest.frame.duration?.seconds ?? 0)
                guard time > end + FrameRing.rounding else { return .isThere }
                guard time <= now + FrameRing.length else { return .refused(Self.tooFarAhead(of: now, time)) }
            }
            let pending = state.pending + state.waiting.count
            if pending >= mostOrders(state) { return .refused(Self.tooMany(pending)) }
            state.waiting.append(Waiting(settings: settings, time: time, completion: completion))
            return .waits
        }
        if case .waits = decided { update() }
        return decided
    }

    private static func tooFarAhead(of now: Double, _ time: Double) -> FlourishError {
        let (time, now) = (JSONLine.rounded(time, places: 3), JSONLine.rounded(now, places: 3))
        return FlourishError(
            .usage,
            "no photograph can be taken of \(time) s: the video is at \(now) s, and \(FrameRing.length) s ahead is the most"
        )
    }

    private static func tooMany(_ count: Int) -> FlourishError {
        FlourishError(
            .unavailable, "no photograph can be taken: \(count == 1 ? "one is" : "\(count) are") being processed")
    }

    /// Takes the photographs that waited for the newest frame.
    func takeWaiting() {
        let due = state.withLock { state -> [Waiting] in
            guard !state.waiting.isEmpty, let newest = state.ring.frames.last else { return [] }
            let shownUntil = newest.frame.time.seconds + (newest.frame.duration?.seconds ?? 0) + FrameRing.rounding
            defer { state.waiting.removeAll { $0.time ?? -.infinity <= shownUntil } }
            return state.waiting.filter { $0.time ?? -.infinity <= shownUntil }
        }
        for request in due {
            let refusal = order(settings: request.settings, completion: request.completion) { state in
                state.ring.moment(at: request.time).map { Wanted(moment: $0.moment, isShown: request.time != nil) }
            }
            if let refusal { request.completion(.failure(refusal)) }
        }
        if !due.isEmpty { update() }
    }

    /// How many may be under way at once for those who ask.
    private func mostOrders(_ state: State) -> Int {
        state.run?.options.isResponsiveCaptureEnabled == false ? 1 : Self.mostOrders
    }

    /// Puts an order into the queue.
    ///
    /// - Returns: why it could not be; then `completion` is not called.
    @discardableResult
    func order(
        settings: PhotoSettings? = nil, subject: PhotoSubject? = nil, chosenFrom: Double? = nil,
        completion: (@Sendable (Result<Photo, FlourishError>) -> Void)? = nil,
        of wanted: (inout State) -> Wanted?
    ) -> FlourishError? {
        let decided = state.withLock { state -> Result<Order, FlourishError> in
            guard let run = state.run, let wanted = wanted(&state) else {
                return .failure(FlourishError(.unavailable, "no photograph can be taken: there is no frame yet"))
            }
            state.lastID += 1
            let limit = subject == nil ? mostOrders(state) : Self.mostOrders
            if state.pending >= limit, run.isLive || limit == 1 {
                return .failure(Self.tooMany(state.pending))
            }
            var settings = settings ?? PhotoSettings(run.options.processedFileType)
            if subject != nil { settings.photoQualityPrioritization = run.options.photoQualityPrioritization }
            let now = state.ring.frames.last?.frame.time.seconds
            let isQuick = run.isLive && state.pending > 0 || Self.isWithinPause(now, of: state.lastRequest)
            state.lastRequest = now
            if isQuick, run.options.isFastCapturePrioritizationEnabled, !run.defers(settings) {
                settings.photoQualityPrioritization = min(settings.photoQualityPrioritization, .balanced)
            }
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
            if queue.value?.sendUnlessFinished(.photograph(order)) != true {
                done(order)
                return Self.hasEnded
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
    func update() {
        let change = state.withLock { state -> (PhotoCaptureReadiness, Run)? in
            let now: PhotoCaptureReadiness =
                if !isEnabled || state.run == nil {
                    .sessionNotRunning
                } else if state.ring.frames.isEmpty {
                    .notReadyMomentarily
                } else if !state.waiting.isEmpty {
                    .notReadyWaitingForCapture
                } else if state.pending >= mostOrders(state) {
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
            state.results.append((id, state.results.count, kind))
            return nil
        }
        live?.tell(kind)
    }

    /// Whether one instant of the video follows another by little.
    private static func isWithinPause(_ now: Double?, of last: Double?) -> Bool {
        guard let now, let last else { return false }
        return abs(now - last) < pause
    }

    /// What there is to tell at the end.
    func takeResults() -> [ReactionEvent.Kind] {
        state.withLock { state in
            defer { state.results = [] }
            return state.results.sorted { ($0.id, $0.order) < ($1.id, $1.order) }.map(\.kind)
        }
    }
}
