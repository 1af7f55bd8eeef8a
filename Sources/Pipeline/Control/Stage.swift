import Gestures
import Inference
package import MediaIO
import Platform
package import Reactions
import Synchronization

/// One step in the processing of frames.
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

/// A stage at work.
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
    /// Creates a stage on its own thread, and runs it there.
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

/// The first failure of a run, which ends it. Later failures are consequences of the first one.
package final class PipelineFailure: Sendable {
    private struct State {
        var error: FlourishError?
        var cause: (any Error)?
        var cancellations: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    package init() {}

    /// Registers a closure that is called when something fails, or immediately if something has failed.
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

extension FlourishError {
    /// Describes any error of the lower layers in the terms of the library.
    package init(describing error: any Error) {
        switch error {
        case let error as FlourishError: self = error
        case let error as MediaError:
            self.init(Self.code(for: error.code), error.description)
            isDiskFull = error.code == .diskFull
        case let error as FileError: self.init(error)
        case let error as InferenceError: self.init(.unavailable, error.description)
        case let error as GestureNetworkError: self.init(.unavailable, error.description)
        default: self.init(.internal, "\(error)")
        }
    }

    /// The error for an input whose video contains no decodable picture.
    package static func noPicture(in input: Demuxer) -> FlourishError {
        if input.hasIndexTooLate {
            return FlourishError(
                .inputUnusable,
                "\(input.path): its index is at the end, so it cannot be read as a stream; name a file, or move the index with ffmpeg -i IN -c copy -movflags +faststart OUT"
            )
        }
        // FFmpeg reports no error for a size that is not allowed.
        let size = input.video.width > 0 ? "" : ", or larger than input.max-pixels (\(input.maxPixels))"
        return FlourishError(
            .inputUnusable,
            "\(input.path): no frame of it can be decoded; it is damaged, or in a format that FFmpeg does not support\(size)"
        )
    }

    private static func code(for code: MediaError.Code) -> Code {
        switch code {
        case .notFound, .unreadable, .isDirectory: .inputUnavailable
        case .empty, .notMedia, .damaged, .noVideo, .tooLarge, .packetRefused: .inputUnusable
        case .noDecoder, .noEncoder: .unavailable
        case .unknownOutputFormat, .invalidSettings, .encoderRefused, .unsupportedInContainer, .sizeUnsupported: .usage
        case .unwritable: .outputUnavailable
        case .diskFull, .io, .timedOut: .inputOutput
        case .readerLeft: .outputClosed
        case .interrupted: .interrupted
        case .internal: .internal
        }
    }
}
