package import FoundationEssentials

/// What a hand's picture shows, whichever way is up.
package enum HandPictureClass: String, Sendable, Hashable, CaseIterable {
    /// Everything that hands do without meaning a sign: talk, hold a cup, lie in each other.
    case none
    /// A fist with the thumb out: up, down or to a side.
    case thumb
    case victory, horns

    /// What a gesture looks like.
    package init(of gesture: HandGesture) {
        switch gesture {
        case .thumbsUp, .thumbsDown: self = .thumb
        case .victory: self = .victory
        case .horns: self = .horns
        }
    }
}

/// Judges a hand by its picture, where ``GestureNetwork`` and ``HandRules`` judge it by its points.
///
/// The points of a hand around a cup are those of a fist with its thumb up; its picture shows the cup. What the
/// landmark model saw in the picture before it made points of it, its embedding, tells the two apart: a network of one
/// hidden layer on top of it has learned from photographs of signs and from the hands of people who talk.
/// `Scripts/train` makes it; docs/recognition.md says from what.
///
/// - complexity: O(weights), some ten microseconds.
package struct PictureJudge: Sendable, Hashable {
    package var layers: [GestureNetwork.Layer]
    /// A network of its own for two hands that may make a heart; empty where there is none. See
    /// ``heartConfidence(of:_:)``.
    package var heartLayers: [GestureNetwork.Layer]

    package init(layers: [GestureNetwork.Layer], heartLayers: [GestureNetwork.Layer] = []) {
        self.layers = layers
        self.heartLayers = heartLayers
    }

    /// How likely the picture is of each class, in the order of `HandPictureClass.allCases`; their sum is 1.
    ///
    /// - Parameter embedding: as many numbers as the first layer has inputs.
    package func probabilities(of embedding: [Float]) -> [Double] {
        softmax(layers.outputs(for: embedding).map { Double($0) })
    }

    /// How likely the pictures of two hands near each other are those of the halves of a heart: 0…1. Fingertips that
    /// meet like a roof, and folded or praying hands, come near to one by their points.
    ///
    /// - Returns: nil where the judge cannot say: it has not learned hearts, or the hands come without embeddings.
    package func heartConfidence(of a: [Float], _ b: [Float]) -> Double? {
        guard let inputs = heartLayers.first?.inputs, a.count == inputs, b.count == inputs else { return nil }
        return softmax(heartLayers.outputs(for: Self.pair(a, b)).map { Double($0) })[1]
    }

    /// What the network for hearts reads: the mean of both hands' embeddings, whichever comes first.
    package static func pair(_ a: [Float], _ b: [Float]) -> [Float] { a.indices.map { (a[$0] + b[$0]) / 2 } }

    /// How likely a picture that is of each class with these probabilities shows a gesture: 0…1.
    func confidence(of gesture: HandGesture, probabilities: [Double]) -> Double {
        probabilities[HandPictureClass.allCases.firstIndex(of: HandPictureClass(of: gesture))!]
    }
}

extension [GestureNetwork.Layer] {
    /// The outputs of the last layer; between layers they are rectified.
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
    /// Where the judge lies in the assets folder.
    package static let assetPath = "Gestures/hand-pictures.json"

    /// The file. Tens of thousands of weights are told in 16 bits each: nobody reads them one by one.
    package struct File: Codable {
        package struct Layer: Codable {
            var biases: [Float]
            /// What one unit of an output's weights is worth.
            var scales: [Float]
            /// For each output in turn a little-endian `Int16` for each input; in base64.
            var weights: String
        }

        var about: String
        var format: Int
        /// How many looks at hands of each kind of footage.
        var learnedFrom: [String: Int]
        var classes: [String]
        var layers: [Layer]
        /// The network for hearts.
        var heartLayers: [Layer]
    }

    /// Reads the judge of an assets folder.
    ///
    /// - Throws: ``GestureNetworkError`` where the file is missing, damaged, or made for other classes.
    package init(assets folder: String) throws(GestureNetworkError) {
        try self.init(WeightsFile(folder + "/" + Self.assetPath, purpose: "judge hands by their picture"))
    }

    /// Reads a judge.
    ///
    /// - Parameter file: how errors name it.
    package init(json: Data, file: String) throws(GestureNetworkError) {
        try self.init(WeightsFile(name: file, json: json))
    }

    private init(_ file: WeightsFile) throws(GestureNetworkError) {
        let contents = try file.contents(File.self, kind: "judge of pictures")
        guard contents.format == 2, contents.classes == HandPictureClass.allCases.map(\.rawValue),
            let layers = Self.layers(contents.layers, outputs: contents.classes.count),
            let heartLayers = Self.layers(contents.heartLayers, outputs: 2), layers[0].inputs == heartLayers[0].inputs
        else { throw .misfit(file.name) }
        self.init(layers: layers, heartLayers: heartLayers)
    }

    /// The layers of a network; nil where they do not fit each other.
    private static func layers(_ file: [File.Layer], outputs: Int) -> [GestureNetwork.Layer]? {
        let layers = file.compactMap(\.layer)
        guard !layers.isEmpty, layers.count == file.count, layers.last!.outputs == outputs,
            zip(layers, layers.dropFirst()).allSatisfy({ $0.outputs == $1.inputs })
        else { return nil }
        return layers
    }

    /// The text of a file, and the judge as it will be read from it.
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

    /// The layer; nil where the numbers do not fit each other.
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
