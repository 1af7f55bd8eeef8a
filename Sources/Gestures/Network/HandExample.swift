package import HandPose

/// A hand that somebody showed: its 21 points, freed from place and size.
package struct HandExample: Sendable, Hashable {
    /// In palm lengths from the palm's middle; y down, depth negative toward the camera.
    package let points: [SIMD3<Double>]

    /// - Returns: nil for other than 21 points, or points without extent.
    package init?(points: [SIMD3<Double>]) {
        guard points.count == HandJoint.allCases.count, points.allSatisfy({ norm($0).isFinite }),
            HandShape(points: points).palmLength > 1e-6
        else { return nil }
        self.points = points
    }

    package init(_ hand: HandLandmarks) {
        let shape = HandShape(hand)
        points = shape.points.map { point in
            let place = (point - shape.palmCentre) / shape.palmLength
            return SIMD3(Self.rounded(place.x), Self.rounded(place.y), Self.rounded(place.z))
        }
    }

    /// Three decimals: as precise as landmarks are, and JSON that people can read.
    private static func rounded(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }

    var shape: HandShape { HandShape(points: points) }
}

extension HandExample {
    /// Farther than this many spreads from the hand in the middle of all a hand is another one…
    private static let farthest = 1.6
    /// …unless all are as different, in median distances.
    private static let farthestOfMedian = 2.0

    /// Of each example whether it is like most of the others.
    package static func areAlike(_ examples: [HandExample], network: GestureNetwork) -> [Bool] {
        let features = network.aligned(examples)
        func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
        let distances = features.map { one in features.map { network.distance(one, $0) } }
        let medians = distances.map(median)
        guard let middle = medians.indices.min(by: { medians[$0] < medians[$1] }) else { return [] }
        let limit = max(farthest, farthestOfMedian * medians[middle])
        return distances[middle].map { $0 <= limit }
    }
}
