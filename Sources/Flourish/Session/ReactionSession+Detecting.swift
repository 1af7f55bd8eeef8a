import MediaIO
import Platform
import Synchronization

extension ReactionSession {
    /// Reads a video and tells what would happen; draws and writes nothing.
    ///
    /// A recording is looked through quickly first, and what happens is told as the places are looked at that are worth it.
    ///
    /// - Returns: the outcome of the run.
    /// - Throws: ``FlourishError``.
    @discardableResult
    public func detect(
        _ input: String, observer: SessionObserver = SessionObserver()
    ) async throws(FlourishError) -> SessionOutcome {
        try begin()
        defer { end() }
        let request = published(
            PipelineRequest(
                input: input, output: nil, configuration: configuration, resources: resources, observer: observer))
        try request.configuration.validate()
        guard RunRoute.Facts(request).obstacleToReadingTwice == nil, let exact = try await toThePacket(request) else {
            return try await perform(request)
        }
        let furthest = Slot(0.0)
        let looking = exact.noting(furthest)
        let looked = try await scanned(looking)
        if control.interrupt.isRaised {
            throw .stoppedLooking(at: input, furthest.value, "nothing is told before all of it was")
        }
        return try await perform(looked)
    }
}
