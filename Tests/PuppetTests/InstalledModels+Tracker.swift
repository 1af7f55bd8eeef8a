import TestSupport
import Vision

extension InstalledModels {
    /// A tracker with the full models.
    static func tracker() throws -> HandTracker {
        let library = try InferenceLibrary(path: libraryPath)
        let detector = try PalmDetector { size throws(InferenceError) in
            try ModelLease(path: path("palm_detection_full"), library: libraryPath, size: size, from: nil)
        }
        return HandTracker(
            detector: detector,
            landmarker: try HandLandmarker(model: Model(path: path("hand_landmark_full"), library: library)))
    }
}
