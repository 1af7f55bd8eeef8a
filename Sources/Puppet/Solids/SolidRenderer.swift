/// Draws solids that melt into each other, as a camera far away would see them.
///
/// The solids form one signed distance field: the distance to each, joined by a
/// polynomial smooth minimum (Quilez, <https://iquilezles.org/articles/smin/>).
/// A ray along z is walked by that distance (sphere tracing, Hart 1996) for
/// every pixel of an 8×8 tile against only those solids that can reach the tile.
///
/// Deterministic; about 20 ns a solid and pixel covered.
struct SolidRenderer {
    let solids: [RoundCone]
    let lighting: Lighting
    /// How far ambient occlusion looks, in pixels.
    let occlusionReach: Float

    static let tileSize = 8

    /// - Parameter frame: the part of the picture that may be drawn on.
    /// - Returns: a layer over the box that the solids fill, or nil where that is empty.
    func render(within frame: PixelBox) -> Layer? {
        let box = bounds.clipped(to: frame)
        guard !box.isEmpty else { return nil }
        let layer = Layer(box: box)
        withKernel { kernel in
            unsafe layer.withSamples { samples in
                var top = box.top
                while top < box.bottom {
                    var left = box.left
                    while left < box.right {
                        let tile = PixelBox(
                            left: left, top: top, right: min(left + Self.tileSize, box.right),
                            bottom: min(top + Self.tileSize, box.bottom))
                        if kernel.gather(tile) {
                            unsafe kernel.draw(tile, into: samples, of: box)
                        }
                        left += Self.tileSize
                    }
                    top += Self.tileSize
                }
            }
        }
        return layer
    }

    /// The smallest box around all solids, with a margin for softening.
    private var bounds: PixelBox {
        var low: SIMD3<Float> = [.infinity, .infinity, .infinity]
        var high = -low
        for solid in solids {
            for (point, radius) in [(solid.start, solid.startRadius), (solid.end, solid.endRadius)] {
                low = pointwiseMin(low, point - radius - solid.melt * 0.5)
                high = pointwiseMax(high, point + radius + solid.melt * 0.5)
            }
        }
        guard low.x.isFinite, high.x.isFinite else {
            return PixelBox(left: 0, top: 0, right: 0, bottom: 0)
        }
        return PixelBox(
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
