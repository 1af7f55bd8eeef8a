package import FoundationEssentials

extension GestureNetwork {
    /// Where the network lies in the assets folder.
    package static let assetPath = "Gestures/hand-gestures.json"

    /// The file: what a person wants to know first, then the numbers.
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

    /// Reads the network of an assets folder.
    ///
    /// - Throws: ``GestureNetworkError`` where the file is missing, damaged, or made for
    ///   other classes or features than this program's.
    package init(assets folder: String) throws(GestureNetworkError) {
        try self.init(WeightsFile(folder + "/" + Self.assetPath, purpose: "recognise gestures"))
    }

    /// Reads a network.
    ///
    /// - Parameter file: how errors name it.
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
        guard fits else { throw .misfit(file.name) }
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
