import HandPose
import Inference
import TestSupport

extension InstalledModels {
    /// A tracker with the full models.
    static func tracker() throws -> HandTracker {
        let library = try InferenceLibrary(path: libraryPath)
        return HandTracker(
            detector: try PalmDetector(model: Model(path: path("palm_detection_full"), library: library)),
            landmarker: try HandLandmarker(model: Model(path: path("hand_landmark_full"), library: library)))
    }
}
