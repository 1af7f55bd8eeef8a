import Synchronization

/// A ``ReactionProcessor`` that any thread may use, such as a camera's queue. A call waits until the previous one has
/// returned.
///
/// ```swift
/// let shared = try SharedReactionProcessor(width: 1280, height: 720, pixelFormat: "nv12")
/// let drawing = Task.detached {
///     var picture = [UInt8](repeating: 128, count: shared.packedSize)
///     return try shared.process(&picture, at: 0)
/// }
/// print(try await drawing.value)
/// ```
public final class SharedReactionProcessor: Sendable {
    /// The session that controls the processor and emits its events. The session cannot run a video as well.
    public let session: ReactionSession
    /// See ``ReactionProcessor/packedSize``.
    public let packedSize: Int
    /// Used with ``lock`` held.
    nonisolated(unsafe) private let processor: ReactionProcessor
    private let lock = Mutex(())

    /// Loads the required resources, as ``ReactionProcessor`` does.
    ///
    /// - Throws: ``FlourishError``.
    public init(
        width: Int, height: Int, pixelFormat: String = "yuv420p", isFullRange: Bool = false,
        matrix: ReactionProcessor.Matrix? = nil, session: ReactionSession = ReactionSession(),
        observer: SessionObserver = SessionObserver()
    ) throws(FlourishError) {
        let processor = try ReactionProcessor(
            width: width, height: height, pixelFormat: pixelFormat, isFullRange: isFullRange, matrix: matrix,
            session: session, observer: observer)
        (self.session, packedSize) = (session, processor.packedSize)
        unsafe self.processor = processor
    }

    /// Processes a picture, as ``ReactionProcessor`` does.
    ///
    /// - Returns: The effects in progress at this picture, sorted by their start.
    /// - Throws: ``FlourishError``.
    @discardableResult
    public func process(
        _ picture: inout [UInt8], at time: Double, duration: Double? = nil
    ) throws(FlourishError) -> [ReactionEffectState] {
        let result = lock.withLock { _ in
            Result { () throws(FlourishError) in
                unsafe try processor.process(&picture, at: time, duration: duration)
            }
        }
        return try result.get()
    }

    /// Processes a picture in planes, whose memory is used until the call returns.
    ///
    /// - Returns: The effects in progress at this picture, sorted by their start.
    /// - Throws: ``FlourishError``.
    @unsafe
    @discardableResult
    public func process(
        _ planes: [PixelPlane], at time: Double, duration: Double? = nil
    ) throws(FlourishError) -> [ReactionEffectState] {
        let result = lock.withLock { _ in
            Result { () throws(FlourishError) in
                unsafe try processor.process(planes, at: time, duration: duration)
            }
        }
        return try result.get()
    }

    /// Ends effects in progress and the events.
    ///
    /// - Returns: The numbers of frames and effects of the whole stream.
    /// - Throws: ``FlourishError`` if gesture detection has failed on its own thread.
    @discardableResult
    public func finish() throws(FlourishError) -> ReactionEvent.StreamSummary {
        try lock.withLock { _ in
            Result { () throws(FlourishError) in unsafe try processor.finish() }
        }.get()
    }
}
