import HandPose
import Inference
import TestSupport

extension InstalledModels {
    static func model(_ name: String) throws -> Model {
        try Model(path: path(name), library: InferenceLibrary(path: libraryPath))
    }

    /// - Parameter name: of a model of the same make.
    static func palmDetector(_ name: String) throws -> PalmDetector {
        try PalmDetector { size throws(InferenceError) in
            try ModelLease(path: path(name), library: libraryPath, size: size, from: nil)
        }
    }

    static func tracker(_ kind: String = "full") throws -> HandTracker {
        HandTracker(
            detector: try palmDetector("palm_detection_\(kind)"),
            landmarker: try HandLandmarker(model: model("hand_landmark_\(kind)")))
    }
}
