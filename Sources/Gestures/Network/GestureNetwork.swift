package import HandPose

/// A small neural network that tells a hand's class from its ``HandFeatures``.
///
/// One or more layers with rectified outputs between them, a softmax at the end. It looks
/// at the hand and at its mirror image and takes the mean, so left and right hands are
/// read alike. `Benchmarks/Sources/train` makes it; docs/recognition.md says from what.
///
/// - complexity: O(weights), some microseconds.
package struct GestureNetwork: Sendable, Hashable {
    /// Every output is the sum of all inputs, each times its weight, and a bias.
    package struct Layer: Sendable, Hashable {
        package let inputs: Int
        package let outputs: Int
        /// The weight of input i for output o at `i * outputs + o`: so the inner loop runs
        /// over neighbours.
        package var weights: [Float]
        package var biases: [Float]

        package init(inputs: Int, outputs: Int, weights: [Float], biases: [Float]) {
            precondition(weights.count == inputs * outputs && biases.count == outputs)
            self.inputs = inputs
            self.outputs = outputs
            self.weights = weights
            self.biases = biases
        }

        /// The outputs for `input`.
        package func callAsFunction(_ input: [Float]) -> [Float] {
            var sums = biases
            for i in 0..<inputs {
                let value = input[i]
                // After rectifying, many are.
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
    /// Divides the logits, so that of all answers given with a confidence of 0.8 eight in
    /// ten are right.
    package var temperature: Double
    /// The mean features of each class, and how far people's hands spread around them: what
    /// new gestures are compared by.
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

    /// How likely the hand is of each class, in the order of `HandClass.allCases`; their
    /// sum is 1.
    package func probabilities(of hand: HandLandmarks) -> [Double] {
        probabilities(of: HandShape(hand))
    }

    func probabilities(of shape: HandShape) -> [Double] {
        let one = logits(Self.features(of: shape)), other = logits(Self.features(of: shape.mirrored))
        return softmax(zip(one, other).map { Double($0 + $1) / 2 / temperature })
    }

    /// The features as the network takes them: by the mean 0, by the spread 1.
    package func normalised(_ features: [Float]) -> [Float] {
        features.indices.map { (features[$0] - means[$0]) * scales[$0] }
    }

    /// The features of a hand, and of its mirror image.
    package static func features(of hand: HandLandmarks, mirrored: Bool) -> [Float] {
        let shape = HandShape(hand)
        return features(of: mirrored ? shape.mirrored : shape)
    }

    private static func features(of shape: HandShape) -> [Float] { HandFeatures.values(of: shape) }

    private func logits(_ features: [Float]) -> [Float] { layers.outputs(for: normalised(features)) }
}

/// The probabilities that logits stand for.
package func softmax(_ logits: [Double]) -> [Double] {
    let greatest = logits.max() ?? 0
    let powers = logits.map { exponential($0 - greatest) }
    let sum = powers.reduce(0, +)
    return powers.map { $0 / sum }
}
