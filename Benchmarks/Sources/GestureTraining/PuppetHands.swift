import Puppet
import Vision

/// Hands of the puppet's bones in random poses of known class, seen from many sides: poses that the tables lack
/// (thumbs to the side, half-bent hands, hands hanging down), without recordings of people.
package struct PuppetHands {
    var random: SplitMix

    package init(seed: UInt64) { random = SplitMix(seed: seed) }

    /// Returns `count` hands of each class, the classes in order.
    package mutating func hands(ofEach count: Int) -> [TrainingHand] {
        HandClass.allCases.flatMap { handClass in
            (0..<count).map { number in
                TrainingHand(
                    points: points(of: handClass), handClass: handClass, hasDepth: true,
                    source: "puppet", owner: "puppet \(handClass) \(number)")
            }
        }
    }

    /// Returns the bones in the form of ``HandLandmarks``: y down, z away from the camera.
    private mutating func points(of handClass: HandClass) -> [SIMD3<Double>] {
        let joints = HandRig.joints(of: shape(of: handClass)).map { joint in
            // Rounded, so that the last bit of the C library's sine does not matter.
            SIMD3(rounded(joint.x), rounded(joint.y), rounded(joint.z))
        }
        let bearing = bearing(of: handClass)
        let yaw = Rotation(degrees: bearing.yaw + random.normal() * 14)
        let pitch = Rotation(degrees: bearing.pitch + random.normal() * 12)
        let roll = Rotation(degrees: -bearing.roll)
        // A sign of the fingers may also show the back of the hand.
        let back = Rotation(degrees: Self.fingersUp.contains(handClass) && random.uniform() < 0.4 ? 180 : 0)
        return joints.map { joint in
            let centred = joint - SIMD3(0.04, 0.5, 0)
            let turned = roll.rolled(flipped(pitch.pitched(yaw.yawed(back.yawed(centred)))))
            return SIMD3(turned.x, turned.y, turned.z)
        }
    }

    private func flipped(_ p: SIMD3<Double>) -> SIMD3<Double> { SIMD3(p.x, -p.y, -p.z) }

    private func rounded(_ value: Float) -> Double { (Double(value) * 10_000).rounded() / 10_000 }

    // MARK: Fingers

    mutating func folded() -> ThumbShape { random.uniform() < 0.5 ? .acrossFist : .folded }

    /// A hand of straight (`1`) and curled (`0`) fingers, each a little different.
    mutating func hand(
        _ thumb: ThumbShape, _ fingers: String, spread: Double = 0.08
    ) -> PuppetHandShape {
        let lean = [spread / 2, -spread / 2, 0, 0]
        let shapes = fingers.enumerated().map { index, digit in
            digit == "1"
                ? finger(.straight, 0.07, lean: lean[index]) : finger(.curled, 0.16, lean: lean[index] / 3)
        }
        var thumb = thumb
        let nudge = SIMD3(wobble(0.05), wobble(0.05), wobble(0.05))
        thumb.knuckle += nudge * 0.4
        thumb.joint += nudge
        thumb.tip += nudge + SIMD3(wobble(0.07), wobble(0.07), wobble(0.07))
        return PuppetHandShape(
            thumb: thumb, index: shapes[0], middle: shapes[1], ring: shapes[2], little: shapes[3])
    }

    private mutating func finger(_ shape: FingerShape, _ spread: Double, lean: Double) -> FingerShape {
        FingerShape(
            max(-0.1, shape.knuckle + wobble(spread)), max(0, shape.middle + wobble(spread)),
            max(0, shape.last + wobble(spread)), lean: Float(lean) + wobble(0.04))
    }

    /// Returns a pose between the puppet's resting hand and a fist or an open hand: all fingers half bent, which is
    /// no sign.
    mutating func relaxed() -> PuppetHandShape {
        let other = hand(random.uniform() < 0.5 ? .acrossFist : .out, random.uniform() < 0.5 ? "0000" : "1111")
        return PuppetHandShape.relaxed.blended(to: other, Float(random.uniform(0, 0.35)))
    }

    private mutating func wobble(_ spread: Double) -> Float { Float(random.normal() * spread) }
}
