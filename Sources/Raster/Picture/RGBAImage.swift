/// A small picture in memory with *straight* (not premultiplied) alpha, such as
/// a rasterised sprite or a contact sheet: 8 bits a channel, in the order red,
/// green, blue, alpha, rows from top to bottom without padding.
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

    /// A fully transparent image.
    package init(width: Int, height: Int) {
        self.init(width: width, height: height, pixels: [UInt8](repeating: 0, count: width * height * 4))
    }
}
