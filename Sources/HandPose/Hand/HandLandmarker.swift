package import Inference
package import Raster

/// Detects the 21 landmarks of the hand in a region with MediaPipe's hand landmark model (lite or full). Used by one
/// thread at a time.
package final class HandLandmarker: HandLandmarking {
    private let model: Model
    private var resampler = TensorResampler()

    private static let inputSize = 224
    private static let pointCount = HandJoint.allCases.count
    /// The model's output of the points in metres, which is not used. The last layer of each output reads the model's
    /// embedding of the hand. A model that is loaded with this output tapped exposes the embedding (`Model.tapped`).
    package static let spareOutput = "Identity_3"

    /// Creates a landmarker with a `hand_landmark_*` model.
    /// - Throws: `.modelDamaged` if it is another model.
    package init(model: Model) throws(InferenceError) {
        try model.require(
            inputs: [
                TensorDescription(name: "input_1", shape: [1, Self.inputSize, Self.inputSize, 3])
            ],
            outputs: [
                TensorDescription(name: "Identity", shape: [1, Self.pointCount * 3]),
                TensorDescription(name: "Identity_1", shape: [1, 1]),
                TensorDescription(name: "Identity_2", shape: [1, 1]),
            ])
        self.model = model
    }

    package func hand(
        in picture: borrowing Picture, geometry: DisplayGeometry, region: HandRegion
    ) throws(InferenceError) -> HandLandmarks {
        let size = Self.inputSize
        let toUpright = region.tensorToUpright(size: size)
        model.withInput("input_1") { tensor in
            resampler.resample(
                picture, toStored: toUpright.then(geometry.uprightToStored), border: .replicate,
                width: size, height: size, into: &tensor)
        }
        try model.run()
        let points = model.withOutput("Identity") { values in
            (0..<Self.pointCount).map { index in
                let place = toUpright.apply(
                    x: Double(values[3 * index]), y: Double(values[3 * index + 1]))
                // MediaPipe's graph divides depth by 0.4 (`normalize_z`), in addition to scaling it from the tensor to
                // the region.
                let depth = Double(values[3 * index + 2]) / Double(size) / 0.4 * region.side
                return Landmark(
                    x: place.x / geometry.uprightWidth, y: place.y / geometry.uprightHeight,
                    z: depth / geometry.uprightWidth)
            }
        }
        // The model was trained on mirrored pictures, for which this output is the confidence of a left hand. The
        // project's pictures are not mirrored, so here it is the confidence of a right hand.
        let right = model.withOutput("Identity_2") { Double($0[0]) }
        let presence = model.withOutput("Identity_1") { Double($0[0]) }
        var hand = HandLandmarks(
            points: points, handedness: right > 0.5 ? .right : .left,
            handednessConfidence: max(right, 1 - right), presence: presence, trackID: 0,
            pictureAspectRatio: geometry.aspectRatio)
        if let embedding = model.tapped {
            hand.embedding = model.withOutput(embedding.name) { values in values.indices.map { values[$0] } }
        }
        return hand
    }
}
