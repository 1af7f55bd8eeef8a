/// The poses of the puppet's hands, by their names in scripts.
package enum PuppetPose: String, Sendable, Hashable, Codable, CaseIterable {
    // Gestures.
    case thumbUp, thumbDown, victory, horns, heart
    // Near misses: poses that must not trigger a reaction.
    case fist, openPalm, pointing, three, four, ok, iLoveYou, thumbSideways, chin

    /// The name of the sign that a hand with this pose makes, as in `inspect --json`: `heart` for a half of a heart,
    /// and the pose's own name for near misses.
    package var sign: String {
        switch self {
        case .thumbUp: "thumbsUp"
        case .thumbDown: "thumbsDown"
        default: rawValue
        }
    }

    /// The shape of the fingers.
    package var shape: PuppetHandShape {
        let straight = FingerShape.straight
        let curled = FingerShape.curled
        switch self {
        case .thumbUp, .thumbDown, .thumbSideways:
            return PuppetHandShape(thumb: .raised, index: curled, middle: curled, ring: curled, little: curled)
        case .victory:
            return PuppetHandShape(
                thumb: .acrossFist, index: FingerShape(0.05, 0.06, 0.05, lean: 0.10),
                middle: FingerShape(0.05, 0.06, 0.05, lean: -0.14), ring: curled, little: curled)
        case .horns:
            return PuppetHandShape(thumb: .acrossFist, index: straight, middle: curled, ring: curled, little: straight)
        case .iLoveYou:
            return PuppetHandShape(thumb: .out, index: straight, middle: curled, ring: curled, little: straight)
        case .fist:
            return PuppetHandShape(thumb: .acrossFist, index: curled, middle: curled, ring: curled, little: curled)
        case .openPalm:
            return PuppetHandShape(thumb: .out, index: straight, middle: straight, ring: straight, little: straight)
        case .pointing:
            return PuppetHandShape(thumb: .acrossFist, index: straight, middle: curled, ring: curled, little: curled)
        case .three:
            return PuppetHandShape(thumb: .folded, index: straight, middle: straight, ring: straight, little: curled)
        case .four:
            return PuppetHandShape(thumb: .folded, index: straight, middle: straight, ring: straight, little: straight)
        case .ok: return .ring
        case .heart: return .halfHeart
        case .chin:
            return PuppetHandShape(
                thumb: .out, index: FingerShape(0.15, 0.25, 0.2), middle: curled, ring: curled,
                little: curled)
        }
    }

    /// The orientation of the person's *left* hand in this pose; the right hand mirrors it.
    package var bearing: HandBearing {
        switch self {
        case .thumbUp: HandBearing(roll: -76, yaw: 14, pitch: 22, forearm: 244, reach: 2.7)
        case .thumbDown: HandBearing(roll: 84, yaw: -20, pitch: 5, forearm: -42, reach: 1.8)
        case .thumbSideways: HandBearing(roll: -8, yaw: 12, forearm: -94)
        case .heart: HandBearing(roll: 0, yaw: -58, forearm: -60, reach: 2.0)
        case .chin: HandBearing(roll: 14, yaw: 12, forearm: -70)
        // Slightly turned, so that the model does not take the thumb for a raised one.
        case .victory: HandBearing(yaw: -4, pitch: -8)
        case .horns: HandBearing(roll: 7, yaw: -6, pitch: -8)
        default: HandBearing()
        }
    }
}

/// The orientation of a hand and the direction of its forearm. Angles are in degrees, for the person's left hand (on
/// the right of a picture that is not mirrored).
package struct HandBearing: Sendable, Hashable {
    /// The rotation in the picture's plane; positive is anticlockwise on screen.
    package var roll: Float = 0
    /// The rotation about the hand's long axis; positive brings the thumb's side nearer.
    package var yaw: Float = 12
    /// The tilt of the fingertips toward the camera.
    package var pitch: Float = 0
    /// The direction from the wrist to the elbow: −90 is straight down.
    package var forearm: Float = -94
    /// The length of the forearm as the camera sees it, in palm lengths.
    package var reach: Float = 2.4

    func blended(to other: HandBearing, _ t: Float) -> HandBearing {
        HandBearing(
            roll: mix(roll, other.roll, t), yaw: mix(yaw, other.yaw, t),
            pitch: mix(pitch, other.pitch, t), forearm: mix(forearm, other.forearm, t),
            reach: mix(reach, other.reach, t))
    }
}

extension PuppetHandShape {
    /// A hand that is being raised or lowered: neither open nor closed.
    package static let relaxed = PuppetHandShape(
        thumb: ThumbShape(
            knuckle: [-0.40, 0.42, 0.16], joint: [-0.52, 0.72, 0.26], tip: [-0.50, 0.98, 0.34]),
        index: .loose, middle: FingerShape(0.55, 0.75, 0.45),
        ring: FingerShape(0.65, 0.8, 0.5), little: FingerShape(0.7, 0.8, 0.5))

    /// Thumb and index finger closed to a ring, the other fingers spread.
    static let ring: PuppetHandShape = {
        var shape = PuppetHandShape(
            thumb: .out, index: FingerShape(0.75, 1.0, 0.7, lean: -0.05),
            middle: FingerShape(0.25, 0.25, 0.15), ring: FingerShape(0.12, 0.15, 0.1),
            little: .straight)
        let tip = HandRig.fingerJoints(.index, shape.index)[3]
        shape.thumb = ThumbShape(
            knuckle: [-0.42, 0.40, 0.26], joint: [-0.50, 0.70, 0.42], tip: tip + [-0.06, -0.10, 0.0])
        return shape
    }()

    /// The left half of a heart: fingers arched over, the thumb straight below them.
    static let halfHeart = PuppetHandShape(
        thumb: ThumbShape(
            knuckle: [-0.34, 0.36, 0.36], joint: [-0.38, 0.46, 0.72], tip: [-0.38, 0.48, 1.02]),
        index: FingerShape(0.55, 0.85, 0.55), middle: FingerShape(0.6, 0.9, 0.6),
        ring: FingerShape(0.65, 0.95, 0.6), little: FingerShape(0.7, 0.95, 0.6))
}

/// The flexion of a finger and its lean to the side, in radians.
package struct FingerShape: Sendable, Hashable {
    /// Flexion toward the palm at the knuckle, the middle joint and the last joint.
    package var knuckle, middle, last: Float
    /// The lean away from the usual direction; positive leans toward the thumb.
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
    package var base: SIMD3<Float> = [-0.15, 0.15, 0.05]
    package var knuckle, joint, tip: SIMD3<Float>

    /// A thumb that is stretched out beside an open palm.
    package static let out = ThumbShape(
        knuckle: [-0.42, 0.42, 0.12], joint: [-0.72, 0.66, 0.14], tip: [-0.95, 0.84, 0.12])
    /// A thumb across the curled fingers of a fist.
    package static let acrossFist = ThumbShape(
        knuckle: [-0.33, 0.44, 0.26], joint: [-0.10, 0.70, 0.44], tip: [0.20, 0.83, 0.50])
    /// A thumb that points away from a fist, at a right angle to the palm's long side.
    package static let raised = ThumbShape(
        knuckle: [-0.42, 0.42, 0.10], joint: [-0.78, 0.50, 0.10], tip: [-1.10, 0.52, 0.06])
    /// A thumb that is folded into the palm beneath straight fingers.
    package static let folded = ThumbShape(
        knuckle: [-0.34, 0.42, 0.22], joint: [-0.08, 0.60, 0.32], tip: [0.18, 0.68, 0.30])

    func blended(to other: ThumbShape, _ t: Float) -> ThumbShape {
        ThumbShape(
            base: mix(base, other.base, t), knuckle: mix(knuckle, other.knuckle, t),
            joint: mix(joint, other.joint, t), tip: mix(tip, other.tip, t))
    }
}

/// The shape of one hand's fingers, independent of the hand's place.
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

    /// Returns the shape at the fraction `t` (0…1) of the transition to another shape.
    package func blended(to other: PuppetHandShape, _ t: Float) -> PuppetHandShape {
        PuppetHandShape(
            thumb: thumb.blended(to: other.thumb, t),
            index: index.blended(to: other.index, t),
            middle: middle.blended(to: other.middle, t),
            ring: ring.blended(to: other.ring, t),
            little: little.blended(to: other.little, t))
    }
}
