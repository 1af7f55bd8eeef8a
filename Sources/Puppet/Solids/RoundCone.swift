/// What the surface of a solid looks like.
struct Material: Sendable, Hashable {
    var colour: Colour
    /// How much redder and darker the surface becomes where it turns away: 1 for skin, 0 for cloth.
    var flush: Float
}

/// A capsule whose two ends may differ in thickness: what bodies are made of.
///
/// In pixels of the picture: x to the right, y down, z toward the camera.
struct RoundCone: Sendable {
    var start, end: SIMD3<Float>
    var startRadius, endRadius: Float
    /// How far from a joint this solid melts into those listed before it.
    var melt: Float
    var material: Material
    /// Whether the far end dissolves, so that an arm drawn over a figure grows out of its shoulder.
    var fades: Bool

    init(
        _ start: SIMD3<Float>, _ end: SIMD3<Float>, radii: (Float, Float), melt: Float,
        material: Material, fades: Bool = false
    ) {
        self.fades = fades
        self.start = start
        self.end = end
        startRadius = radii.0
        endRadius = radii.1
        self.melt = melt
        self.material = material
    }
}

/// Where the light comes from and how strong it is.
struct Lighting: Sendable, Hashable {
    /// Points to the light, in the picture's coordinates.
    var direction: SIMD3<Float> = normalised([-0.52, -0.58, 0.63])
    var diffuse: Float = 0.62
    var ambient: Float = 0.45
    /// How much brighter the surfaces are that face up.
    var sky: Float = 0.2
    /// Multiplies the whole.
    var level: Float = 1
}
