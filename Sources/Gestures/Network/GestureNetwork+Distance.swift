package import HandPose

/// How far hands are from each other, in the spread that people's hands have who make the
/// same sign: 1 is as far as two of them usually are.
extension GestureNetwork {
    /// The features of a hand, mirrored where that lets the palm's index finger side lie on
    /// the left: a left and a right hand then have the same.
    package static func canonicalFeatures(of hand: HandLandmarks) -> [Float] {
        let one = features(of: hand, mirrored: false)
        return one.last! >= 0 ? one : features(of: hand, mirrored: true)
    }

    /// The root of the mean square of the features' differences, each in its spread.
    func distance(_ a: [Float], _ b: [Float]) -> Double {
        var sum: Float = 0
        for i in a.indices {
            // Beyond four spreads a feature says no more than "different".
            let difference = max(-4, min(4, (a[i] - b[i]) / spreads[i]))
            sum += difference * difference
        }
        return Double(sum / Float(a.count)).squareRoot()
    }

    /// The distance of a hand or of its mirror image, whichever is nearer.
    func distance(of shape: HandShape, to features: [Float]) -> Double {
        min(
            distance(HandFeatures.values(of: shape), features),
            distance(HandFeatures.values(of: shape.mirrored), features))
    }

    /// The features of hands: the first as ``canonicalFeatures(of:)`` has it, each other mirrored
    /// where that brings it nearer to the first.
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
