import Raster

/// The person in a synthetic call: a still torso and a head that moves a little. ``PuppetDirector`` makes one for a
/// film; it does not change afterwards.
///
/// Head and body are made of the same solids as the hands, and drawn once. Eyes, brows and mouth are painted on
/// separate layers, one for each state.
struct Figure: Sendable {
    let torso: Layer
    private let head: Layer
    private let eyes: [Layer]
    private let mouths: [Layer]
    private let unit: Float

    init(width: Int, height: Int, appearance: SceneAppearance) {
        unit = Float(height)
        let parts = FigureParts(centre: Float(width) * 0.5, unit: unit, appearance: appearance)
        let frame = PictureRegion(left: 0, top: 0, right: width, bottom: height)
        func render(_ solids: [RoundCone]) -> Layer {
            let renderer = SolidRenderer(
                solids: solids, lighting: appearance.lighting, occlusionReach: 0.05 * Float(height))
            let layer =
                renderer.render(within: frame)
                ?? Layer(box: PictureRegion(left: 0, top: 0, right: 0, bottom: 0))
            layer.soften()
            return layer
        }
        torso = render(parts.torso)
        head = render(parts.head)
        let face = FacePainter(centre: Float(width) * 0.5, unit: unit, appearance: appearance)
        eyes = [0, 0.5, 1].map { face.eyes(closed: $0) }
        mouths = [0, 0.35, 0.7, 1].map { face.mouth(open: $0) }
    }

    /// Returns the layers of the head at a time, shifted by the person's movement.
    func head(at time: Double, seed: UInt32) -> [Layer] {
        let phase = Double(seed % 97)
        let x = Float(sine(time * 0.9 + phase) + 0.6 * sine(time * 1.7 + phase)) * 0.0032 * unit
        let y = Float(sine(time * 1.3 + phase * 2) + 0.5 * sine(time * 2.9)) * 0.0022 * unit
        return [head, eyes[eyeState(at: time)], mouths[min(3, Int(PuppetVoice(seed: seed).openness(at: time) * 3.9))]]
            .map { $0.shifted(x: x, y: y) }
    }

    /// Returns the state of the eyes. The eyes blink about every three seconds: half closed, closed, half closed.
    private func eyeState(at time: Double) -> Int {
        let since = (time + 0.8 + 0.5 * sine(time * 0.21)).truncatingRemainder(dividingBy: 3.1)
        return since < 0.05 ? 1 : (since < 0.13 ? 2 : (since < 0.18 ? 1 : 0))
    }
}

/// The solids of the person's torso and head. Lengths are in picture heights, x is counted from the picture's middle.
private struct FigureParts {
    let centre: Float
    let unit: Float
    let appearance: SceneAppearance

    /// The distance by which the coordinates of the head are moved down, in picture heights.
    static let headDrop: Float = 0.080

    private func cone(
        _ a: SIMD3<Float>, _ b: SIMD3<Float>, _ radii: (Float, Float), _ melt: Float,
        _ material: Material
    ) -> RoundCone {
        RoundCone(
            [centre + a.x * unit, a.y * unit, a.z * unit], [centre + b.x * unit, b.y * unit, b.z * unit],
            radii: (radii.0 * unit, radii.1 * unit), melt: melt * unit, material: material)
    }

    /// Returns a solid and its mirror image, at the left and at the right.
    private func pair(
        _ a: SIMD3<Float>, _ b: SIMD3<Float>, _ radii: (Float, Float), _ melt: Float,
        _ material: Material
    ) -> [RoundCone] {
        [a, a * [-1, 1, 1]].enumerated().map { i, start in
            cone(start, i == 0 ? b : b * [-1, 1, 1], radii, melt, material)
        }
    }

    var torso: [RoundCone] {
        let cloth = appearance.clothes
        var solids = [cone([0, 0.90, -0.08], [0, 1.20, -0.08], (0.20, 0.24), 0.1, cloth)]
        solids += pair([0.03, 0.715, -0.075], [0.29, 0.815, -0.10], (0.075, 0.090), 0.06, cloth)
        solids += pair([0.12, 0.90, -0.05], [0.13, 1.25, -0.05], (0.17, 0.20), 0.12, cloth)
        solids += pair([0.325, 0.865, -0.09], [0.355, 1.25, -0.05], (0.105, 0.115), 0.08, cloth)
        solids.append(cone([0, 0.47, -0.01], [0, 0.72, -0.03], (0.076, 0.088), 0.008, appearance.skin))
        return solids + collar
    }

    /// A band around the neck.
    private var collar: [RoundCone] {
        var cloth = appearance.clothes
        cloth.colour = cloth.colour.scaled(0.82)
        let points = (0...28).map { i -> SIMD3<Float> in
            let angle = Float.pi * Float(i) / 28
            return [0.104 * cosine(angle), 0.662 + 0.052 * sine(angle), -0.085 + 0.140 * sine(angle)]
        }
        return zip(points, points.dropFirst()).map { cone($0, $1, (0.0125, 0.0125), 0.006, cloth) }
    }

    var head: [RoundCone] {
        var solids = hairBehind
        let skin = appearance.skin
        solids.append(cone([0, 0.235, 0], [0, 0.29, 0.005], (0.138, 0.136), 0.004, skin))
        solids.append(cone([0, 0.325, 0.02], [0, 0.400, 0.035], (0.122, 0.080), 0.06, skin))
        // Cheeks, ears, nose and chin.
        solids += pair([0.062, 0.335, 0.075], [0.055, 0.345, 0.075], (0.058, 0.055), 0.06, skin)
        solids += pair([0.138, 0.285, -0.01], [0.132, 0.325, -0.005], (0.026, 0.018), 0.015, skin)
        solids.append(cone([0, 0.27, 0.132], [0, 0.328, 0.160], (0.012, 0.019), 0.022, skin))
        solids += pair([0.012, 0.333, 0.148], [0.015, 0.334, 0.146], (0.013, 0.012), 0.012, skin)
        solids.append(cone([0, 0.432, 0.070], [0, 0.436, 0.070], (0.036, 0.035), 0.09, skin))
        return (solids + hairInFront).map { solid in
            var lowered = solid
            lowered.start.y += Self.headDrop * unit
            lowered.end.y += Self.headDrop * unit
            return lowered
        }
    }

    private var hairBehind: [RoundCone] {
        let hair = appearance.hair
        return [cone([0, 0.218, -0.045], [0, 0.275, -0.065], (0.152, 0.146), 0.03, hair)]
            + pair([0.092, 0.30, -0.07], [0.098, 0.385, -0.08], (0.064, 0.044), 0.05, hair)
    }

    private var hairInFront: [RoundCone] {
        let hair = appearance.hair
        // A parting slightly to one side. Locks cover the brow from the parting to the ears.
        return [
            cone([0.0, 0.205, -0.022], [0.0, 0.222, -0.03], (0.149, 0.148), 0.006, hair),
            cone([0.045, 0.105, 0.070], [-0.055, 0.138, 0.088], (0.026, 0.034), 0.02, hair),
            cone([-0.055, 0.138, 0.088], [-0.118, 0.205, 0.042], (0.034, 0.022), 0.03, hair),
            cone([-0.118, 0.205, 0.040], [-0.137, 0.275, 0.012], (0.022, 0.011), 0.02, hair),
            cone([0.045, 0.105, 0.070], [0.092, 0.140, 0.072], (0.024, 0.030), 0.02, hair),
            cone([0.092, 0.140, 0.072], [0.126, 0.205, 0.036], (0.030, 0.020), 0.03, hair),
            cone([0.126, 0.205, 0.036], [0.138, 0.270, 0.012], (0.020, 0.011), 0.02, hair),
        ]
    }
}

/// Paints the flat parts of a face: eyes, brows and mouth. Lengths are in picture heights.
private struct FacePainter {
    let centre: Float
    let unit: Float
    let appearance: SceneAppearance

    private func painter(_ box: (Float, Float, Float, Float)) -> Painter {
        Painter(
            layer: Layer(
                box: PictureRegion(
                    left: Int((centre + box.0 * unit).rounded(.down)), top: Int((box.1 * unit).rounded(.down)),
                    right: Int((centre + box.2 * unit).rounded(.up)), bottom: Int((box.3 * unit).rounded(.up)))),
            unit: unit)
    }

    /// Paints both eyes and brows.
    /// - Parameter closed: 0 for open, 1 for shut.
    func eyes(closed: Float) -> Layer {
        let painter = painter((-0.13, 0.20 + FigureParts.headDrop, 0.13, 0.33 + FigureParts.headDrop))
        let middle = centre / unit
        let level = appearance.lighting.level
        let lash = appearance.hair.colour.scaled(0.5 * level)
        let lid = appearance.skin.colour.scaled(0.92 * level)
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
            // The line of the upper lashes, which follows the lid down.
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
                    appearance.hair.colour.scaled(0.8 * level),
                    abs(t) < 1 ? 0.85 * painter.cover(abs(y - arch) - thickness, softness: 0.003) : 0
                )
            }
        }
        return painter.layer
    }

    /// Paints the mouth.
    /// - Parameter open: 0 for a closed smile, 1 for the widest opening while talking.
    func mouth(open: Float) -> Layer {
        let painter = painter((-0.07, 0.34 + FigureParts.headDrop, 0.07, 0.44 + FigureParts.headDrop))
        let middle = centre / unit
        let level = appearance.lighting.level
        let skin = appearance.skin.colour
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

/// The puppet's speech: phrases of syllables with pauses between them. The mouth and the sound track use the same
/// curve.
struct PuppetVoice: Sendable {
    let phase: Double

    init(seed: UInt32) { phase = Double(seed % 97) }

    /// Returns the opening of the mouth: 0…1.
    func openness(at time: Double) -> Double {
        let phrase = sine(time * 0.8 + phase) + 0.4
        guard phrase > 0 else { return 0 }
        let syllable = sine(time * 13 + 2 * sine(time * 3.1)) * 0.5 + 0.5
        return syllable * min(1, phrase * 1.5)
    }
}
