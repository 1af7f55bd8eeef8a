import MediaIO
import Pipeline
import Platform
import Raster
import Synchronization

/// Shows reactions over the pictures of an application: a camera program, a game or a conference server.
///
/// The caller passes pixel buffers with their time stamps, one after the other. The processor detects gestures, draws
/// on each buffer in place, and returns the effects in progress. While no effect runs, the processor does not copy
/// buffers, with two exceptions. Live detection copies each picture that is offered to its thread; and formats that
/// detection cannot read are converted when a detection is due.
///
/// ```swift
/// let processor = try ReactionProcessor(width: 1280, height: 720, pixelFormat: "yuv420p")
/// try processor.session.performEffect(for: .confetti)
/// while var picture = camera.nextPicture() {
///     let effects = try processor.process(&picture, at: camera.time)
///     // Show or send the picture.
/// }
/// try processor.finish()
/// ```
///
/// A processor is used by one thread at a time; a ``SharedReactionProcessor`` by any. The ``session`` of a processor
/// may be used on any thread to receive events, request effects and change settings.
///
/// With ``Configuration/isLive``, gestures are detected on a separate thread, so `process` takes only the time of
/// drawing. Otherwise, a call takes longer when an inference is due, and two runs over the same buffers give the same
/// pixels and events.
///
/// With ``Configuration/writesOverlay``, the effects replace the picture while they run, on a transparent background with
/// straight alpha. The pixel format must be `rgba` or `bgra`.
public final class ReactionProcessor {
    /// The matrix that converts R′G′B′ to Y′CbCr.
    public enum Matrix: String, Sendable, Hashable, CaseIterable {
        /// The matrices, named by the numbers of ITU-R's recommendations.
        case bt601, bt709, bt2020
    }

    /// The session that controls the processor and emits its events. The session cannot run a video as well.
    public let session: ReactionSession
    /// The picture's width in pixels.
    public let width: Int
    /// The picture's height in pixels.
    public let height: Int

    private let pool: FramePool
    private let pictures: ExternalFrameWrapper
    private let detection: ProcessorDetection?
    private let engine: ReactionEngine
    private let emitter: EventEmitter
    /// Decides what is omitted on a slow machine; `nil` if nothing is.
    private let quality: LiveQuality?
    private let types: [ReactionType]
    /// True if the effects alone replace the picture.
    private let writesOverlay: Bool
    private var isFinished = false
    /// The time stamp of the last picture, in seconds.
    private var lastTime: Double?
    /// True if the last picture was drawn on: with effects, a ring, Portrait, Studio Light or auto framing.
    package private(set) var hasDrawn = false

    /// Loads the required resources. Models are loaded only if gestures are detected.
    ///
    /// ```swift
    /// var configuration = Configuration()
    /// configuration.isLive = true
    /// let processor = try ReactionProcessor(
    ///     width: 1920, height: 1080, pixelFormat: "bgra", session: ReactionSession(configuration: configuration))
    /// ```
    ///
    /// - Parameters:
    ///   - width: The picture's width in pixels.
    ///   - height: The picture's height in pixels.
    ///   - pixelFormat: FFmpeg's name of the pixel format. Planar Y′CbCr (`yuv420p`, `yuv422p`, `yuv444p`, and their 10
    ///     and 12 bit variants) is modified in place. Other formats, such as `nv12`, `yuyv422` or `bgra`, are converted
    ///     and converted back while an effect runs.
    ///   - isFullRange: Whether Y′CbCr uses all values, as JPEG does.
    ///   - matrix: The matrix of Y′CbCr; if `nil`, the matrix that players assume, which is BT.709 for 720 rows and
    ///     more, otherwise BT.601.
    ///   - session: A session that has not yet run, whose ``Configuration`` applies except for files and encoding.
    ///   - observer: Receives events, like ``ReactionSession/events``.
    /// - Throws: ``FlourishError``.
    public init(
        width: Int, height: Int, pixelFormat: String = "yuv420p", isFullRange: Bool = false,
        matrix: Matrix? = nil, session: ReactionSession = ReactionSession(),
        observer: SessionObserver = SessionObserver()
    ) throws(FlourishError) {
        let (configuration, control) = (session.configuration, session.control)
        try configuration.validate()
        writesOverlay = configuration.writesOverlay
        guard !writesOverlay || ["rgba", "bgra"].contains(pixelFormat) else {
            throw FlourishError(
                .usage, "an overlay needs the pixel format rgba or bgra, which have alpha, not \(pixelFormat)")
        }
        let catalog = try EffectCatalog(resources: session.resources, checking: configuration)
        try configuration.videoEffects.background.check()
        let pool = FramePool()
        do {
            pictures = try ExternalFrameWrapper(
                width: width, height: height, format: pixelFormat, isFullRange: isFullRange,
                matrix: matrix.flatMap { ColourMatrix(rawValue: $0.rawValue) }, pool: pool)
        } catch {
            throw FlourishError(describing: error)
        }
        quality = configuration.isLive && configuration.lowersQuality ? LiveQuality(dropsFrames: false) : nil
        detection =
            configuration.gesturesEnabled ? try ProcessorDetection(session, pool: pool, quality: quality) : nil
        try session.begin()
        control.state.withLock { $0.isRunning = true }
        (self.width, self.height, self.session, self.pool, types) = (width, height, session, pool, catalog.types)
        emitter = EventEmitter(expectsFeedback: false) { [hub = session.hub, emitted = observer.event] event in
            emitted?(event)
            hub.publish(event)
        }
        var setup = ReactionEngine.Setup(
            catalog: catalog, configuration: configuration, resources: session.resources, pool: pool)
        setup.schedule = configuration.scheduledReactions.map(ScheduledRequest.init)
        setup.drawsOnTwoThreads = true
        if writesOverlay { setup.drawing = .alone }
        setup.quality = quality
        engine = ReactionEngine(setup)
    }

    deinit { end() }

    /// The number of planes of a picture in the pixel format.
    public var planeCount: Int { pictures.planeCount }

    /// The number of bytes of a picture whose rows and planes are contiguous, as in FFmpeg's raw video.
    ///
    /// ```swift
    /// var picture = [UInt8](repeating: 0, count: processor.packedSize)
    /// try processor.process(&picture, at: 0)
    /// ```
    public var packedSize: Int { pictures.packedPlanes.reduce(0) { $0 + $1.size } }

    /// Analyses a picture if it is due, and draws the effects in progress on it.
    ///
    /// ```swift
    /// while var picture = camera.nextPicture() {
    ///     let effects = try processor.process(&picture, at: camera.time)
    ///     print(effects.map(\.reactionType))
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - picture: ``packedSize`` bytes.
    ///   - time: The picture's time stamp in seconds; greater than the previous one.
    ///   - duration: The duration of the picture, in seconds, if known.
    /// - Returns: The effects in progress at this picture, sorted by their start.
    /// - Throws: ``FlourishError``. The code is ``FlourishError/Code/usage`` for a buffer of a different size, for a
    ///   time that is not greater than the previous one, and after ``finish()``.
    @discardableResult
    public func process(
        _ picture: inout [UInt8], at time: Double, duration: Double? = nil
    ) throws(FlourishError) -> [ReactionEffectState] {
        guard picture.count == packedSize else {
            throw FlourishError(
                .usage, "a picture has \(picture.count) bytes; one of \(width)×\(height) has \(packedSize)")
        }
        let result = unsafe picture.withUnsafeMutableBytes { bytes in
            var planes: [PixelPlane] = unsafe []
            var offset = 0
            for (size, stride) in pictures.packedPlanes {
                unsafe planes.append(PixelPlane(address: bytes.baseAddress! + offset, bytesPerRow: stride))
                offset += size
            }
            return Result { () throws(FlourishError) in
                unsafe try process(planes, at: time, duration: duration)
            }
        }
        return try result.get()
    }

    /// Analyses a picture if it is due, and draws the effects in progress on it.
    ///
    /// ```swift
    /// // One plane of packed BGRA, 1280 pixels wide.
    /// let plane = unsafe PixelPlane(address: address, bytesPerRow: 4 * 1280)
    /// try unsafe processor.process([plane], at: 0.5)
    /// ```
    ///
    /// - Parameters:
    ///   - planes: ``planeCount`` planes, whose memory is used only until the call returns.
    ///   - time: The picture's time stamp in seconds; greater than the previous one.
    ///   - duration: The duration of the picture, in seconds, if known.
    /// - Returns: The effects in progress at this picture, sorted by their start.
    /// - Throws: ``FlourishError``. The code is ``FlourishError/Code/usage`` for a different number of planes, for a
    ///   time that is not greater than the previous one, and after ``finish()``.
    @unsafe
    @discardableResult
    public func process(
        _ planes: [PixelPlane], at time: Double, duration: Double? = nil
    ) throws(FlourishError) -> [ReactionEffectState] {
        guard !isFinished else { throw FlourishError(.usage, "the processor has finished; create a new one") }
        guard unsafe planes.count == planeCount else {
            throw FlourishError(
                .usage, "a picture has \(unsafe planes.count) planes; one of this format has \(planeCount)")
        }
        guard time.isFinite else { throw FlourishError(.usage, "\(time) is not a time stamp; pass seconds") }
        if let lastTime, time <= lastTime {
            throw FlourishError(
                .usage, "the picture's time \(time) s is not after \(lastTime) s, that of the picture before it")
        }
        lastTime = time
        do {
            let memory = unsafe planes.map {
                unsafe ExternalFrameWrapper.Plane(address: $0.address, stride: $0.bytesPerRow)
            }
            return unsafe try draw(memory, at: time, duration: duration)
        } catch {
            throw FlourishError(describing: error)
        }
    }

    /// Ends the effects in progress and the events.
    ///
    /// ```swift
    /// let summary = try processor.finish()
    /// print(summary.framesIn, "frames,", summary.effects.values.reduce(0, +), "effects")
    /// ```
    ///
    /// - Returns: The numbers of frames and effects of the whole stream.
    /// - Throws: ``FlourishError`` if gesture detection has failed on its own thread.
    @discardableResult
    public func finish() throws(FlourishError) -> ReactionEvent.StreamSummary {
        let summary = end()
        try detection?.check()
        return summary
    }
}

// MARK: - One picture

extension ReactionProcessor {
    @unsafe
    private func draw(
        _ planes: [ExternalFrameWrapper.Plane], at time: Double, duration: Double?
    ) throws -> [ReactionEffectState] {
        let control = session.control
        let start = MonotonicClock.now
        defer { quality?.load.addDrawing(since: start) }
        let stamp = MediaTime(seconds: time)
        // A picture is converted only if a stage needs it.
        let isWanted =
            pictures.isNative || engine.needsPicture(at: time) || control.hasRequests(at: time)
            || detection?.isDue(at: time) == true
            || control.switches.videoEffects.autoFraming > 0
            || control.pictures.isWanted
        var item = PipelineFrame(
            frame: isWanted
                ? unsafe try pictures.frame(of: planes, time: stamp, duration: duration.map { MediaTime(seconds: $0) })
                : try pictures.placeholder(time: stamp),
            id: engine.frameCount, time: time)
        hasDrawn = false
        if engine.frameCount == 0 { emitStart(at: time) }
        if isWanted { try detection?.detect(in: &item) }
        guard engine.plan(&item, control.switches(at: time), requests: { control.dequeueRequests(at: time) })
        else { return [] }
        if let quality { control.state.withLock { $0.quality = quality.state } }
        control.publish(item.plan)
        let isDrawnOn = item.plan.drawsOnFrame
        if !isWanted, isDrawnOn {
            // An effect was requested in the meantime.
            item.frame = unsafe try pictures.frame(of: planes, time: stamp, duration: nil)
        }
        try engine.draw(&item)
        if isDrawnOn { unsafe try pictures.write(item.frame, to: planes) }
        hasDrawn = isDrawnOn
        if control.pictures.isWanted { control.pictures.offer(try item.frame.copy(pool: pool)) }
        control.meter.noteFrame(decodedAt: item.arrival)
        emitter.pass(time: time, frame: item.plan.id)
        for event in item.plan.events { emitter.add(event) }
        return item.plan.effects.map(\.state)
    }

    private func emitStart(at time: Double) {
        let configuration = session.configuration
        emitter.add(
            ReactionEvent(
                time: time, frame: 0,
                kind: .streamStarted(
                    .init(
                        input: "", width: width, height: height, frameRate: nil, availableReactionTypes: types,
                        gesturesEnabled: configuration.gesturesEnabled, reactionsEnabled: configuration.reactionsEnabled
                    ))))
    }

    @discardableResult
    private func end() -> ReactionEvent.StreamSummary {
        let outcome = engine.finish()
        session.control.endEffects()
        let summary = ReactionEvent.StreamSummary(
            framesIn: outcome.frameCount, framesOut: outcome.frameCount, framesDropped: 0,
            effects: outcome.effectCounts, seconds: outcome.seconds)
        guard !isFinished else { return summary }
        isFinished = true
        detection?.finish()
        if outcome.frameCount > 0 {
            for event in outcome.events(trailing: []) { emitter.add(event) }
            emitter.add(ReactionEvent(time: outcome.endTime, frame: outcome.endID, kind: .streamEnded(summary)))
        }
        session.end()
        return summary
    }
}

/// The memory of one plane of a picture.
@unsafe
public struct PixelPlane {
    /// The address of the first row.
    public var address: UnsafeMutableRawPointer
    /// The number of bytes from one row to the next.
    public var bytesPerRow: Int

    /// Creates a plane that begins at an address.
    public init(address: UnsafeMutableRawPointer, bytesPerRow: Int) {
        unsafe self.address = unsafe address
        unsafe self.bytesPerRow = bytesPerRow
    }
}

/// Detects gestures in the pictures that an application passes to a ``ReactionProcessor``: within the call, or for a
/// live configuration on a separate thread.
///
/// Used by one thread at a time.
final class ProcessorDetection {
    private let pool: FramePool
    private let control: SessionControl
    /// The analyser that works within the call.
    private let analyser: FrameAnalyser?
    /// The analysis on another thread.
    private let live: LiveAnalysis?
    private let failure = PipelineFailure()
    /// The time of the last picture that was offered to the analysis thread, in seconds.
    private var lastOffer = -Double.infinity

    /// - Throws: ``FlourishError`` if the models are missing.
    init(_ session: ReactionSession, pool: FramePool, quality: LiveQuality?) throws(FlourishError) {
        self.pool = pool
        control = session.control
        let makeAnalyser: @Sendable () throws(FlourishError) -> FrameAnalyser = {
            try FrameAnalyser(
                resources: session.resources, configuration: session.configuration, control: session.control,
                speech: session.speech)
        }
        guard session.configuration.isLive else {
            (analyser, live) = (try makeAnalyser(), nil)
            return
        }
        // Missing models are reported now rather than with a later picture.
        let made = Mutex<FrameAnalyser?>(try makeAnalyser())
        let live = LiveAnalysis()
        (analyser, self.live) = (nil, live)
        StageThread { [failure] in
            failure.watch {
                try live.run(
                    { try made.withLock { $0.take() } ?? makeAnalyser() },
                    intervalScale: { quality?.analysisIntervalScale ?? 1 })
            }
        }.detach()
    }

    /// Returns whether the picture at a time would be analysed.
    func isDue(at time: Double) -> Bool {
        analyser?.isDue(at: time) ?? (time - lastOffer >= Self.offerInterval || time < lastOffer)
    }

    /// The minimum interval, in seconds, at which pictures are offered to the analysis thread: the interval of its
    /// analysis.
    private static let offerInterval = AnalysisSchedule.DetectionState.gesture.interval

    /// Analyses a picture if it is due, or collects the results that have become available.
    func detect(in item: inout PipelineFrame) throws {
        if let analyser { return try analyser.process(&item) }
        guard let live else { return }
        try check()
        if isDue(at: item.time) {
            lastOffer = item.time
            live.offer(try item.frame.copy(pool: pool), at: item.time)
        }
        item.findings = live.takeFindings()
        (item.coming, item.hands) = control.state.withLock { ($0.coming, $0.hands) }
    }

    /// Throws the error of the analysis thread.
    func check() throws(FlourishError) { try failure.check() }

    /// Ends the analysis thread.
    func finish() { live?.finish() }
}
