import HandPose

/// What the network sees of a hand: numbers that do not depend on where the hand is, how
/// large it looks or which shape the picture has, but know what is up.
///
/// Made with additions, multiplications, divisions and square roots alone, which every
/// machine rounds alike: training gives the same file everywhere.
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

    /// The joints from which the thumb's tip is measured: where it lies when it is folded.
    private static let thumbTargets: [HandJoint] = [
        .indexMCP, .indexPIP, .indexTip, .middlePIP, .middleTip, .ringMCP, .ringPIP, .littleMCP,
    ]

    /// The features of a hand. Its mirror image differs only in what points across.
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

    /// The cosine of the angle between two vectors: 1 for a straight joint.
    private static func cosine(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> Double {
        (a * b).sum() / max(norm(a) * norm(b), 1e-12)
    }
}
