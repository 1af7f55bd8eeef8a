import Effects
import Lettering
import Pipeline
import Raster
import Reactions

/// Draws lines, boxes and text in upright pixels on a canvas, which is then blended into a picture. Keeps the rendered
/// letters for later pictures.
struct InspectionPen: ~Copyable {
    private let font: FontFace
    /// The height of a capital letter as a share of the font's size.
    private let capitalHeight: Double
    private var canvas = BandCanvas(width: 0, height: 0)
    /// The transform from upright pixels to stored ones.
    private var toStored = AffineTransform.identity
    private var letters: [LetterKey: Letter] = [:]

    private struct LetterKey: Hashable {
        let character: Character
        let style: TextStyle
    }

    /// A character as pixels, in one size and colour.
    private struct Letter {
        /// `nil` for a blank.
        let sprite: BandSprite?
        /// The offsets from the pen to the sprite's left edge and from the baseline down to its top, in pixels.
        let left, top: Int
        /// The distance to the next character's origin, in pixels.
        let advance: Int
    }

    /// - Throws: ``FlourishError/Code/unavailable`` if the font that is installed with Flourish is missing or damaged.
    init(resources: Resources) throws(FlourishError) {
        guard let assets = resources.assets else {
            throw FlourishError(
                .unavailable, "the font of labels (in Assets/Fonts) is not installed", remedy: .namingAssets)
        }
        let file = FontReference.installed(in: assets)
        guard let font = FontFace(file), let capitalHeight = font.capitalHeight else {
            throw FlourishError(
                .unavailable, "\(file.path): the font of labels is missing or damaged; install Flourish again")
        }
        (self.font, self.capitalHeight) = (font, capitalHeight)
    }

    /// Begins a picture of a format.
    mutating func begin(_ format: PictureFormat, _ geometry: DisplayGeometry) {
        if canvas.encoding != ColourEncoding(format) { letters = [:] }
        canvas.fit(format)
        toStored = geometry.uprightToStored
    }

    /// Composites the drawing since ``begin(_:_:)`` over the picture.
    mutating func finish(_ picture: inout MutablePicture) {
        canvas.blend(into: &picture)
    }

    /// Fills a rectangle with rounded corners.
    mutating func fill(_ box: Rectangle, radius: Double, _ colour: EffectColour, opacity: Double = 1) {
        lay(
            box.middle, box.width / 2, box.height / 2, radius: min(radius, box.width / 2, box.height / 2),
            (1, 0), colour, opacity)
    }

    /// Draws a straight line with round ends.
    mutating func line(
        from a: PixelPoint, to b: PixelPoint, width: Double, _ colour: EffectColour, opacity: Double = 1
    ) {
        let (dx, dy) = (b.x - a.x, b.y - a.y)
        let length = (dx * dx + dy * dy).squareRoot()
        let direction = length > 1e-9 ? (dx / length, dy / length) : (1, 0)
        lay(
            PixelPoint(x: (a.x + b.x) / 2, y: (a.y + b.y) / 2), (length + width) / 2, width / 2,
            radius: width / 2, direction, colour, opacity)
    }

    mutating func dot(_ centre: PixelPoint, radius: Double, _ colour: EffectColour, opacity: Double = 1) {
        lay(centre, radius, radius, radius: radius, (1, 0), colour, opacity)
    }

    /// Draws a part of a ring, clockwise from the top.
    ///
    /// - Parameter share: The share of the whole ring, 0…1.
    mutating func ring(
        _ centre: PixelPoint, radius: Double, width: Double, share: Double, _ colour: EffectColour,
        opacity: Double = 1
    ) {
        guard share > 0 else { return }
        canvas.drawArc(
            radius: radius, width: width, share: min(share, 1),
            at: AffineTransform.translation(x: centre.x, y: centre.y).then(toStored),
            BandColour(colour, opacity: opacity))
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

    private mutating func letter(_ character: Character, _ style: TextStyle) -> Letter {
        let key = LetterKey(character: character, style: style)
        if let known = letters[key] { return known }
        let scalar = character.unicodeScalars.first ?? " "
        let (picture, advance) = font.label(scalar, size: Double(style.size.cap) / capitalHeight)
        // The picture has one more pixel on each side, into which the sprite's edges fade.
        let made = Letter(
            sprite: picture.map { BandSprite($0.image(style.colour).encoded(by: canvas.encoding)) },
            left: (picture?.left ?? 0) - 1, top: -(picture?.top ?? 0) - 1, advance: advance)
        letters[key] = made
        return made
    }

    private mutating func lay(
        _ centre: PixelPoint, _ halfWidth: Double, _ halfHeight: Double, radius: Double,
        _ direction: (Double, Double), _ colour: EffectColour, _ opacity: Double
    ) {
        // Half a pixel is added on each side, over which edges fade (antialiasing).
        let (u, v) = (halfWidth + 0.5, halfHeight + 0.5)
        canvas.draw(
            .box(halfWidth: Float(u), halfHeight: Float(v), radius: Float(radius)),
            placed: AffineTransform.scale(x: u, y: v)
                .then(.rotation(cosine: direction.0, sine: direction.1))
                .then(.translation(x: centre.x, y: centre.y)).then(toStored),
            colour: BandColour(colour, opacity: opacity))
    }
}

/// A place in the upright picture in pixels.
struct PixelPoint: Hashable {
    var x, y: Double
}

extension Rectangle {
    init(left: Double, top: Double, width: Double, height: Double) {
        self.init(left: left, top: top, right: left + width, bottom: top + height)
    }

    var middle: PixelPoint { PixelPoint(x: left + width / 2, y: top + height / 2) }

    /// Returns the distance between both rectangles; 0 if they touch.
    func distance(to other: Rectangle) -> Double {
        let x = max(0, max(other.left - right, left - other.right))
        let y = max(0, max(other.top - bottom, top - other.bottom))
        return (x * x + y * y).squareRoot()
    }
}

/// The size of text, in pixels.
struct TextSize: Hashable {
    /// The height of a capital letter, in pixels.
    let cap: Int

    /// - Parameter cap: The desired height; at least 7 pixels are used, for legibility.
    init(cap: Double) { self.cap = max(7, Int(cap.rounded())) }

    /// The distance between two baselines, in pixels.
    var lineHeight: Int { Int((Double(cap) * 1.75).rounded()) }
}

/// The size and colour of text.
struct TextStyle: Hashable {
    var size: TextSize
    var colour: EffectColour
}

/// The colours of drawings over inspected pictures.
extension EffectColour {
    /// - Parameter bits: `0xRRGGBB`.
    init(_ bits: Int) {
        self.init(
            red: Double(bits >> 16 & 255) / 255, green: Double(bits >> 8 & 255) / 255, blue: Double(bits & 255) / 255)
    }

    static let faint = EffectColour(0xB9C2CF)
    static let panel = EffectColour(0x0B0E14)

    /// The colour of a gesture being held, and of reasons.
    static let pending = EffectColour(0xFFC94D)
    static let fired = EffectColour(0x63E58B)
    static let resting = EffectColour(0x8FB8FF)

    /// The colours of the two hands.
    static let right = EffectColour(0x35D0FF)
    static let left = EffectColour(0xFF6FB5)

    /// The colours of thumb, index, middle, ring and little finger.
    static let fingers = [0xFF5A4F, 0xFFB020, 0x4FD35F, 0x3D9BFF, 0xB56BFF].map { EffectColour($0) }
}
