/// A gesture of somebody's own: a hand like the examples.
///
/// A hand is like them if it is near their middle and if the network takes it for the same
/// kinds of hand. *Near* is measured feature by feature in the spread that different people's
/// hands have when they make the same sign, which ``GestureNetwork`` knows. How near it must
/// be follows from how far the examples are from each other, and from the nearest other
/// sign.
package struct LearnedGesture: Sendable, Hashable {
    /// What the machine and the events call it.
    package let gesture: FrameGesture
    /// How far a hand may be, in spreads.
    package let reach: Double
    /// The middle of the examples' features.
    private let middle: [Float]
    /// The classes that the network takes the examples for.
    private let kinds: [Int]

    /// The least and the greatest reach. Of hands that make the same sign 95 of 100 are
    /// within 1.5 spreads of its middle.
    private static let reaches = 1.25...1.9
    /// The reach in mean distances of the examples from the middle of the others.
    private static let reachPerSpread = 1.6
    /// The reach in distances to the nearest sign of another kind.
    private static let reachPerGap = 1.0
    /// How much of the examples' probability the classes of ``kinds`` cover.
    private static let coverage = 0.9

    /// - Parameter examples: at least one.
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

    /// How sure it is that a hand makes the gesture: 0…1, with 0.5 at the limit.
    func confidence(of shape: HandShape, probabilities: [Double], network: GestureNetwork) -> Double {
        let kinship = kinds.reduce(0) { $0 + probabilities[$1] }
        let distance = network.distance(of: shape, to: middle) / reach
        return min(falling(distance, 0.5, 1.5), rising(kinship, 0, 0.6))
    }

    private static func mean(of features: [[Float]]) -> [Float] {
        features[0].indices.map { index in
            features.reduce(0) { $0 + $1[index] } / Float(features.count)
        }
    }

    /// The classes that make up most of what the network says of the examples.
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
