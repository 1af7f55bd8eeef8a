package import MediaIO
import Platform
package import Raster
import Reactions
import Synchronization
package import Vision

/// Segments people, so that effects can be drawn behind them. The model is loaded for the first frame, or on another
/// thread before. ``FrameCompositor`` uses it.
///
/// Used by one thread at a time.
package final class PeopleFinder {
    private enum State {
        /// The state before the first frame: nothing is loaded.
        case idle
        case ready(PersonSegmenter.Kind, PersonMask, ModelLease)
        /// The state after a model could not be loaded or run.
        case unavailable
    }

    private let resources: Resources
    private var state = State.idle
    private var warnings: [PipelineWarning] = []
    private var segmentationWarning = WarnOnce()
    private let handover = Handover()
    private var isLoading = false

    /// Passes a loaded model from the thread that loads it to the thread that uses it.
    private final class Handover: Sendable {
        struct Loaded: @unchecked Sendable {
            let kind: PersonSegmenter.Kind
            let mask: PersonMask
            let lease: ModelLease
            /// A warning about reduced quality.
            let warning: PipelineWarning?
        }
        let loaded = Mutex<Loaded?>(nil)

        func dequeue() -> Loaded? {
            loaded.withLock { loaded in
                defer { loaded = nil }
                return loaded
            }
        }
    }

    package init(resources: Resources) {
        self.resources = resources
    }

    /// The files of the models.
    package enum ModelFile {
        static let landscape = "selfie_segmentation_landscape.tflite"
        package static let square = "selfie_segmentation.tflite"
        package static let all = [landscape, square]
        /// The model that separates people from furniture next to them. Masks can be computed without it.
        package static let pose = "pose_landmark_full.tflite"
    }

    /// The number of inferences of the model.
    package var inferenceCount: Int {
        if case .ready(_, let mask, _) = state { mask.inferenceCount } else { 0 }
    }

    /// The factor by which the interval between inferences is longer than usual, 1…2.
    package var intervalScale = 1.0

    /// Loads the model in advance on its own thread. An error is reported when the model is needed.
    ///
    /// - Parameter waits: whether to return only after it is loaded.
    package func prepare(for geometry: DisplayGeometry, waits: Bool) {
        guard case .idle = state, !isLoading else { return }
        isLoading = true
        let kind = PersonSegmenter.Kind(aspectRatio: geometry.aspectRatio)
        let work: @Sendable () -> Void = { [resources, handover] in
            guard let loaded = try? Self.load(kind, resources) else { return }
            handover.loaded.withLock { $0 = loaded }
        }
        if waits { work() } else { StageThread(work).detach() }
    }

    /// Loads a model into the pool of models, on its own thread, for the finders of tiles, which take it from there. Calls
    /// after the first do nothing.
    package func preload(for geometry: DisplayGeometry, into resources: Resources) {
        guard !isLoading else { return }
        isLoading = true
        let kind = PersonSegmenter.Kind(aspectRatio: geometry.aspectRatio)
        // The lease returns the model to the pool at once.
        StageThread { _ = try? Self.load(kind, resources) }.detach()
    }

    /// Returns the mask of the people in a frame; `nil` if there are no people, or if the model is unavailable.
    package func mask(of picture: borrowing Picture, geometry: DisplayGeometry, at time: Double) -> BandMask? {
        do throws(InferenceError) {
            let personMask = try personMask(for: geometry)
            personMask?.intervalScale = intervalScale
            personMask?.isPrecise = isPrecise
            return try personMask?.mask(of: picture, geometry: geometry, at: time)
        } catch {
            state = .unavailable
            warnings.append(
                PipelineWarning(
                    code: .peopleNotFound,
                    message: isPrecise
                        ? "Portrait and Studio Light are not drawn, since people cannot be segmented: \(error)"
                        : "effects are drawn in front of people, since people cannot be segmented: \(error)"))
            return nil
        }
    }

    /// The people of the last picture for ``mask(of:geometry:at:)``; `nil` if the model is unavailable.
    package var people: PersonMask? {
        if case .ready(_, let mask, _) = state { mask } else { nil }
    }

    /// True if the mask of every frame is needed, at its best.
    package var isPrecise = false

    /// Removes and returns the warnings since the last call.
    package func takeWarnings() -> [PipelineWarning] {
        defer { warnings.removeAll() }
        return warnings
    }

    /// Returns the model for a picture's aspect ratio, which it loads if needed; `nil` after an earlier failure.
    private func personMask(for geometry: DisplayGeometry) throws(InferenceError) -> PersonMask? {
        let kind = PersonSegmenter.Kind(aspectRatio: geometry.aspectRatio)
        switch state {
        case .unavailable: return nil
        case .ready(kind, let mask, _): return mask
        case .idle, .ready:
            let loaded =
                if let loaded = handover.dequeue(), loaded.kind == kind {
                    loaded
                } else {
                    try Self.load(kind, resources)
                }
            state = .ready(kind, loaded.mask, loaded.lease)
            segmentationWarning.note(loaded.warning)
            if let warning = segmentationWarning.take() { warnings.append(warning) }
            return loaded.mask
        }
    }

    private static func load(_ kind: PersonSegmenter.Kind, _ resources: Resources) throws(InferenceError)
        -> Handover.Loaded
    {
        let file = kind == .landscape ? ModelFile.landscape : ModelFile.square
        let lease = try ModelLease(installed: file, in: resources)
        let segmenter = try PersonSegmenter(model: lease.model, kind: kind)
        var (inquiry, warning): (PoseInquiry?, PipelineWarning?)
        do throws(InferenceError) {
            inquiry = PoseInquiry(examiner: try examiner(resources), width: segmenter.width, height: segmenter.height)
        } catch {
            // The mask is usable without the body model.
            warning = PipelineWarning(
                code: .peopleNotFound,
                message: "furniture next to people may be treated as part of them: \(error)")
        }
        return Handover.Loaded(
            kind: kind, mask: PersonMask(segmenter: segmenter, examiner: inquiry), lease: lease, warning: warning)
    }

    private static func examiner(_ resources: Resources) throws(InferenceError) -> PoseExaminer {
        func load() throws(InferenceError) -> PoseExaminer {
            try PoseExaminer(
                faces: ModelLease(installed: FaceFinder.modelFile, in: resources),
                landmarks: ModelLease(installed: ModelFile.pose, in: resources))
        }
        guard let shared = resources.shared else { return try load() }
        return try shared.poseExaminer(load)
    }
}

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
    package func faces(in frame: borrowing VideoFrame) -> [Rectangle] {
        guard frame.hasPicture, let detector = loaded() else { return [] }
        let geometry = frame.geometry
        return frame.withPicture { (try? detector.faces(in: $0, geometry: geometry)) ?? [] }
    }

    /// Returns the faces in a picture; none if the model is missing or fails.
    package func faces(in picture: borrowing Picture, geometry: DisplayGeometry) -> [Rectangle] {
        guard let detector = loaded() else { return [] }
        return (try? detector.faces(in: picture, geometry: geometry)) ?? []
    }

    /// Returns the faces in a window of a picture; none if the model is missing or fails.
    package func faces(in picture: borrowing Picture, geometry: DisplayGeometry, _ window: FaceWindow) -> [Rectangle] {
        guard let detector = loaded() else { return [] }
        return (try? detector.faces(in: picture, geometry: geometry, window)) ?? []
    }

    /// Returns the faces in a frame or, if there are none, the small faces, which takes three more inferences.
    package func facesOfAnySize(in frame: borrowing VideoFrame) -> [Rectangle] {
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

extension Rectangle {
    /// The bounds of the whole head of a face, in fractions of the upright picture. The detector's box excludes forehead,
    /// hair and ears.
    package var head: (left: Double, top: Double, right: Double, bottom: Double) {
        let width = right - left, height = bottom - top
        return (left - 0.15 * width, top - 0.35 * height, right + 0.15 * width, bottom + 0.1 * height)
    }
}
