import Inference
package import MediaIO
package import Raster
import Reactions
package import Segmentation
package import SessionSettings

/// Detects faces in frames, so that effects do not cover them. The model is loaded for the first frame.
///
/// Used by one thread at a time.
package final class FaceFinder {
    private let resources: Resources
    private var detector: FaceDetector?
    /// The detector's model.
    private var lease: ModelLease?
    private var isLoaded = false
    /// The reason why the model could not be loaded; `nil` if it was, or is not needed yet.
    private var failure: String?

    /// The model's file.
    package static let modelFile = "face_detection_short_range.tflite"

    package init(resources: Resources) {
        self.resources = resources
    }

    /// Returns the faces in a frame; none if the model is missing or fails, or the frame was not decoded.
    package func faces(in frame: borrowing VideoFrame) -> [Face] {
        guard frame.hasPicture, let detector = loaded() else { return [] }
        let geometry = frame.geometry
        return frame.withPicture { (try? detector.faces(in: $0, geometry: geometry)) ?? [] }
    }

    /// Returns the faces in a picture; none if the model is missing or fails.
    package func faces(in picture: borrowing Picture, geometry: DisplayGeometry) -> [Face] {
        guard let detector = loaded() else { return [] }
        return (try? detector.faces(in: picture, geometry: geometry)) ?? []
    }

    /// Returns the faces in a frame or, if there are none, the small faces, which takes three more inferences.
    package func facesOfAnySize(in frame: borrowing VideoFrame) -> [Face] {
        let near = faces(in: frame)
        guard near.isEmpty, frame.hasPicture, let detector else { return near }
        let geometry = frame.geometry
        return frame.withPicture { (try? detector.smallFaces(in: $0, geometry: geometry)) ?? [] }
    }

    /// Loads the model in advance.
    package func prepare() { _ = loaded() }

    /// Returns a warning if the model could not be loaded.
    ///
    /// - Parameter consequence: the consequence, such as "faces are not protected".
    package func warning(_ consequence: String) -> PipelineWarning? {
        failure.map {
            PipelineWarning(code: .facesNotFound, message: "\(consequence), since they cannot be detected: \($0)")
        }
    }

    /// Loads the model on the first call. Returns `nil` if loading failed.
    private func loaded() -> FaceDetector? {
        guard !isLoaded else { return detector }
        isLoaded = true
        do {
            let lease = try ModelLease(installed: Self.modelFile, in: resources)
            detector = try FaceDetector(model: lease.model)
            self.lease = lease
        } catch {
            failure = "\(error)"
        }
        return detector
    }
}

extension Face {
    /// The bounds of the whole head in fractions of the upright picture. The detector's box excludes forehead, hair and
    /// ears.
    package var head: (left: Double, top: Double, right: Double, bottom: Double) {
        let width = right - left, height = bottom - top
        return (left - 0.15 * width, top - 0.35 * height, right + 0.15 * width, bottom + 0.1 * height)
    }
}
