import Platform
import Raster

/// Draws lines, boxes and text on a picture as people see it: coordinates are upright pixels.
struct InspectionPen: ~Copyable {
    private let font: LabelFont
    private var canvas = TileCanvas(width: 0, height: 0)
    private var toStored = AffineTransform.identity
    private var letters: [LetterKey: TextGlyph] = [:]

    private struct LetterKey: Hashable {
        let character: Character
        let style: TextStyle
    }

    init(font: LabelFont) { self.font = font }

    /// Turns to a picture of this format.
    mutating func begin(_ format: PictureFormat, _ geometry: DisplayGeometry) {
        if canvas.width != format.width || canvas.height != format.height {
            canvas = TileCanvas(width: format.width, height: format.height)
        }
        let encoding = ColourEncoding(format)
        if canvas.encoding != encoding { letters = [:] }
        canvas.encoding = encoding
        toStored = geometry.uprightToStored
    }

    /// Lays everything that was drawn since ``begin(_:_:)`` over the picture.
    mutating func finish(_ picture: inout MutablePicture) {
        canvas.blend(into: &picture)
    }

    /// Fills a rectangle with rounded corners.
    mutating func fill(_ box: InspectionBox, radius: Double, _ colour: InspectionColour, opacity: Double = 1) {
        lay(
            box.middle, box.width / 2, box.height / 2, radius: min(radius, box.width / 2, box.height / 2),
            (1, 0), colour, opacity)
    }

    /// Draws a straight line with round ends.
    mutating func line(
        from a: PixelPoint, to b: PixelPoint, width: Double, _ colour: InspectionColour, opacity: Double = 1
    ) {
        let (dx, dy) = (b.x - a.x, b.y - a.y)
        let length = (dx * dx + dy * dy).squareRoot()
        let direction = length > 1e-9 ? (dx / length, dy / length) : (1, 0)
        lay(
            PixelPoint(x: (a.x + b.x) / 2, y: (a.y + b.y) / 2), (length + width) / 2, width / 2,
            radius: width / 2, direction, colour, opacity)
    }

    mutating func dot(_ centre: PixelPoint, radius: Double, _ colour: InspectionColour, opacity: Double = 1) {
        lay(centre, radius, radius, radius: radius, (1, 0), colour, opacity)
    }

    /// Draws a part of a ring, from the top on with the clock.
    ///
    /// - Parameter share: of the whole ring, 0…1.
    mutating func ring(
        _ centre: PixelPoint, radius: Double, width: Double, share: Double, _ colour: InspectionColour,
        opacity: Double = 1
    ) {
        let half = min(max(share, 0), 1) * .pi
        guard half > 0 else { return }
        // The shape is symmetric about its u axis, which is turned to the part's middle.
        let middle = half - .pi / 2
        let reach = radius + width / 2 + 0.5
        canvas.draw(
            .arc(
                radius: Float(radius), halfWidth: Float(width / 2), sine: Float(sin(half)),
                cosine: Float(cos(half))),
            placed: AffineTransform.scale(x: reach, y: reach)
                .then(.rotation(cosine: cos(middle), sine: sin(middle)))
                .then(.translation(x: centre.x, y: centre.y)).then(toStored),
            colour: colour.tile(opacity: opacity))
    }

    /// Writes a line.
    ///
    /// - Parameter origin: the baseline's left end; rounded to whole pixels.
    mutating func write(_ text: String, at origin: PixelPoint, _ style: TextStyle) {
        var x = Int(origin.x.rounded())
        let y = Int(origin.y.rounded())
        for character in text {
            let letter = letter(character, style)
            if let sprite = letter.sprite {
                let (halfWidth, halfHeight) = (Double(sprite.width) / 2, Double(sprite.height) / 2)
                canvas.draw(
                    sprite,
                    placed: AffineTransform.scale(x: halfWidth, y: halfHeight)
                        .then(
                            .translation(
                                x: Double(x + letter.left) + halfWidth, y: Double(y + letter.top) + halfHeight)
                        )
                        .then(toStored),
                    opacity: 1)
            }
            x += letter.advance
        }
    }

    /// The width of a line in pixels.
    mutating func width(of text: String, _ style: TextStyle) -> Double {
        Double(text.reduce(0) { $0 + letter($1, style).advance })
    }

    /// Breaks a line between words so that no part is wider than it may be; of a word that is
    /// too wide by itself the end is left out.
    mutating func wrapped(_ text: String, _ style: TextStyle, within limit: Double) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            let longer = line.isEmpty ? String(word) : line + " " + word
            if width(of: longer, style) <= limit {
                line = longer
                continue
            }
            if !line.isEmpty { lines.append(line) }
            line = String(word)
            while line.count > 1, width(of: line + "…", style) > limit { line.removeLast() }
            if line.count < word.count { line += "…" }
        }
        return lines + [line]
    }

    private mutating func letter(_ character: Character, _ style: TextStyle) -> TextGlyph {
        let key = LetterKey(character: character, style: style)
        if let known = letters[key] { return known }
        let made = font.glyph(character, style: style, encoding: canvas.encoding)
        letters[key] = made
        return made
    }

    private mutating func lay(
        _ centre: PixelPoint, _ halfWidth: Double, _ halfHeight: Double, radius: Double,
        _ direction: (Double, Double), _ colour: InspectionColour, _ opacity: Double
    ) {
        // Half a pixel more on each side, over which edges fade.
        let (u, v) = (halfWidth + 0.5, halfHeight + 0.5)
        canvas.draw(
            .box(halfWidth: Float(u), halfHeight: Float(v), radius: Float(radius)),
            placed: AffineTransform.scale(x: u, y: v)
                .then(.rotation(cosine: direction.0, sine: direction.1))
                .then(.translation(x: centre.x, y: centre.y)).then(toStored),
            colour: colour.tile(opacity: opacity))
    }
}

/// A place in the upright picture in pixels.
struct PixelPoint: Hashable {
    var x, y: Double
}

/// An upright rectangle in pixels.
struct InspectionBox: Hashable {
    var left, top, width, height: Double

    var right: Double { left + width }
    var bottom: Double { top + height }
    var middle: PixelPoint { PixelPoint(x: left + width / 2, y: top + height / 2) }

    /// The area of what both cover.
    func overlap(_ other: InspectionBox) -> Double {
        let across = min(right, other.right) - max(left, other.left)
        let down = min(bottom, other.bottom) - max(top, other.top)
        return max(0, across) * max(0, down)
    }

    /// How far apart they are; 0 where they touch.
    func distance(to other: InspectionBox) -> Double {
        let x = max(0, max(other.left - right, left - other.right))
        let y = max(0, max(other.top - bottom, top - other.bottom))
        return (x * x + y * y).squareRoot()
    }
}
