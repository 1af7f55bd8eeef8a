import MediaIO
import Photography
import Platform
import Reactions
import Synchronization

/// Photographs that are delivered as proxies, and finished later.
extension PhotoDesk {
    /// Delivers a proxy, where the photograph is to be finished later, and keeps what it is made of.
    ///
    /// - Parameters:
    ///   - moment: what it shows.
    ///   - metadata: what its file is to tell, but for the comment.
    /// - Returns: what to tell; `nil` where the photograph is to be made at once: since that was asked for, it is made of
    ///   one frame, or there is no room for what it is made of.
    /// - Throws: where the proxy cannot be written.
    func proxy(
        of moment: CapturedMoment, _ choice: PhotoChoice?, _ order: Order, _ run: Run, _ processor: PhotoProcessor,
        _ metadata: StillMetadata
    ) throws -> ReactionEvent.Kind? {
        guard let negatives = run.negatives, run.defers(order.settings) else { return nil }
        let used = moment.limited(to: order.settings.photoQualityPrioritization.maxFrameCount)
        guard used.frames.count > 1 else { return nil }
        var metadata = metadata
        let time = used.frames[used.reference].frame.time.seconds
        metadata.comment = comment(order, time, isDegraded: true)
        var settings = order.settings
        settings.photoQualityPrioritization = .speed
        var photo = try processor.photo(of: used, settings, metadata: metadata)
        (photo.choice, photo.isProxy) = (choice, true)
        metadata.comment = comment(order, time, isDegraded: false)
        let header = Negative.Header(
            reference: used.reference, photoQualityPrioritization: order.settings.photoQualityPrioritization,
            processedFileType: order.settings.processedFileType,
            isFinishingEnabled: order.settings.isFinishingEnabled, metadata: metadata, time: photo.time,
            proxy: try FileFingerprint.of(photo.fileDataRepresentation), frames: [])
        for name in run.names(of: order, at: photo.time) {
            // What the run finishes itself nobody else is to, and it does not replace it before.
            let isOurs = state.withLock { $0.deferred.contains { $0.name == name } }
            guard !isOurs, var replaces = mayTake(name, order, photo.time, run), negatives.claim(name) else { continue }
            // What an earlier run left to be made of a photograph that somebody removed is its own, too.
            if run.replacesOwn, FileKind.of(run.path(of: name)) == nil { replaces = true }
            defer { if run.options.deferredPhotoDelivery == .later { negatives.release(name) } }
            let isStored: Bool
            do {
                isStored = try negatives.store(
                    photo.fileDataRepresentation, header, used, as: name, overwrite: replaces)
            } catch {
                negatives.release(name)
                // Perhaps there is room for the photograph alone; otherwise that is told.
                return nil
            }
            guard isStored else {
                negatives.release(name)
                continue
            }
            state.withLock { _ = $0.written.insert(name) }
            photo.path = run.path(of: name)
            let detail = self.detail(order, photo)
            if run.options.deferredPhotoDelivery != .later {
                state.withLock { $0.deferred.append(Deferred(detail: detail, name: name)) }
            }
            order.completion?(.success(photo))
            return .photoProxy(detail)
        }
        throw run.isTaken(order, at: photo.time)
    }

    /// Has one photograph finished, where there is time for it.
    func developWhileIdle() {
        let isIdle = state.withLock { state -> Bool in
            guard state.run?.options.deferredPhotoDelivery == .idle, !state.deferred.isEmpty, state.pending == 0,
                !state.isDeveloping, let now = state.ring.frames.last?.frame.time.seconds,
                now - (state.lastRequest ?? now) >= Self.pause
            else { return false }
            state.isDeveloping = true
            return true
        }
        if isIdle { _ = queue.value?.sendUnlessFinished(.develop) }
    }

    /// Finishes the photograph that has waited longest.
    ///
    /// - Returns: whether there was one.
    @discardableResult
    func developNext(_ run: Run, _ processor: PhotoProcessor) -> Bool {
        guard let negatives = run.negatives else { return false }
        let next = state.withLock { $0.deferred.isEmpty ? nil : $0.deferred.removeFirst() }
        guard let next else { return false }
        defer { negatives.release(next.name) }
        let start = MonotonicClock.now
        do throws(FlourishError) {
            let photo = try negatives.develop(next.name, processor, overwrite: false)
            var detail = next.detail
            detail.photoQualityPrioritization = photo.resolvedSettings.photoQualityPrioritization
            detail.frames = photo.resolvedSettings.frames
            tell(.photoFinished(detail), detail.id)
        } catch {
            tell(.photoFailed(id: next.detail.id, message: error.message), next.detail.id)
        }
        LifeSign.note(step: MonotonicClock.now - start)
        return true
    }

    /// Finishes at the run's end what was deferred.
    func developRest() {
        guard let run = state.withLock({ $0.deferred.isEmpty ? nil : $0.run }) else { return }
        let processor = PhotoProcessor()
        while developNext(run, processor) {}
    }
}

extension PhotoDesk.Run {
    /// Whether a photograph is finished later.
    func defers(_ settings: PhotoSettings) -> Bool {
        negatives != nil && settings.photoQualityPrioritization == .quality
    }
}
