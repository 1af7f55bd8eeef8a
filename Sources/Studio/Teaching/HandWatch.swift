import Gestures
package import HandPose
import MediaIO
package import Pipeline
import Raster

/// Records the hands that a session would see: what gestures are learned from and measured by.
package final class HandWatch {
    /// What one look at a video, or the look at a photo, saw.
    package struct Look {
        /// Seconds; 0 for a photo.
        package var time: Double
        /// The upright picture's width over its height.
        package var aspectRatio: Double
        /// All hands, and once more those that make a gesture, or nearly, as a careful look reads them. Of a photo all
        /// looks are careful.
        package var hands: [HandLandmarks]
    }

    private let analyser: HandAnalyser

    /// How near a hand must come to a gesture for a careful look.
    private static let interest = 0.3
    /// A careful look takes as long as six others: it comes with one of so many.
    private static let carefulEvery = 4

    /// Loads the models.
    /// - Throws: ``FlourishError``.
    package init(configuration: Configuration = Configuration()) throws {
        var configuration = configuration
        // Nothing completes: what is recorded does not hang on what fires.
        configuration.hold = 1e6
        analyser = try HandAnalyser(
            resources: configuration.resources ?? .located(), configuration: configuration, judgesPictures: false)
    }

    /// Looks at a photo, or at the frames of a video that a session would look at.
    ///
    /// - Parameter share: only one of so many of these frames is looked at.
    /// - Throws: ``FlourishError``, `MediaError`, `InferenceError`.
    package func watch(_ input: String, every share: Int = 1, handler: (Look) throws -> Void) throws {
        analyser.reset()
        let source = try FrameSource(input, InputSettings()), demuxer = source.demuxer
        let reader = InputReader(source, copiesOtherStreams: false, interrupt: InterruptFlag())
        var scheduled = ScheduledLooks(analyser)
        var due = 0, looks = 0
        while let item = try reader.nextFrame(copy: { _ in true }) {
            let aspectRatio = item.frame.geometry.aspectRatio
            if demuxer.isStillImage {
                let hands = try analyser.analyseStill(item.frame).hands
                try handler(Look(time: 0, aspectRatio: aspectRatio, hands: hands))
                return
            }
            guard scheduled.isDue(at: item.time) else { continue }
            due += 1
            guard due % share == 0, let analysis = try scheduled.look(at: item.frame, time: item.time) else { continue }
            let interesting = zip(analysis.hands, analysis.observation.hands)
                .filter { $0.1.nearness >= Self.interest }.map(\.0.trackID)
            looks += 1
            let careful =
                looks % Self.carefulEvery == 0
                ? try analyser.carefulLook(at: Set(interesting), in: item.frame) : []
            let read = careful.filter { interesting.contains($0.trackID) }
            try handler(Look(time: item.time, aspectRatio: aspectRatio, hands: analysis.hands + read))
        }
    }
}
