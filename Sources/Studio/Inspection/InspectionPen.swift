import Platform
import Raster

/// Draws lines, boxes and text in upright pixels on a canvas, which is then blended into a picture. Keeps the rendered
/// letters for later pictures.
struct InspectionPen: ~Copyable {
    private let font: LabelFont
    private var canvas = TileCanvas(width: 0, height: 0)
    /// The transform from upright pixels to stored ones.
    private var toStored = AffineTransform.identity
    private var letters: [LetterKey: TextGlyph] = [:]

    private struct LetterKey: Hashable {
        let character: Character
        let style: TextStyle
    }

    init(font: LabelFont) { self.font = font }

    /// Begins a picture of a format.
    mutating func begin(_ format: PictureFormat, _ geometry: DisplayGeometry) {
        if canvas.width != format.width || canvas.height != format.height {
            canvas = TileCanvas(width: format.width, height: format.height)
        }
        let encoding = ColourEncoding(format)
        if canvas.encoding != encoding { letters = [:] }
        canvas.encoding = encoding
        toStored = geometry.uprightToStored
    }

    /// Composites the drawing since ``begin(_:_:)`` over the picture.
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

    /// Draws a part of a ring, clockwise from the top.
    ///
    /// - Parameter share: The share of the whole ring, 0…1.
    mutating func ring(
        _ centre: PixelPoint, radius: Double, width: Double, share: Double, _ colour: InspectionColour,
        opacity: Double = 1
    ) {
        let half = min(max(share, 0), 1) * .pi
        guard half > 0 else { return }
        // The arc is symmetric about the x axis of its own coordinates. This axis is rotated to the middle of the drawn
        // part.
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

    /// Draws a line of text.
    ///
    /// - Parameter origin: The baseline's left end; rounded to whole pixels.
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

    /// Returns the width of a line in pixels.
    mutating func width(of text: String, _ style: TextStyle) -> Double {
        Double(text.reduce(0) { $0 + letter($1, style).advance })
    }

    /// Breaks a line between words so that no part exceeds a width; a single word that exceeds it is truncated.
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
        // Half a pixel is added on each side, over which edges fade (antialiasing).
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

    /// Returns the area of the intersection.
    func overlap(_ other: InspectionBox) -> Double {
        let across = min(right, other.right) - max(left, other.left)
        let down = min(bottom, other.bottom) - max(top, other.top)
        return max(0, across) * max(0, down)
    }

    /// Returns the distance between both boxes; 0 if they touch.
    func distance(to other: InspectionBox) -> Double {
        let x = max(0, max(other.left - right, left - other.right))
        let y = max(0, max(other.top - bottom, top - other.bottom))
        return (x * x + y * y).squareRoot()
    }
}

/// The colours of drawings over inspected pictures.
struct InspectionColour: Hashable {
    /// The non-linear components R′, G′ and B′, 0…1.
    let red, green, blue: Double

    /// - Parameter hex: `0xRRGGBB`.
    init(_ hex: Int) {
        red = Double(hex >> 16 & 255) / 255
        green = Double(hex >> 8 & 255) / 255
        blue = Double(hex & 255) / 255
    }

    var channels: [Double] { [red, green, blue] }

    func tile(opacity: Double = 1) -> TileColour {
        TileColour(red: red, green: green, blue: blue, opacity: opacity)
    }

    static let text = InspectionColour(0xFFFFFF)
    static let faint = InspectionColour(0xB9C2CF)
    static let panel = InspectionColour(0x0B0E14)
    static let shade = InspectionColour(0x000000)

    /// The colour of a gesture being held, and of reasons.
    static let pending = InspectionColour(0xFFC94D)
    static let fired = InspectionColour(0x63E58B)
    static let resting = InspectionColour(0x8FB8FF)

    /// The colours of the two hands.
    static let right = InspectionColour(0x35D0FF)
    static let left = InspectionColour(0xFF6FB5)

    /// The colours of thumb, index, middle, ring and little finger.
    static let fingers = [0xFF5A4F, 0xFFB020, 0x4FD35F, 0x3D9BFF, 0xB56BFF].map { InspectionColour($0) }
}
