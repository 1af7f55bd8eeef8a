/// Detects a heart made by two hands from their landmarks: index fingers meet on top, thumbs meet below, and there is a
/// hole between the hands. Used by ``GestureRecognizer``.
///
/// Landmarks are least accurate where the hands touch. So every rule uses both hands, and no rule needs more than the
/// index fingers and the thumbs. Lengths are in mean palm lengths of both hands.
package struct HeartDetector: Sendable {
    package init() {}

    /// Returns the confidence that the two hands make a heart, 0…1, and, below 0.5, the reason why not.
    package func classify(_ a: HandLandmarks, _ b: HandLandmarks) -> (
        confidence: Double, reason: String?
    ) {
        let rules = HeartRules(HandShape(a), HandShape(b))
        let scores: [(score: Double, reason: String)] = [
            (rules.sizesAgree, "hands of different size"),
            (rules.tipsMeet(.indexTip), "index fingers do not meet"),
            (rules.tipsMeet(.thumbTip), "thumbs do not meet"),
            (rules.indexFingersOnTop, "index fingers are not above the thumbs"),
            (rules.isHollow, "no hollow between the hands"),
            (rules.isUpright, "the heart is tilted"),
            (rules.fingersAreCurved, "fingers are straight"),
        ]
        let weakest = scores.min { $0.score < $1.score }!
        return (weakest.score, weakest.score < 0.5 ? weakest.reason : nil)
    }
}

/// The rules of a heart, each 0…1 with 0.5 at the limit.
private struct HeartRules {
    let a: HandShape
    let b: HandShape
    /// The mean palm length of the two hands.
    let unit: Double

    init(_ a: HandShape, _ b: HandShape) {
        self.a = a
        self.b = b
        unit = (a.palmLength + b.palmLength) / 2
    }

    /// The distance on the screen between the same joints of both hands.
    func gap(_ joint: HandJoint) -> Double { norm(screen(a[joint] - b[joint])) / unit }

    /// The middle between the same joints of both hands.
    func middle(_ joint: HandJoint) -> SIMD3<Double> { (a[joint] + b[joint]) / 2 }

    var sizesAgree: Double {
        let ratio = min(a.palmLength, b.palmLength) / max(a.palmLength, b.palmLength)
        return rising(ratio, 0.4, 0.7)
    }

    func tipsMeet(_ tip: HandJoint) -> Double { falling(gap(tip), 0.45, 0.85) }

    var indexFingersOnTop: Double {
        let height = (middle(.thumbTip).y - middle(.indexTip).y) / unit
        return rising(height, 0.15, 0.55)
    }

    /// The score of the hole: the knuckles and middle joints of the index fingers are farther apart than their tips.
    /// Folded or praying hands touch along the whole finger.
    var isHollow: Double {
        let width = max(gap(.indexPIP), gap(.indexMCP))
        return min(rising(width, 0.5, 0.9), rising(width - gap(.indexTip), 0.15, 0.45))
    }

    var isUpright: Double {
        let axis = direction(middle(.indexTip) - middle(.thumbTip))
        let wrists = abs(a[.wrist].y - b[.wrist].y) / unit
        return min(falling(turn(from: axis, to: 0), 30, 50), falling(wrists, 0.8, 1.6))
    }

    /// The score of bent index fingers. Straight fingers make a roof or a triangle. The more bent finger counts,
    /// because the landmarks of the farther hand are often straightened.
    var fingersAreCurved: Double {
        rising(max(a.bend(.index), b.bend(.index)), 15, 45)
    }
}
