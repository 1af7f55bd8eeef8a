import MediaIO
import Photography
import Platform
import Reactions
import Synchronization

/// Delivers proxies of a run's photographs, and finishes the photographs later. It writes to the run's folder through
/// ``DeferredPhotoStore``. ``PhotoStage`` uses it.
final class PhotoDeferral: Sendable {
    private struct State {
        /// The proxies whose photographs the run finishes: the fields of their events, and the names of the files.
        var deferred: [(detail: ReactionEvent.PhotoDetail, name: String)] = []
        var isDeveloping = false
    }

    private let run: PhotoCapture.Run
    private let files: PhotoFiles
    private let events: PhotoEvents
    private let state = Mutex(State())

    init(_ run: PhotoCapture.Run, _ files: PhotoFiles, _ events: PhotoEvents) {
        (self.run, self.files, self.events) = (run, files, events)
    }

    /// Delivers a proxy if the photograph is finished later, and stores the photograph's frames.
    ///
    /// - Parameters:
    ///   - moment: the frames of the photograph.
    ///   - metadata: the file's metadata except for the comment.
    /// - Returns: the proxy, and the event that reports it. `nil` if the photograph must be created immediately,
    ///   because the request requires it, the photograph has only one frame, or there is no space for its frames.
    /// - Throws: an error if the proxy cannot be created, or no name is free.
    func storeProxy(
        of moment: CapturedMoment, _ choice: PhotoChoice?, _ request: PhotoRequest, _ processor: PhotoProcessor,
        _ metadata: StillMetadata
    ) throws -> (photo: Photo, event: ReactionEvent.Kind)? {
        guard let store = run.deferredPhotos, run.defers(request.settings) else { return nil }
        let used = moment.limited(to: request.settings.photoQualityPrioritization.maxFrameCount)
        guard used.frames.count > 1 else { return nil }
        var metadata = metadata
        let time = used.frames[used.reference].frame.time.seconds
        metadata.comment = PhotoFiles.comment(request, time, isDegraded: true)
        var settings = request.settings
        settings.photoQualityPrioritization = .speed
        var photo = try processor.photo(of: used, settings, metadata: metadata)
        (photo.choice, photo.isProxy) = (choice, true)
        metadata.comment = PhotoFiles.comment(request, time, isDegraded: false)
        let header = DeferredPhoto.Header(
            reference: used.reference, photoQualityPrioritization: request.settings.photoQualityPrioritization,
            processedFileType: request.settings.processedFileType,
            isFinishingEnabled: request.settings.isFinishingEnabled, metadata: metadata, time: photo.time,
            proxy: try FileFingerprint.of(photo.fileDataRepresentation), frames: [])
        for name in files.names(of: request, at: photo.time) {
            // A photograph that this run will finish later is already claimed, and must not be replaced before.
            let isDeferredHere = state.withLock { $0.deferred.contains { $0.name == name } }
            guard !isDeferredHere, var replaces = files.replaces(name, request, photo.time), store.claim(name) else {
                continue
            }
            // The user has removed the photograph, so frames that an earlier run stored for it may be replaced, too.
            if run.replacement == .own, FileKind.of(files.path(of: name)) == nil { replaces = true }
            defer { if run.options.deferredPhotoDelivery == .later { store.release(name) } }
            let isStored: Bool
            do {
                isStored = try store.store(photo.fileDataRepresentation, header, used, as: name, overwrite: replaces)
            } catch {
                store.release(name)
                // The photograph is created immediately, because there may be space for it alone. If not, writing it
                // reports the error.
                return nil
            }
            guard isStored else {
                store.release(name)
                continue
            }
            files.recordWritten(name)
            photo.path = files.path(of: name)
            let detail = request.detail(photo)
            if run.options.deferredPhotoDelivery != .later {
                state.withLock { $0.deferred.append((detail, name)) }
            }
            return (photo, .photoProxy(detail))
        }
        throw files.isTaken(request, at: photo.time)
    }

    /// Marks the beginning of finishing a photograph.
    ///
    /// - Returns: `false` if there is no photograph to finish, or one is being finished.
    func beginDeveloping() -> Bool {
        state.withLock { state in
            if state.deferred.isEmpty || state.isDeveloping { return false }
            state.isDeveloping = true
            return true
        }
    }

    /// Marks the end of finishing a photograph.
    func endDeveloping() { state.withLock { $0.isDeveloping = false } }

    /// Finishes the photograph that has waited longest.
    ///
    /// - Returns: `false` if there is no deferred photograph.
    @discardableResult
    func developNext(_ processor: PhotoProcessor) -> Bool {
        guard let store = run.deferredPhotos else { return false }
        let next = state.withLock { $0.deferred.isEmpty ? nil : $0.deferred.removeFirst() }
        guard let next else { return false }
        defer { store.release(next.name) }
        let start = MonotonicClock.now
        do throws(FlourishError) {
            let photo = try store.develop(next.name, processor, overwrite: false)
            var detail = next.detail
            detail.photoQualityPrioritization = photo.resolvedSettings.photoQualityPrioritization
            detail.frames = photo.resolvedSettings.frames
            events.emit(.photoFinished(detail), detail.id)
        } catch {
            events.emit(.photoFailed(id: next.detail.id, message: error.message), next.detail.id)
        }
        ProgressHeartbeat.record(step: MonotonicClock.now - start)
        return true
    }

    /// Finishes all deferred photographs at the run's end.
    func developRest() {
        if state.withLock({ $0.deferred.isEmpty }) { return }
        let processor = PhotoProcessor()
        while developNext(processor) {}
    }
}
