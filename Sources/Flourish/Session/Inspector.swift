import MediaIO
import Pipeline
import Platform

/// Analyses a video or an image as a session would, on a separate thread, and reports the detections. It can also draw
/// them over a copy of the video or image.
public final class Inspector: Sendable {
    private let configuration: Configuration
    private let interrupt = InterruptFlag()

    /// Creates an inspector that recognises gestures as a session with this configuration does.
    public init(configuration: Configuration = Configuration()) {
        self.configuration = configuration
    }

    /// Inspects each frame that a session would analyse, or the single picture of an image. In a gallery
    /// (``Configuration/layout``), each tile is inspected by itself.
    ///
    /// - Parameters:
    ///   - input: A video, or a JPEG or PNG image.
    ///   - handler: Called for each analysed frame, in order, on a separate thread.
    /// - Throws: ``FlourishError``.
    public func inspect(
        _ input: String, handler: @escaping @Sendable (FrameInspection) -> Void
    ) async throws(FlourishError) {
        try await inspect([input], handler: handler)
    }

    /// Inspects several inputs in turn. No input affects the results of the next one. The models are loaded once, since
    /// loading takes longer than the inference on a photo.
    ///
    /// - Parameters:
    ///   - inputs: Videos, and JPEG or PNG images.
    ///   - warning: Called with a video or an image that is damaged but can be read, and a line that describes the
    ///     damage.
    ///   - failure: Called with an input that cannot be read, and the error. The other inputs are still inspected.
    ///   - handler: Called for each analysed frame, in order, on a separate thread, like the other closures.
    /// - Throws: ``FlourishError``; without `failure`, at the first input that cannot be read.
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
                        input, settings: InputSettings(self.configuration, address: input),
                        layout: self.configuration.layout,
                        interrupt: self.interrupt)
                    try film.inspect(with: analyser, warn: { warning(input, $0) }) { frame in
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

    /// Analyses a video or an image, and writes it again with the detections drawn over it. The detections are the
    /// skeletons of the hands, the gesture of each hand, the progress of a hold, and the reason why no gesture fired.
    ///
    /// Every frame is written, and everything else in a video is copied. Between two analysed frames, the last result
    /// is shown. As with ``ReactionSession/filter(_:to:observer:)``, the output is written under a temporary name in
    /// the same folder. ``stop()`` ends the output as if the input ended at that point. Without
    /// ``Configuration/keepsPartialOutput``, the partial output of a stopped recording is kept under another name in
    /// the same folder.
    ///
    /// - Parameters:
    ///   - input: A video, or a JPEG or PNG image.
    ///   - output: A video; for an image a name that ends in `.png`.
    ///   - warning: Called with a line about data that the output cannot keep, or about damage of the input.
    ///   - progress: Called after every frame.
    ///   - handler: Called for each analysed frame, in order. All closures are called on one thread.
    /// - Returns: The file that was written.
    /// - Throws: ``FlourishError``. The code is ``FlourishError/Code/interrupted`` if the call was stopped before the
    ///   first picture.
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
                input, settings: InputSettings(self.configuration, address: input), layout: self.configuration.layout,
                interrupt: self.interrupt)
            return try film.draw(
                to: output, with: analyser, configuration: self.configuration, warn: warning,
                progress: progress, handler: handler)
        }
    }

    /// Ends the inspection early.
    public func stop() { interrupt.raise() }

    /// True if ``stop()`` was called.
    public var isStopped: Bool { interrupt.isRaised }

    /// Loads the models and runs the analysis on a separate thread.
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
