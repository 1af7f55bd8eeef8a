import TestSupport
import Vision

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

    static func segmenter(_ kind: PersonSegmenter.Kind) throws -> PersonSegmenter {
        let name = kind == .landscape ? "selfie_segmentation_landscape" : "selfie_segmentation"
        return try PersonSegmenter(model: model(name), kind: kind)
    }

    static func inquiry(_ segmenter: PersonSegmenter) throws -> PoseInquiry {
        func loan(_ name: String) throws -> ModelLease {
            try ModelLease(path: path(name), library: libraryPath, from: nil)
        }
        let examiner = try PoseExaminer(
            faces: loan("face_detection_short_range"), landmarks: loan("pose_landmark_full"))
        return PoseInquiry(examiner: examiner, width: segmenter.width, height: segmenter.height)
    }
}
