import Platform
import Raster

/// Draws solids that melt into each other, in parallel projection. ``Figure`` and ``PuppetDirector`` draw the person
/// and the hands with it.
///
/// The solids form one signed distance field: the distances to all solids, joined by a polynomial smooth minimum
/// (Quilez, <https://iquilezles.org/articles/smin/>). For every pixel of an 8×8 tile, a ray along z is traced in steps
/// of the field's distance (sphere tracing, Hart 1996). Only the solids that can reach the tile are considered.
///
/// The result is deterministic. Drawing takes about 20 ns for each solid and covered pixel.
struct SolidRenderer {
    let solids: [RoundCone]
    let lighting: Lighting
    /// The distance up to which solids shade each other (ambient occlusion), in pixels.
    let occlusionReach: Float

    static let tileSize = 8

    /// - Parameter frame: The part of the picture that may be drawn on.
    /// - Returns: A layer over the box around the solids, or nil if the box is empty.
    func render(within frame: PictureRegion) -> Layer? {
        let box = bounds.intersection(frame)
        guard !box.isEmpty else { return nil }
        let layer = Layer(box: box)
        withKernel { kernel in
            unsafe layer.withSamples { samples in
                for top in stride(from: box.top, to: box.bottom, by: Self.tileSize) {
                    for left in stride(from: box.left, to: box.right, by: Self.tileSize) {
                        let tile = PictureRegion(
                            left: left, top: top, right: min(left + Self.tileSize, box.right),
                            bottom: min(top + Self.tileSize, box.bottom))
                        if kernel.gather(tile) { unsafe kernel.draw(tile, into: samples, of: box) }
                    }
                }
            }
        }
        return layer
    }

    /// The smallest box around all solids, with a margin for softening.
    private var bounds: PictureRegion {
        var low: SIMD3<Float> = [.infinity, .infinity, .infinity]
        var high = -low
        for solid in solids {
            for (point, radius) in [(solid.start, solid.startRadius), (solid.end, solid.endRadius)] {
                low = pointwiseMin(low, point - radius - solid.melt * 0.5)
                high = pointwiseMax(high, point + radius + solid.melt * 0.5)
            }
        }
        guard low.x.isFinite, high.x.isFinite else {
            return PictureRegion(left: 0, top: 0, right: 0, bottom: 0)
        }
        return PictureRegion(
            left: Int(low.x.rounded(.down)) - 3, top: Int(low.y.rounded(.down)) - 3,
            right: Int(high.x.rounded(.up)) + 3, bottom: Int(high.y.rounded(.up)) + 3)
    }

    private func withKernel(_ body: (inout SolidKernel) -> Void) {
        let count = solids.count
        let stride = SolidKernel.stride
        unsafe withUnsafeTemporaryAllocation(of: Float.self, capacity: count * stride * 3) { numbers in
            guard let base = numbers.baseAddress else { return }
            for (i, solid) in solids.enumerated() {
                unsafe SolidKernel.store(solid, at: base + i * stride)
            }
            var kernel = unsafe SolidKernel(
                all: base, count: count, near: base + count * stride,
                far: base + 2 * count * stride, lighting: lighting,
                occlusionReach: occlusionReach)
            body(&kernel)
        }
    }
}

/// The appearance of a solid's surface.
struct Material: Sendable, Hashable {
    var colour: Colour
    /// The amount by which the surface becomes redder and darker where it turns away from the viewer: 1 for skin, 0 for
    /// cloth.
    var flush: Float
}

/// A capsule whose two ends may differ in thickness. Bodies are composed of such capsules.
///
/// The coordinates are pixels of the picture: x to the right, y down, z toward the camera.
struct RoundCone: Sendable {
    var start, end: SIMD3<Float>
    var startRadius, endRadius: Float
    /// The distance from a joint over which this solid blends into the solids listed before it.
    var melt: Float
    var material: Material
    /// True if the solid becomes transparent toward its end. An upper arm that is drawn over the figure then merges
    /// with the shoulder.
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

/// The direction and strength of the light.
struct Lighting: Sendable, Hashable {
    /// The direction to the light, in the picture's coordinates.
    var direction: SIMD3<Float> = normalised([-0.52, -0.58, 0.63])
    var diffuse: Float = 0.62
    var ambient: Float = 0.45
    /// The additional brightness of surfaces that face up.
    var sky: Float = 0.2
    /// The factor of all light.
    var level: Float = 1
}

/// The C library's functions, so that the other files do not depend on a platform's module.
func sine(_ angle: Float) -> Float { sinf(angle) }
func cosine(_ angle: Float) -> Float { cosf(angle) }
func arcTangent(_ y: Float, _ x: Float) -> Float { atan2f(y, x) }
func sine(_ angle: Double) -> Double { sin(angle) }
func cosine(_ angle: Double) -> Double { cos(angle) }
func exponential(_ value: Float) -> Float { expf(value) }
