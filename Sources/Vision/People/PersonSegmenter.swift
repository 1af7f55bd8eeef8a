package import Raster

/// A model that segments people in single pictures, as ``PersonMask`` uses it.
package protocol PersonSegmenting: AnyObject {
    /// The size of the guide and of the confidence, in samples.
    var width: Int { get }
    var height: Int { get }

    /// Reads a picture.
    /// - Parameter guide: `width · height` values, filled with the picture's luma, 0…1, upright.
    func read(_ picture: borrowing Picture, geometry: DisplayGeometry, guide: inout [Float])

    /// Runs on the picture that was read last.
    /// - Parameter confidence: `width · height` values, filled with the confidence of a person at each place, 0…1.
    func segment(confidence: inout [Float]) throws(InferenceError)

    /// Changes the picture of the last ``segment(confidence:)`` (it is mirrored and brightened), for
    /// ``segmentAgain(confidence:)``. Called at most once for each picture.
    func turn()

    /// Runs on the picture that ``turn()`` changed.
    /// - Parameter confidence: `width · height` values, 0…1, filled for the places of the picture as it was read.
    func segmentAgain(confidence: inout [Float]) throws(InferenceError)
}

/// Segments people with MediaPipe's selfie segmentation, square or landscape.
///
/// The whole picture is scaled to the model's input, without keeping its proportions, as in the model's training. Used
/// by one thread at a time.
package final class PersonSegmenter: PersonSegmenting {
    package let width: Int
    package let height: Int
    private let model: Model
    private let output: String
    private var resampler = TensorResampler()

    /// The two variants of the model, with their input sizes and output names.
    package enum Kind: Sendable, CaseIterable {
        case landscape, square

        /// Creates the kind for pictures of an aspect ratio (width over height).
        ///
        /// At 4:3 the square model finds more hands and dark heads than the landscape model, at 16:9 less of the room.
        package init(aspectRatio: Double) { self = aspectRatio > 1.5 ? .landscape : .square }

        var width: Int { 256 }
        var height: Int { self == .landscape ? 144 : 256 }
        var output: String { self == .landscape ? "segment_back" : "activation_10" }
    }

    /// Creates a segmenter with a `selfie_segmentation*` model.
    /// - Throws: `.modelDamaged` if it is another model.
    package init(model: Model, kind: Kind) throws(InferenceError) {
        width = kind.width
        height = kind.height
        output = kind.output
        try model.require(
            inputs: [TensorDescription(name: "input_1", shape: [1, height, width, 3])],
            outputs: [TensorDescription(name: output, shape: [1, height, width, 1])])
        self.model = model
    }

    package func read(_ picture: borrowing Picture, geometry: DisplayGeometry, guide: inout [Float]) {
        let toUpright = AffineTransform.scale(
            x: geometry.uprightWidth / Double(width), y: geometry.uprightHeight / Double(height))
        model.withInput("input_1") { tensor in
            resampler.resample(
                picture, toStored: toUpright.then(geometry.uprightToStored), border: .replicate,
                width: width, height: height, into: &tensor)
            var guide = guide.mutableSpan
            for i in 0..<width * height {
                // Luma with the weights of BT.601; any weights would be suitable for a guide.
                guide[i] = 0.299 * tensor[3 * i] + 0.587 * tensor[3 * i + 1] + 0.114 * tensor[3 * i + 2]
            }
        }
    }

    package func segment(confidence: inout [Float]) throws(InferenceError) {
        try model.run()
        model.withOutput(output) { values in
            var confidence = confidence.mutableSpan
            for i in 0..<width * height { confidence[i] = values[i] }
        }
    }

    /// Mirrors and brightens the picture. Objects that the model takes for people only because of their surroundings
    /// seldom pass twice.
    package func turn() {
        model.withInput("input_1") { tensor in
            for i in 0..<tensor.count { tensor[i] = Self.brighter(tensor[i]) }
            for row in 0..<height {
                var pixels = tensor._mutatingExtracting(3 * row * width..<3 * (row + 1) * width)
                for x in 0..<width / 2 {
                    pixels.swapAt(3 * x, 3 * (width - 1 - x))
                    pixels.swapAt(3 * x + 1, 3 * (width - 1 - x) + 1)
                    pixels.swapAt(3 * x + 2, 3 * (width - 1 - x) + 2)
                }
            }
        }
    }

    package func segmentAgain(confidence: inout [Float]) throws(InferenceError) {
        try model.run()
        model.withOutput(output) { values in
            var confidence = confidence.mutableSpan
            for row in 0..<height {
                let start = row * width
                for x in 0..<width { confidence[start + x] = values[start + width - 1 - x] }
            }
        }
    }

    /// Returns the mean of the value and its square root.
    private static func brighter(_ value: Float) -> Float { 0.5 * (value + max(0, value).squareRoot()) }
}
