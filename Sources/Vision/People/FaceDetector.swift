import Platform
package import Raster

/// Detects faces at a webcam's distance with MediaPipe's BlazeFace, short range. A detector owns the model's buffers,
/// and is used by one thread at a time. ``PoseExaminer`` and `FaceFinder` of Frames have one each.
///
/// A face is the box from above the brows to the chin, in fractions of the upright picture.
package final class FaceDetector {
    private static let inputSize = 128
    /// The number of values of a box: its centre, its size, then six points.
    private static let valuesPerBox = 16
    /// MediaPipe's minimum score.
    private static let minimumScore = 0.5

    private let model: Model
    private var resampler = TensorResampler()
    private let anchors = BoxAnchors(rows: inputSize, columns: inputSize).centres

    /// Creates a detector with the `face_detection_short_range` model.
    /// - Throws: `.modelDamaged` if it is another model.
    package init(model: Model) throws(InferenceError) {
        try model.require(
            inputs: [TensorDescription(name: "input", shape: [1, Self.inputSize, Self.inputSize, 3])],
            outputs: [
                TensorDescription(name: "regressors", shape: [1, anchors.count, Self.valuesPerBox]),
                TensorDescription(name: "classificators", shape: [1, anchors.count, 1]),
            ])
        self.model = model
    }

    /// Returns the faces in a picture, in descending order of score.
    package func faces(
        in picture: borrowing Picture, geometry: DisplayGeometry
    ) throws(InferenceError) -> [Rectangle] {
        try faces(in: picture, geometry: geometry, .whole(of: geometry))
    }

    /// Returns the faces in a window, in descending order of score.
    package func faces(
        in picture: borrowing Picture, geometry: DisplayGeometry, _ window: FaceWindow
    ) throws(InferenceError) -> [Rectangle] {
        try scoredFaces(in: picture, geometry: geometry, window).map(\.box)
    }

    /// Returns the faces in a picture, including small ones, in descending order of score. The detector runs on three
    /// overlapping squares along the picture's longer side.
    package func smallFaces(
        in picture: borrowing Picture, geometry: DisplayGeometry
    ) throws(InferenceError) -> [Rectangle] {
        var found: [Face] = []
        for window in FaceWindow.along(geometry) {
            found += try scoredFaces(in: picture, geometry: geometry, window)
        }
        return Face.distinct(found).map(\.box)
    }

    private func scoredFaces(
        in picture: borrowing Picture, geometry: DisplayGeometry, _ window: FaceWindow
    ) throws(InferenceError) -> [Face] {
        let size = Double(Self.inputSize)
        let toUpright = AffineTransform.scale(x: window.side / size, y: window.side / size)
            .then(.translation(x: window.left, y: window.top))
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
            let first = toUpright.apply(x: face.box.left, y: face.box.top)
            let last = toUpright.apply(x: face.box.right, y: face.box.bottom)
            let box = Rectangle(
                left: first.x / geometry.uprightWidth, top: first.y / geometry.uprightHeight,
                right: last.x / geometry.uprightWidth, bottom: last.y / geometry.uprightHeight)
            return Face(score: face.score, box: box)
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
            let box = Rectangle(left: x - width / 2, top: y - height / 2, right: x + width / 2, bottom: y + height / 2)
            faces.append(Face(score: score, box: box))
        }
        return faces
    }
}

/// A square of a picture in which ``FaceDetector`` looks for faces, in upright pixels. It may reach beyond the picture.
/// Small faces are found in small squares only.
package struct FaceWindow: Sendable, Hashable {
    package var left, top, side: Double

    /// Returns the square around the whole picture.
    package static func whole(of geometry: DisplayGeometry) -> FaceWindow {
        let side = max(geometry.uprightWidth, geometry.uprightHeight)
        return FaceWindow(
            left: (geometry.uprightWidth - side) / 2, top: (geometry.uprightHeight - side) / 2, side: side)
    }

    /// Returns three overlapping squares along the picture's longer side, for small faces.
    package static func along(_ geometry: DisplayGeometry) -> [FaceWindow] {
        let side = min(geometry.uprightWidth, geometry.uprightHeight)
        return [0, 0.5, 1].map { place in
            FaceWindow(
                left: place * (geometry.uprightWidth - side), top: place * (geometry.uprightHeight - side), side: side)
        }
    }

    /// Returns the square around a rectangle, in fractions of the upright picture.
    ///
    /// - Parameter side: The side in upright pixels.
    package static func around(_ place: Rectangle, side: Double, _ geometry: DisplayGeometry) -> FaceWindow {
        FaceWindow(
            left: (place.left + place.right) / 2 * geometry.uprightWidth - side / 2,
            top: (place.top + place.bottom) / 2 * geometry.uprightHeight - side / 2, side: side)
    }
}

private struct Face {
    /// The detector's score: 0…1.
    var score: Double
    var box: Rectangle

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
        let shared = box.overlap(other.box)
        return shared > 0.3 * (box.area + other.box.area - shared)
    }
}
