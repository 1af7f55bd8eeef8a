import Raster

/// Paints soft shapes on a layer, for pictures that are drawn once.
///
/// Coordinates are in units of ``unit`` pixels. For a scene, the unit is the picture's height, so that the scene has
/// the same appearance at every size. Then x ranges from 0 to the aspect ratio, and y from 0 to 1. For a gallery, it is
/// one pixel.
struct Painter {
    let layer: Layer
    /// The number of pixels in a unit.
    let unit: Float

    /// A box in units.
    struct Area {
        var left, top, right, bottom: Float
    }

    var everything: Area {
        Area(
            left: Float(layer.box.left) / unit, top: Float(layer.box.top) / unit,
            right: Float(layer.box.right) / unit, bottom: Float(layer.box.bottom) / unit)
    }

    /// Paints an area. `paint` returns the colour and the coverage (0…1) at a place.
    func fill(_ area: Area, _ paint: (_ x: Float, _ y: Float) -> (Colour, Float)) {
        let box = PictureRegion(
            left: Int((area.left * unit).rounded(.down)) - 1, top: Int((area.top * unit).rounded(.down)) - 1,
            right: Int((area.right * unit).rounded(.up)) + 1, bottom: Int((area.bottom * unit).rounded(.up)) + 1
        ).intersection(layer.box)
        guard !box.isEmpty else { return }
        unsafe layer.withSamples { samples in
            for y in box.top..<box.bottom {
                for x in box.left..<box.right {
                    let (colour, cover) = paint((Float(x) + 0.5) / unit, (Float(y) + 0.5) / unit)
                    guard cover > 0 else { continue }
                    let a = min(1, cover)
                    let p = unsafe samples + ((y - layer.box.top) * layer.box.width + x - layer.box.left) * 4
                    unsafe p[0] = unsafe p[0] * (1 - a) + colour.red * a
                    unsafe p[1] = unsafe p[1] * (1 - a) + colour.green * a
                    unsafe p[2] = unsafe p[2] * (1 - a) + colour.blue * a
                    unsafe p[3] = unsafe p[3] * (1 - a) + a
                }
            }
        }
    }

    /// Returns the coverage of a shape (0…1) at a signed distance from its edge, in units; negative inside. The soft
    /// edge is one pixel or `softness` units wide.
    func cover(_ distance: Float, softness: Float = 0) -> Float {
        clamp(0.5 - distance / max(softness, 1 / unit), 0, 1)
    }

    /// Fills a rectangle with rounded corners.
    func rectangle(
        _ left: Float, _ top: Float, _ right: Float, _ bottom: Float, corner: Float,
        softness: Float = 0, opacity: Float = 1, _ colour: (_ x: Float, _ y: Float) -> Colour
    ) {
        let (cx, cy) = ((left + right) / 2, (top + bottom) / 2)
        let (hx, hy) = ((right - left) / 2 - corner, (bottom - top) / 2 - corner)
        let margin = softness
        fill(Area(left: left - margin, top: top - margin, right: right + margin, bottom: bottom + margin)) { x, y in
            let (dx, dy) = (max(0, abs(x - cx) - hx), max(0, abs(y - cy) - hy))
            let distance = (dx * dx + dy * dy).squareRoot() - corner
            return (colour(x, y), cover(distance, softness: softness) * opacity)
        }
    }
}

/// A colour with gamma applied, each channel 0…1.
package struct Colour: Sendable, Hashable {
    package var red, green, blue: Float

    package init(_ red: Float, _ green: Float, _ blue: Float) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    func blended(to other: Colour, _ t: Float) -> Colour {
        Colour(mix(red, other.red, t), mix(green, other.green, t), mix(blue, other.blue, t))
    }

    func scaled(_ factor: Float) -> Colour { Colour(red * factor, green * factor, blue * factor) }
}

/// Returns the value at the fraction `t` of the way from `a` to `b`.
func mix(_ a: Float, _ b: Float, _ t: Float) -> Float { a + (b - a) * t }

func mix(_ a: SIMD3<Float>, _ b: SIMD3<Float>, _ t: Float) -> SIMD3<Float> { a + (b - a) * t }

func clamp(_ value: Float, _ low: Float, _ high: Float) -> Float {
    value < low ? low : (value > high ? high : value)
}

/// Returns 0 below `low`, 1 above `high`, and a smooth cubic between.
func smoothstep(_ low: Float, _ high: Float, _ value: Float) -> Float {
    let t = clamp((value - low) / (high - low), 0, 1)
    return t * t * (3 - 2 * t)
}

func dot(_ a: SIMD3<Float>, _ b: SIMD3<Float>) -> Float { a.x * b.x + a.y * b.y + a.z * b.z }

func length(_ v: SIMD3<Float>) -> Float { dot(v, v).squareRoot() }

func normalised(_ v: SIMD3<Float>) -> SIMD3<Float> { v / length(v) }
