import MediaIO
import Platform
package import Reactions
import Synchronization

/// One step in the processing of frames, on a thread of its own. A run connects its stages by channels.
///
/// A stage is a value that its own thread creates and consumes, so no other thread accesses its state. It receives from
/// the channel before it, its source, and sends into the channel after it, its sink. Information that the next stage
/// needs first, such as a stream's header, is the first message.
///
/// A stage ends when its source ends, or when its sink is no longer read. Then it finishes its sink, so that the next
/// stage ends, too. An error that a stage throws ends the whole run.
protocol Stage: ~Copyable {
    /// The result of the stage's work after it has ended.
    associatedtype Outcome: Sendable

    /// Works until the stage ends.
    consuming func run() throws -> Outcome
}

/// A handle to a stage that works on its own thread.
struct RunningStage<Outcome: Sendable>: ~Copyable {
    fileprivate let thread: StageThread
    fileprivate let outcome: Slot<Outcome?>

    /// Waits until the stage has ended.
    ///
    /// - Returns: `nil` if the stage, or the closure that creates it, failed.
    consuming func join() -> Outcome? {
        let outcome = outcome
        thread.join()
        return outcome.value
    }
}

extension PipelineFailure {
    /// Starts a thread that creates a stage and runs it. An error that the stage throws ends the whole run.
    func start<S: Stage & ~Copyable>(_ make: @escaping @Sendable () throws -> S) -> RunningStage<S.Outcome> {
        let outcome = Slot<S.Outcome?>(nil)
        let thread = StageThread { self.watch { outcome.value = try make().run() } }
        return RunningStage(thread: thread, outcome: outcome)
    }

    /// Runs a stage on the calling thread.
    ///
    /// - Returns: `nil` if the stage failed.
    func run<S: Stage & ~Copyable>(_ stage: consuming S) -> S.Outcome? {
        do { return try stage.run() } catch {
            watch { throw error }
            return nil
        }
    }
}

/// Keeps the first error of a run's stages, and cancels the other stages. Later errors are ignored, because they are
/// consequences of the first one. All threads of a run use it.
package final class PipelineFailure: Sendable {
    private struct State {
        var error: FlourishError?
        var cause: (any Error)?
        var cancellations: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    package init() {}

    /// Registers a closure that cancels a part of the run. It is called on the thread of each stage that fails, or
    /// immediately if a stage has failed already.
    func onFailure(_ cancel: @escaping @Sendable () -> Void) {
        let failed = state.withLock { state in
            state.cancellations.append(cancel)
            return state.error != nil
        }
        if failed { cancel() }
    }

    /// Runs a stage; an error that it throws ends the whole run.
    package func watch(_ stage: () throws -> Void) {
        do { try stage() } catch { report(error) }
    }

    /// The first error thrown.
    var cause: (any Error)? { state.withLock { $0.cause } }

    /// Throws the failure, if there was one.
    package func check() throws(FlourishError) {
        if let error = state.withLock({ $0.error }) { throw error }
    }

    private func report(_ cause: any Error) {
        let error = FlourishError(describing: cause)
        let cancellations = state.withLock { state in
            if state.error == nil { (state.error, state.cause) = (error, cause) }
            return state.cancellations
        }
        for cancel in cancellations { cancel() }
    }
}
