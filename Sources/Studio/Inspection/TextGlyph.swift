import Raster

/// A letter as pixels, at one size and in one colour.
struct TextGlyph {
    /// `nil` for a blank.
    let sprite: TileSprite?
    /// From the pen to the sprite's left edge and from the baseline down to its top, in pixels.
    let left, top: Int
    /// How far the pen goes on, in pixels.
    let advance: Int

    /// Draws a letter by the distance of each pixel's centre from the nearest stroke.
    ///
    /// The heights of capitals, small letters and descenders and the letter's width are rounded
    /// to whole pixels, and strokes stand in the middle of pixels or between them as their width
    /// wants it: thin strokes stay sharp and equal.
    ///
    /// - Parameter encoding: how the picture that it is for encodes colours.
    init(_ character: Character, style: TextStyle, encoding: ColourEncoding = .standard) {
        let size = style.size
        let spacing = size.pixels(StrokeFont.letterSpace)
        guard character != " " else {
            (sprite, left, top) = (nil, 0, 0)
            advance = size.pixels(StrokeFont.blankWidth) + spacing
            return
        }
        let glyph = StrokeFont.glyph(character)
        let width = size.pixels(glyph.width)
        let stretch = glyph.width > 0 ? Double(width) / glyph.width : size.scale
        let strokes = glyph.path.strokes.map { stroke in
            stroke.map { (x: $0.x * stretch + size.centring, y: size.height($0.y) + size.centring) }
        }
        let margin = Int((size.stroke / 2 + 1).rounded(.up))
        let points = strokes.joined()
        let lowest = points.map(\.y).min()!
        let highest = points.map(\.y).max()!
        let bottom = Int(lowest.rounded(.down)) - margin
        let height = Int(highest.rounded(.up)) + margin - bottom
        left = -margin
        top = -(bottom + height)
        advance = width + spacing
        var image = RGBAImage(width: width + 2 * margin + 1, height: height)
        for row in 0..<height {
            for column in 0..<image.width {
                let (x, y) = (Double(column - margin) + 0.5, Double(bottom + height - row) - 0.5)
                // Dots are a little wider than lines, or they would look smaller.
                let distance = strokes.map {
                    Self.distance(x, y, to: $0) - ($0.count == 1 || $0[0] == $0[1] ? size.stroke * 0.14 : 0)
                }.min()!
                let coverage = min(max(size.stroke / 2 + 0.5 - distance, 0), 1)
                guard coverage > 0 else { continue }
                let at = (row * image.width + column) * 4
                for (channel, value) in style.colour.channels.enumerated() {
                    image.pixels[at + channel] = UInt8((value * 255).rounded())
                }
                image.pixels[at + 3] = UInt8((coverage * 255).rounded())
            }
        }
        sprite = TileSprite(image.encoded(by: encoding))
    }

    /// From a point to the nearest piece of a stroke.
    private static func distance(_ x: Double, _ y: Double, to stroke: [(x: Double, y: Double)]) -> Double {
        var least = Double.infinity
        for (from, to) in zip(stroke, stroke.dropFirst().isEmpty ? stroke[...] : stroke.dropFirst()) {
            let (dx, dy) = (to.x - from.x, to.y - from.y)
            let (px, py) = (x - from.x, y - from.y)
            let length = dx * dx + dy * dy
            let t = length > 0 ? min(max((px * dx + py * dy) / length, 0), 1) : 0
            let (ex, ey) = (px - t * dx, py - t * dy)
            least = min(least, ex * ex + ey * ey)
        }
        return least.squareRoot()
    }
}

/// How large text is, in pixels, and what follows from it.
struct TextSize: Hashable {
    /// The height of a capital.
    let cap: Int

    /// - Parameter cap: what is wished for; less than 7 pixels cannot be read.
    init(cap: Double) { self.cap = max(7, Int(cap.rounded())) }

    /// Pixels in a unit of the font.
    var scale: Double { Double(cap) / StrokeFont.capHeight }
    /// The strokes' width.
    var stroke: Double { max(1.2, 0.13 * Double(cap)) }
    /// Moves strokes of an odd width into the middle of pixels.
    var centring: Double { Int(stroke.rounded()) % 2 == 1 ? 0.5 : 0 }
    /// From one baseline to the next.
    var lineHeight: Int { Int((Double(cap) * 1.75).rounded()) }

    /// A length across in whole pixels.
    func pixels(_ length: Double) -> Int { Int((length * scale).rounded()) }

    /// A height above the baseline: whole pixels at the heights where strokes end.
    func height(_ y: Double) -> Double {
        let small = (StrokeFont.xHeight * scale).rounded()
        if y > StrokeFont.xHeight {
            let share = (y - StrokeFont.xHeight) / (StrokeFont.capHeight - StrokeFont.xHeight)
            return small + (Double(cap) - small) * share
        }
        if y >= 0 { return y / StrokeFont.xHeight * small }
        return y / StrokeFont.descent * (StrokeFont.descent * scale).rounded()
    }
}

/// Text's size and colour.
struct TextStyle: Hashable {
    var size: TextSize
    var colour: InspectionColour
}
