import Vision

/// Normalises every input to a mean of 0 and a spread of 1 during training.
struct InputScaling {
    let means: [Float]
    let scales: [Float]

    /// The minimum spread: almost constant inputs are not amplified.
    private static let minimumSpread = 0.02

    init(_ samples: [[Float]]) {
        var sums = [Double](repeating: 0, count: samples[0].count), squares = sums
        for sample in samples {
            for (index, value) in sample.enumerated() {
                sums[index] += Double(value)
                squares[index] += Double(value) * Double(value)
            }
        }
        let count = Double(samples.count)
        means = sums.map { Float($0 / count) }
        scales = sums.indices.map { index in
            let mean = sums[index] / count
            return Float(1 / (max(0, squares[index] / count - mean * mean).squareRoot() + Self.minimumSpread))
        }
    }

    func scaled(_ input: [Float]) -> [Float] { input.indices.map { (input[$0] - means[$0]) * scales[$0] } }

    /// Returns layers equivalent to these that take unscaled inputs.
    func absorbed(into layers: [GestureNetwork.Layer]) -> [GestureNetwork.Layer] {
        var first = layers[0]
        for input in means.indices {
            for output in 0..<first.outputs {
                let place = input * first.outputs + output
                first.weights[place] *= scales[input]
                first.biases[output] -= first.weights[place] * means[input]
            }
        }
        return [first] + layers.dropFirst()
    }
}
