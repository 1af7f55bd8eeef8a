import HandPose

/// What a hand without gesture does, in words: which rule of the likeliest gesture it breaks.
struct HandDescription {
    let shape: HandShape
    let rules: HandRules

    init(_ shape: HandShape) {
        self.shape = shape
        rules = HandRules(shape)
    }

    /// One line without a full stop, such as "thumb 48° off vertical".
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
