import Raster

/// The room behind the person: a wall with a lamp's glow, a picture, a shelf with books, and a plant. Everything is
/// slightly out of focus, as behind a webcam.
struct Room {
    let width: Int
    let height: Int
    let appearance: SceneAppearance

    /// The picture's width in heights.
    private var aspect: Float { Float(width) / Float(height) }
    private var level: Float { appearance.lighting.level }

    func draw() -> Layer {
        let layer = Layer(box: PictureRegion(left: 0, top: 0, right: width, bottom: height))
        let painter = Painter(layer: layer, unit: Float(height))
        paintWall(painter)
        paintPicture(painter)
        paintShelf(painter)
        paintLamp(painter)
        paintPlant(painter)
        let radius = max(1, height / 240)
        for _ in 0..<3 { layer.soften(radius: radius) }
        return layer
    }

    /// Paints the wall, brighter near the lamp, and darker toward the corners.
    private func paintWall(_ painter: Painter) {
        let wall = appearance.wall
        let lampX = lampPlace.x
        let lampY = lampPlace.y
        let centre = aspect / 2
        painter.fill(painter.everything) { x, y in
            let (gx, gy) = (x - lampX, (y - lampY) * 0.9)
            let glow = exponential(-(gx * gx + gy * gy) * 7)
            let (vx, vy) = ((x - centre) / aspect, y - 0.45)
            let vignette = 1 - 0.55 * (vx * vx + vy * vy)
            let base = wall.scaled((0.98 - 0.10 * y) * vignette * level)
            return (base.blended(to: Colour(1.0, 0.90, 0.70), 0.42 * glow * level), 1)
        }
    }

    private var lampPlace: (x: Float, y: Float) { (0.20, 0.30) }

    private func paintLamp(_ painter: Painter) {
        let (x0, y0) = lampPlace
        let stem = Colour(0.30, 0.25, 0.21).scaled(level)
        painter.rectangle(x0 - 0.006, y0 + 0.05, x0 + 0.006, 1.05, corner: 0.004) { _, _ in stem }
        // The shade: a trapezium that glows from within.
        let area = Painter.Area(left: x0 - 0.13, top: y0 - 0.11, right: x0 + 0.13, bottom: y0 + 0.08)
        painter.fill(area) { x, y in
            let t = (y - (y0 - 0.10)) / 0.16
            let half = 0.062 + 0.045 * t
            let inside = max(abs(x - x0) - half, max((y0 - 0.10) - y, y - (y0 + 0.06)))
            let across = (x - x0) / half
            let warm = Colour(1.0, 0.93, 0.76).blended(to: Colour(0.93, 0.72, 0.46), across * across * 0.8)
            return (warm.scaled(level * (1.02 - 0.10 * t)), painter.cover(inside))
        }
    }

    /// Paints a framed landscape.
    private func paintPicture(_ painter: Painter) {
        let left = aspect * 0.5 - 0.56
        let (right, top, bottom): (Float, Float, Float) = (left + 0.24, 0.10, 0.40)
        shadow(painter, left, top, right, bottom)
        let frame = Colour(0.34, 0.27, 0.22).scaled(level)
        painter.rectangle(left, top, right, bottom, corner: 0.004) { _, _ in frame }
        let mat = Colour(0.93, 0.92, 0.88).scaled(level)
        painter.rectangle(left + 0.012, top + 0.012, right - 0.012, bottom - 0.012, corner: 0.001) { _, _ in mat }
        let level = level
        painter.rectangle(left + 0.042, top + 0.042, right - 0.042, bottom - 0.042, corner: 0.001) { x, y in
            let t = (y - top) / (bottom - top)
            var colour = Colour(0.96, 0.80, 0.62).blended(to: Colour(0.98, 0.90, 0.76), t * 1.4)
            let (sx, sy) = (x - left - 0.15, y - top - 0.13)
            colour = colour.blended(
                to: Colour(0.95, 0.52, 0.34), painter.cover((sx * sx + sy * sy).squareRoot() - 0.028))
            let far = 0.60 + 0.05 * sine(x * 21)
            let near = 0.74 + 0.05 * sine(x * 15 + 2)
            colour = colour.blended(to: Colour(0.50, 0.62, 0.66), painter.cover((far - t) * 0.2))
            colour = colour.blended(to: Colour(0.26, 0.40, 0.44), painter.cover((near - t) * 0.2))
            return colour.scaled(level)
        }
    }

    /// Paints two boards with books.
    private func paintShelf(_ painter: Painter) {
        let left = aspect * 0.5 + 0.30
        let right = aspect + 0.1
        let wood = Colour(0.55, 0.40, 0.28).scaled(level)
        for (board, set) in [(Float(0.30), 0), (Float(0.62), 1)] {
            shadow(painter, left, board, right, board + 0.022)
            painter.rectangle(left, board, right, board + 0.022, corner: 0.003) { _, y in
                wood.scaled(1.08 - (y - board) * 14)
            }
            paintBooks(painter, from: left + (set == 0 ? 0.03 : 0.10), board: board, set: set)
        }
    }

    private func paintBooks(_ painter: Painter, from start: Float, board: Float, set: Int) {
        let covers: [Colour] = [
            Colour(0.72, 0.35, 0.28), Colour(0.86, 0.76, 0.56), Colour(0.30, 0.42, 0.50),
            Colour(0.45, 0.52, 0.38), Colour(0.80, 0.58, 0.32), Colour(0.40, 0.30, 0.38),
            Colour(0.88, 0.85, 0.78), Colour(0.24, 0.34, 0.36),
        ]
        let widths: [Float] = [0.030, 0.022, 0.036, 0.026, 0.032, 0.024, 0.028, 0.034]
        let heights: [Float] = [0.16, 0.14, 0.175, 0.15, 0.165, 0.135, 0.155, 0.17]
        var x = start
        for i in 0..<(set == 0 ? 7 : 6) {
            let k = (i * 3 + set * 5) % 8
            let cover = covers[k].scaled(0.92 * level)
            let (from, to) = (x, x + widths[k])
            painter.rectangle(from, board - heights[k], to, board, corner: 0.003) { px, py in
                let round = (px - from) / (to - from) - 0.35
                let band = abs(py - (board - heights[k] * 0.78)) < 0.006
                let colour = cover.scaled(1.08 - 0.5 * round * round)
                return band ? colour.blended(to: Colour(0.95, 0.88, 0.70), 0.5) : colour
            }
            x = to + 0.002
        }
    }

    /// Paints a plant in a pot, at the right edge of the picture on the upper board.
    private func paintPlant(_ painter: Painter) {
        let x0 = min(aspect - 0.16, aspect * 0.5 + 0.66)
        let base: Float = 0.30
        let pot = Colour(0.84, 0.80, 0.74).scaled(level)
        for i in 0..<9 {
            let angle = -Float.pi / 2 + (Float(i) - 4) * 0.30
            let reach: Float = 0.15 + 0.035 * sine(Float(i) * 2.4)
            let (dx, dy) = (cosine(angle), sine(angle))
            let green = Colour(0.26, 0.46, 0.30)
                .blended(to: Colour(0.48, 0.62, 0.36), Float((i * 5) % 9) / 9).scaled(level)
            painter.fill(Painter.Area(left: x0 - 0.25, top: base - 0.32, right: x0 + 0.25, bottom: base)) { x, y in
                let (px, py) = (x - x0, y - (base - 0.085))
                let along = (px * dx + py * dy) / reach
                guard along > 0, along < 1 else { return (green, 0) }
                // Leaves bend down toward their tips.
                let side = -px * dy + py * dx - along * along * 0.05 * dx
                let half = 0.026 * sine(Float.pi * along) + 0.003
                return (green.scaled(0.8 + 0.4 * along - 3 * side), painter.cover(abs(side) - half))
            }
        }
        painter.fill(Painter.Area(left: x0 - 0.07, top: base - 0.1, right: x0 + 0.07, bottom: base)) { x, y in
            let t = (y - (base - 0.095)) / 0.095
            let half = 0.056 - 0.016 * t
            let across = (x - x0) / half + 0.3
            return (
                pot.scaled(1.05 - 0.22 * across * across),
                painter.cover(max(abs(x - x0) - half, max(-t, t - 1) * 0.095))
            )
        }
    }

    /// Paints an object's shadow on the wall behind it.
    private func shadow(_ painter: Painter, _ left: Float, _ top: Float, _ right: Float, _ bottom: Float) {
        painter.rectangle(
            left + 0.008, top + 0.012, right + 0.012, bottom + 0.018, corner: 0.01, softness: 0.03, opacity: 0.28
        ) { _, _ in
            Colour(0.12, 0.13, 0.14)
        }
    }
}

/// A scene with its defaults resolved.
struct SceneAppearance: Sendable {
    var wall: Colour
    var clothes: Material
    var hair: Material
    var skin: Material
    var lighting: Lighting
    /// The maximum deviation of the grain, in code values.
    var noise: Float
    var seed: UInt32
    var hasPerson: Bool

    init(_ scene: PuppetScene?) {
        wall = Colour(hex: scene?.wall) ?? Colour(0.56, 0.64, 0.64)
        clothes = Material(colour: Colour(hex: scene?.clothes) ?? Colour(0.20, 0.33, 0.47), flush: 0)
        hair = Material(colour: Colour(hex: scene?.hair) ?? Colour(0.27, 0.17, 0.12), flush: 0)
        skin = Material(colour: Self.skinTone(scene?.skin), flush: 1)
        lighting = Lighting()
        lighting.level = Float(scene?.light ?? 1)
        noise = Float(scene?.noise ?? 6)
        seed = scene?.seed ?? 1
        hasPerson = scene?.person ?? true
    }

    private static func skinTone(_ name: String?) -> Colour {
        switch name {
        case "light": Colour(0.95, 0.77, 0.66)
        case "brown": Colour(0.66, 0.46, 0.34)
        case "dark": Colour(0.46, 0.31, 0.23)
        case let name?: Colour(hex: name) ?? Colour(0.89, 0.67, 0.53)
        case nil: Colour(0.89, 0.67, 0.53)
        }
    }
}

extension Colour {
    /// A colour written as `#rrggbb`.
    init?(hex: String?) {
        guard let hex, hex.hasPrefix("#"), hex.utf8.count == 7,
            let value = UInt32(hex.dropFirst(), radix: 16)
        else { return nil }
        self.init(
            Float(value >> 16) / 255, Float(value >> 8 & 255) / 255, Float(value & 255) / 255)
    }
}
