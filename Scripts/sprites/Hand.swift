import Foundation

/// A fist with the thumb up, seen from the palm's side, in a cuff. Lit by a lamp above on the
/// left, the sky, and a light behind on the right.
struct Hand: Model {
    /// 1, or −1 for the thumb down: the hand is turned over, the light is not.
    let flip: Float
    let span: Float = 2.75
    var centre: V { V(-0.1, 0.12 * flip, 0) }
    let key = normalize(Hand.turned(V(-0.50, 0.74, 0.62)))
    let back = normalize(Hand.turned(V(0.85, 0.15, -0.25)))
    let view = Hand.turned(V(0, 0, 1))
    let up = Hand.turned(V(0, 1, 0))

    /// The view is a little from the left and above.
    static func turned(_ p: V) -> V {
        let (yaw, pitch): (Float, Float) = (-0.24, 0.10)
        let y = V(p.x, p.y * cos(pitch) - p.z * sin(pitch), p.y * sin(pitch) + p.z * cos(pitch))
        return V(y.x * cos(yaw) + y.z * sin(yaw), y.y, -y.x * sin(yaw) + y.z * cos(yaw))
    }

    func place(_ p: V) -> V { Self.turned(p) }
    func distance(_ p: V) -> Float { scene(p).0 }

    private func scene(_ p: V) -> (Float, Int) {
        let q = V(p.x, p.y * flip, p.z)
        var best = (hand(q), 0)
        let c = cuff(q)
        if c < best.0 { best = (c, 1) }
        if q.y > 0.8 {
            let n = nail(q)
            if n < best.0 { best = (n, 2) }
        }
        return best
    }

    func shade(_ p: V) -> Shade {
        let part = scene(p).1
        let n = normal(p)
        let lit = shadow(p + n * 0.02, key)
        let ao = occlusion(p, n)
        let facing = dot(n, key)
        // Skin lets light through: the shade begins late and its edge is warm.
        let wrap = clamp((facing + 0.32) / 1.32)
        let diffuse = wrap * (0.16 + 0.84 * lit)
        let sky = 0.5 + 0.5 * dot(n, up)
        let half = normalize(key + view)
        let gloss = pow(max(dot(n, half), 0), 38) * lit
        let sheen = pow(max(dot(n, half), 0), 7) * lit
        let edge = pow(1 - clamp(dot(n, view)), 2.6)
        let rim = clamp(dot(n, back) * 0.8 + 0.35) * edge
        let albedo, deep: V
        switch part {
        case 1: (albedo, deep) = (linear(0xEEF3FF), linear(0x6F86C8))
        case 2: (albedo, deep) = (linear(0xFFE3B0), linear(0xD9862F))
        default: (albedo, deep) = (linear(0xFFCB45), linear(0xE8701F))
        }
        let dusk = clamp(1.15 - diffuse * 1.15) * 0.75
        var c = mix(albedo, deep, part == 1 ? dusk * 0.6 : dusk)
        var light = V(repeating: diffuse * 1.02)
        light += V(0.36, 0.40, 0.50) * (sky * ao * 0.62)
        light += V(0.32, 0.18, 0.12) * ((1 - sky) * ao)
        c *= light
        c *= mix(linear(0xC9743A), V(repeating: 1), part == 1 ? max(ao, 0.6) : ao)
        let shine: Float = part == 2 ? 0.5 : 0.22
        c += V(1, 0.93, 0.78) * (gloss * shine + sheen * 0.07)
        c += V(1, 0.9, 0.95) * rim * 0.62
        return Shade(colour: c)
    }
}

struct Finger { var y, r, pip, dip, z: Float }
let fingers = [
    Finger(y: 0.31, r: 0.172, pip: 0.60, dip: 0.03, z: 0.40),
    Finger(y: 0.015, r: 0.176, pip: 0.66, dip: 0.02, z: 0.43),
    Finger(y: -0.275, r: 0.165, pip: 0.61, dip: 0.04, z: 0.40),
    Finger(y: -0.535, r: 0.145, pip: 0.49, dip: 0.07, z: 0.34),
]

func hand(_ p: V) -> Float {
    var curled: Float = 9
    for f in fingers {
        let pip = V(f.pip, f.y, f.z - 0.06), dip = V(f.dip, f.y - 0.012, f.z + 0.01)
        var d = bone(p, pip, dip, f.r, f.r * 0.93)
        d = min(d, bone(p, dip, V(f.dip - 0.03, f.y - 0.02, f.z - 0.26), f.r * 0.93, f.r * 0.8))
        d = min(d, bone(p, pip, V(f.pip - 0.10, f.y * 0.94, -0.42), f.r, f.r * 1.1))
        // Fuller between the joints.
        let belly = V((f.pip + f.dip) / 2, f.y - 0.004, f.z - 0.012)
        d = join(d, length((p - belly) * V(0.62, 1, 1)) - f.r * 0.97, 0.1)
        curled = join(curled, d, 0.03)
    }
    var palm = box(p, V(0.08, -0.12, -0.10), V(0.46, 0.50, 0.30), 0.24)
    palm = join(palm, bone(p, V(-0.36, -0.46, 0.02), V(-0.2, 0.2, 0.2), 0.27, 0.24), 0.2)
    palm = join(palm, bone(p, V(-0.25, -0.25, -0.08), V(-0.80, -0.42, -0.12), 0.36, 0.31), 0.22)
    var thumb = bone(p, V(-0.2, 0.16, 0.2), V(-0.15, 0.66, 0.24), 0.26, 0.216)
    thumb = join(thumb, bone(p, V(-0.15, 0.67, 0.24), V(-0.235, 1.06, 0.14), 0.212, 0.182), 0.02)
    thumb = join(thumb, bone(p, V(-0.155, 0.88, 0.24), V(-0.19, 0.98, 0.21), 0.178, 0.158), 0.16)
    var d = join(palm, thumb, 0.14)
    d = join(d, curled, 0.035)
    return d
}

/// The thumb's nail, on its outer side.
func nail(_ p: V) -> Float {
    var q = p - V(-0.366, 1.05, 0.242)
    // Rotated onto the thumb.
    let c = cos(Float(0.75)), s = sin(Float(0.75))
    q = V(q.x * c + q.z * s, q.y, -q.x * s + q.z * c)
    let t = V(q.x / 0.115, (q.y - q.x * 0.1) / 0.125, q.z / 0.055)
    return (length(t) - 1) * 0.05
}

func cuff(_ p: V) -> Float {
    min(cylinder(p, V(-0.72, -0.40, -0.12), V(-1.02, -0.49, -0.14), 0.46, 0.07),
        cylinder(p, V(-0.99, -0.48, -0.14), V(-1.5, -0.64, -0.16), 0.415, 0.05))
}
