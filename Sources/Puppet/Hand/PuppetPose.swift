/// The poses that the puppet's hands know, by the names a script uses.
package enum PuppetPose: String, Sendable, Hashable, Codable, CaseIterable {
    // Gestures.
    case thumbUp, thumbDown, victory, horns, heart
    // Near misses: poses that must not start a reaction.
    case fist, openPalm, pointing, three, four, ok, iLoveYou, thumbSideways, chin

    /// What the fingers do.
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

    /// How the person's *left* hand is held in this pose; the right hand mirrors it.
    package var bearing: HandBearing {
        switch self {
        case .thumbUp: HandBearing(roll: -76, yaw: 14, pitch: 22, forearm: 244, reach: 2.7)
        case .thumbDown: HandBearing(roll: 84, yaw: -20, pitch: 5, forearm: -42, reach: 1.8)
        case .thumbSideways: HandBearing(roll: -8, yaw: 12, forearm: -94)
        case .heart: HandBearing(roll: 0, yaw: -58, forearm: -60, reach: 2.0)
        case .chin: HandBearing(roll: 14, yaw: 12, forearm: -70)
        // Turned a little so that the model does not take the thumb to stand off the fingers.
        case .victory: HandBearing(yaw: -4, pitch: -8)
        case .horns: HandBearing(roll: 7, yaw: -6, pitch: -8)
        default: HandBearing()
        }
    }
}

/// How a hand is turned, and where its forearm comes from. Angles in degrees,
/// for the person's left hand (at the right of an unmirrored picture).
package struct HandBearing: Sendable, Hashable {
    /// Turn in the picture's plane; positive is anticlockwise on screen.
    package var roll: Float
    /// Turn about the hand's long axis; positive brings the thumb's side nearer.
    package var yaw: Float
    /// Tilt of the fingertips toward the camera.
    package var pitch: Float
    /// The direction from the wrist to the elbow: −90 is straight down.
    package var forearm: Float
    /// The length of the forearm as the camera sees it, in palm lengths.
    package var reach: Float

    package init(
        roll: Float = 0, yaw: Float = 12, pitch: Float = 0, forearm: Float = -94, reach: Float = 2.4
    ) {
        self.roll = roll
        self.yaw = yaw
        self.pitch = pitch
        self.forearm = forearm
        self.reach = reach
    }

    func blended(to other: HandBearing, _ t: Float) -> HandBearing {
        HandBearing(
            roll: mix(roll, other.roll, t), yaw: mix(yaw, other.yaw, t),
            pitch: mix(pitch, other.pitch, t), forearm: mix(forearm, other.forearm, t),
            reach: mix(reach, other.reach, t))
    }
}

extension PuppetHandShape {
    /// A hand on its way up or down: neither open nor closed.
    package static let relaxed = PuppetHandShape(
        thumb: ThumbShape(
            knuckle: [-0.40, 0.42, 0.16], joint: [-0.52, 0.72, 0.26], tip: [-0.50, 0.98, 0.34]),
        index: .loose, middle: FingerShape(0.55, 0.75, 0.45),
        ring: FingerShape(0.65, 0.8, 0.5), little: FingerShape(0.7, 0.8, 0.5))

    /// Thumb and index finger closed to a ring, the others spread.
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
