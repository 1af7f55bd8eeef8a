/// Rotations about the picture's axes, by sine and cosine from series that every machine computes alike.
struct Rotation {
    var sine: Double
    var cosine: Double

    init(degrees: Double) {
        // Halved until the series is short, then doubled back.
        var half = degrees * .pi / 180
        var doublings = 0
        while abs(half) > 0.25 {
            half /= 2
            doublings += 1
        }
        let square = half * half
        var s = half * (1 - square / 6 * (1 - square / 20 * (1 - square / 42)))
        var c = 1 - square / 2 * (1 - square / 12 * (1 - square / 30 * (1 - square / 56)))
        for _ in 0..<doublings { (s, c) = (2 * s * c, c * c - s * s) }
        sine = s
        cosine = c
    }

    /// In the picture's plane, clockwise as a viewer sees it.
    func rolled(_ p: SIMD3<Double>) -> SIMD3<Double> {
        SIMD3(cosine * p.x - sine * p.y, sine * p.x + cosine * p.y, p.z)
    }

    /// About the vertical.
    func yawed(_ p: SIMD3<Double>) -> SIMD3<Double> {
        SIMD3(cosine * p.x + sine * p.z, p.y, cosine * p.z - sine * p.x)
    }

    /// About the horizontal.
    func pitched(_ p: SIMD3<Double>) -> SIMD3<Double> {
        SIMD3(p.x, cosine * p.y - sine * p.z, cosine * p.z + sine * p.y)
    }
}
