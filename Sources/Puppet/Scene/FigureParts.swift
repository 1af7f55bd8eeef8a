/// The solids of the person's torso and head. Lengths in picture heights.
struct FigureParts {
    let centre: Float
    let unit: Float
    let look: SceneLook

    /// How far the head sits below the place for which its numbers were written.
    static let headDrop: Float = 0.080

    private func cone(
        _ a: SIMD3<Float>, _ b: SIMD3<Float>, _ radii: (Float, Float), _ melt: Float,
        _ material: Material
    ) -> RoundCone {
        RoundCone(
            [centre + a.x * unit, a.y * unit, a.z * unit], [centre + b.x * unit, b.y * unit, b.z * unit],
            radii: (radii.0 * unit, radii.1 * unit), melt: melt * unit, material: material)
    }

    /// Each of these twice, at the left and at the right.
    private func pair(
        _ a: SIMD3<Float>, _ b: SIMD3<Float>, _ radii: (Float, Float), _ melt: Float,
        _ material: Material
    ) -> [RoundCone] {
        [a, a * [-1, 1, 1]].enumerated().map { i, start in
            cone(start, i == 0 ? b : b * [-1, 1, 1], radii, melt, material)
        }
    }

    var torso: [RoundCone] {
        let cloth = look.clothes
        var solids = [cone([0, 0.90, -0.08], [0, 1.20, -0.08], (0.20, 0.24), 0.1, cloth)]
        solids += pair([0.03, 0.715, -0.075], [0.29, 0.815, -0.10], (0.075, 0.090), 0.06, cloth)
        solids += pair([0.12, 0.90, -0.05], [0.13, 1.25, -0.05], (0.17, 0.20), 0.12, cloth)
        solids += pair([0.325, 0.865, -0.09], [0.355, 1.25, -0.05], (0.105, 0.115), 0.08, cloth)
        solids.append(cone([0, 0.47, -0.01], [0, 0.72, -0.03], (0.076, 0.088), 0.008, look.skin))
        return solids + collar
    }

    /// A band around the neck.
    private var collar: [RoundCone] {
        var cloth = look.clothes
        cloth.colour = cloth.colour.scaled(0.82)
        let points = (0...28).map { i -> SIMD3<Float> in
            let angle = Float.pi * Float(i) / 28
            return [0.104 * cosine(angle), 0.662 + 0.052 * sine(angle), -0.085 + 0.140 * sine(angle)]
        }
        return zip(points, points.dropFirst()).map { cone($0, $1, (0.0125, 0.0125), 0.006, cloth) }
    }

    var head: [RoundCone] {
        var solids = hairBehind
        let skin = look.skin
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
        let hair = look.hair
        return [cone([0, 0.218, -0.045], [0, 0.275, -0.065], (0.152, 0.146), 0.03, hair)]
            + pair([0.092, 0.30, -0.07], [0.098, 0.385, -0.08], (0.064, 0.044), 0.05, hair)
    }

    private var hairInFront: [RoundCone] {
        let hair = look.hair
        // A parting a little to one side; locks sweep from it over the brow to the ears.
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
