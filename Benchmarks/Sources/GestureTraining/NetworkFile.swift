package import Vision

extension GestureNetwork {
    /// Returns the network with every number rounded as in the file.
    package func rounded() -> GestureNetwork {
        GestureNetwork(
            means: means.map(Decimal.rounded), scales: scales.map(Decimal.rounded),
            layers: layers.map { layer in
                Layer(
                    inputs: layer.inputs, outputs: layer.outputs, weights: layer.weights.map(Decimal.rounded),
                    biases: layer.biases.map(Decimal.rounded))
            },
            temperature: temperature, classMeans: classMeans.map { $0.map(Decimal.rounded) },
            spreads: spreads.map(Decimal.rounded))
    }
}

/// Numbers with three decimals, the precision that affects the network's results.
private enum Decimal {
    static func rounded(_ value: Float) -> Float { Float(Double(thousandths(value)) / 1000) }

    static func thousandths(_ value: Float) -> Int { Int((Double(value) * 1000).rounded()) }

    static func text(_ value: Float) -> String { text(thousandths: thousandths(value)) }

    static func text(thousandths: Int) -> String {
        let sign = thousandths < 0 ? "-" : ""
        let (whole, rest) = (abs(thousandths) / 1000, abs(thousandths) % 1000)
        guard rest > 0 else { return "\(sign)\(whole)" }
        var digits = String(1000 + rest).dropFirst()
        while digits.last == "0" { digits.removeLast() }
        return "\(sign)\(whole).\(digits)"
    }
}

/// Writes a network as readable JSON: one line for each row of weights.
package struct NetworkFile {
    /// The provenance of the network, for readers of the file.
    package var network: GestureNetwork
    package var seed: UInt64
    /// The number of hands of each source.
    package var counts: [(source: String, hands: Int)]

    package init(network: GestureNetwork, seed: UInt64, counts: [(source: String, hands: Int)]) {
        self.network = network
        self.seed = seed
        self.counts = counts
    }

    package var text: String {
        let temperature = Int((network.temperature * 1000).rounded())
        var lines = [
            "{",
            "  \"about\": \"Tells the gestures of a hand from its 21 landmarks. Made by Scripts/train; see docs/recognition.md.\",",
            "  \"format\": 1,",
            "  \"seed\": \(seed),",
            "  \"learnedFrom\": {" + counts.map { "\"\($0.source)\": \($0.hands)" }.joined(separator: ", ") + "},",
            "  \"normalisation\": \"(feature - mean) * scale; rectified layers; softmax of logits / temperature; mean of the hand and its mirror image\",",
            "  \"classes\": [" + HandClass.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ") + "],",
            "  \"features\": [" + HandFeatures.names.map { "\"\($0)\"" }.joined(separator: ", ") + "],",
            "  \"means\": " + row(network.means) + ",",
            "  \"scales\": " + row(network.scales) + ",",
            "  \"temperature\": " + Decimal.text(thousandths: temperature) + ",",
            "  \"layers\": [",
        ]
        lines.append(network.layers.map(layer).joined(separator: ",\n"))
        lines.append("  ],\n  \"spreads\": " + row(network.spreads) + ",\n  \"classMeans\": [")
        lines.append(network.classMeans.map { "    " + row($0) }.joined(separator: ",\n"))
        return (lines + ["  ]", "}", ""]).joined(separator: "\n")
    }

    private func layer(_ layer: GestureNetwork.Layer) -> String {
        let rows = (0..<layer.outputs).map { o in
            "      " + row((0..<layer.inputs).map { layer.weights[$0 * layer.outputs + o] })
        }
        return "    {\"biases\": " + row(layer.biases) + ",\n     \"weights\": [\n"
            + rows.joined(separator: ",\n") + "]}"
    }

    private func row(_ values: [Float]) -> String { "[" + values.map(Decimal.text).joined(separator: ", ") + "]" }
}
