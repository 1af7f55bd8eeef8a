import HandPose
import Inference
import TestSupport

extension InstalledModels {
    static func model(_ name: String) throws -> Model {
        try Model(path: path(name), library: InferenceLibrary(path: libraryPath))
    }

    static func tracker(_ kind: String = "full") throws -> HandTracker {
        HandTracker(
            detector: try PalmDetector(model: model("palm_detection_\(kind)")),
            landmarker: try HandLandmarker(model: model("hand_landmark_\(kind)")))
    }
}
