/// How much of a shape lies at the pixels of a row: the inner loops of drawing.
///
/// Along a row the shape's coordinates are linear, u = `u` + i·`du`, so each
/// function is a plain counted loop without branches that the compiler turns
/// into vector code. Results are 0…65535.
struct TileCoverage {
    var u, v, du, dv: Float

    /// Rounds 0…1 to 0…65535 by way of the float's own bits (2²³ + n holds n in its
    /// low bits): unlike a checked conversion this vectorises.
    @inline(__always)
    private func fixed(_ c: Float) -> UInt16 {
        UInt16(truncatingIfNeeded: (c * 65535 + 8_388_608).bitPattern)
    }

    @inline(__always)
    private func at(_ i: Int) -> (u: Float, v: Float) {
        let f = Float(Int32(truncatingIfNeeded: i))
        return (u + f * du, v + f * dv)
    }

    @inline(__always)
    private func positive(_ x: Float) -> Float { x > 0 ? x : 0 }

    @inline(__always)
    private func capped(_ x: Float) -> Float { x < 1 ? x : 1 }

    @inline(__always)
    private func unit(_ x: Float) -> Float { capped(positive(x)) }

    /// The same shape at every so many pixels.
    func every(_ step: Int) -> TileCoverage {
        TileCoverage(u: u, v: v, du: du * Float(step), dv: dv * Float(step))
    }

    func glow(_ row: inout MutableSpan<UInt16>, halo: Float) {
        for i in 0..<row.count {
            let (u, v) = at(i)
            let m = positive(1 - u * u - v * v)
            let m2 = m * m
            row[i] = fixed(m2 * (halo + (1 - halo) * m2 * m2))
        }
    }

    func disc(_ row: inout MutableSpan<UInt16>, slope: Float) {
        for i in 0..<row.count {
            let (u, v) = at(i)
            row[i] = fixed(unit((1 - (u * u + v * v).squareRoot()) * slope))
        }
    }

    func ring(_ row: inout MutableSpan<UInt16>, radius: Float, slope: Float) {
        for i in 0..<row.count {
            let (u, v) = at(i)
            let d = (u * u + v * v).squareRoot() - radius
            let t = positive(1 - (d < 0 ? -d : d) * slope)
            row[i] = fixed(t * t * (3 - 2 * t))
        }
    }

    func paper(_ row: inout MutableSpan<UInt16>, slopeU: Float, slopeV: Float) {
        for i in 0..<row.count {
            let (u, v) = at(i)
            row[i] = fixed(unit((1 - u.magnitude) * slopeU) * unit((1 - v.magnitude) * slopeV))
        }
    }

    func streak(_ row: inout MutableSpan<UInt16>, tail: Float, slope: Float) {
        for i in 0..<row.count {
            let (u, v) = at(i)
            let across = positive(1 - v * v)
            let h = (u + 1) * 0.5
            let fade = 1 - tail * (1 - h * h)
            row[i] = fixed(across * across * unit((1 - u.magnitude) * slope) * positive(fade))
        }
    }

    /// A beam's glow, which starts `spread` times as wide as it ends.
    func beam(_ row: inout MutableSpan<UInt16>, spread: Float, phase: Float) {
        for i in 0..<row.count {
            let (u, v) = at(i)
            let h = positive((u + 1) * 0.5)
            let w = v / (spread + (1 - spread) * h)
            let m = positive(1 - w * w)
            let m2 = m * m
            let fade = positive(1 - h * h)
            let start = capped(h * 24)
            // A train of parabolic waves passes for smoke.
            let s = h * 4.3 + phase
            let f = s - Float(Int32(truncatingIfNeeded: (s + 8_388_607.5).bitPattern & 0x3F_FFFF))
            let smoke = 0.42 + 2.1 * f * (1 - f)
            row[i] = fixed(capped(m2 * (0.45 * m + 0.55 * m2 * m2) * fade * start * positive(smoke)))
        }
    }

    /// From the distance to the edge, negative inside, over one pixel.
    func box(_ row: inout MutableSpan<UInt16>, halfWidth: Float, halfHeight: Float, radius: Float) {
        let (x, y) = (halfWidth - 0.5 - radius, halfHeight - 0.5 - radius)
        for i in 0..<row.count {
            let (u, v) = at(i)
            let a = u.magnitude * halfWidth - x
            let b = v.magnitude * halfHeight - y
            let (c, d) = (positive(a), positive(b))
            let inner = a > b ? a : b
            let distance = (c * c + d * d).squareRoot() + (inner < 0 ? inner : 0) - radius
            row[i] = fixed(unit(0.5 - distance))
        }
    }

    /// From the distance to the line, whose ends are the nearest beyond them.
    func arc(_ row: inout MutableSpan<UInt16>, radius: Float, halfWidth: Float, sine: Float, cosine: Float) {
        let scale = radius + halfWidth + 0.5
        for i in 0..<row.count {
            let (u, v) = at(i)
            let (x, y) = (u * scale, v.magnitude * scale)
            let (dx, dy) = (x - radius * cosine, y - radius * sine)
            let along = ((x * x + y * y).squareRoot() - radius).magnitude
            let toEnd = (dx * dx + dy * dy).squareRoot()
            let distance = sine * x - cosine * y > 0 ? along : toEnd
            row[i] = fixed(unit(halfWidth + 0.5 - distance))
        }
    }

    func sparkle(_ row: inout MutableSpan<UInt16>) {
        for i in 0..<row.count {
            let (u, v) = at(i)
            let t = positive(1 - u.magnitude.squareRoot() - v.magnitude.squareRoot())
            let m = positive(1 - (u * u + v * v) * 9)
            row[i] = fixed(capped(t * 2.2 + m * m * 0.35))
        }
    }
}
