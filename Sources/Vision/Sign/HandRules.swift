/// The gesture of one hand.
///
/// The raw values are the values of a hand's `gesture` field in `inspect --json`.
package enum HandGesture: String, Sendable, Hashable, CaseIterable {
    /// A fist with the thumb pointing to the picture's top.
    case thumbsUp
    /// A fist with the thumb pointing to the picture's bottom.
    case thumbsDown
    /// Index and middle finger up and apart, palm or back of the hand to the camera.
    case victory
    /// Index and little finger up, the two fingers between them and the thumb folded.
    case horns
}

/// The geometric rules of the gestures, which ``GestureClassifier`` evaluates. Every score is 0…1, with 0.5 at the
/// limit of a rule. Directions are in degrees clockwise from up.
struct HandRules {
    let shape: HandShape

    init(_ shape: HandShape) { self.shape = shape }

    /// Returns the score of `gesture`: the score of its weakest rule.
    func score(of gesture: HandGesture) -> Double {
        switch gesture {
        case .thumbsUp: thumbUp
        case .thumbsDown: thumbDown
        case .victory: victory
        case .horns: horns
        }
    }

    // MARK: Fingers

    func isStraight(_ finger: HandShape.Finger) -> Double {
        min(rising(shape.reach(finger), 0.35, 0.65), falling(shape.bend(finger), 25, 55))
    }

    func isFolded(_ finger: HandShape.Finger) -> Double {
        falling(shape.reach(finger), 0.25, 0.55)
    }

    /// Returns the score of a finger folded into a fist, as under a raised thumb. The rule is stricter than
    /// ``isFolded(_:)``, most of all for the little finger, because an extended little finger makes the call-me sign.
    func isInFist(_ finger: HandShape.Finger) -> Double {
        let reach = shape.reach(finger)
        return finger == .little ? falling(reach, 0.15, 0.45) : falling(reach, 0.2, 0.5)
    }

    var fist: Double { HandShape.Finger.allCases.map(isInFist).min()! }

    // MARK: Thumb up and down

    /// The score of a thumb at the top of a fist. Some fists have the tip of the thumb on top, so the tip must be well
    /// above the rest.
    var thumbUp: Double { min(thumb(toward: 0), rising(shape.thumbAbove, 0.08, 0.38)) }

    /// The score of a thumb below a fist. The limits are lower than for ``thumbUp``, because the heel of the hand
    /// extends farther down than the knuckles extend up.
    var thumbDown: Double { min(thumb(toward: 180), rising(shape.thumbBelow, -0.02, 0.25)) }

    private func thumb(toward direction: Double) -> Double {
        min(fist, thumbStandsClear, thumbPoints(toward: direction), knucklesPoint(toward: direction))
    }

    /// Returns the score of the thumb's direction: a cone around the vertical with a half-angle of 44°.
    func thumbPoints(toward direction: Double) -> Double {
        falling(turn(from: shape.thumbDirection, to: direction), 34, 54)
    }

    /// Returns the score of the direction of the row of knuckles. The knuckles are one above the other under a raised
    /// thumb, but side by side in a fist seen from the front.
    func knucklesPoint(toward direction: Double) -> Double {
        falling(turn(from: shape.knuckleDirection, to: direction), 38, 64)
    }

    /// The score of a thumb that is straight and away from the folded fingers. The thumb of a mere fist rests on the
    /// fingers.
    var thumbStandsClear: Double {
        min(
            rising(shape.distance(.thumbTip, .middlePIP), 0.3, 0.7),
            rising(shape.thumbStraightness, 0.75, 0.9))
    }

    // MARK: Victory

    var victory: Double {
        min(
            isStraight(.index), isStraight(.middle), fingersAreSpread, isFolded(.ring), isFolded(.little), thumbIsIn,
            fingersPointUp)
    }

    /// The score of the gap between index and middle finger: relative to the gap of the knuckles, by itself, and as an
    /// angle. Each of these measures alone fails in some views.
    var fingersAreSpread: Double {
        let gap = shape.distance(.indexTip, .middleTip)
        let ratio = gap / max(shape.distance(.indexMCP, .middleMCP), 1e-9)
        let spread = angle(shape.screenDirection(.index), shape.screenDirection(.middle))
        return (rising(ratio, 1.15, 1.75) + rising(gap, 0.26, 0.46) + rising(spread, 5, 11)) / 3
    }

    /// The score of a folded thumb. A thumb that is not folded counts as a third finger. The tip is near the folded
    /// fingers, or across the palm. The latter is sufficient because errors of depth can make the distance from the
    /// fingers seem large.
    var thumbIsIn: Double {
        let isNear =
            (falling(shape.distance(.thumbTip, .ringMCP), 0.62, 0.95)
                + falling(shape.distance(.thumbTip, .middlePIP), 0.62, 1.0)) / 2
        return max(isNear, falling(shape.thumbOutwards, -0.5, 0))
    }

    var fingersPointUp: Double { falling(turn(from: fingerDirection, to: 0), 40, 60) }

    /// The direction halfway between index and middle finger.
    var fingerDirection: Double {
        direction(SIMD3(shape.screenDirection(.index) + shape.screenDirection(.middle), 0))
    }

    // MARK: Horns

    var horns: Double {
        min(
            isStraight(.index), littleIsOut, isFolded(.middle), isFolded(.ring), thumbIsOnFingers,
            falling(turn(from: shape.palmDirection, to: 0), 60, 90))
    }

    /// The score of a raised little finger. The little finger may bend more than other fingers, since few people can
    /// keep it straight next to a folded ring finger.
    var littleIsOut: Double {
        min(rising(shape.reach(.little), 0.25, 0.55), falling(shape.bend(.little), 45, 75))
    }

    /// The score of a thumb on the folded fingers. An extended thumb makes the "I love you" sign.
    var thumbIsOnFingers: Double {
        (falling(shape.distance(.thumbTip, .ringMCP), 0.70, 1.0)
            + falling(shape.distance(.thumbTip, .middlePIP), 0.60, 0.90)) / 2
    }
}

/// Describes a hand without a gesture by the violated rule of the likeliest gesture.
struct HandDescription {
    let shape: HandShape
    let rules: HandRules

    init(_ shape: HandShape) {
        self.shape = shape
        rules = HandRules(shape)
    }

    /// The reason in one line without a full stop, such as "thumb 48° off vertical".
    var reason: String {
        let out = HandShape.Finger.allCases.filter {
            ($0 == .little ? rules.littleIsOut : rules.isStraight($0)) >= 0.5
        }
        let folded = HandShape.Finger.allCases.filter { rules.isFolded($0) >= 0.5 }
        guard out.count + folded.count == 4 else {
            return "fingers half bent"
        }
        switch out {
        case []: return fist
        case [.index]: return thumbIsOut ? "thumb and one finger extended" : "one finger extended"
        case [.little]: return "little finger is out: the call-me sign"
        case [.index, .middle]: return twoFingers
        case [.index, .little]: return horns
        case [.middle, .ring, .little]: return "OK sign or three fingers extended"
        default: break
        }
        if out.count == 4 { return thumbIsOut ? "open hand" : "four fingers extended" }
        return out.count == 3 ? "three fingers extended" : "\(name(out.count)) extended"
    }

    private var thumbIsOut: Bool { rules.thumbIsIn < 0.5 }

    private var fist: String {
        guard rules.thumbStandsClear >= 0.5 else { return "fist" }
        let up = turn(from: shape.thumbDirection, to: 0)
        let down = turn(from: shape.thumbDirection, to: 180)
        let target = up <= down ? 0.0 : 180.0
        if rules.thumbPoints(toward: target) < 0.5 {
            return "thumb \(Int(min(up, down).rounded()))° off vertical"
        }
        if rules.knucklesPoint(toward: target) < 0.5 {
            let off = turn(from: shape.knuckleDirection, to: target)
            return "fist turned \(Int(off.rounded()))° from the thumb"
        }
        if rules.fist < 0.5 { return "fingers not quite folded" }
        return "thumb does not stand out from the fist"
    }

    private var twoFingers: String {
        if thumbIsOut { return "thumb is out: three fingers extended" }
        if rules.fingersAreSpread < 0.5 { return "two fingers held together" }
        let off = turn(from: rules.fingerDirection, to: 0)
        return "fingers \(Int(off.rounded()))° off vertical"
    }

    private var horns: String {
        if rules.thumbIsOnFingers < 0.5 { return "thumb is out: the I-love-you sign" }
        let off = turn(from: shape.palmDirection, to: 0)
        return "hand \(Int(off.rounded()))° off vertical"
    }

    private func name(_ count: Int) -> String { count == 1 ? "one finger" : "two fingers" }
}
