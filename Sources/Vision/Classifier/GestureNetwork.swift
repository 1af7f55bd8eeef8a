package import FoundationEssentials

/// A small neural network that classifies a hand by its ``HandFeatures``.
///
/// The network has one or more layers with rectified outputs between them, and a softmax at the end. The result is the
/// mean over the hand and its mirror image, so left and right hands are treated alike. `Benchmarks/Sources/train`
/// trains it; docs/design/gesture-detection.md describes the data.
///
/// - complexity: O(weights), some microseconds.
package struct GestureNetwork: Sendable, Hashable {
    /// A fully connected layer: every output is a bias plus the weighted sum of all inputs.
    package struct Layer: Sendable, Hashable {
        package let inputs: Int
        package let outputs: Int
        /// The weight of input i for output o, at `i * outputs + o`, so that the inner loop reads contiguous memory.
        package var weights: [Float]
        package var biases: [Float]

        package init(inputs: Int, outputs: Int, weights: [Float], biases: [Float]) {
            precondition(weights.count == inputs * outputs && biases.count == outputs)
            self.inputs = inputs
            self.outputs = outputs
            self.weights = weights
            self.biases = biases
        }

        /// Returns the outputs for `input`.
        package func callAsFunction(_ input: [Float]) -> [Float] {
            var sums = biases
            for i in 0..<inputs {
                let value = input[i]
                // Many values are 0 after rectification.
                if value == 0 { continue }
                for o in 0..<outputs { sums[o] += value * weights[i * outputs + o] }
            }
            return sums
        }
    }

    /// The mean of each feature in training, and the inverse of its spread.
    package var means: [Float]
    package var scales: [Float]
    package var layers: [Layer]
    /// The divisor of the logits that calibrates them: of all outputs with a confidence of 0.8, eight in ten are
    /// correct.
    package var temperature: Double
    /// The mean features of each class, and the spread of people's hands around them. Custom gestures
    /// (``LearnedGesture``) are compared on this basis.
    package var classMeans: [[Float]]
    package var spreads: [Float]

    package init(
        means: [Float], scales: [Float], layers: [Layer], temperature: Double, classMeans: [[Float]],
        spreads: [Float]
    ) {
        self.means = means
        self.scales = scales
        self.layers = layers
        self.temperature = temperature
        self.classMeans = classMeans
        self.spreads = spreads
    }

    /// Returns the probability of each class, in the order of `HandClass.allCases`; their sum is 1.
    package func probabilities(of hand: HandLandmarks) -> [Double] {
        probabilities(of: HandShape(hand))
    }

    func probabilities(of shape: HandShape) -> [Double] {
        let one = logits(Self.features(of: shape)), other = logits(Self.features(of: shape.mirrored))
        return softmax(zip(one, other).map { Double($0 + $1) / 2 / temperature })
    }

    /// Returns the features normalised to a mean of 0 and a spread of 1, as the network expects them.
    package func normalised(_ features: [Float]) -> [Float] {
        features.indices.map { (features[$0] - means[$0]) * scales[$0] }
    }

    /// Returns the features of a hand or of its mirror image.
    package static func features(of hand: HandLandmarks, mirrored: Bool) -> [Float] {
        let shape = HandShape(hand)
        return features(of: mirrored ? shape.mirrored : shape)
    }

    private static func features(of shape: HandShape) -> [Float] { HandFeatures.values(of: shape) }

    private func logits(_ features: [Float]) -> [Float] { layers.outputs(for: normalised(features)) }
}

/// Returns the probabilities of logits.
package func softmax(_ logits: [Double]) -> [Double] {
    let greatest = logits.max() ?? 0
    let powers = logits.map { exponential($0 - greatest) }
    let sum = powers.reduce(0, +)
    return powers.map { $0 / sum }
}

/// The distance between hands, relative to the spread of hands of people who make the same sign. 1 is the usual
/// distance of two of these hands.
extension GestureNetwork {
    /// Returns the features of a hand. The hand is mirrored if necessary, so that the palm's index finger side is on
    /// the left, and left and right hands have the same features.
    package static func canonicalFeatures(of hand: HandLandmarks) -> [Float] {
        let one = features(of: hand, mirrored: false)
        return one.last! >= 0 ? one : features(of: hand, mirrored: true)
    }

    /// Returns the root mean square of the features' differences, each relative to its spread.
    func distance(_ a: [Float], _ b: [Float]) -> Double {
        var sum: Float = 0
        for i in a.indices {
            // Beyond four spreads a feature adds no information.
            let difference = max(-4, min(4, (a[i] - b[i]) / spreads[i]))
            sum += difference * difference
        }
        return Double(sum / Float(a.count)).squareRoot()
    }

    /// Returns the distance of a hand, or of its mirror image if that is nearer, to features.
    func distance(of shape: HandShape, to features: [Float]) -> Double {
        min(
            distance(HandFeatures.values(of: shape), features),
            distance(HandFeatures.values(of: shape.mirrored), features))
    }

    /// Returns the features of hands. The first hand's features are those of ``canonicalFeatures(of:)``; each other
    /// hand is mirrored if that brings it nearer to the first.
    func aligned(_ examples: [HandExample]) -> [[Float]] {
        var first: [Float]?
        return examples.map { example in
            let one = HandFeatures.values(of: example.shape)
            let other = HandFeatures.values(of: example.shape.mirrored)
            guard let first else {
                first = one.last! >= 0 ? one : other
                return first!
            }
            return distance(one, first) <= distance(other, first) ? one : other
        }
    }
}

extension GestureNetwork {
    /// The network's path in the assets folder.
    package static let assetPath = "Gestures/hand-gestures.json"

    /// The JSON file: a description for people first, then the numbers.
    private struct File: Decodable {
        struct Layer: Decodable {
            /// One row for each output, with one number for each input.
            var weights: [[Float]]
            var biases: [Float]
        }

        var format: Int
        var classes: [String]
        var features: [String]
        var means: [Float]
        var scales: [Float]
        var temperature: Double
        var layers: [Layer]
        var classMeans: [[Float]]
        var spreads: [Float]
    }

    /// Reads the network from an assets folder.
    ///
    /// - Throws: ``GestureNetworkError`` if the file is missing or damaged, or was made for other classes or features
    ///   than this program's.
    package init(assets folder: String) throws(GestureNetworkError) {
        try self.init(WeightsFile(folder + "/" + Self.assetPath, purpose: "recognise gestures"))
    }

    /// Reads a network.
    ///
    /// - Parameter file: The file's name in errors.
    package init(json: Data, file: String) throws(GestureNetworkError) {
        try self.init(WeightsFile(name: file, json: json))
    }

    private init(_ file: WeightsFile) throws(GestureNetworkError) {
        let contents = try file.contents(File.self, kind: "network of gestures")
        let sizes = [contents.means.count] + contents.layers.map(\.biases.count)
        let fits =
            contents.format == 1 && contents.classes == HandClass.allCases.map(\.rawValue)
            && contents.features == HandFeatures.names && contents.means.count == HandFeatures.names.count
            && contents.scales.count == contents.means.count && sizes.last == contents.classes.count
            && contents.classMeans.count == contents.classes.count
            && (contents.classMeans + [contents.spreads]).allSatisfy { $0.count == contents.means.count }
            && contents.spreads.allSatisfy { $0 > 0 } && contents.temperature > 0
            && zip(contents.layers, sizes).allSatisfy { layer, inputs in
                layer.weights.count == layer.biases.count && layer.weights.allSatisfy { $0.count == inputs }
            }
        guard fits else { throw .mismatch(file.name) }
        self.init(
            means: contents.means, scales: contents.scales,
            layers: zip(contents.layers, sizes).map { layer, inputs in
                let outputs = layer.biases.count
                let weights = (0..<inputs).flatMap { i in (0..<outputs).map { layer.weights[$0][i] } }
                return Layer(inputs: inputs, outputs: outputs, weights: weights, biases: layer.biases)
            },
            temperature: contents.temperature, classMeans: contents.classMeans, spreads: contents.spreads)
    }
}

/// The reason why a file of weights cannot be used: one line that names the file.
package struct GestureNetworkError: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String

    /// Returns an error for a file made for another version of the program.
    static func mismatch(_ file: String) -> GestureNetworkError {
        GestureNetworkError(
            description: "\(file): does not fit this version of the program; run Scripts/train or Scripts/install")
    }
}

/// A file of weights in the assets folder.
struct WeightsFile {
    /// The file's name in errors.
    let name: String
    let json: Data

    /// - Parameter purpose: The use of the weights, for errors: "recognise gestures".
    /// - Throws: ``GestureNetworkError`` if the file is missing.
    init(_ path: String, purpose: String) throws(GestureNetworkError) {
        name = path
        do {
            json = try Data(contentsOf: URL(filePath: path))
        } catch {
            throw GestureNetworkError(
                description: "\(path): the weights that \(purpose) cannot be read; run Scripts/install again")
        }
    }

    init(name: String, json: Data) {
        self.name = name
        self.json = json
    }

    /// - Parameter kind: The expected content, for errors: "network of gestures".
    /// - Throws: ``GestureNetworkError`` if the file contains something else.
    func contents<Contents: Decodable>(_ type: Contents.Type, kind: String) throws(GestureNetworkError) -> Contents {
        do {
            return try JSONDecoder().decode(type, from: json)
        } catch {
            throw GestureNetworkError(description: "\(name): is damaged: no \(kind)")
        }
    }
}

/// Returns e to the power of `x`, with the same bits on every machine.
///
/// The C library's function may differ in its last bit between machines, and training would amplify the difference. The
/// result is within 1e-15 of the true value. The function uses the Taylor series on |r| ≤ ln 2 / 2, and a power of two.
func exponential(_ x: Double) -> Double {
    guard x > -700 else { return 0 }
    let bounded = min(x, 700)
    let exponent = (bounded * 1.442_695_040_888_963_4).rounded()
    let r = (bounded - exponent * 0.693_147_180_369_123_8) - exponent * 1.908_214_929_270_587_7e-10
    var sum = 1.0
    for n in stride(from: 14.0, to: 0, by: -1) { sum = 1 + r / n * sum }
    return sum * Double(sign: .plus, exponent: Int(exponent), significand: 1)
}
