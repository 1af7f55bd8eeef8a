/// One hand at one instant: its shape, orientation and place.
struct HandState: Sendable {
    var shape: PuppetHandShape
    var bearing: HandBearing
    /// The middle of the palm, in pixels of the picture.
    var centre: SIMD2<Float>
    /// The length of the palm, in pixels.
    var palm: Float
    /// True if it is the person's right hand, which is the mirror image of the left.
    var isRight: Bool

    /// Returns the place in the picture (pixels, y down, z toward the camera) of a point in the hand's own coordinates.
    func place(_ point: SIMD3<Float>) -> SIMD3<Float> {
        let degree = Float.pi / 180
        var p = point - [0.04, 0.5, 0]
        let (cy, sy) = (cosine(bearing.yaw * degree), sine(bearing.yaw * degree))
        p = [cy * p.x + sy * p.z, p.y, cy * p.z - sy * p.x]
        let (cp, sp) = (cosine(bearing.pitch * degree), sine(bearing.pitch * degree))
        p = [p.x, cp * p.y - sp * p.z, cp * p.z + sp * p.y]
        let (cr, sr) = (cosine(bearing.roll * degree), sine(bearing.roll * degree))
        p = [cr * p.x - sr * p.y, sr * p.x + cr * p.y, p.z]
        let side: Float = isRight ? -1 : 1
        return [centre.x + side * p.x * palm, centre.y - p.y * palm, p.z * palm]
    }

    /// The 21 joints in MediaPipe's order, in pixels.
    var joints: [SIMD3<Float>] { HandRig.joints(of: shape).map { place($0) } }

    /// The direction from the wrist to the elbow, in the picture's coordinates.
    var forearmDirection: SIMD3<Float> {
        let angle = bearing.forearm * (Float.pi / 180)
        return [(isRight ? -1 : 1) * cosine(angle), -sine(angle), -0.25]
    }
}

/// Turns a hand and its arm into solids, which ``SolidRenderer`` draws.
struct HandSolids {
    let state: HandState
    let skin: Material
    let sleeve: Material

    /// Returns the solids of the hand, its wrist, and the arm up to the shoulder.
    /// - Parameter shoulder: the shoulder's place in the picture.
    func solids(shoulder: SIMD3<Float>) -> [RoundCone] {
        palm + thumb + HandRig.Finger.allCases.flatMap { finger($0) } + arm(shoulder: shoulder)
    }

    private func cone(
        _ a: SIMD3<Float>, _ b: SIMD3<Float>, _ radii: (Float, Float), melt: Float,
        tint: Float = 0
    ) -> RoundCone {
        var material = skin
        material.colour = skin.colour.blended(
            to: Colour(skin.colour.red * 1.02, skin.colour.green * 0.88, skin.colour.blue * 0.86), tint)
        return RoundCone(
            state.place(a), state.place(b), radii: (radii.0 * state.palm, radii.1 * state.palm),
            melt: melt * state.palm, material: material)
    }

    private var palm: [RoundCone] {
        [
            cone([-0.13, 0.10, 0], [-0.24, 0.86, -0.01], (0.17, 0.135), melt: 0.10),
            cone([-0.04, 0.08, 0], [-0.02, 0.90, 0.0], (0.17, 0.135), melt: 0.10),
            cone([0.06, 0.08, 0], [0.18, 0.85, 0.0], (0.17, 0.135), melt: 0.10),
            cone([0.14, 0.12, 0.01], [0.34, 0.72, 0.01], (0.17, 0.135), melt: 0.10),
            cone([-0.24, 0.84, 0], [0.34, 0.74, 0.01], (0.13, 0.125), melt: 0.08),
            // The pad below the little finger.
            cone([0.20, 0.22, 0.05], [0.28, 0.55, 0.05], (0.14, 0.13), melt: 0.12),
        ]
    }

    private var thumb: [RoundCone] {
        let t = state.shape.thumb
        return [
            // The ball of the thumb.
            cone(t.base, t.knuckle, (0.175, 0.13), melt: 0.12),
            cone(t.base + [0.06, 0.12, 0.0], t.knuckle + [0.10, 0.02, -0.02], (0.16, 0.11), melt: 0.12),
            cone(t.knuckle, t.joint, (0.125, 0.11), melt: 0.05),
            cone(t.joint, mix(t.joint, t.tip, 0.75), (0.112, 0.104), melt: 0.03, tint: 0.25),
            cone(mix(t.joint, t.tip, 0.6), t.tip, (0.104, 0.088), melt: 0.04, tint: 0.6),
        ]
    }

    private func finger(_ finger: HandRig.Finger) -> [RoundCone] {
        let fingerShape =
            switch finger {
            case .index: state.shape.index
            case .middle: state.shape.middle
            case .ring: state.shape.ring
            case .little: state.shape.little
            }
        let p = HandRig.fingerJoints(finger, fingerShape)
        let r = HandRig.bones(of: finger).radius
        return [
            cone(p[0], p[1], (r * 1.14, r * 1.0), melt: 0.045),
            cone(p[1], p[2], (r * 1.03, r * 0.92), melt: 0.03),
            cone(p[2], mix(p[2], p[3], 0.7), (r * 0.94, r * 0.88), melt: 0.03, tint: 0.25),
            cone(mix(p[2], p[3], 0.6), p[3], (r * 0.88, r * 0.74), melt: 0.03, tint: 0.6),
        ]
    }

    private func arm(shoulder: SIMD3<Float>) -> [RoundCone] {
        let unit = state.palm
        let wrist = state.place([0.0, 0.02, 0])
        let direction = state.forearmDirection
        let across = normalised(SIMD3<Float>(direction.y, -direction.x, 0)) * (0.085 * unit)
        let cuff = wrist + direction * (0.62 * unit)
        let elbow = wrist + direction * (state.bearing.reach * unit)
        return [
            RoundCone(
                wrist + across, cuff + across, radii: (0.165 * unit, 0.19 * unit), melt: 0.12 * unit, material: skin),
            RoundCone(
                wrist - across, cuff - across, radii: (0.165 * unit, 0.19 * unit), melt: 0.12 * unit, material: skin),
            // A cuff slightly wider than the wrist, then the sleeve.
            RoundCone(
                wrist + direction * (0.60 * unit), wrist + direction * (0.74 * unit),
                radii: (0.30 * unit, 0.31 * unit), melt: 0.015 * unit, material: sleeve),
            RoundCone(
                wrist + direction * (0.70 * unit), elbow, radii: (0.30 * unit, 0.46 * unit),
                melt: 0.03 * unit, material: sleeve),
            RoundCone(
                elbow, shoulder, radii: (0.44 * unit, 0.46 * unit), melt: 0.2 * unit, material: sleeve,
                fades: true),
        ]
    }
}

/// The bones of a hand, and the points at which MediaPipe's landmark model places its joints.
///
/// The hand's own coordinates: palm lengths (wrist to middle knuckle), the
/// wrist at the origin, x to the right, y toward the fingers, z out of the
/// palm toward the camera. The numbers describe a left hand seen from its palm,
/// thumb to the left; a right hand is its mirror image.
package enum HandRig {
    /// The fingers except the thumb.
    package enum Finger: Int, Sendable, CaseIterable {
        case index, middle, ring, little
    }

    struct FingerBones {
        var root: SIMD3<Float>
        var lengths: (Float, Float, Float)
        var radius: Float
        /// The direction at rest, as an angle in radians from the hand's long axis toward the thumb.
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

    /// Returns the knuckle, the two joints and the tip of a finger, in the hand's own coordinates.
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

    /// Returns the 21 joints in MediaPipe's order: wrist, thumb, index, middle, ring, little, each finger from its root
    /// to its tip.
    package static func joints(of shape: PuppetHandShape) -> [SIMD3<Float>] {
        [[0, 0, 0], shape.thumb.base, shape.thumb.knuckle, shape.thumb.joint, shape.thumb.tip]
            + fingerJoints(.index, shape.index) + fingerJoints(.middle, shape.middle)
            + fingerJoints(.ring, shape.ring) + fingerJoints(.little, shape.little)
    }
}
