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
