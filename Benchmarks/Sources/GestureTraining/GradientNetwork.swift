import Vision

/// A network during training: weights, and the state of Adam for each.
///
/// Source: Kingma and Ba, "Adam: A Method for Stochastic Optimization", 2014; weight decay is decoupled from the
/// gradient (Loshchilov and Hutter, 2017).
struct GradientNetwork {
    /// One array of trained numbers.
    struct Parameters {
        var values: [Float]
        var gradient: [Float]
        private var mean: [Float]
        private var square: [Float]
        private let decay: Float

        init(_ values: [Float], decay: Float) {
            self.values = values
            self.decay = decay
            gradient = [Float](repeating: 0, count: values.count)
            mean = gradient
            square = gradient
        }

        mutating func step(rate: Float, warmth: (Float, Float)) {
            for i in values.indices {
                mean[i] += 0.1 * (gradient[i] - mean[i])
                square[i] += 0.001 * (gradient[i] * gradient[i] - square[i])
                let change = mean[i] / warmth.0 / ((square[i] / warmth.1).squareRoot() + 1e-8)
                values[i] -= rate * (change + decay * values[i])
                gradient[i] = 0
            }
        }
    }

    let sizes: [Int]
    private var weights: [Parameters]
    private var biases: [Parameters]
    private var powers: (Float, Float) = (1, 1)

    /// Starts with random weights (He et al. 2015, "Delving Deep into Rectifiers").
    init(sizes: [Int], decay: Float, random: inout SplitMix) {
        self.sizes = sizes
        weights = []
        biases = []
        for (inputs, outputs) in zip(sizes, sizes.dropFirst()) {
            let spread = (2 / Double(inputs)).squareRoot()
            let values = (0..<inputs * outputs).map { _ in Float(random.normal() * spread) }
            weights.append(Parameters(values, decay: decay))
            biases.append(Parameters([Float](repeating: 0, count: outputs), decay: 0))
        }
    }

    var layers: [GestureNetwork.Layer] {
        weights.indices.map {
            GestureNetwork.Layer(
                inputs: sizes[$0], outputs: sizes[$0 + 1], weights: weights[$0].values, biases: biases[$0].values)
        }
    }

    /// Adds the gradient of one example: the cross-entropy against `target`.
    ///
    /// - Returns: the predicted probability of each class.
    mutating func learn(_ input: [Float], target: [Float], weight: Float) -> [Double] {
        var activations = [input]
        for layer in weights.indices {
            var sums = biases[layer].values
            multiply(activations[layer], weights[layer].values, into: &sums)
            if layer < weights.count - 1 {
                for i in sums.indices { sums[i] = max(0, sums[i]) }
            }
            activations.append(sums)
        }
        let probabilities = softmax(activations.last!.map { Double($0) })
        var delta = target.indices.map { (Float(probabilities[$0]) - target[$0]) * weight }
        for layer in weights.indices.reversed() {
            for o in delta.indices { biases[layer].gradient[o] += delta[o] }
            addOuterProduct(activations[layer], delta, into: &weights[layer].gradient)
            guard layer > 0 else { break }
            delta = back(delta, through: weights[layer].values, activations[layer])
        }
        return probabilities
    }

    /// Updates the weights with the gradient accumulated since the last step.
    mutating func step(rate: Float) {
        powers.0 *= 0.9
        powers.1 *= 0.999
        let warmth = (1 - powers.0, 1 - powers.1)
        for layer in weights.indices {
            weights[layer].step(rate: rate, warmth: warmth)
            biases[layer].step(rate: rate, warmth: warmth)
        }
    }

    // MARK: Kernels
    // Whole rows at a time, so that the compiler vectorises without changing any sum's order.

    private func multiply(_ input: [Float], _ weights: [Float], into sums: inout [Float]) {
        let outputs = sums.count
        for i in input.indices where input[i] != 0 {
            let row = weights[i * outputs..<(i + 1) * outputs]
            add(input[i], row, into: &sums, at: 0)
        }
    }

    private func addOuterProduct(_ input: [Float], _ delta: [Float], into gradient: inout [Float]) {
        for i in input.indices where input[i] != 0 {
            add(input[i], delta[...], into: &gradient, at: i * delta.count)
        }
    }

    private func back(_ delta: [Float], through weights: [Float], _ outputs: [Float]) -> [Float] {
        outputs.indices.map { i in
            guard outputs[i] > 0 else { return 0 }
            var sum: Float = 0
            for o in delta.indices { sum += delta[o] * weights[i * delta.count + o] }
            return sum
        }
    }

    private func add(_ factor: Float, _ row: ArraySlice<Float>, into sums: inout [Float], at offset: Int) {
        let source = row.span
        var target = sums.mutableSpan
        for o in 0..<source.count { target[offset + o] += factor * source[o] }
    }
}
