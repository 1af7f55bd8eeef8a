import MediaIO
import Platform
import Raster
import Reactions
import Synchronization

/// Creates the photographs of one run on a separate thread, and writes their files. ``PhotoCapture`` queues its jobs.
final class PhotoStage: Sendable {
    /// A task for the thread.
    enum Job: Sendable {
        case photograph(PhotoRequest)
        /// Finishes one deferred photograph while no other photograph is requested.
        case developDeferred
        /// Reserves memory for this number of frames, and releases the remaining memory.
        case prepare(PictureFormat, Int, @Sendable (Bool) -> Void)
    }

    let run: PhotoCapture.Run
    let jobs = Channel<Job>(capacity: PhotoRequestQueue.maxRequestCount)
    let events: PhotoEvents
    let deferral: PhotoDeferral
    private let files: PhotoFiles

    init(_ run: PhotoCapture.Run) {
        self.run = run
        events = PhotoEvents(run)
        files = PhotoFiles(run)
        deferral = PhotoDeferral(run, files, events)
    }

    /// Processes jobs until no more follow.
    ///
    /// - Parameters:
    ///   - preparedFrames: returns the number of frames for which memory is kept; `nil` for no limit.
    ///   - onDone: called after each request, before its completion.
    func process(preparedFrames: () -> Int?, onDone: (PhotoRequest) -> Void) {
        if run.policy.yieldsToFrames { StageThread.yieldToOthers() }
        let processor = PhotoProcessor()
        let finder = FaceFinder(resources: run.resources)
        while let job = jobs.receive() {
            switch job {
            case .prepare(let format, let count, let completion):
                processor.prepare(format, frames: count)
                completion(true)
            case .developDeferred:
                deferral.developNext(processor)
                deferral.endDeveloping()
                if let maximum = preparedFrames() { processor.trim(to: maximum) }
            case .photograph(let request):
                let (result, event) = make(request, processor, finder)
                // The request is marked as done first, because a client may request the next photograph as soon as it
                // receives its reply.
                onDone(request)
                request.completion?(result)
                events.emit(event, request.id)
                if let maximum = preparedFrames() { processor.trim(to: maximum) }
            }
        }
    }

    /// Creates a photograph or its proxy, and the event that reports it.
    private func make(
        _ request: PhotoRequest, _ processor: PhotoProcessor, _ finder: FaceFinder
    ) -> (Result<Photo, FlourishError>, ReactionEvent.Kind) {
        do {
            var (moment, choice) = (request.moment, PhotoChoice?.none)
            if let start = request.chosenFrom {
                (moment, choice) = moment.best(from: start, near: request.place, finder)
            }
            let time = moment.frames[moment.reference].frame.time.seconds
            var metadata = StillMetadata(recording: run.metadata, at: time - run.start)
            metadata.software = "Flourish"
            metadata.description = request.subject?.reactionType.words
            if let proxy = try deferral.storeProxy(of: moment, choice, request, processor, metadata) {
                return (.success(proxy.photo), proxy.event)
            }
            metadata.comment = PhotoFiles.comment(request, time)
            var photo = try processor.photo(of: moment, request.settings, metadata: metadata)
            photo.choice = choice
            if run.options.folder != nil { photo.path = try files.write(photo, request) }
            return (.success(photo), .photoFinished(request.detail(photo)))
        } catch {
            let error = FlourishError(describing: error)
            return (.failure(error), .photoFailed(id: request.id, message: error.message))
        }
    }
}

extension ReactionType {
    /// The name in words: `thumbsUp` is "thumbs up".
    fileprivate var words: String {
        rawValue.map { $0.isUppercase ? " " + $0.lowercased() : String($0) }.joined()
    }
}

/// Emits the events of a run's photographs at the time that the policy defines.
final class PhotoEvents: Sendable {
    private let time: EmissionTime
    private let emitNow: @Sendable (ReactionEvent.Kind) -> Void
    /// The events to emit at the end. The events of one photograph keep their order.
    private let results = Mutex<[(id: Int, order: Int, kind: ReactionEvent.Kind)]>([])

    init(_ run: PhotoCapture.Run) { (time, emitNow) = (run.policy.emission, run.emit) }

    /// Emits an event of the photograph with an identifier, or keeps it for the end of the run.
    func emit(_ kind: ReactionEvent.Kind, _ id: Int) {
        switch time {
        case .atOnce: emitNow(kind)
        case .atEnd: results.withLock { $0.append((id, $0.count, kind)) }
        }
    }

    /// Removes and returns the events for the run's end.
    func dequeueAll() -> [ReactionEvent.Kind] {
        results.withLock { results in
            defer { results = [] }
            return results.sorted { ($0.id, $0.order) < ($1.id, $1.order) }.map(\.kind)
        }
    }
}
