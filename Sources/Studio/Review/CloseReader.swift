import Recognition
import SessionSettings
import MediaIO
import Pipeline
import Reactions

/// Decodes single pictures of a recording under review, and detects hands in them.
///
/// Used by one thread at a time.
final class CloseReader {
    private let reader: PictureReader
    private let configuration: Configuration
    /// Loads the models; created for the first inspection.
    private var analyser: HandAnalyser?
    /// The last picture, kept because a caller may request its inspection next.
    private var last: (time: Double, frame: Held)?

    /// Holds a frame, which is noncopyable, in an optional tuple.
    private final class Held {
        let frame: VideoFrame
        init(_ frame: consuming VideoFrame) { self.frame = frame }
    }

    /// - Throws: `MediaError`.
    init(_ input: String, _ configuration: Configuration) throws {
        reader = try PictureReader(input, configuration, threads: 2)
        self.configuration = configuration
    }

    /// Lends the picture shown at a time.
    /// - Returns: `nil` if there is none.
    func withFrame<Value>(at time: Double, _ body: (borrowing VideoFrame) throws -> Value) throws -> Value? {
        if let last, last.time == time { return try body(last.frame.frame) }
        guard let frame = try reader.frame(at: time) else { return nil }
        let held = Held(frame)
        last = (time, held)
        return try body(held.frame)
    }

    /// Returns the inspection of the picture.
    func inspection(at time: Double) throws -> FrameInspection? {
        let analyser =
            try self.analyser
            ?? HandAnalyser(resources: configuration.resources ?? .located(), configuration: configuration)
        self.analyser = analyser
        return try withFrame(at: time) { frame in
            analyser.reset()
            return FrameInspection(try analyser.analyseStill(frame), time: time, isStill: true)
        }
    }
}
