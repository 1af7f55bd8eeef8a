extension RGBAImage {
    /// The image with its colours in shares of an encoding's white.
    package func encoded(by encoding: ColourEncoding) -> RGBAImage {
        if encoding == .standard { return self }
        var image = self
        // Neighbours are often alike.
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
