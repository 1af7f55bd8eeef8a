import Gestures
import HandPose
import Inference
import MediaIO
import Raster

/// Looks at pictures for hands and says what they mean: palm detection, landmarks,
/// tracking, gesture and hold in one.
///
/// Used by one thread at a time.
final class HandAnalyser {
    /// What one picture shows.
    struct Analysis {
        var hands: [HandLandmarks]
        var observation: FrameObservation
        var status: GestureStatus
        /// Gestures whose hold this picture completed.
        var events: [GestureEvent]
        /// When the next hold will be complete, if one is under way.
        var nextCompletion: Double?
    }

    private let tracker: HandTracker
    private let recognizer: GestureRecognizer
    private var machine: GestureStateMachine

    /// Loads the models.
    ///
    /// - Throws: ``FlourishError/Code/unavailable`` where a model or the library is missing.
    init(resources: Resources, configuration: Configuration) throws(FlourishError) {
        guard let libraryPath = resources.liteRTLibrary, let models = resources.models else {
            throw FlourishError(
                .unavailable,
                "the models that recognise hands are not installed; run Scripts/setup, or use --no-gestures")
        }
        guard let assets = resources.assets else {
            throw FlourishError(
                .unavailable,
                "the weights that recognise gestures (Assets/Gestures) are not installed; run Scripts/install, or set FLOURISH_ASSETS")
        }
        do {
            let network = try GestureNetwork(assets: assets)
            recognizer = GestureRecognizer(classifier: GestureClassifier(network: network))
            let library = try InferenceLibrary(path: libraryPath)
            tracker = HandTracker(
                detector: try PalmDetector(
                    model: try Model(path: models + "/" + ModelFile.palmDetection, library: library)),
                landmarker: try HandLandmarker(
                    model: try Model(path: models + "/" + ModelFile.handLandmarks, library: library)))
        } catch {
            throw FlourishError(describing: error)
        }
        var rules = GestureStateMachine.Configuration(
            hold: configuration.hold, cooldown: configuration.cooldown)
        rules.disabled = Set(configuration.disabledGestures.compactMap {
            FrameGesture(rawValue: $0.rawValue)
        })
        machine = GestureStateMachine(configuration: rules)
    }

    /// The files of the models that are used.
    enum ModelFile {
        static let palmDetection = "palm_detection_full.tflite"
        static let handLandmarks = "hand_landmark_full.tflite"
        static let all = [palmDetection, handLandmarks]
    }

    /// Forgets what was seen, so that another video can follow.
    func reset() {
        tracker.reset()
        machine.reset()
    }

    /// Looks at the next picture of a video.
    ///
    /// - Parameter time: its time stamp in seconds.
    /// - Throws: `InferenceError` when a model fails.
    func analyse(_ frame: borrowing VideoFrame, at time: Double) throws -> Analysis {
        let geometry = frame.geometry
        let hands = try frame.withPicture { picture throws(InferenceError) in
            try tracker.process(picture: picture, geometry: geometry, time: time)
        }
        return conclude(hands, at: time)
    }

    /// Looks at a photo, taking the time for second looks.
    func analyseStill(_ frame: borrowing VideoFrame) throws -> Analysis {
        let geometry = frame.geometry
        let hands = try frame.withPicture { picture throws(InferenceError) in
            try tracker.processStill(picture: picture, geometry: geometry)
        }
        return conclude(hands, at: 0)
    }

    private func conclude(_ hands: [HandLandmarks], at time: Double) -> Analysis {
        let observation = recognizer.observe(hands)
        let events = machine.advance(observation, at: time).map { action in
            switch action {
            case .gesture(let event): event
            }
        }
        return Analysis(
            hands: hands, observation: observation, status: machine.status, events: events,
            nextCompletion: machine.nextCompletion)
    }
}
