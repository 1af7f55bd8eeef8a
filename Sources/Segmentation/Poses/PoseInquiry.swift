package import Inference
import Platform
package import Raster

/// Says what of a mask belongs to no body, a while after it was asked.
package protocol BodyExamining: AnyObject {
    /// Begins to examine a picture. It is asked nothing else before it was asked for the answer.
    /// - Parameter confidence: how surely each place of the mask shows a person, 0…1.
    func ask(about picture: borrowing Picture, geometry: DisplayGeometry, confidence: [Float])

    /// Waits for what was asked for.
    /// - Parameter denied: as many values, filled with what is denied of the confidence: −1…0.
    func answer(into denied: inout [Float]) throws(InferenceError)
}

/// Has the bodies beside one mask examined by somebody whom others may ask, too.
package final class PoseInquiry: BodyExamining {
    private let examiner: PoseExaminer
    private let width, height: Int
    private let answers = Channel<PoseExaminer.Answer>(capacity: 1)
    /// What the next question is written into: memory that came back with an answer.
    private var spare = PoseExaminer.Question()
    private var resampler = TensorResampler()

    /// - Parameters:
    ///   - width, height: the mask's size.
    package init(examiner: PoseExaminer, width: Int, height: Int) {
        self.examiner = examiner
        self.width = width
        self.height = height
    }

    deinit { answers.cancel() }

    package func ask(about picture: borrowing Picture, geometry: DisplayGeometry, confidence: [Float]) {
        spare.copy.take(picture, geometry: geometry, with: &resampler)
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
