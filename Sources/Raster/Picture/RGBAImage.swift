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
