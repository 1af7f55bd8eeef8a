import MediaIO
import Platform

/// Looks at a video or an image as a session would, and tells what it sees.
public final class Inspector: Sendable {
    private let configuration: Configuration
    private let interrupt = InterruptFlag()

    /// An inspector that recognises as a session with this configuration would.
    public init(configuration: Configuration = Configuration()) {
        self.configuration = configuration
    }

    /// Looks at each frame that a session would analyse, or at the one picture of an image.
    ///
    /// - Parameters:
    ///   - input: a video, or a JPEG or PNG image.
    ///   - handler: called for each analysed frame, in order, on a thread of its own.
    /// - Throws: ``FlourishError``.
    public func inspect(
        _ input: String, handler: @escaping @Sendable (FrameInspection) -> Void
    ) async throws(FlourishError) {
        try await inspect([input], handler: handler)
    }

    /// Looks at one input after the other, as if each were the only one, but loads the
    /// models once: of a photo that takes longer than looking at it.
    ///
    /// - Parameters:
    ///   - inputs: videos, and JPEG or PNG images.
    ///   - warning: is told of a video or an image that is damaged, and in a line how, but can be read.
    ///   - failure: is told of an input that cannot be read, and why; the others' turn comes all the same.
    ///   - handler: called for each analysed frame, in order, on a thread of its own, as the others are.
    /// - Throws: ``FlourishError``; without `failure` at the first input that cannot be read.
    public func inspect(
        _ inputs: [String], warning: @escaping @Sendable (String, String) -> Void = { _, _ in },
        failure: (@Sendable (String, FlourishError) -> Void)? = nil,
        handler: @escaping @Sendable (FrameInspection) -> Void
    ) async throws(FlourishError) {
        try await onThread { analyser in
            for input in inputs where !self.interrupt.isRaised {
                analyser.reset()
                do {
                    let film = try InspectionFilm(
                        input, settings: InputSettings(self.configuration, address: input), interrupt: self.interrupt)
                    try film.look(with: analyser, warn: { warning(input, $0) }) { frame in
                        var frame = frame
                        frame.input = inputs.count > 1 ? input : nil
                        handler(frame)
                    }
                } catch {
                    let fault = FlourishError(describing: error)
                    guard let failure, fault.code != .internal, !self.interrupt.isRaised else { throw fault }
                    failure(input, fault)
                }
            }
        }
    }

    /// Looks at a video or an image and writes it again with what was seen drawn over it: the
    /// hands' skeletons, what each shows, how far a hold is, and why nothing fired.
    ///
    /// Every frame is written, and everything else in a video is copied; between two looks the
    /// last one is shown. As with ``ReactionSession/filter(_:to:observer:)`` the output is
    /// written beside its place, and ``stop()`` ends it as if the input ended there; without
    /// ``Configuration/keepsPartialOutput`` what there is of a recording is then kept beside the place that was asked for.
    ///
    /// - Parameters:
    ///   - input: a video, or a JPEG or PNG image.
    ///   - output: a video; for an image a name that ends in `.png`.
    ///   - warning: is told in a line what the output cannot keep, and what of the input is damaged.
    ///   - progress: called after every frame.
    ///   - handler: called for each analysed frame, in order. All are called on one thread.
    /// - Returns: the file that was written.
    /// - Throws: ``FlourishError``; of the code ``FlourishError/Code/interrupted`` where it was stopped before the first
    ///   picture.
    @discardableResult
    public func draw(
        _ input: String, to output: String,
        warning: @escaping @Sendable (String) -> Void = { _ in },
        progress: @escaping @Sendable (SessionProgress) -> Void = { _ in },
        handler: @escaping @Sendable (FrameInspection) -> Void = { _ in }
    ) async throws(FlourishError) -> String {
        try OutputCheck.check(output, input: input, overwrite: configuration.overwrite)
        return try await onThread { analyser in
            let film = try InspectionFilm(
                input, settings: InputSettings(self.configuration, address: input), interrupt: self.interrupt)
            return try film.draw(
                to: output, with: analyser, configuration: self.configuration, warn: warning,
                progress: progress, handler: handler)
        }
    }

    /// Ends the inspection early.
    public func stop() { interrupt.raise() }

    /// Whether ``stop()`` was called.
    public var isStopped: Bool { interrupt.isRaised }

    /// Loads the models and looks, on a thread of its own.
    private func onThread<Outcome: Sendable>(
        _ body: @escaping @Sendable (HandAnalyser) throws -> Outcome
    ) async throws(FlourishError) -> Outcome {
        try configuration.validate()
        let result = await StageThread.run { () throws(FlourishError) -> Outcome in
            do {
                return try body(
                    try HandAnalyser(
                        resources: self.configuration.resources ?? .located(),
                        configuration: self.configuration))
            } catch {
                throw FlourishError(describing: error)
            }
        }
        return try result.get()
    }
}
