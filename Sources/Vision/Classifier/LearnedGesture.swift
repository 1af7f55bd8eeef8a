/// A custom gesture, defined by examples of a hand. It is made when settings are loaded, and ``GestureClassifier``
/// compares each hand with it.
///
/// A hand makes the gesture if it is near the mean of the examples, and if the network assigns it to the same classes
/// as the examples. Distances are measured per feature, relative to the spread among different people's hands that make
/// one sign, which ``GestureNetwork`` stores. The maximum distance is derived from the distances between the examples,
/// and from the distance to the nearest other sign.
package struct LearnedGesture: Sendable, Hashable {
    /// The gesture's name in the state machine and in events.
    package let gesture: FrameGesture
    /// The maximum distance of a matching hand from the examples' mean, in spreads (see ``GestureNetwork/spreads``).
    package let reach: Double
    /// The mean of the examples' features.
    private let middle: [Float]
    /// The classes that the network assigns to the examples.
    private let kinds: [Int]

    /// The minimum and maximum reach, in spreads. Of hands that make the same sign, 95 of 100 are within 1.5 spreads
    /// of their mean.
    private static let reaches = 1.25...1.9
    /// The maximum distance from the mean of the examples, as a multiple of the examples' mean distance from the mean
    /// of the others.
    private static let reachPerSpread = 1.6
    /// The maximum reach, as a share of the distance to the nearest class of other signs.
    private static let reachPerGap = 1.0
    /// The share of the examples' probability that the classes of ``kinds`` cover.
    private static let coverage = 0.9

    /// - Parameter examples: At least one.
    package init(gesture: FrameGesture, examples: [HandExample], network: GestureNetwork) {
        self.gesture = gesture
        let features = network.aligned(examples)
        let middle = Self.mean(of: features), kinds = Self.kinds(of: examples, network)
        let distances = features.indices.map { index in
            let others = features.indices.filter { $0 != index }.map { features[$0] }
            return network.distance(features[index], others.isEmpty ? middle : Self.mean(of: others))
        }
        let spread = distances.reduce(0, +) / Double(distances.count)
        let reach = min(Self.reaches.upperBound, max(Self.reaches.lowerBound, spread * Self.reachPerSpread))
        let gap =
            network.classMeans.indices.filter { !kinds.contains($0) }
            .map { network.distance(network.classMeans[$0], middle) }.min() ?? .infinity
        self.reach = min(reach, gap * Self.reachPerGap)
        self.middle = middle
        self.kinds = kinds
    }

    /// Returns the confidence that a hand makes the gesture: 0…1, with 0.5 at the limit.
    func confidence(of shape: HandShape, probabilities: [Double], network: GestureNetwork) -> Double {
        let similarity = kinds.reduce(0) { $0 + probabilities[$1] }
        let distance = network.distance(of: shape, to: middle) / reach
        return min(falling(distance, 0.5, 1.5), rising(similarity, 0, 0.6))
    }

    private static func mean(of features: [[Float]]) -> [Float] {
        features[0].indices.map { index in
            features.reduce(0) { $0 + $1[index] } / Float(features.count)
        }
    }

    /// Returns the classes that cover most of the probability that the network assigns to the examples.
    private static func kinds(of examples: [HandExample], _ network: GestureNetwork) -> [Int] {
        var sums = [Double](repeating: 0, count: HandClass.allCases.count)
        for example in examples {
            for (index, probability) in network.probabilities(of: example.shape).enumerated() {
                sums[index] += probability / Double(examples.count)
            }
        }
        let order = sums.indices.sorted { sums[$0] != sums[$1] ? sums[$0] > sums[$1] : $0 < $1 }
        var covered = 0.0
        return order.prefix { index in
            defer { covered += sums[index] }
            return covered < coverage
        }
    }
}
