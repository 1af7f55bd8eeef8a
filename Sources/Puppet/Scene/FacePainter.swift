/// Paints what is flat in a face: eyes, brows and mouth. Lengths in picture heights.
struct FacePainter {
    let centre: Float
    let unit: Float
    let look: SceneLook

    private func painter(_ box: (Float, Float, Float, Float)) -> Painter {
        Painter(
            layer: Layer(
                box: PixelBox(
                    left: Int((centre + box.0 * unit).rounded(.down)), top: Int((box.1 * unit).rounded(.down)),
                    right: Int((centre + box.2 * unit).rounded(.up)), bottom: Int((box.3 * unit).rounded(.up)))),
            unit: unit)
    }

    /// Both eyes and brows.
    /// - Parameter closed: 0 for open, 1 for shut.
    func eyes(closed: Float) -> Layer {
        let painter = painter((-0.13, 0.20 + FigureParts.headDrop, 0.13, 0.33 + FigureParts.headDrop))
        let middle = centre / unit
        let level = look.lighting.level
        let lash = look.hair.colour.scaled(0.5 * level)
        let lid = look.skin.colour.scaled(0.92 * level)
        for side: Float in [-1, 1] {
            let ex = middle + side * 0.052
            let ey = 0.276 + FigureParts.headDrop
            painter.fill(painter.everything) { x, y in
                let (dx, dy) = ((x - ex), (y - ey))
                // An almond: two arcs, the upper one higher.
                let half: Float = 0.0245
                let open = 1 - (dx / half) * (dx / half)
                let above = -0.0145 * open - dy
                let below = dy - 0.0105 * open
                let inside = max(above, below)
                let white = painter.cover(inside)
                let shut = painter.cover(-(dy + 0.0145 * open - 0.025 * closed * open))
                let (ix, iy) = (dx - side * -0.001, dy + 0.0015)
                let far = (ix * ix + iy * iy).squareRoot()
                var colour = Colour(0.95, 0.94, 0.92).scaled(level * (dy < -0.006 ? 0.86 : 1))
                colour = colour.blended(to: Colour(0.30, 0.22, 0.15).scaled(level), painter.cover(far - 0.0118))
                colour = colour.blended(to: Colour(0.06, 0.05, 0.05), painter.cover(far - 0.0056))
                let (gx, gy) = (ix + 0.004, iy + 0.0045)
                colour = colour.blended(to: Colour(1, 1, 1), painter.cover((gx * gx + gy * gy).squareRoot() - 0.0028))
                if closed > 0 { colour = colour.blended(to: lid, shut) }
                return (colour, open > 0 ? white : 0)
            }
            // The upper lashes' line, which follows the lid down.
            painter.fill(painter.everything) { x, y in
                let dx = x - ex
                let open = 1 - (dx / 0.026) * (dx / 0.026)
                let line = ey - 0.0145 * open + 0.023 * closed * open
                return (lash, open > 0 ? painter.cover(abs(y - line) - 0.0022 * (0.4 + open)) : 0)
            }
            // The brow.
            painter.fill(painter.everything) { x, y in
                let t = (x - ex) * side / 0.034
                let arch = ey - 0.036 - 0.008 * (1 - (t + 0.12) * (t + 0.12))
                let thickness = 0.0048 * (1 - 0.5 * max(0, t))
                return (
                    look.hair.colour.scaled(0.8 * level),
                    abs(t) < 1 ? 0.85 * painter.cover(abs(y - arch) - thickness, softness: 0.003) : 0
                )
            }
        }
        return painter.layer
    }

    /// - Parameter open: 0 for a closed smile, 1 for the widest that talking takes.
    func mouth(open: Float) -> Layer {
        let painter = painter((-0.07, 0.34 + FigureParts.headDrop, 0.07, 0.44 + FigureParts.headDrop))
        let middle = centre / unit
        let level = look.lighting.level
        let skin = look.skin.colour
        let lip = Colour(skin.red * 0.82, skin.green * 0.52, skin.blue * 0.50).scaled(level)
        let half = 0.040 - 0.006 * open
        painter.fill(painter.everything) { x, y in
            let t = (x - middle) / half
            let bow = 1 - t * t
            guard bow > 0 else { return (lip, 0) }
            // The smile's line bends up at the corners.
            let line = 0.391 + FigureParts.headDrop - 0.008 * t * t
            let top = line - (0.0055 + 0.002 * open) * bow - 0.006 * open * bow
            let bottom = line + (0.0085 + 0.018 * open) * bow
            let lips = painter.cover(max(top - y, y - bottom), softness: 0.003)
            let gap = painter.cover(
                max(line - 0.006 * open * bow - 0.001 - y, y - line - (0.001 + 0.0125 * open) * bow))
            var colour = lip.blended(to: Colour(0.28, 0.10, 0.10).scaled(level), gap)
            if open > 0.3 {
                let teeth = painter.cover(y - (line - 0.006 * open * bow + 0.006)) * gap
                colour = colour.blended(to: Colour(0.93, 0.91, 0.88).scaled(level), teeth * 0.9)
            }
            return (colour, lips * 0.9)
        }
        return painter.layer
    }
}
