import CFlourish
import Flourish
import Synchronization

/// A processor of a C program, which any thread may use.
final class HostedProcessor: Sendable {
    /// The frames of one video, which are processed one after the other. Used under the lock only.
    private struct Stream: @unchecked Sendable {
        let processor: ReactionProcessor
        /// The time of the previous frame in nanoseconds.
        var lastTime: Int64?
        var isFinished = false

        func checkUnfinished() throws(CallFailure) {
            if isFinished { throw CallFailure(FLOURISH_FINISHED, "the processor was finished; create a new one") }
        }
    }

    let session: ReactionSession
    let layout: PlaneLayout
    let events: EventQueue
    private let stream: Mutex<Stream>

    /// - Throws: ``CallFailure`` if the settings are invalid or a resource is missing.
    init(width: Int, height: Int, layout: PlaneLayout, settings: ProcessorSettings) throws(FlourishError) {
        let (session, events) = (ReactionSession(configuration: try settings.configuration()), EventQueue())
        let processor = try ReactionProcessor(
            width: width, height: height, pixelFormat: layout.formatName, isFullRange: settings.isFullRange,
            matrix: settings.matrix, session: session, observer: SessionObserver(event: { events.append($0) }))
        (self.session, self.layout, self.events) = (session, layout, events)
        stream = Mutex(Stream(processor: processor))
    }

    /// Processes a frame.
    ///
    /// - Parameters:
    ///   - planes: The planes, as many as the layout has.
    ///   - time: The time stamp in nanoseconds.
    /// - Returns: Whether the frame was drawn on.
    @unsafe
    func process(_ planes: [PixelPlane], at time: Int64) throws(CallFailure) -> Bool {
        nonisolated(unsafe) let planes = unsafe planes
        return try stream.withLock { stream throws(CallFailure) in
            try stream.checkUnfinished()
            if let last = stream.lastTime, time <= last {
                throw CallFailure(
                    FLOURISH_LATE_FRAME,
                    "the time \(time) is not after \(last), the time of the previous frame; skip the frame")
            }
            stream.lastTime = time
            do throws(FlourishError) {
                return unsafe try !stream.processor.process(planes, at: Double(time) / 1e9).isEmpty
            } catch {
                throw CallFailure(error)
            }
        }
    }

    /// Ends the effects in progress and the events.
    func finish() throws(CallFailure) {
        try stream.withLock { stream throws(CallFailure) in
            try stream.checkUnfinished()
            stream.isFinished = true
            do throws(FlourishError) { try stream.processor.finish() } catch { throw CallFailure(error) }
        }
    }
}
