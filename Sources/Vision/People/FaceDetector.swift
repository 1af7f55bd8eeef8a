import Platform
package import Raster

/// A face in one picture.
package struct Face: Sendable, Hashable {
    /// The detector's score: 0…1.
    package var score: Double
    /// The box from above the brows to the chin, in fractions of the upright picture.
    package var left, top, right, bottom: Double

    package init(score: Double, left: Double, top: Double, right: Double, bottom: Double) {
        self.score = score
        self.left = left
        self.top = top
        self.right = right
        self.bottom = bottom
    }
}

/// Detects faces at a webcam's distance with MediaPipe's BlazeFace, short range. A detector owns the model's buffers,
/// and is used by one thread at a time. ``PoseExaminer`` and `FaceFinder` of Frames have one each.
package final class FaceDetector {
    private static let inputSize = 128
    /// The number of values of a box: its centre, its size, then six points.
    private static let valuesPerBox = 16
    /// MediaPipe's minimum score.
    private static let minimumScore = 0.5

    private let model: Model
    private var resampler = TensorResampler()
    /// The centres to which the model's boxes are relative, in pixels of the input: two for each cell of 8 × 8 pixels,
    /// six for each cell of 16 × 16 (MediaPipe, `SsdAnchorsCalculator`, strides 8, 16, 16, 16, fixed anchor size).
    private let anchors: [(x: Double, y: Double)]

    /// Creates a detector with the `face_detection_short_range` model.
    /// - Throws: `.modelDamaged` if it is another model.
    package init(model: Model) throws(InferenceError) {
        var anchors: [(x: Double, y: Double)] = []
        for (stride, boxesPerCell) in [(8, 2), (16, 6)] {
            let cells = Self.inputSize / stride
            for cell in 0..<cells * cells {
                let centre = (
                    x: (Double(cell % cells) + 0.5) * Double(stride),
                    y: (Double(cell / cells) + 0.5) * Double(stride)
                )
                anchors += Array(repeating: centre, count: boxesPerCell)
            }
        }
        try model.require(
            inputs: [TensorDescription(name: "input", shape: [1, Self.inputSize, Self.inputSize, 3])],
            outputs: [
                TensorDescription(name: "regressors", shape: [1, anchors.count, Self.valuesPerBox]),
                TensorDescription(name: "classificators", shape: [1, anchors.count, 1]),
            ])
        self.model = model
        self.anchors = anchors
    }

    /// Returns the faces in a picture, in descending order of score.
    package func faces(
        in picture: borrowing Picture, geometry: DisplayGeometry
    ) throws(InferenceError) -> [Face] {
        let side = max(geometry.uprightWidth, geometry.uprightHeight)
        let left = (geometry.uprightWidth - side) / 2, top = (geometry.uprightHeight - side) / 2
        return try faces(in: picture, geometry: geometry, left: left, top: top, side: side)
    }

    /// Returns the faces in a picture, including small ones, in descending order of score. The detector runs on three
    /// overlapping squares along the picture's longer side.
    package func smallFaces(
        in picture: borrowing Picture, geometry: DisplayGeometry
    ) throws(InferenceError) -> [Face] {
        let side = min(geometry.uprightWidth, geometry.uprightHeight)
        var found: [Face] = []
        for place in [0.0, 0.5, 1.0] {
            found += try faces(
                in: picture, geometry: geometry, left: place * (geometry.uprightWidth - side),
                top: place * (geometry.uprightHeight - side), side: side)
        }
        return Face.distinct(found)
    }

    /// Returns the faces in a square of the picture, which may reach beyond it, in upright pixels.
    private func faces(
        in picture: borrowing Picture, geometry: DisplayGeometry, left: Double, top: Double, side: Double
    ) throws(InferenceError) -> [Face] {
        let size = Double(Self.inputSize)
        let toUpright = AffineTransform.scale(x: side / size, y: side / size)
            .then(.translation(x: left, y: top))
        model.withInput("input") { tensor in
            resampler.resample(
                picture, toStored: toUpright.then(geometry.uprightToStored), border: .zero,
                width: Self.inputSize, height: Self.inputSize, into: &tensor)
            // The model expects −1…1.
            for i in 0..<tensor.count { tensor[i] = 2 * tensor[i] - 1 }
        }
        try model.run()
        let found = model.withOutput("regressors") { boxes in
            model.withOutput("classificators") { scores in decode(boxes, scores) }
        }
        return Face.distinct(found).map { face in
            let first = toUpright.apply(x: face.left, y: face.top)
            let last = toUpright.apply(x: face.right, y: face.bottom)
            return Face(
                score: face.score, left: first.x / geometry.uprightWidth, top: first.y / geometry.uprightHeight,
                right: last.x / geometry.uprightWidth, bottom: last.y / geometry.uprightHeight)
        }
    }

    /// Returns the boxes above the minimum score, in pixels of the input.
    private func decode(_ boxes: Span<Float>, _ scores: Span<Float>) -> [Face] {
        var faces: [Face] = []
        for (index, anchor) in anchors.enumerated() {
            let score = 1 / (1 + exp(-max(-100, min(100, Double(scores[index])))))
            guard score >= Self.minimumScore else { continue }
            let first = index * Self.valuesPerBox
            let x = anchor.x + Double(boxes[first]), y = anchor.y + Double(boxes[first + 1])
            let width = Double(boxes[first + 2]), height = Double(boxes[first + 3])
            faces.append(
                Face(
                    score: score, left: x - width / 2, top: y - height / 2, right: x + width / 2,
                    bottom: y + height / 2))
        }
        return faces
    }
}

extension Face {
    /// Returns the face with the highest score in each group of overlapping faces.
    static func distinct(_ faces: [Face]) -> [Face] {
        // Equal scores keep their order, so that the result does not depend on the sort.
        let sorted = faces.enumerated().sorted {
            ($1.element.score, $0.offset) < ($0.element.score, $1.offset)
        }.map(\.element)
        var kept: [Face] = []
        for face in sorted where !kept.contains(where: { $0.overlaps(face) }) { kept.append(face) }
        return kept
    }

    /// Returns whether the intersection over union of two boxes is more than 0.3.
    private func overlaps(_ other: Face) -> Bool {
        let width = min(right, other.right) - max(left, other.left)
        let height = min(bottom, other.bottom) - max(top, other.top)
        guard width > 0, height > 0 else { return false }
        let shared = width * height
        return shared > 0.3 * (area + other.area - shared)
    }

    private var area: Double { (right - left) * (bottom - top) }
}
