/// The bones of a hand, and the points where MediaPipe's landmark model puts its joints.
///
/// The hand's own coordinates: palm lengths (wrist to middle knuckle), the
/// wrist at the origin, x to the right, y toward the fingers, z out of the
/// palm toward the camera. The numbers describe a left hand seen from its palm,
/// thumb to the left; a right hand is its mirror image.
package enum HandRig {
    /// The fingers but for the thumb.
    package enum Finger: Int, Sendable, CaseIterable {
        case index, middle, ring, little
    }

    struct FingerBones {
        var root: SIMD3<Float>
        var lengths: (Float, Float, Float)
        var radius: Float
        /// The usual direction, as an angle from the hand's long axis toward the thumb.
        var splay: Float
    }

    static func bones(of finger: Finger) -> FingerBones {
        let degree = Float.pi / 180
        return switch finger {
        case .index:
            FingerBones(root: [-0.26, 0.95, 0], lengths: (0.46, 0.28, 0.22), radius: 0.105, splay: 8 * degree)
        case .middle:
            FingerBones(root: [-0.02, 1.00, 0], lengths: (0.52, 0.32, 0.24), radius: 0.108, splay: 0)
        case .ring:
            FingerBones(root: [0.20, 0.94, 0], lengths: (0.48, 0.30, 0.23), radius: 0.100, splay: -7 * degree)
        case .little:
            FingerBones(root: [0.40, 0.80, 0], lengths: (0.36, 0.22, 0.20), radius: 0.088, splay: -16 * degree)
        }
    }

    /// The knuckle, the two joints and the tip of a finger.
    static func fingerJoints(_ finger: Finger, _ shape: FingerShape) -> [SIMD3<Float>] {
        let bones = bones(of: finger)
        let angle = bones.splay + shape.lean
        let along: SIMD3<Float> = [-sine(angle), cosine(angle), 0]
        let towardPalm: SIMD3<Float> = [0, 0, 1]
        var points = [bones.root]
        var flexion: Float = 0
        let steps = [
            (shape.knuckle, bones.lengths.0), (shape.middle, bones.lengths.1),
            (shape.last, bones.lengths.2),
        ]
        for (bend, length) in steps {
            flexion += bend
            points.append(
                points[points.count - 1] + along * (cosine(flexion) * length) + towardPalm * (sine(flexion) * length))
        }
        return points
    }

    /// The 21 joints in MediaPipe's order: wrist, thumb, index, middle, ring, little,
    /// each finger from its root to its tip.
    package static func joints(of shape: PuppetHandShape) -> [SIMD3<Float>] {
        [[0, 0, 0], shape.thumb.base, shape.thumb.knuckle, shape.thumb.joint, shape.thumb.tip]
            + fingerJoints(.index, shape.index) + fingerJoints(.middle, shape.middle)
            + fingerJoints(.ring, shape.ring) + fingerJoints(.little, shape.little)
    }
}
