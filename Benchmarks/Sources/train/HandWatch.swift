import Vision
import MediaIO
import Pipeline
import Raster

/// Passes on the hands that a session would detect. Used by one thread at a time.
final class HandWatch {
    /// The hands of one detection in a video or a photo.
    struct Detection {
        /// The time in seconds; 0 for a photo.
        var time: Double
        /// The upright picture's width over its height.
        var aspectRatio: Double
        /// All hands. In every fourth detection in a video, the hands that make or almost make a gesture follow a
        /// second time, as a careful detection (from several crops) finds them. All detections in a photo are careful.
        var hands: [HandLandmarks]
    }

    private let analyser: HandAnalyser

    /// The minimum score of a gesture for a careful detection, 0…1.
    private static let interest = 0.3
    /// The interval between careful detections, as a number of detections. Each careful detection takes as long as six
    /// normal detections.
    private static let carefulEvery = 4

    /// Loads the models.
    /// - Throws: ``FlourishError``.
    init(configuration: Configuration = Configuration()) throws {
        var configuration = configuration
        // The hold, in seconds, never completes, so that no gesture fires and affects the later detections.
        configuration.hold = 1e6
        analyser = try HandAnalyser(
            resources: configuration.resources ?? .located(), configuration: configuration, judgesPictures: false)
    }

    /// Detects hands in a photo, or in the frames of a video that a session would analyse.
    ///
    /// - Parameter share: Only every `share`-th of these frames is analysed.
    /// - Throws: ``FlourishError``, `MediaError`, `InferenceError`.
    func watch(_ input: String, every share: Int = 1, handler: (Detection) throws -> Void) throws {
        analyser.reset()
        let source = try FrameSource(input, InputSettings()), demuxer = source.demuxer
        let reader = InputReader(source, copiesOtherStreams: false, interrupt: InterruptFlag())
        var scheduled = DetectionScheduler(analyser)
        var due = 0, detections = 0
        while let item = try reader.nextFrame(copy: { _ in true }) {
            let aspectRatio = item.frame.geometry.aspectRatio
            if demuxer.isStillImage {
                let hands = try analyser.analyseStill(item.frame).hands
                try handler(Detection(time: 0, aspectRatio: aspectRatio, hands: hands))
                return
            }
            guard scheduled.isDue(at: item.time) else { continue }
            due += 1
            guard due % share == 0, let analysis = try scheduled.analyse(item.frame, at: item.time) else { continue }
            let interesting = zip(analysis.hands, analysis.observation.hands)
                .filter { $0.1.nearness >= Self.interest }.map(\.0.trackID)
            detections += 1
            let careful =
                detections % Self.carefulEvery == 0
                ? try analyser.detectAfresh(at: Set(interesting), in: item.frame) : []
            let read = careful.filter { interesting.contains($0.trackID) }
            try handler(Detection(time: item.time, aspectRatio: aspectRatio, hands: analysis.hands + read))
        }
    }
}
