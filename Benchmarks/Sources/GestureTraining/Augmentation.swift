import Vision

/// Varies a hand like another moment, camera or model, and changes its class where a rotation does.
package struct Augmentation {
    package init() {}

    package func callAsFunction(_ hand: TrainingHand, _ random: inout SplitMix) -> TrainingHand {
        var hand = hand
        swapUpAndDown(&hand, &random)
        if hand.source == "stretched" { unstretch(&hand, &random) }
        turnInSpace(&hand, &random)
        turnInPicture(&hand, &random)
        disturb(&hand, &random)
        if random.uniform() < 0.5 { hand.transform { SIMD3(-$0.x, $0.y, $0.z) } }
        return hand
    }

    /// A thumb up, upside down, is a thumb down of the other hand. Its wrist stays at the side, as in front of a
    /// camera. Doubles the rare ones.
    private func swapUpAndDown(_ hand: inout TrainingHand, _ random: inout SplitMix) {
        guard random.uniform() < 0.25, let upsideDown = hand.handClass.upsideDown else { return }
        hand.handClass = upsideDown
        hand.transform { SIMD3($0.x, -$0.y, $0.z) }
    }

    /// One table has lost its aspect ratio; a plausible one is drawn.
    private func unstretch(_ hand: inout TrainingHand, _ random: inout SplitMix) {
        let aspect = random.uniform(0.65, 1.25)
        hand.transform { SIMD3($0.x * aspect, $0.y, $0.z) }
    }

    private func turnInSpace(_ hand: inout TrainingHand, _ random: inout SplitMix) {
        guard hand.hasDepth else { return }
        let depth = random.uniform(0.6, 1.4)
        let yaw = Rotation(degrees: random.normal() * 9), pitch = Rotation(degrees: random.normal() * 9)
        hand.transform { pitch.pitched(yaw.yawed(SIMD3($0.x, $0.y, $0.z * depth))) }
        if random.uniform() < 0.1 { hand.transform { SIMD3($0.x, $0.y, 0) } }
    }

    private func turnInPicture(_ hand: inout TrainingHand, _ random: inout SplitMix) {
        var degrees = random.normal() * 7
        let side = random.uniform() < 0.5 ? 1.0 : -1
        if let turn = hand.handClass.turn {
            if random.uniform() < turn.probability {
                degrees = side * random.uniform(turn.degrees.lowerBound, turn.degrees.upperBound)
                hand.handClass = turn.handClass
            }
        } else if hand.handClass != .thumbSideways, hand.handClass != .turned {
            // Hanging hands, and hands that point across, are no gesture in any direction.
            if random.uniform() < 0.3 { degrees = random.uniform(-180, 180) }
        }
        let roll = Rotation(degrees: degrees)
        hand.transform(roll.rolled)
    }

    /// Adds the errors of a landmark model: a little everywhere, more at the thumb.
    private func disturb(_ hand: inout TrainingHand, _ random: inout SplitMix) {
        let unit = hand.extent / 2
        let stretch = 1 + random.normal() * 0.05
        let spread = random.uniform(0, 0.025) * unit
        for index in hand.points.indices {
            hand.points[index].x = hand.points[index].x * stretch + random.normal() * spread
            hand.points[index].y += random.normal() * spread
            hand.points[index].z += random.normal() * spread * (hand.hasDepth ? 2 : 0)
        }
        guard random.uniform() < 0.4 else { return }
        let nudge = SIMD3(random.normal(), random.normal(), 0) * (0.05 * unit)
        hand.points[HandJoint.thumbIP.rawValue] += nudge / 2
        hand.points[HandJoint.thumbTip.rawValue] += nudge
    }
}

extension TrainingHand {
    mutating func transform(_ change: (SIMD3<Double>) -> SIMD3<Double>) {
        points = points.map(change)
    }

    /// The longer side of the box around the hand.
    var extent: Double {
        let x = points.map(\.x), y = points.map(\.y)
        return max(x.max()! - x.min()!, y.max()! - y.min()!)
    }
}
