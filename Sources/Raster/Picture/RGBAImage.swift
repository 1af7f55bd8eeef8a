/// A small picture in memory, such as a rasterised sprite or a contact sheet. The image has 8 bits a channel, in the
/// order red, green, blue, alpha, and rows from top to bottom without padding. Alpha is *straight* (not premultiplied).
package struct RGBAImage: Sendable, Hashable {
    package let width: Int
    package let height: Int
    /// `width * height * 4` bytes.
    package var pixels: [UInt8]

    /// - Precondition: `pixels.count == width * height * 4`.
    package init(width: Int, height: Int, pixels: [UInt8]) {
        precondition(pixels.count == width * height * 4)
        self.width = width
        self.height = height
        self.pixels = pixels
    }

    /// Creates a fully transparent image.
    package init(width: Int, height: Int) {
        self.init(width: width, height: height, pixels: [UInt8](repeating: 0, count: width * height * 4))
    }
}

extension RGBAImage {
    /// Returns the image with its colours converted to an encoding, as shares of the encoding's white.
    package func encoded(by encoding: ColourEncoding) -> RGBAImage {
        if encoding == .standard { return self }
        var image = self
        // Neighbouring pixels are often equal, so the last conversion is kept.
        var last: (UInt8, UInt8, UInt8) = (0, 0, 0), code: (UInt8, UInt8, UInt8) = (0, 0, 0)
        for i in stride(from: 0, to: pixels.count, by: 4) where pixels[i + 3] > 0 {
            let next = (pixels[i], pixels[i + 1], pixels[i + 2])
            if next != last {
                let c = encoding.encode(
                    red: Double(next.0) / 255, green: Double(next.1) / 255, blue: Double(next.2) / 255)
                func byte(_ x: Double) -> UInt8 { UInt8((x * 255).rounded()) }
                (last, code) = (next, (byte(c.red), byte(c.green), byte(c.blue)))
            }
            (image.pixels[i], image.pixels[i + 1], image.pixels[i + 2]) = code
        }
        return image
    }
}

extension RGBAImage {
    /// Returns the image at a smaller size. Each pixel is the mean of those that it covers, weighted by their opacity.
    package func reduced(width: Int, height: Int) -> RGBAImage {
        var result = RGBAImage(width: width, height: height)
        for y in 0..<height {
            let rows = y * self.height / height..<max((y + 1) * self.height / height, y * self.height / height + 1)
            for x in 0..<width {
                let left = x * self.width / width
                let columns = left..<max((x + 1) * self.width / width, left + 1)
                var (sums, alpha) = ((0, 0, 0), 0)
                for row in rows {
                    for column in columns {
                        let at = (row * self.width + column) * 4
                        let share = Int(pixels[at + 3])
                        sums.0 += Int(pixels[at]) * share
                        sums.1 += Int(pixels[at + 1]) * share
                        sums.2 += Int(pixels[at + 2]) * share
                        alpha += share
                    }
                }
                guard alpha > 0 else { continue }
                let at = (y * width + x) * 4
                result.pixels[at] = UInt8((sums.0 + alpha / 2) / alpha)
                result.pixels[at + 1] = UInt8((sums.1 + alpha / 2) / alpha)
                result.pixels[at + 2] = UInt8((sums.2 + alpha / 2) / alpha)
                let count = rows.count * columns.count
                result.pixels[at + 3] = UInt8((alpha + count / 2) / count)
            }
        }
        return result
    }
}
