import Foundation

struct Shade {
    /// Linear light.
    var colour: V
    var opacity: Float = 1
}

/// A model: a distance field and the appearance of its surface.
protocol Model {
    /// The visible region: its width in units, about this centre.
    var span: Float { get }
    var centre: V { get }
    /// From the viewer's space to the model's; the viewing direction is −z.
    func place(_ p: V) -> V
    func distance(_ p: V) -> Float
    func shade(_ p: V) -> Shade
}

extension Model {
    func normal(_ p: V) -> V {
        let e: Float = 0.003
        let k = [V(1, -1, -1), V(-1, -1, 1), V(-1, 1, -1), V(1, 1, 1)]
        var n = V.zero
        for d in k { n += d * distance(p + d * e) }
        return normalize(n)
    }

    func shadow(_ from: V, _ to: V) -> Float {
        var t: Float = 0.03, s: Float = 1
        for _ in 0..<28 {
            let d = distance(from + to * t)
            s = min(s, 0.5 + 0.5 * d / (0.16 * t))
            if s < 0.01 || t > 2.2 { break }
            t += max(d, 0.025)
        }
        return smooth(max(s, 0))
    }

    func occlusion(_ p: V, _ n: V) -> Float {
        var o: Float = 0, w: Float = 1
        for i in 1...6 {
            let h = Float(i) * 0.055
            o += (h - distance(p + n * h)) * w
            w *= 0.78
        }
        return clamp(1 - o * 1.55)
    }
}

func linear(_ hex: UInt32) -> V {
    func f(_ b: UInt32) -> Float { pow(Float(b & 255) / 255, 2.2) }
    return V(f(hex >> 16), f(hex >> 8), f(hex))
}

func encoded(_ x: Float) -> Float {
    // A soft shoulder keeps the lights from clipping.
    let y = x < 0.7 ? x : 0.7 + 0.3 * (1 - exp(-(x - 0.7) / 0.3))
    return pow(clamp(y), 1 / 2.2)
}

/// Marches rays through a model. Returns rows of RGBA, `size` by `size`.
func render(_ model: some Model, size: Int) -> [UInt8] {
    let samples = 3
    let view = model.place(V(0, 0, 1))
    var bytes = [UInt8](repeating: 0, count: size * size * 4)
    for i in 0..<size * size {
        var sum = V.zero
        var covered: Float = 0
        for s in 0..<samples * samples {
            let x = Float(i % size) + (Float(s % samples) + 0.5) / Float(samples)
            let y = Float(i / size) + (Float(s / samples) + 0.5) / Float(samples)
            let (u, v) = (x / Float(size) - 0.5, 0.5 - y / Float(size))
            let origin = model.place(V(u * model.span, v * model.span, 3) + model.centre)
            var t: Float = 1
            for _ in 0..<110 {
                let d = model.distance(origin - view * t)
                if d < 0.0012 {
                    let shade = model.shade(origin - view * t)
                    let c = shade.colour
                    sum += V(encoded(c.x), encoded(c.y), encoded(c.z)) * shade.opacity
                    covered += shade.opacity
                    break
                }
                t += d * 0.9
                if t > 5 { break }
            }
        }
        guard covered > 0 else { continue }
        let c = sum / covered * 255
        bytes[4 * i] = UInt8(c.x.rounded())
        bytes[4 * i + 1] = UInt8(c.y.rounded())
        bytes[4 * i + 2] = UInt8(c.z.rounded())
        bytes[4 * i + 3] = UInt8((covered / Float(samples * samples) * 255).rounded())
    }
    return bytes
}
