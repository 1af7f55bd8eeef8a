import MediaIO
import Reactions

/// The reaction that a photograph shows.
struct PhotoSubject: Sendable, Hashable {
    var reactionType: ReactionType
    var gesture: ReactionGesture?
    /// The place in the upright picture.
    var origin: PicturePoint
    /// The tile whose picture is photographed; `nil` for the whole picture.
    var tile: LayoutTile?

}

/// A request for a photograph.
struct PhotoRequest: Sendable {
    typealias Completion = @Sendable (Result<Photo, FlourishError>) -> Void

    let id: Int
    var settings: PhotoSettings
    var moment: CapturedMoment
    var subject: PhotoSubject?
    var content = PhotoOptions.Content.clean
    /// The time from which the best instant is chosen; the moment's reference is shown if `nil`.
    var chosenFrom: Double?
    var isZeroShutterLag = true
    var completion: Completion?
    /// The part of the picture that is photographed, because the video shows that part; `nil` for the whole picture.
    var crop: PictureCrop?

    /// The place of the reaction in the picture that is photographed.
    var place: PicturePoint? {
        guard let subject else { return nil }
        return subject.tile?.placeInTile(subject.origin) ?? crop?.placeInCrop(subject.origin) ?? subject.origin
    }

    /// Returns the fields of the events about the photograph.
    func detail(_ photo: Photo) -> ReactionEvent.PhotoDetail {
        let resolved = photo.resolvedSettings
        var detail = ReactionEvent.PhotoDetail(
            id: id, path: photo.path, photoTime: photo.time, content: content.rawValue,
            photoQualityPrioritization: resolved.photoQualityPrioritization, frames: resolved.frames,
            width: resolved.width, height: resolved.height, zeroShutterLag: isZeroShutterLag)
        detail.reactionType = subject?.reactionType
        detail.gesture = subject?.gesture
        detail.origin = subject?.origin
        detail.tile = subject?.tile
        detail.crop = crop
        detail.choice = photo.choice
        return detail
    }
}

/// Decides which requests a run accepts, and stores accepted requests until their frame arrives.
///
/// Used under the lock of its owner, ``PhotoCapture``.
struct PhotoRequestQueue: Sendable {
    /// A request whose frame has not arrived.
    struct Waiting: Sendable {
        var settings: PhotoSettings
        /// The instant; if `nil`, the next frame that arrives.
        var time: Double?
        var completion: PhotoRequest.Completion
    }

    /// The maximum number of requests in progress.
    static let maxRequestCount = 24
    /// The maximum number of frames that these requests may hold, in addition to the ring's own frames.
    static let maxHeldFrameCount = 96
    /// The seconds of video without a request after which deferred photographs are finished. Requests that follow each
    /// other more quickly than this are requests in quick succession.
    private static let pause = 1.0

    private(set) var lastID = 0
    private var waiting: [Waiting] = []
    /// The time of the video at the last request, in seconds.
    private var lastRequest: Double?
    /// The number of requests in progress, and the number of frames that they hold.
    private var pending = 0, held = 0

    /// Resets the counts at the beginning of a run.
    mutating func reset() { (pending, held, lastRequest) = (0, 0, nil) }

    /// Returns the readiness of a run that has frames.
    func readiness(_ options: PhotoOptions?) -> PhotoCaptureReadiness {
        if !waiting.isEmpty { return .notReadyWaitingForCapture }
        return pending >= Self.limit(options) ? .notReadyWaitingForProcessing : .ready
    }

    /// Returns the maximum number of client requests in progress.
    private static func limit(_ options: PhotoOptions?) -> Int {
        options?.isResponsiveCaptureEnabled == false ? 1 : maxRequestCount
    }

    /// Returns whether deferred photographs may be finished now.
    func isIdle(at now: Double?) -> Bool {
        guard pending == 0, let now else { return false }
        return now - (lastRequest ?? now) >= Self.pause
    }

    private func isWithinPause(_ now: Double?) -> Bool {
        guard let now, let lastRequest else { return false }
        return abs(now - lastRequest) < Self.pause
    }

    private static func tooMany(_ count: Int) -> FlourishError {
        FlourishError(
            .unavailable, "no photograph can be captured: \(count == 1 ? "one is" : "\(count) are") being processed")
    }
}

extension PhotoRequestQueue {
    /// Returns whether an instant is later than the newest frame.
    ///
    /// - Throws: ``FlourishError/Code/usage`` if the instant is further ahead than the length of the ring. No client
    ///   that sees the video requests such an instant.
    static func waits(for time: Double, newest: SharedPicture) throws(FlourishError) -> Bool {
        let now = newest.frame.time.seconds
        let end = now + (newest.frame.duration?.seconds ?? 0)
        if time <= end + FrameRing.rounding { return false }
        if time <= now + FrameRing.length { return true }
        let rounded = (time: JSONLine.rounded(time, places: 3), now: JSONLine.rounded(now, places: 3))
        throw FlourishError(
            .usage,
            "no photograph can be captured at \(rounded.time) s: the video is at \(rounded.now) s, and the limit is \(FrameRing.length) s ahead"
        )
    }

    /// Lets a request wait for its frame.
    ///
    /// - Throws: ``FlourishError/Code/unavailable`` if there are too many requests.
    mutating func wait(_ request: Waiting, _ options: PhotoOptions?) throws(FlourishError) {
        let count = pending + waiting.count
        if count >= Self.limit(options) { throw Self.tooMany(count) }
        waiting.append(request)
    }

    /// Removes and returns the requests whose frame has arrived.
    mutating func dequeueWaiting(shownBy newest: SharedPicture) -> [Waiting] {
        if waiting.isEmpty { return [] }
        let shownUntil = newest.frame.time.seconds + (newest.frame.duration?.seconds ?? 0) + FrameRing.rounding
        defer { waiting.removeAll { $0.time ?? -.infinity <= shownUntil } }
        return waiting.filter { $0.time ?? -.infinity <= shownUntil }
    }

    /// Removes and returns all requests that wait for a frame.
    mutating func dequeueWaiting() -> [Waiting] {
        defer { waiting = [] }
        return waiting
    }
}

extension PhotoRequestQueue {
    /// Accepts a request, and limits its quality and its number of frames according to the available time and memory.
    ///
    /// - Parameters:
    ///   - isShown: whether the moment shows the requested instant.
    ///   - settings: the client's settings; the run's settings if `nil`.
    ///   - now: the time of the newest frame.
    /// - Throws: ``FlourishError/Code/unavailable`` if there are too many requests.
    mutating func admit(
        _ moment: CapturedMoment, isShown: Bool, _ settings: PhotoSettings?, _ subject: PhotoSubject?,
        _ content: PhotoOptions.Content, chosenFrom: Double?, _ run: PhotoCapture.Run, at now: Double?,
        _ completion: PhotoRequest.Completion?
    ) throws(FlourishError) -> PhotoRequest {
        lastID += 1
        let limit = subject == nil ? Self.limit(run.options) : Self.maxRequestCount
        if pending >= limit, run.policy.refusesBeyondLimit || limit == 1 { throw Self.tooMany(pending) }
        var settings = settings ?? PhotoSettings(run.options.processedFileType)
        if subject != nil { settings.photoQualityPrioritization = run.options.photoQualityPrioritization }
        let isQuick = run.policy.reducesQualityWhilePending && pending > 0 || isWithinPause(now)
        lastRequest = now
        if isQuick, run.options.isFastCapturePrioritizationEnabled, !run.defers(settings) {
            settings.photoQualityPrioritization = min(settings.photoQualityPrioritization, .balanced)
        }
        // Beyond the limit of held frames, one frame is used, which the resolved settings report.
        var maximum = chosenFrom == nil ? settings.photoQualityPrioritization.maxFrameCount : Int.max
        if held + min(maximum, moment.frames.count) > run.policy.maxHeldFrameCount { maximum = 1 }
        let used = maximum == .max ? moment : moment.limited(to: maximum)
        pending += 1
        held += used.frames.count
        return PhotoRequest(
            id: lastID, settings: settings, moment: used, subject: subject, content: content,
            chosenFrom: maximum == 1 ? nil : chosenFrom, isZeroShutterLag: isShown, completion: completion)
    }

    /// Removes a request that was processed.
    mutating func complete(_ request: PhotoRequest) {
        pending -= 1
        held -= request.moment.frames.count
    }
}

/// The rules for photographs. They differ between live runs, in which no frame may wait for a photograph, and other
/// runs.
package struct PhotoPolicy: Sendable {
    /// The time at which events of photographs are emitted.
    var emission: EmissionTime
    /// True if changes of the readiness are emitted.
    var emitsReadiness: Bool
    /// True if the stages that process frames have priority over the thread of photographs.
    var yieldsToFrames: Bool
    /// True if requests beyond the limit are refused. Otherwise the video waits.
    var refusesBeyondLimit: Bool
    /// True if a request while another is in progress counts as one in quick succession
    /// (``PhotoOptions/isFastCapturePrioritizationEnabled``).
    var reducesQualityWhilePending: Bool
    /// The maximum number of frames that requests in progress keep in memory.
    var maxHeldFrameCount: Int

    /// The rules of a live run.
    package static let live = PhotoPolicy(
        emission: .atOnce, emitsReadiness: true, yieldsToFrames: true, refusesBeyondLimit: true,
        reducesQualityWhilePending: true, maxHeldFrameCount: PhotoRequestQueue.maxHeldFrameCount)
    /// The rules of a recording, whose frames wait. Identical runs give identical photographs.
    package static let recorded = PhotoPolicy(
        emission: .atEnd, emitsReadiness: false, yieldsToFrames: false, refusesBeyondLimit: false,
        reducesQualityWhilePending: false, maxHeldFrameCount: .max)
}
