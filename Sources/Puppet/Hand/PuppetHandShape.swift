/// How far a finger is bent and how far it leans to the side, in radians.
package struct FingerShape: Sendable, Hashable {
    /// Flexion toward the palm at the knuckle, the middle joint and the last joint.
    package var knuckle, middle, last: Float
    /// Lean away from its usual direction; positive leans toward the thumb.
    package var lean: Float

    package init(_ knuckle: Float, _ middle: Float, _ last: Float, lean: Float = 0) {
        self.knuckle = knuckle
        self.middle = middle
        self.last = last
        self.lean = lean
    }

    package static let straight = FingerShape(0.05, 0.06, 0.05)
    package static let curled = FingerShape(1.45, 1.75, 1.1)
    package static let loose = FingerShape(0.45, 0.65, 0.4)

    func blended(to other: FingerShape, _ t: Float) -> FingerShape {
        FingerShape(
            mix(knuckle, other.knuckle, t), mix(middle, other.middle, t),
            mix(last, other.last, t), lean: mix(lean, other.lean, t))
    }
}

/// The four points of a thumb: the joint at the wrist, the knuckle, the last
/// joint and the tip, in the hand's own coordinates (see ``HandRig``).
package struct ThumbShape: Sendable, Hashable {
    package var base, knuckle, joint, tip: SIMD3<Float>

    package init(
        base: SIMD3<Float> = [-0.15, 0.15, 0.05],
        knuckle: SIMD3<Float>, joint: SIMD3<Float>, tip: SIMD3<Float>
    ) {
        self.base = base
        self.knuckle = knuckle
        self.joint = joint
        self.tip = tip
    }

    /// Stretched out beside an open palm.
    package static let out = ThumbShape(
        knuckle: [-0.42, 0.42, 0.12], joint: [-0.72, 0.66, 0.14], tip: [-0.95, 0.84, 0.12])
    /// Laid across the curled fingers of a fist.
    package static let acrossFist = ThumbShape(
        knuckle: [-0.33, 0.44, 0.26], joint: [-0.10, 0.70, 0.44], tip: [0.20, 0.83, 0.50])
    /// Standing off a fist at a right angle to the palm's long side.
    package static let raised = ThumbShape(
        knuckle: [-0.42, 0.42, 0.10], joint: [-0.78, 0.50, 0.10], tip: [-1.10, 0.52, 0.06])
    /// Folded into the palm beneath straight fingers.
    package static let folded = ThumbShape(
        knuckle: [-0.34, 0.42, 0.22], joint: [-0.08, 0.60, 0.32], tip: [0.18, 0.68, 0.30])

    func blended(to other: ThumbShape, _ t: Float) -> ThumbShape {
        ThumbShape(
            base: mix(base, other.base, t), knuckle: mix(knuckle, other.knuckle, t),
            joint: mix(joint, other.joint, t), tip: mix(tip, other.tip, t))
    }
}

/// What the fingers of one hand do, wherever the hand may be.
package struct PuppetHandShape: Sendable, Hashable {
    package var thumb: ThumbShape
    package var index, middle, ring, little: FingerShape

    package init(
        thumb: ThumbShape, index: FingerShape, middle: FingerShape, ring: FingerShape,
        little: FingerShape
    ) {
        self.thumb = thumb
        self.index = index
        self.middle = middle
        self.ring = ring
        self.little = little
    }

    /// The shape a part `t` (0…1) of the way to another.
    package func blended(to other: PuppetHandShape, _ t: Float) -> PuppetHandShape {
        PuppetHandShape(
            thumb: thumb.blended(to: other.thumb, t),
            index: index.blended(to: other.index, t),
            middle: middle.blended(to: other.middle, t),
            ring: ring.blended(to: other.ring, t),
            little: little.blended(to: other.little, t))
    }
}
