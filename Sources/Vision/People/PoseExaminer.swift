import Platform
package import Raster

/// Examines pictures for bodies, on a thread that it owns, because the pose model takes as long as several frames.
/// Several masks share one examiner, because the models need much memory.
package final class PoseExaminer: Sendable {
    /// The maximum number of bodies examined in a picture.
    private static let maximumBodies = 4
    /// The maximum number of pending requests before the caller waits.
    private static let maximumQuestions = 16

    struct Question: Sendable {
        var copy = PictureCopy()
        /// The confidence of a person at each place of the mask, 0…1.
        var confidence: [Float] = []
    }

    struct Answer: Sendable {
        /// The request, whose memory is reused for the next request.
        var question: Question
        /// The rejected part of the confidence: −1…0.
        var denied: Result<[Float], InferenceError>
    }

    private struct Job: Sendable {
        var question: Question
        var width, height: Int
        var answers: Channel<Answer>
    }

    /// The models and the leases that keep them loaded; used by the examiner's thread alone.
    private struct Models: @unchecked Sendable {
        let faces: FaceDetector
        let landmarker: PoseLandmarker
        let leases: [ModelLease]
    }

    private let jobs = Channel<Job>(capacity: maximumQuestions)

    /// Creates an examiner with the models of `face_detection_short_range` and `pose_landmark_full`. The thread ends
    /// when this object is released.
    /// - Throws: `.modelDamaged` if one of them is another model.
    package init(faces: ModelLease, landmarks: ModelLease) throws(InferenceError) {
        let models = Models(
            faces: try FaceDetector(model: faces.model), landmarker: try PoseLandmarker(model: landmarks.model),
            leases: [faces, landmarks])
        StageThread { [jobs] in
            // The threads that process frames are more urgent.
            StageThread.yieldToOthers()
            while let job = jobs.receive() {
                // Sending fails if the client has ended, which is not an error.
                _ = job.answers.send(Answer(question: job.question, denied: Self.examine(job, models)))
            }
        }.detach()
    }

    deinit { jobs.cancel() }

    /// Passes a request to the examiner's thread, which sends the result to `answers`. The channel must have room for
    /// the result.
    func examine(_ question: Question, width: Int, height: Int, answers: Channel<Answer>) {
        _ = jobs.send(Job(question: question, width: width, height: height, answers: answers))
    }

    private static func examine(_ job: Job, _ models: Models) -> Result<[Float], InferenceError> {
        let copy = job.question.copy, geometry = copy.geometry
        let width = geometry.uprightWidth, height = geometry.uprightHeight
        do throws(InferenceError) {
            let faces = try copy.withPicture { (picture) throws(InferenceError) in
                try models.faces.faces(in: picture, geometry: geometry).prefix(maximumBodies)
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

/// Finds the parts of a mask that belong to no body, asynchronously. ``PersonMask`` calls it.
package protocol BodyExamining: AnyObject {
    /// Begins to examine a picture. The caller must receive the result with ``answer(into:)`` before it passes another
    /// picture.
    /// - Parameter confidence: The confidence of a person at each place of the mask, 0…1.
    func ask(about picture: borrowing Picture, geometry: DisplayGeometry, confidence: [Float])

    /// Waits for the result.
    /// - Parameter denied: One value for each value of `confidence`, filled with the rejected part: −1…0.
    func answer(into denied: inout [Float]) throws(InferenceError)
}

/// Examines the pictures of one mask for bodies, with a shared examiner. Used on the mask's thread.
package final class PoseInquiry: BodyExamining {
    private let examiner: PoseExaminer
    private let width, height: Int
    private let answers = Channel<PoseExaminer.Answer>(capacity: 1)
    /// The memory of the last result, reused for the next request.
    private var spare = PoseExaminer.Question()
    private var resampler = TensorResampler()

    /// - Parameters:
    ///   - width, height: The mask's size.
    package init(examiner: PoseExaminer, width: Int, height: Int) {
        self.examiner = examiner
        self.width = width
        self.height = height
    }

    deinit { answers.cancel() }

    package func ask(about picture: borrowing Picture, geometry: DisplayGeometry, confidence: [Float]) {
        spare.copy.read(picture, geometry: geometry, with: &resampler)
        spare.confidence.refill(from: confidence)
        examiner.examine(spare, width: width, height: height, answers: answers)
        spare = PoseExaminer.Question()
    }

    package func answer(into denied: inout [Float]) throws(InferenceError) {
        guard let answer = answers.receive() else { return }
        spare = answer.question
        denied = try answer.denied.get()
    }
}

/// A small upright copy of a picture, for analysis on another thread after the frame's own memory has been passed on.
struct PictureCopy: Sendable {
    /// The longer side in pixels: twice the side of the pose model's input.
    private static let longSide = 512

    /// The planes, in codes of 8 bits.
    private var luma: [UInt8] = [], cb: [UInt8] = [], cr: [UInt8] = []
    private var format = PictureFormat(width: 0, height: 0)
    /// The copy's geometry.
    private(set) var geometry = DisplayGeometry(storedWidth: 0, storedHeight: 0)

    /// Copies and reduces a picture.
    mutating func read(
        _ picture: borrowing Picture, geometry shown: DisplayGeometry, with resampler: inout TensorResampler
    ) {
        let scale = max(shown.uprightWidth, shown.uprightHeight) / Double(Self.longSide)
        let width = max(8, Int((shown.uprightWidth / scale).rounded()))
        let height = max(8, Int((shown.uprightHeight / scale).rounded()))
        let source = picture.format
        format = PictureFormat(
            width: width, height: height, bitDepth: 8, chroma: .yuv444, matrix: source.matrix, range: source.range,
            transfer: source.transfer, primaries: source.primaries)
        geometry = DisplayGeometry(storedWidth: width, storedHeight: height)
        if luma.count != width * height {
            luma = [UInt8](repeating: 0, count: width * height)
            (cb, cr) = (luma, luma)
        }
        let toStored = AffineTransform.scale(
            x: shown.uprightWidth / Double(width), y: shown.uprightHeight / Double(height)
        ).then(shown.uprightToStored)
        resampler.resamplePlanes(
            picture, toStored: toStored, width: width, height: height, luma: &luma, cb: &cb, cr: &cr)
    }

    /// Lends the copy as a picture.
    func withPicture<R, E: Error>(_ body: (borrowing Picture) throws(E) -> R) throws(E) -> R {
        try unsafe luma.withUnsafeBufferPointer { (luma) throws(E) -> R in
            try unsafe cb.withUnsafeBufferPointer { (cb) throws(E) -> R in
                try unsafe cr.withUnsafeBufferPointer { (cr) throws(E) -> R in
                    func plane(_ samples: UnsafeBufferPointer<UInt8>) -> PlaneMemory {
                        // ``Picture`` only reads the memory.
                        unsafe PlaneMemory(
                            address: UnsafeMutableRawPointer(mutating: samples.baseAddress!), stride: format.width)
                    }
                    return try body(
                        unsafe Picture(unsafeFormat: format, planes: [plane(luma), plane(cb), plane(cr)]))
                }
            }
        }
    }
}
