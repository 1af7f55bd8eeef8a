/// Aligns a soft mask with the edges of the picture from which it was computed. ``PersonMask`` owns it.
///
/// The method is the fast guided filter (He and Sun, https://arxiv.org/abs/1505.00996). Within each small window the
/// mask is modelled as a linear function of the picture's luma. The coefficients are computed at half the size,
/// smoothed, and applied at the full size.
struct GuidedFilter: Sendable {
    /// The window's radius in samples at half the size.
    static let radius = 2
    /// The variance of luma below which a window counts as flat. The mask is only smoothed there.
    static let flatness: Float = 0.0008
    /// The reduction of the mask along the person's outline where the picture itself shows no contour. When an effect
    /// dims the room, a bright strip of the room beside people is conspicuous; a dimmed strip of a person is not.
    static let withdrawal: Float = 0.24
    /// The variance of luma up to which a window counts as one without an edge of the picture, for ``withdrawal``.
    static let faintness: Float = 0.003

    let width, height: Int
    private var box: BoxFilter
    private var guideMean, mean, cross, square: [Float]

    /// - Precondition: Width and height are even.
    init(width: Int, height: Int) {
        precondition(width % 2 == 0 && height % 2 == 0)
        self.width = width
        self.height = height
        box = BoxFilter(width: width / 2, height: height / 2, radius: Self.radius)
        guideMean = [Float](repeating: 0, count: width * height / 4)
        mean = guideMean
        cross = guideMean
        square = guideMean
    }

    /// - Parameters:
    ///   - values: The mask, 0…1, `width` × `height`.
    ///   - guide: The picture's luma, 0…1, of the same size.
    ///   - result: The mask aligned with the guide's edges. The values may be slightly outside 0…1.
    mutating func filter(_ values: [Float], guide: [Float], into result: inout [Float]) {
        precondition(values.count == width * height && guide.count == values.count)
        Self.halve(values, width, into: &mean)
        Self.halve(guide, width, into: &guideMean)
        Self.multiply(guideMean, mean, into: &cross)
        Self.multiply(guideMean, guideMean, into: &square)
        box.smooth(&mean)
        box.smooth(&guideMean)
        box.smooth(&cross)
        box.smooth(&square)
        Self.findCoefficients(guideMean, square, slopes: &cross, offsets: &mean)
        box.smooth(&cross)
        box.smooth(&mean)
        Self.apply(slopes: cross, offsets: mean, width, to: guide, into: &result)
    }

    /// Averages squares of two by two values.
    private static func halve(_ values: [Float], _ width: Int, into half: inout [Float]) {
        let values = values.span
        var half = half.mutableSpan
        let halfWidth = width / 2
        for y in 0..<values.count / width / 2 {
            let upper = values.extracting(2 * y * width..<(2 * y + 1) * width)
            let lower = values.extracting((2 * y + 1) * width..<(2 * y + 2) * width)
            var row = half._mutatingExtracting(y * halfWidth..<(y + 1) * halfWidth)
            for x in 0..<halfWidth {
                row[x] = 0.25 * (upper[2 * x] + upper[2 * x + 1] + lower[2 * x] + lower[2 * x + 1])
            }
        }
    }

    private static func multiply(_ x: [Float], _ y: [Float], into product: inout [Float]) {
        let x = x.span, y = y.span
        var product = product.mutableSpan
        for i in 0..<product.count { product[i] = x[i] * y[i] }
    }

    /// Replaces the means of the products, in `slopes`, and the means of the mask, in `offsets`, by the coefficients.
    private static func findCoefficients(
        _ guideMean: [Float], _ square: [Float], slopes: inout [Float], offsets: inout [Float]
    ) {
        let guideMean = guideMean.span, square = square.span
        var slopes = slopes.mutableSpan, offsets = offsets.mutableSpan
        for i in 0..<slopes.count {
            let mean = guideMean[i]
            let variance = max(square[i] - mean * mean, 0)
            let slope = (slopes[i] - mean * offsets[i]) / (variance + flatness)
            let rim = 4 * offsets[i] * (1 - offsets[i]) * faintness / (variance + faintness)
            slopes[i] = slope
            offsets[i] -= slope * mean + withdrawal * rim
        }
    }

    /// Interpolates the coefficients to the full size, and applies them to the guide.
    private static func apply(
        slopes: [Float], offsets: [Float], _ width: Int, to guide: [Float], into target: inout [Float]
    ) {
        let slopes = slopes.span, offsets = offsets.span, guide = guide.span
        var target = target.mutableSpan
        let halfWidth = width / 2
        let halfHeight = slopes.count / halfWidth
        for y in 0..<guide.count / width {
            // The centre of a full-size sample is a quarter of a half-size sample away from the nearest half-size
            // centre, so the weights are 3/4 and 1/4 in each direction.
            let near = (y >> 1) * halfWidth
            let far = min(max((y >> 1) + (y & 1 == 0 ? -1 : 1), 0), halfHeight - 1) * halfWidth
            for x in 0..<width {
                let a = x >> 1
                let b = min(max(a + (x & 1 == 0 ? -1 : 1), 0), halfWidth - 1)
                let slope =
                    0.5625 * slopes[near + a] + 0.1875 * (slopes[near + b] + slopes[far + a])
                    + 0.0625 * slopes[far + b]
                let offset =
                    0.5625 * offsets[near + a] + 0.1875 * (offsets[near + b] + offsets[far + a])
                    + 0.0625 * offsets[far + b]
                let i = y * width + x
                target[i] = slope * guide[i] + offset
            }
        }
    }
}
