import Platform

/// One step of a frame's way.
///
/// A stage is a value that its thread makes and consumes, so that nobody else holds what it works with. It receives from the
/// channel before it, its source, and sends into the one behind it, its sink. What the next stage must know first, such as a
/// stream's header, is the first message.
///
/// It ends when its source does, or when nobody takes what it sends; then it finishes its sink, so that the next one
/// ends, too. What it throws ends the whole run.
protocol Stage: ~Copyable {
    /// What is to be known of its work once it has ended.
    associatedtype Outcome: Sendable

    /// Works until its end.
    consuming func run() throws -> Outcome
}

/// A stage at work.
struct RunningStage<Outcome: Sendable>: ~Copyable {
    fileprivate let thread: StageThread
    fileprivate let outcome: Slot<Outcome?>

    /// Waits until it has ended.
    ///
    /// - Returns: `nil` where it, or what makes it, failed.
    consuming func join() -> Outcome? {
        let outcome = outcome
        thread.join()
        return outcome.value
    }
}

extension PipelineFailure {
    /// Makes a stage on a thread of its own, and lets it work there.
    func start<S: Stage & ~Copyable>(_ make: @escaping @Sendable () throws -> S) -> RunningStage<S.Outcome> {
        let outcome = Slot<S.Outcome?>(nil)
        let thread = StageThread { self.watch { outcome.value = try make().run() } }
        return RunningStage(thread: thread, outcome: outcome)
    }

    /// Lets a stage work on the calling thread.
    ///
    /// - Returns: `nil` where it failed.
    func run<S: Stage & ~Copyable>(_ stage: consuming S) -> S.Outcome? {
        do { return try stage.run() } catch {
            watch { throw error }
            return nil
        }
    }
}
