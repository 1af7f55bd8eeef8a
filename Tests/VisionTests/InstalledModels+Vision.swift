import TestSupport
@testable import Vision

extension InstalledModels {
    static func model(_ name: String) throws -> Model {
        try Model(path: path(name), library: InferenceLibrary(path: libraryPath))
    }

    static func tracker() throws -> HandTracker {
        let detector = try PalmDetector { size throws(InferenceError) in
            let name = size.file(of: "palm_detection_full").split(separator: ".")[0]
            return try ModelLease(path: path(String(name)), library: libraryPath, from: nil)
        }
        return HandTracker(
            detector: detector, landmarker: try HandLandmarker(model: model("hand_landmark_full")))
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
