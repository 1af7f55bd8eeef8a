/// A rasterised picture made ready to be drawn often: premultiplied, with a
/// transparent border, at every half of its size (mip levels).
package struct TileSprite: Sendable {
    /// One size of the picture. A texel holds red, green, blue and alpha, the first in
    /// the low byte.
    struct Level: Sendable {
        let width: Int
        let height: Int
        let texels: [UInt32]
        /// For each row: the columns (border included) where it or the next one shows anything.
        let visible: [Range<Int>]
        /// Texels from one row to the next, border included.
        var stride: Int { width + 2 * TileSprite.border }
    }

    /// Transparent texels on each side: edges fade out, and rounding never reads outside.
    static let border = 2

    let levels: [Level]
    package let width: Int
    package let height: Int

    /// - Complexity: linear in the pixels.
    package init(_ image: RGBAImage) {
        width = image.width
        height = image.height
        var channels = Self.premultiplied(image)
        var (w, h) = (image.width, image.height)
        var levels = [Self.level(channels, w, h)]
        while w > 4, h > 4 {
            channels = Self.halved(channels, w, h)
            (w, h) = ((w + 1) / 2, (h + 1) / 2)
            levels.append(Self.level(channels, w, h))
        }
        self.levels = levels
    }

    private static func premultiplied(_ image: RGBAImage) -> [Float] {
        var out = [Float](repeating: 0, count: image.pixels.count)
        for p in 0..<image.width * image.height {
            let a = Float(image.pixels[4 * p + 3])
            for c in 0..<3 { out[4 * p + c] = Float(image.pixels[4 * p + c]) * a / 255 }
            out[4 * p + 3] = a
        }
        return out
    }

    /// The mean of each 2 × 2 block; the last row and column are repeated where sizes are odd.
    private static func halved(_ source: [Float], _ width: Int, _ height: Int) -> [Float] {
        let (w, h) = ((width + 1) / 2, (height + 1) / 2)
        var out = [Float](repeating: 0, count: w * h * 4)
        for y in 0..<h {
            let (y0, y1) = (2 * y, min(2 * y + 1, height - 1))
            for x in 0..<w {
                let (x0, x1) = (2 * x, min(2 * x + 1, width - 1))
                for c in 0..<4 {
                    let sum = source[4 * (y0 * width + x0) + c] + source[4 * (y0 * width + x1) + c]
                        + source[4 * (y1 * width + x0) + c] + source[4 * (y1 * width + x1) + c]
                    out[4 * (y * w + x) + c] = sum / 4
                }
            }
        }
        return out
    }

    private static func level(_ channels: [Float], _ width: Int, _ height: Int) -> Level {
        let stride = width + 2 * border
        var texels = [UInt32](repeating: 0, count: stride * (height + 2 * border))
        for y in 0..<height {
            for x in 0..<width {
                var word: UInt32 = 0
                for c in 0..<4 {
                    let value = UInt32(min(max(channels[4 * (y * width + x) + c], 0), 255).rounded())
                    word |= value << UInt32(8 * c)
                }
                texels[(y + border) * stride + x + border] = word
            }
        }
        return Level(width: width, height: height, texels: texels, visible: visible(texels, stride))
    }

    private static func visible(_ texels: [UInt32], _ stride: Int) -> [Range<Int>] {
        let rows = texels.count / stride
        let own = (0..<rows).map { y -> Range<Int> in
            let row = texels[y * stride..<(y + 1) * stride]
            guard let first = row.firstIndex(where: { $0 != 0 }), let last = row.lastIndex(where: { $0 != 0 })
            else { return 0..<0 }
            return first - y * stride..<last - y * stride + 1
        }
        return (0..<rows).map { y in
            let next = own[min(y + 1, rows - 1)]
            if own[y].isEmpty || next.isEmpty { return own[y].isEmpty ? next : own[y] }
            return min(own[y].lowerBound, next.lowerBound)..<max(own[y].upperBound, next.upperBound)
        }
    }

    /// The smallest level that still has a texel for each pixel, `blur` levels (or parts of
    /// one) smaller on request.
    ///
    /// - Parameter scale: pixels covered over pixels of the full size, along the longer way.
    func level(forScale scale: Double, blur: Double) -> Level {
        var index = 0
        var s = scale
        var b = blur
        while s <= 0.6, index < levels.count - 1 {
            s *= 2
            index += 1
        }
        while b >= 0.75, index < levels.count - 1 {
            b -= 1
            index += 1
        }
        return levels[index]
    }
}
