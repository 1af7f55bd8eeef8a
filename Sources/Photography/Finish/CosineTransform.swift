/// The discrete cosine transform of 8 values, of ``lanes`` rows of them at once, scaled so that it keeps energies.
///
/// Value by value, what belongs to all rows lies close together: loops over them are what the compiler makes vectors of.
enum CosineTransform {
    /// How many are transformed at once.
    static let lanes = 16

    // cos(k π / 16) / 2
    private static let c1: Float = 0.49039264, c2: Float = 0.46193977, c3: Float = 0.41573481
    private static let c5: Float = 0.27778512, c6: Float = 0.19134172, c7: Float = 0.09754516
    /// √(1/8)
    private static let c4: Float = 0.35355339

    /// Transforms eight values, `step` apart, into eight that are `resultStep` apart; they may be the same.
    @inline(__always)
    @unsafe static func forward(
        _ values: UnsafePointer<Float>, step: Int, into result: UnsafeMutablePointer<Float>, step resultStep: Int
    ) {
        for lane in 0..<lanes {
            let value = unsafe values + lane, to = unsafe result + lane
            let (x0, x1, x2, x3) = unsafe (value[0], value[step], value[2 * step], value[3 * step])
            let (x4, x5, x6, x7) = unsafe (value[4 * step], value[5 * step], value[6 * step], value[7 * step])
            let (s0, s1, s2, s3) = (x0 + x7, x1 + x6, x2 + x5, x3 + x4)
            let (d0, d1, d2, d3) = (x0 - x7, x1 - x6, x2 - x5, x3 - x4)
            let (even, odd) = (s0 + s3, s1 + s2)
            let (rest, cross) = (s0 - s3, s1 - s2)
            unsafe to[0] = (even + odd) * c4
            unsafe to[resultStep] = d0 * c1 + d1 * c3 + d2 * c5 + d3 * c7
            unsafe to[2 * resultStep] = rest * c2 + cross * c6
            unsafe to[3 * resultStep] = d0 * c3 - d1 * c7 - d2 * c1 - d3 * c5
            unsafe to[4 * resultStep] = (even - odd) * c4
            unsafe to[5 * resultStep] = d0 * c5 - d1 * c1 + d2 * c7 + d3 * c3
            unsafe to[6 * resultStep] = rest * c6 - cross * c2
            unsafe to[7 * resultStep] = d0 * c7 - d1 * c5 + d2 * c3 - d3 * c1
        }
    }

    /// Undoes the forward transform.
    @inline(__always)
    @unsafe static func inverse(
        _ values: UnsafePointer<Float>, step: Int, into result: UnsafeMutablePointer<Float>, step resultStep: Int
    ) {
        for lane in 0..<lanes {
            let value = unsafe values + lane, to = unsafe result + lane
            let (y0, y1, y2, y3) = unsafe (value[0], value[step], value[2 * step], value[3 * step])
            let (y4, y5, y6, y7) = unsafe (value[4 * step], value[5 * step], value[6 * step], value[7 * step])
            let (e0, e1) = ((y0 + y4) * c4, (y0 - y4) * c4)
            let (f0, f1) = (y2 * c2 + y6 * c6, y2 * c6 - y6 * c2)
            let (p0, p1, p2, p3) = (e0 + f0, e1 + f1, e1 - f1, e0 - f0)
            let q0 = y1 * c1 + y3 * c3 + y5 * c5 + y7 * c7
            let q1 = y1 * c3 - y3 * c7 - y5 * c1 - y7 * c5
            let q2 = y1 * c5 - y3 * c1 + y5 * c7 + y7 * c3
            let q3 = y1 * c7 - y3 * c5 + y5 * c3 - y7 * c1
            unsafe to[0] = p0 + q0
            unsafe to[resultStep] = p1 + q1
            unsafe to[2 * resultStep] = p2 + q2
            unsafe to[3 * resultStep] = p3 + q3
            unsafe to[4 * resultStep] = p3 - q3
            unsafe to[5 * resultStep] = p2 - q2
            unsafe to[6 * resultStep] = p1 - q1
            unsafe to[7 * resultStep] = p0 - q0
        }
    }
}
