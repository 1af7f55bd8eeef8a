package import FoundationEssentials

/// Classifies a hand by its picture, in contrast to ``GestureNetwork`` and ``HandRules``, which use its landmarks.
///
/// A hand around a cup has the landmarks of a fist with its thumb up; its picture shows the cup. The input is the
/// hand's embedding: features of the picture from which the landmark model computes the landmarks. A network with one
/// hidden layer reads the embedding. The network was trained on photographs of signs and on the hands of people who
/// talk. `Scripts/train` trains it; docs/design/gesture-detection.md describes the data.
///
/// - complexity: O(weights), some ten microseconds.
package struct PictureJudge: Sendable, Hashable {
    package var layers: [GestureNetwork.Layer]
    /// A separate network for two hands that may make a heart; empty if there is none. See ``heartConfidence(of:_:)``.
    package var heartLayers: [GestureNetwork.Layer]

    package init(layers: [GestureNetwork.Layer], heartLayers: [GestureNetwork.Layer] = []) {
        self.layers = layers
        self.heartLayers = heartLayers
    }

    /// Returns the probability of each class, in the order of `HandPictureClass.allCases`; their sum is 1.
    ///
    /// - Parameter embedding: As many numbers as the first layer has inputs.
    package func probabilities(of embedding: [Float]) -> [Double] {
        softmax(layers.outputs(for: embedding).map { Double($0) })
    }

    /// Returns the probability that the pictures of two hands near each other show the halves of a heart: 0…1. By their
    /// landmarks, folded or praying hands and fingertips that meet like a roof are similar to a heart.
    ///
    /// - Returns: nil if the classifier has no network for hearts, or if the hands have no embeddings.
    package func heartConfidence(of a: [Float], _ b: [Float]) -> Double? {
        guard let inputs = heartLayers.first?.inputs, a.count == inputs, b.count == inputs else { return nil }
        return softmax(heartLayers.outputs(for: Self.pair(a, b)).map { Double($0) })[1]
    }

    /// Returns the input of the network for hearts: the mean of both hands' embeddings, independent of their order.
    package static func pair(_ a: [Float], _ b: [Float]) -> [Float] { a.indices.map { (a[$0] + b[$0]) / 2 } }

    /// Returns the probability that a picture with these class probabilities shows a gesture: 0…1.
    func confidence(of gesture: HandGesture, probabilities: [Double]) -> Double {
        probabilities[HandPictureClass.allCases.firstIndex(of: HandPictureClass(of: gesture))!]
    }
}

extension [GestureNetwork.Layer] {
    /// Returns the outputs of the last layer. Outputs between layers are rectified.
    func outputs(for input: [Float]) -> [Float] {
        var values = input
        for (index, layer) in enumerated() {
            values = layer(values)
            if index < count - 1 {
                for i in values.indices { values[i] = Swift.max(0, values[i]) }
            }
        }
        return values
    }
}

extension PictureJudge {
    /// The judge's path in the assets folder.
    package static let assetPath = "Gestures/hand-pictures.json"

    /// The JSON file, which stores the tens of thousands of weights as 16 bits each.
    package struct File: Codable {
        package struct Layer: Codable {
            var biases: [Float]
            /// The unit of an output's weights.
            var scales: [Float]
            /// A little-endian `Int16` for each input, output after output, in base64.
            var weights: String
        }

        var about: String
        var format: Int
        /// The number of detected hands from each kind of footage that were used in training.
        var learnedFrom: [String: Int]
        var classes: [String]
        var layers: [Layer]
        /// The network for hearts.
        var heartLayers: [Layer]
    }

    /// Reads the judge from an assets folder.
    ///
    /// - Throws: ``GestureNetworkError`` if the file is missing or damaged, or was made for other classes.
    package init(assets folder: String) throws(GestureNetworkError) {
        try self.init(WeightsFile(folder + "/" + Self.assetPath, purpose: "judge hands by their picture"))
    }

    /// Reads a judge.
    ///
    /// - Parameter file: The file's name in errors.
    package init(json: Data, file: String) throws(GestureNetworkError) {
        try self.init(WeightsFile(name: file, json: json))
    }

    private init(_ file: WeightsFile) throws(GestureNetworkError) {
        let contents = try file.contents(File.self, kind: "judge of pictures")
        guard contents.format == 2, contents.classes == HandPictureClass.allCases.map(\.rawValue),
            let layers = Self.layers(contents.layers, outputs: contents.classes.count),
            let heartLayers = Self.layers(contents.heartLayers, outputs: 2), layers[0].inputs == heartLayers[0].inputs
        else { throw .mismatch(file.name) }
        self.init(layers: layers, heartLayers: heartLayers)
    }

    /// Returns the layers of a network; nil if their sizes do not match.
    private static func layers(_ file: [File.Layer], outputs: Int) -> [GestureNetwork.Layer]? {
        let layers = file.compactMap(\.layer)
        guard !layers.isEmpty, layers.count == file.count, layers.last!.outputs == outputs,
            zip(layers, layers.dropFirst()).allSatisfy({ $0.outputs == $1.inputs })
        else { return nil }
        return layers
    }

    /// Returns the contents of a file from which this judge can be read, with weights rounded to 16 bits.
    package func file(about: String, learnedFrom: [String: Int]) -> File {
        File(
            about: about, format: 2, learnedFrom: learnedFrom, classes: HandPictureClass.allCases.map(\.rawValue),
            layers: layers.map(File.Layer.init), heartLayers: heartLayers.map(File.Layer.init))
    }
}

extension PictureJudge.File.Layer {
    /// Rounds a layer's weights to 16 bits.
    init(_ layer: GestureNetwork.Layer) {
        var bytes: [UInt8] = []
        scales = []
        for output in 0..<layer.outputs {
            let row = (0..<layer.inputs).map { layer.weights[$0 * layer.outputs + output] }
            let scale = max(row.map(abs).max() ?? 0, 1e-9) / Float(Int16.max)
            scales.append(scale)
            for weight in row {
                let number = UInt16(bitPattern: Int16((weight / scale).rounded()))
                bytes += [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)]
            }
        }
        biases = layer.biases
        weights = Data(bytes).base64EncodedString()
    }

    /// The layer; nil if the sizes do not match.
    var layer: GestureNetwork.Layer? {
        let outputs = biases.count
        guard outputs > 0, scales.count == outputs, let bytes = Data(base64Encoded: weights).map(Array.init),
            !bytes.isEmpty, bytes.count % (2 * outputs) == 0
        else { return nil }
        let inputs = bytes.count / (2 * outputs)
        var values = [Float](repeating: 0, count: inputs * outputs)
        for output in 0..<outputs {
            for input in 0..<inputs {
                let place = 2 * (output * inputs + input)
                let number = Int16(bitPattern: UInt16(bytes[place]) | UInt16(bytes[place + 1]) << 8)
                values[input * outputs + output] = Float(number) * scales[output]
            }
        }
        return GestureNetwork.Layer(inputs: inputs, outputs: outputs, weights: values, biases: biases)
    }
}
