import TestSupport
@testable import Vision

extension InstalledModels {
    /// A tracker with the full models.
    static func tracker() throws -> HandTracker {
        let library = try InferenceLibrary(path: libraryPath)
        let detector = try PalmDetector { size throws(InferenceError) in
            let name = size.file(of: "palm_detection_full").split(separator: ".")[0]
            return try ModelLease(path: path(String(name)), library: libraryPath, from: nil)
        }
        return HandTracker(
            detector: detector,
            landmarker: try HandLandmarker(model: Model(path: path("hand_landmark_full"), library: library)))
    }
}
