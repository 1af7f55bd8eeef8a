package import Raster
package import Reactions

extension TextLayout {
    /// The maximum width of a picture in pixels.
    private static let greatestWidth = 4096

    /// Draws the text on a transparent background.
    ///
    /// - Parameters:
    ///   - height: The height of the picture.
    ///   - enlarges: Whether emoji are enlarged beyond the size of the font's pictures; otherwise the picture is smaller.
    package func picture(height: Int, enlarges: Bool = false) -> RGBAImage {
        var size = Double(height) / self.height
        if let greatestSize, !enlarges { size = min(size, max(greatestSize, 16)) }
        size = min(size, Double(Self.greatestWidth) / width)
        let canvas = (width: max(1, Int((width * size).rounded())), height: max(1, Int((self.height * size).rounded())))
        let faces = fonts.map { FontFace($0) }
        var ink = InkCanvas(width: canvas.width, height: canvas.height)
        // Lines around letters are below all letters, those of neighbours too.
        if text.outlineWidth > 0 {
            draw(on: &ink, faces, size: size, stroke: text.outlineWidth * size, colour: text.outlineColour)
        }
        draw(on: &ink, faces, size: size, stroke: 0, colour: text.colour)
        return ink.image
    }

    private func draw(
        on ink: inout InkCanvas, _ faces: [FontFace?], size: Double, stroke: Double, colour: EffectColour
    ) {
        for glyph in glyphs {
            let (x, y) = ((glyph.x - left) * size, (glyph.y - top) * size)
            let column = x.rounded(.down), row = y.rounded(.up)
            guard
                let picture = faces[glyph.font]?.picture(
                    glyph.number, size: size, shift: (x - column, row - y), stroke: stroke)
            else { continue }
            if picture.isColoured {
                ink.draw(
                    picture, x: x + Double(picture.left) * picture.scale, y: y - Double(picture.top) * picture.scale)
            } else {
                ink.draw(picture, column: Int(column) + picture.left, row: Int(row) - picture.top, colour)
            }
        }
    }
}

extension GlyphPicture {
    /// Returns coverage in a colour, with a transparent pixel on each side.
    package func image(_ colour: EffectColour) -> RGBAImage {
        var ink = InkCanvas(width: width + 2, height: height + 2)
        ink.draw(self, column: 1, row: 1, colour)
        return ink.image
    }
}

/// Premultiplied pixels on which glyphs are drawn over each other.
struct InkCanvas {
    private let width, height: Int
    private var pixels: [UInt8]

    init(width: Int, height: Int) {
        (self.width, self.height) = (width, height)
        pixels = [UInt8](repeating: 0, count: width * height * 4)
    }

    /// Draws coverage in a colour.
    mutating func draw(_ picture: GlyphPicture, column: Int, row: Int, _ colour: EffectColour) {
        let channels = [colour.red, colour.green, colour.blue].map { Int(($0 * 255).rounded()) }
        for y in max(0, row)..<max(0, row, min(height, row + picture.height)) {
            for x in max(0, column)..<max(0, column, min(width, column + picture.width)) {
                let share = Int(picture.samples[(y - row) * picture.width + x - column])
                if share == 0 { continue }
                let at = (y * width + x) * 4
                blend(at, (channels[0] * share, channels[1] * share, channels[2] * share, 255 * share), unit: 255)
            }
        }
    }

    /// Draws one premultiplied pixel, whose channels are multiplied by a unit, over another.
    private mutating func blend(_ at: Int, _ colour: (Int, Int, Int, Int), unit: Int) {
        let rest = 255 * unit - colour.3
        func mixed(_ channel: UInt8, _ own: Int) -> UInt8 {
            UInt8(min(255, (own * 255 + Int(channel) * rest + 255 * unit / 2) / (255 * unit)))
        }
        pixels[at] = mixed(pixels[at], colour.0)
        pixels[at + 1] = mixed(pixels[at + 1], colour.1)
        pixels[at + 2] = mixed(pixels[at + 2], colour.2)
        pixels[at + 3] = mixed(pixels[at + 3], colour.3)
    }

    /// Draws a picture, scaled to its size in the text.
    mutating func draw(_ picture: GlyphPicture, x: Double, y: Double) {
        let columns = Self.weights(picture.width, scale: picture.scale, from: x, room: width)
        let rows = Self.weights(picture.height, scale: picture.scale, from: y, room: height)
        for row in rows {
            for column in columns {
                var sums = (0.0, 0.0, 0.0, 0.0)
                for (i, share) in row.shares.enumerated() {
                    for (j, part) in column.shares.enumerated() {
                        let at = ((row.first + i) * picture.width + column.first + j) * 4
                        let weight = share * part
                        sums.0 += weight * Double(picture.samples[at])
                        sums.1 += weight * Double(picture.samples[at + 1])
                        sums.2 += weight * Double(picture.samples[at + 2])
                        sums.3 += weight * Double(picture.samples[at + 3])
                    }
                }
                func whole(_ sum: Double) -> Int { Int((sum * 256).rounded()) }
                blend(
                    (row.place * width + column.place) * 4,
                    (whole(sums.0), whole(sums.1), whole(sums.2), whole(sums.3)), unit: 256)
            }
        }
    }

    /// A row or a column, and the shares of the scaled picture's rows or columns in it.
    private struct Weights {
        var place, first: Int
        var shares: [Double]
    }

    /// Returns the shares along one axis: means if the picture is reduced, linear interpolation if it is enlarged.
    private static func weights(_ count: Int, scale: Double, from start: Double, room: Int) -> [Weights] {
        let first = max(0, Int(start.rounded(.down)))
        let last = min(room, Int((start + Double(count) * scale).rounded(.up)))
        return (first..<max(first, last)).compactMap { place in
            let middle = (Double(place) + 0.5 - start) / scale
            let half = max(1 / scale, 1) / 2
            let range =
                max(
                    0, Int((middle - half).rounded(.down)))..<max(
                    0, min(count, Int((middle + half).rounded(.up))))
            if range.isEmpty { return nil }
            // Samples outside of the picture are transparent.
            let shares = range.map { i in
                max(0, min(middle + half, Double(i + 1)) - max(middle - half, Double(i))) / (2 * half)
            }
            return Weights(place: place, first: range.lowerBound, shares: shares)
        }
    }

    /// The pixels, not premultiplied.
    var image: RGBAImage {
        var image = RGBAImage(width: width, height: height)
        for at in stride(from: 0, to: pixels.count, by: 4) where pixels[at + 3] > 0 {
            let alpha = Int(pixels[at + 3])
            for channel in 0..<3 {
                image.pixels[at + channel] = UInt8(min(255, (Int(pixels[at + channel]) * 255 + alpha / 2) / alpha))
            }
            image.pixels[at + 3] = UInt8(alpha)
        }
        return image
    }
}
