package import Inference
import Platform
internal import Raster

/// Examines bodies on a thread of its own: the model takes as long as several frames may, and much memory.
package final class PoseExaminer: Sendable {
    /// So many bodies of a picture are looked at.
    private static let mostBodies = 4
    /// So many questions may wait before who asks does.
    private static let mostQuestions = 16

    struct Question: Sendable {
        var copy = PictureCopy()
        /// How surely each place of the mask shows a person, 0…1.
        var confidence: [Float] = []
    }

    struct Answer: Sendable {
        /// For the next one: its memory is used again.
        var question: Question
        /// What is denied of the confidence: −1…0.
        var denied: Result<[Float], InferenceError>
    }

    private struct Job: Sendable {
        var question: Question
        var width, height: Int
        var answers: Channel<Answer>
    }

    /// The models, and what keeps them; used by the examiner's thread alone.
    private struct Models: @unchecked Sendable {
        let faces: FaceDetector
        let landmarker: PoseLandmarker
        let loans: [ModelLoan]
    }

    private let jobs = Channel<Job>(capacity: mostQuestions)

    /// Takes the models of `face_detection_short_range` and `pose_landmark_full` over. The thread ends with the object.
    /// - Throws: `.modelDamaged` when one of them is another model.
    package init(faces: ModelLoan, landmarks: ModelLoan) throws(InferenceError) {
        let models = Models(
            faces: try FaceDetector(model: faces.model), landmarker: try PoseLandmarker(model: landmarks.model),
            loans: [faces, landmarks])
        StageThread { [jobs] in
            // Nobody waits for it yet, but for the frame.
            StageThread.yieldToOthers()
            while let job = jobs.receive() {
                // Who asked may have gone.
                _ = job.answers.send(Answer(question: job.question, denied: Self.examine(job, models)))
            }
        }.detach()
    }

    deinit { jobs.cancel() }

    /// Has a question answered into a channel with room for the answer.
    func examine(_ question: Question, width: Int, height: Int, answers: Channel<Answer>) {
        _ = jobs.send(Job(question: question, width: width, height: height, answers: answers))
    }

    private static func examine(_ job: Job, _ models: Models) -> Result<[Float], InferenceError> {
        let copy = job.question.copy, geometry = copy.geometry
        let width = geometry.uprightWidth, height = geometry.uprightHeight
        do throws(InferenceError) {
            let faces = try copy.withPicture { (picture) throws(InferenceError) in
                try models.faces.faces(in: picture, geometry: geometry).prefix(mostBodies)
            }
            let places = faces.map { (x: ($0.left + $0.right) / 2 * width, y: ($0.top + $0.bottom) / 2 * height) }
            var poses: [Pose] = []
            for (face, place) in zip(faces, places) {
                let region = PoseRegion(
                    faceX: place.x, faceY: place.y, faceWidth: (face.right - face.left) * width)
                let pose = try copy.withPicture { (picture) throws(InferenceError) in
                    try models.landmarker.pose(in: picture, geometry: geometry, region: region)
                }
                if let pose { poses.append(pose) }
            }
            var denial = PoseDenial(width: job.width, height: job.height)
            return .success(
                denial.denied(of: job.question.confidence, poses: poses, faces: places, size: (width, height)))
        } catch {
            return .failure(error)
        }
    }
}
