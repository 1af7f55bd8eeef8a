/// The inputs of ``GestureNetwork``. The features depend on the hand's direction relative to up, but not on its place
/// and size or the picture's aspect ratio.
///
/// The features use only additions, multiplications, divisions and square roots. Every machine rounds these alike, so
/// training gives the same file everywhere.
package enum HandFeatures {
    /// The names of the features, in the order of ``values(of:)``.
    package static let names: [String] = {
        var names = HandJoint.allCases.flatMap { ["\($0).x", "\($0).y"] }
        names += HandShape.Finger.allCases.flatMap {
            ["\($0).reach", "\($0).bend", "\($0).knuckle", "\($0).x", "\($0).y"]
        }
        names += thumbTargets.map { "thumbTip-\($0)" }
        names += ["thumb.straightness", "thumb.outwards", "thumb.above", "thumb.below"]
        names += ["tips.indexMiddle", "tips.middleRing", "tips.ringLittle"]
        names += ["thumb", "thumbBone", "knuckles", "palm"].flatMap { ["\($0).x", "\($0).y"] }
        return names + ["palm.facing"]
    }()

    /// The joints from which the distance of the thumb's tip is measured. A folded thumb is near some of them.
    private static let thumbTargets: [HandJoint] = [
        .indexMCP, .indexPIP, .indexTip, .middlePIP, .middleTip, .ringMCP, .ringPIP, .littleMCP,
    ]

    /// Returns the features of a hand. The features of the hand's mirror image differ only in horizontal components.
    static func values(of shape: HandShape) -> [Float] {
        var values: [Double] = []
        values.reserveCapacity(names.count)
        func append(_ v: SIMD2<Double>) {
            values.append(v.x)
            values.append(v.y)
        }
        let centre = shape.palmCentre
        for point in shape.points { append(screen(point - centre) / shape.palmLength) }
        for finger in HandShape.Finger.allCases {
            let first = shape[finger.pip] - shape[finger.knuckle]
            values.append(shape.reach(finger))
            values.append(cosine(first, shape[finger.tip] - shape[finger.dip]))
            values.append(cosine(shape[finger.knuckle] - shape[.wrist], first))
            append(shape.screenDirection(finger))
        }
        for target in thumbTargets { values.append(shape.distance(.thumbTip, target)) }
        values.append(shape.thumbStraightness)
        values.append(max(-2, min(2, shape.thumbOutwards)))
        values.append(shape.thumbAbove)
        values.append(shape.thumbBelow)
        values.append(shape.distance(.indexTip, .middleTip))
        values.append(shape.distance(.middleTip, .ringTip))
        values.append(shape.distance(.ringTip, .littleTip))
        append(unit(screen(shape[.thumbTip] - centre)))
        append(unit(screen(shape[.thumbTip] - shape[.thumbMCP])))
        append(unit(screen(shape[.indexMCP] - shape[.littleMCP])))
        append(unit(screen(shape[.middleMCP] - shape[.wrist])))
        let (a, b) = (shape[.indexMCP] - shape[.wrist], shape[.littleMCP] - shape[.wrist])
        values.append((a.x * b.y - a.y * b.x) / (shape.palmLength * shape.palmLength))
        return values.map { Float($0) }
    }

    /// Returns the cosine of the angle between two vectors: 1 for a straight joint.
    private static func cosine(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> Double {
        (a * b).sum() / max(norm(a) * norm(b), 1e-12)
    }
}

/// A hand shown as an example: its 21 points, normalised for place and size.
package struct HandExample: Sendable, Hashable {
    /// The points in palm lengths from the palm's middle; y points down, and depth is negative toward the camera.
    package let points: [SIMD3<Double>]

    /// - Returns: nil for any number of points but 21, and for points without extent.
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

    /// Rounds to three decimals: the precision of landmarks, in readable JSON.
    private static func rounded(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }

    var shape: HandShape { HandShape(points: points) }
}

extension HandExample {
    /// The distance from the median hand up to which an example is never an outlier, in spreads. The median hand is the
    /// example that is nearest to the others.
    private static let farthest = 1.6
    /// The same distance, as a multiple of the median distance from the median hand. The larger of both limits applies.
    private static let farthestOfMedian = 2.0

    /// Returns for each example whether it is similar to most of the others.
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
