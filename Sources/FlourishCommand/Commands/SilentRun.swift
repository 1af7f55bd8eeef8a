import Flourish

/// A run that tells of nothing but how far it is.
struct SilentRun {
    let messages: Messages
    let input: String

    /// Runs a session by `body`, which can be stopped.
    ///
    /// - Throws: what `body` throws.
    func run<Result>(
        _ configuration: Configuration, by body: (ReactionSession, SessionObserver) async throws -> Result
    ) async throws -> Result {
        ProcessMemory.shareBetweenThreads()
        MediaLogging.set(verbose: messages.level == .debug)
        let session = ReactionSession(configuration: configuration)
        let progress = ProgressLine(style: messages.progress, input: input)
        let interrupt = InterruptHandler { session.stop() }
        defer {
            interrupt.cancel()
            progress.finish()
        }
        return try await body(session, SessionObserver(progress: progress.show))
    }
}
