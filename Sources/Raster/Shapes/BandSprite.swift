/// A rasterised picture prepared for repeated drawing. A sprite is premultiplied, has a transparent border, and exists
/// as mip levels, each half the size of the one before. Sprites are immutable, so threads may share them.
package struct BandSprite: Sendable {
    /// One size of the picture. A texel contains red, green, blue and alpha; red is in the low byte.
    struct Level: Sendable {
        let width: Int
        let height: Int
        let texels: [UInt32]
        /// For each row, the columns (border included) in which this row or the next is not transparent.
        let visible: [Range<Int>]
        /// The texels from one row to the next, border included.
        var stride: Int { width + 2 * BandSprite.border }

        /// Returns the steps of a straight path (16.16 fixed point) at which the raster contains a texel, its right
        /// neighbour, and the two texels below.
        func part(ofWalk start: (x: Int, y: Int), by step: (x: Int, y: Int), _ count: Int) -> Range<Int> {
            let rows = texels.count / stride
            let along = Self.steps(from: start.x, by: step.x, below: (stride - 1) << 16, count)
            let down = Self.steps(from: start.y, by: step.y, below: (rows - 1) << 16, count)
            let part =
                max(
                    along.lowerBound, down.lowerBound)..<max(
                    max(along.lowerBound, down.lowerBound), min(along.upperBound, down.upperBound))
            return part.isEmpty ? 0..<0 : part
        }

        /// Returns the steps at which 0 ≤ start + i · step < limit.
        private static func steps(from start: Int, by step: Int, below limit: Int, _ count: Int) -> Range<Int> {
            if step == 0 { return start >= 0 && start < limit ? 0..<count : 0..<0 }
            if step < 0 {
                // The mirrored path rises.
                return steps(from: limit - 1 - start, by: -step, below: limit, count)
            }
            let first = start >= 0 ? 0 : (step - 1 - start) / step
            let end = start >= limit ? 0 : (limit - 1 - start) / step + 1
            return min(first, count)..<max(min(first, count), min(end, count))
        }
    }

    /// The number of transparent texels on each side. Edges fade out into them, and rounding never reads outside.
    static let border = 2

    let levels: [Level]
    package let width: Int
    package let height: Int

    init(levels: [Level], width: Int, height: Int) {
        self.levels = levels
        self.width = width
        self.height = height
    }

    /// Returns the smallest level that has about one texel for each pixel, or, for a positive `blur`, a level about
    /// that many halvings smaller.
    ///
    /// - Parameter scale: The ratio of the drawn size in pixels to the full size in texels, along one side.
    func level(forScale scale: Double, blur: Double) -> Level {
        // The chosen level has more than `enough` pixels for each of its texels. The limit grows by about 2 to the
        // power of the blur.
        let enough = 0.6 * (1 + blur * (1 + blur) / 2)
        var (index, s) = (0, scale)
        while s <= enough, index < levels.count - 1 {
            s *= 2
            index += 1
        }
        return levels[index]
    }
}

extension BandSprite {
    /// - Complexity: Linear in the pixels.
    package init(_ image: RGBAImage) {
        var (w, h) = (image.width, image.height)
        var channels = [UInt16](repeating: 0, count: w * h * 4)
        Self.premultiply(image.pixels, into: &channels)
        var levels = [Self.level(channels, w, h)]
        while w > 4, h > 4 {
            channels = Self.halved(channels, w, h)
            (w, h) = ((w + 1) / 2, (h + 1) / 2)
            levels.append(Self.level(channels, w, h))
        }
        self.init(levels: levels, width: image.width, height: image.height)
    }

    /// Multiplies colours by their alpha. All channels get 8 more bits.
    private static func premultiply(_ pixels: [UInt8], into channels: inout [UInt16]) {
        let pixels = pixels.span
        var channels = channels.mutableSpan
        precondition(pixels.count == channels.count)
        for i in stride(from: 0, to: pixels.count, by: 4) {
            // 255 · 255 · 257 is 255 · 2¹⁶, nearly.
            let alpha = UInt32(pixels[i + 3])
            let scale = alpha &* 257 &+ alpha &>> 7
            channels[i] = UInt16(truncatingIfNeeded: (UInt32(pixels[i]) &* scale) &>> 8)
            channels[i + 1] = UInt16(truncatingIfNeeded: (UInt32(pixels[i + 1]) &* scale) &>> 8)
            channels[i + 2] = UInt16(truncatingIfNeeded: (UInt32(pixels[i + 2]) &* scale) &>> 8)
            channels[i + 3] = UInt16(truncatingIfNeeded: alpha &<< 8)
        }
    }

    /// Returns the mean of each 2 × 2 block; the last row and column are repeated at odd sizes.
    private static func halved(_ source: [UInt16], _ width: Int, _ height: Int) -> [UInt16] {
        let (w, h) = ((width + 1) / 2, (height + 1) / 2)
        var half = [UInt16](repeating: 0, count: w * h * 4)
        let source = source.span
        var out = half.mutableSpan
        for y in 0..<h {
            let below = min(2 * y + 1, height - 1)
            let upper = source.extracting(2 * y * width * 4..<(2 * y + 1) * width * 4)
            let lower = source.extracting(below * width * 4..<(below + 1) * width * 4)
            var row = out._mutatingExtracting(y * w * 4..<(y + 1) * w * 4)
            for x in 0..<w {
                let (left, right) = (8 &* x, min(2 &* x &+ 1, width &- 1) &* 4)
                for c in 0..<4 {
                    let sum =
                        UInt32(upper[left &+ c]) &+ UInt32(upper[right &+ c])
                        &+ UInt32(lower[left &+ c]) &+ UInt32(lower[right &+ c])
                    row[4 &* x &+ c] = UInt16(truncatingIfNeeded: (sum &+ 2) &>> 2)
                }
            }
        }
        return half
    }

    private static func level(_ channels: [UInt16], _ width: Int, _ height: Int) -> Level {
        let stride = width + 2 * border
        var texels = [UInt32](repeating: 0, count: stride * (height + 2 * border))
        let visible = fill(&texels, stride, channels, width, height)
        return Level(width: width, height: height, texels: texels, visible: visible)
    }

    /// Packs the channels into texels.
    /// - Returns: ``Level/visible``.
    private static func fill(
        _ texels: inout [UInt32], _ stride: Int, _ channels: [UInt16], _ width: Int, _ height: Int
    ) -> [Range<Int>] {
        var own = [Range<Int>](repeating: 0..<0, count: height + 2 * border)
        let channels = channels.span
        var texels = texels.mutableSpan
        for y in 0..<height {
            let source = channels.extracting(y * width * 4..<(y + 1) * width * 4)
            let start = (y + border) * stride + border
            var row = texels._mutatingExtracting(start..<start + width)
            func byte(_ i: Int) -> UInt32 { (UInt32(source[i]) &+ 128) &>> 8 }
            for x in 0..<width {
                row[x] = byte(4 &* x) | byte(4 &* x &+ 1) &<< 8 | byte(4 &* x &+ 2) &<< 16 | byte(4 &* x &+ 3) &<< 24
            }
            var (first, end) = (0, width)
            while first < width, row[first] == 0 { first += 1 }
            while end > first, row[end - 1] == 0 { end -= 1 }
            if first < end { own[y + border] = first + border..<end + border }
        }
        return own.indices.map { y in
            let next = own[min(y + 1, own.count - 1)]
            if own[y].isEmpty || next.isEmpty { return own[y].isEmpty ? next : own[y] }
            return min(own[y].lowerBound, next.lowerBound)..<max(own[y].upperBound, next.upperBound)
        }
    }
}
