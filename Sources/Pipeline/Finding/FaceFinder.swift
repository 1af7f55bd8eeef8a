import Inference
package import MediaIO
import Reactions
package import Segmentation

/// Finds faces in frames, from the first frame that asks on.
///
/// Used by one thread at a time.
package final class FaceFinder {
    private let resources: Resources
    private var detector: FaceDetector?
    /// The detector's model.
    private var loan: ModelLoan?
    private var isLoaded = false
    /// Why no faces are found.
    private var failure: String?

    /// The model's file.
    package static let modelFile = "face_detection_short_range.tflite"

    package init(resources: Resources) {
        self.resources = resources
    }

    /// The faces in a frame; none where the model is missing or fails, or the frame was not decoded.
    package func faces(in frame: borrowing VideoFrame) -> [Face] {
        guard frame.hasPicture, let detector = loaded() else { return [] }
        let geometry = frame.geometry
        return frame.withPicture { (try? detector.faces(in: $0, geometry: geometry)) ?? [] }
    }

    /// The same; where none is found, those that are small in the frame, too, which takes three looks more.
    func facesOfAnySize(in frame: borrowing VideoFrame) -> [Face] {
        let near = faces(in: frame)
        guard near.isEmpty, frame.hasPicture, let detector else { return near }
        let geometry = frame.geometry
        return frame.withPicture { (try? detector.smallFaces(in: $0, geometry: geometry)) ?? [] }
    }

    /// Loads the model ahead.
    package func prepare() { _ = loaded() }

    /// What to tell of it where there is no model.
    ///
    /// - Parameter consequence: what is not done without it: "faces are not protected", say.
    package func warning(_ consequence: String) -> PipelineWarning? {
        failure.map {
            PipelineWarning(code: .facesNotFound, message: "\(consequence), since they cannot be found: \($0)")
        }
    }

    private func loaded() -> FaceDetector? {
        guard !isLoaded else { return detector }
        isLoaded = true
        do {
            let loan = try ModelLoan(installed: Self.modelFile, in: resources)
            detector = try FaceDetector(model: loan.model)
            self.loan = loan
        } catch {
            failure = "\(error)"
        }
        return detector
    }
}

extension Face {
    /// The whole head in fractions of the upright picture: the detector's box leaves out forehead,
    /// hair and ears.
    package var head: (left: Double, top: Double, right: Double, bottom: Double) {
        let width = right - left, height = bottom - top
        return (left - 0.15 * width, top - 0.35 * height, right + 0.15 * width, bottom + 0.1 * height)
    }
}
