/// The discrete cosine transform of 8 values, of four rows at once, scaled so that it keeps energies.
enum CosineTransform {
    typealias Lanes = SIMD4<Float>

    // cos(k π / 16) / 2
    private static let c1: Float = 0.49039264, c2: Float = 0.46193977, c3: Float = 0.41573481
    private static let c5: Float = 0.27778512, c6: Float = 0.19134172, c7: Float = 0.09754516
    /// √(1/8)
    private static let c4: Float = 0.35355339

    /// Replaces eight values, `step` apart.
    @inline(__always)
    @unsafe static func forward(_ values: UnsafeMutablePointer<Lanes>, step: Int) {
        let (x0, x1, x2, x3) = unsafe (values[0], values[step], values[2 * step], values[3 * step])
        let (x4, x5, x6, x7) = unsafe (values[4 * step], values[5 * step], values[6 * step], values[7 * step])
        let (s0, s1, s2, s3) = (x0 + x7, x1 + x6, x2 + x5, x3 + x4)
        let (d0, d1, d2, d3) = (x0 - x7, x1 - x6, x2 - x5, x3 - x4)
        let (even, odd) = (s0 + s3, s1 + s2)
        let (rest, cross) = (s0 - s3, s1 - s2)
        unsafe values[0] = (even + odd) * c4
        unsafe values[4 * step] = (even - odd) * c4
        unsafe values[2 * step] = rest * c2 + cross * c6
        unsafe values[6 * step] = rest * c6 - cross * c2
        unsafe values[step] = d0 * c1 + d1 * c3 + d2 * c5 + d3 * c7
        unsafe values[3 * step] = d0 * c3 - d1 * c7 - d2 * c1 - d3 * c5
        unsafe values[5 * step] = d0 * c5 - d1 * c1 + d2 * c7 + d3 * c3
        unsafe values[7 * step] = d0 * c7 - d1 * c5 + d2 * c3 - d3 * c1
    }

    /// Undoes ``forward(_:step:)``.
    @inline(__always)
    @unsafe static func inverse(_ values: UnsafeMutablePointer<Lanes>, step: Int) {
        let (y0, y1, y2, y3) = unsafe (values[0], values[step], values[2 * step], values[3 * step])
        let (y4, y5, y6, y7) = unsafe (values[4 * step], values[5 * step], values[6 * step], values[7 * step])
        let (e0, e1) = ((y0 + y4) * c4, (y0 - y4) * c4)
        let (f0, f1) = (y2 * c2 + y6 * c6, y2 * c6 - y6 * c2)
        let (p0, p1, p2, p3) = (e0 + f0, e1 + f1, e1 - f1, e0 - f0)
        let q0 = y1 * c1 + y3 * c3 + y5 * c5 + y7 * c7
        let q1 = y1 * c3 - y3 * c7 - y5 * c1 - y7 * c5
        let q2 = y1 * c5 - y3 * c1 + y5 * c7 + y7 * c3
        let q3 = y1 * c7 - y3 * c5 + y5 * c3 - y7 * c1
        unsafe values[0] = p0 + q0
        unsafe values[step] = p1 + q1
        unsafe values[2 * step] = p2 + q2
        unsafe values[3 * step] = p3 + q3
        unsafe values[4 * step] = p3 - q3
        unsafe values[5 * step] = p2 - q2
        unsafe values[6 * step] = p1 - q1
        unsafe values[7 * step] = p0 - q0
    }
}
