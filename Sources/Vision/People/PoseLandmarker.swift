import Platform
internal import Raster

/// A body in one picture.
struct Pose: Sendable {
    /// The 33 points of BlazePose, in upright pixels.
    let points: [(x: Double, y: Double)]
    /// The transform from upright pixels to pixels of the model's input.
    private let toTensor: AffineTransform
    /// The confidence of the body at each pixel of the model's input, 0…1.
    private let samples: [Float]

    init(points: [(x: Double, y: Double)], toTensor: AffineTransform, samples: [Float]) {
        self.points = points
        self.toTensor = toTensor
        self.samples = samples
    }

    /// Returns the confidence of the body at an upright pixel, 0…1.
    /// - Returns: `nil` outside the model's input.
    func confidence(x: Double, y: Double) -> Float? {
        let size = PoseLandmarker.inputSize
        let place = toTensor.apply(x: x, y: y)
        let left = place.x - 0.5, top = place.y - 0.5
        guard left >= 0, top >= 0, left < Double(size - 1), top < Double(size - 1) else { return nil }
        let column = Int(left), row = Int(top)
        let across = Float(left - Double(column)), down = Float(top - Double(row))
        let first = row * size + column
        let above = samples[first] + (samples[first + 1] - samples[first]) * across
        let below = samples[first + size] + (samples[first + size + 1] - samples[first + size]) * across
        return above + (below - above) * down
    }
}

/// Detects the landmarks and the mask of a body with MediaPipe's BlazePose landmark model. Used by one thread at a
/// time.
final class PoseLandmarker {
    /// The side of the model's input, and of its mask, in pixels.
    static let inputSize = 256
    /// The number of body points among the model's 39.
    private static let pointCount = 33
    /// The number of values of a point: its place (2), depth, visibility and presence.
    private static let valuesPerPoint = 5
    /// The presence below which there is no body (MediaPipe's threshold).
    private static let minimumPresence: Float = 0.5

    private let model: Model
    private var resampler = TensorResampler()

    /// Creates a landmarker with the `pose_landmark_full` model.
    /// - Throws: `.modelDamaged` if it is another model.
    init(model: Model) throws(InferenceError) {
        let size = Self.inputSize
        try model.require(
            inputs: [TensorDescription(name: "input_1", shape: [1, size, size, 3])],
            outputs: [
                TensorDescription(name: "Identity", shape: [1, 39 * Self.valuesPerPoint]),
                TensorDescription(name: "Identity_1", shape: [1, 1]),
                TensorDescription(name: "Identity_2", shape: [1, size, size, 1]),
            ])
        self.model = model
    }

    /// Returns the body in a region; `nil` if there is none.
    func pose(
        in picture: borrowing Picture, geometry: DisplayGeometry, region: PoseRegion
    ) throws(InferenceError) -> Pose? {
        let size = Self.inputSize
        let toUpright = region.tensorToUpright(size: size)
        model.withInput("input_1") { tensor in
            resampler.resample(
                picture, toStored: toUpright.then(geometry.uprightToStored), border: .zero, width: size, height: size,
                into: &tensor)
        }
        try model.run()
        guard model.withOutput("Identity_1", { $0[0] }) >= Self.minimumPresence else { return nil }
        let points = model.withOutput("Identity") { values in
            (0..<Self.pointCount).map { index in
                let first = index * Self.valuesPerPoint
                return toUpright.apply(x: Double(values[first]), y: Double(values[first + 1]))
            }
        }
        // The model returns logits.
        let samples = model.withOutput("Identity_2") { logits in
            (0..<size * size).map { 1 / (1 + exp(-max(-50, min(50, logits[$0])))) }
        }
        return Pose(points: points, toTensor: toUpright.inverse, samples: samples)
    }
}

/// A square around a whole body, upright, in upright pixels.
struct PoseRegion: Sendable {
    private let centreX, centreY, side: Double

    /// The distance of the hips below a face's middle, and the radius of the circle around the whole body, in widths of
    /// the face. Both values are medians over 415 pictures of one person each, at tables and standing, measured with
    /// MediaPipe's pose detector and the pose itself. The 10th to 90th percentiles are 2.7 to 4.4 and 3.7 to 5.5.
    private static let hips = 3.6, radius = 4.7
    /// The factor from the circle to the region (MediaPipe, `pose_detection_to_roi`).
    private static let margin = 1.25

    /// Creates the region of the body that belongs to a face, from the middle and the width of the face's box, in
    /// upright pixels.
    init(faceX: Double, faceY: Double, faceWidth: Double) {
        centreX = faceX
        centreY = faceY + Self.hips * faceWidth
        side = 2 * Self.margin * Self.radius * faceWidth
    }

    /// Returns the transform from pixels of a tensor of `size` × `size` to upright pixels.
    func tensorToUpright(size: Int) -> AffineTransform {
        AffineTransform.scale(x: side / Double(size), y: side / Double(size))
            .then(.translation(x: centreX - side / 2, y: centreY - side / 2))
    }
}
