import Raster

/// The inner loops of ``SolidRenderer``. The loops access plain floats by address, which is fast even in a debug build.
/// The renderer owns the memory.
@safe
struct SolidKernel {
    /// The number of floats of a solid: start, axis, 1 / axis², radius, growth of the radius, melt, colour, flush,
    /// highest z of the surface and lowest z of the axis, largest radius, fade.
    static let stride = 18

    /// The distance in pixels below which a ray counts as having hit a surface.
    static let nearEnough: Float = 0.22

    let all: UnsafeMutablePointer<Float>
    let count: Int
    /// Copies of the solids that the current tile's rays can hit.
    let near: UnsafeMutablePointer<Float>
    /// Copies of the solids that can shade the tile.
    let far: UnsafeMutablePointer<Float>
    let lighting: Lighting
    let occlusionReach: Float

    private var nearCount = 0
    private var farCount = 0
    private var highest: Float = 0
    private var lowest: Float = 0

    // The results of `evaluateWithColour` at a point: the normal, the colour, the flush (redness) and the opacity.
    private var nx: Float = 0
    private var ny: Float = 0
    private var nz: Float = 0
    private var red: Float = 0
    private var green: Float = 0
    private var blue: Float = 0
    private var flush: Float = 0
    private var solidity: Float = 1

    init(
        all: UnsafeMutablePointer<Float>, count: Int, near: UnsafeMutablePointer<Float>,
        far: UnsafeMutablePointer<Float>, lighting: Lighting, occlusionReach: Float
    ) {
        unsafe self.all = unsafe all
        self.count = count
        unsafe self.near = unsafe near
        unsafe self.far = unsafe far
        self.lighting = lighting
        self.occlusionReach = occlusionReach
    }

    static func store(_ solid: RoundCone, at place: UnsafeMutablePointer<Float>) {
        let axis = solid.end - solid.start
        let squared = dot(axis, axis)
        let values: [Float] = [
            solid.start.x, solid.start.y, solid.start.z, axis.x, axis.y, axis.z,
            squared > 1e-6 ? 1 / squared : 0, solid.startRadius, solid.endRadius - solid.startRadius,
            solid.melt, solid.material.colour.red, solid.material.colour.green,
            solid.material.colour.blue, solid.material.flush,
            max(solid.start.z + solid.startRadius, solid.end.z + solid.endRadius),
            min(solid.start.z, solid.end.z),
            max(solid.startRadius, solid.endRadius), solid.fades ? 1 : 0,
        ]
        for i in 0..<stride { unsafe place[i] = values[i] }
    }

    /// Selects the solids that affect a tile.
    /// - Returns: Whether any ray of the tile can hit one.
    mutating func gather(_ tile: PictureRegion) -> Bool {
        let cx = Float(tile.left + tile.right) * 0.5
        let cy = Float(tile.top + tile.bottom) * 0.5
        let reach: Float = 5.7 + 1.5
        nearCount = 0
        farCount = 0
        highest = -1e9
        lowest = 1e9
        var touched = false
        for i in 0..<count {
            let s = unsafe all + i * Self.stride
            let px = unsafe cx - s[0]
            let py = unsafe cy - s[1]
            let flat = unsafe s[3] * s[3] + s[4] * s[4]
            var h: Float = 0
            if flat > 1e-6 {
                h = unsafe (px * s[3] + py * s[4]) / flat
                if h < 0 { h = 0 }
                if h > 1 { h = 1 }
            }
            let dx = unsafe px - h * s[3]
            let dy = unsafe py - h * s[4]
            let gap = unsafe (dx * dx + dy * dy).squareRoot() - s[16]
            if unsafe gap < reach + s[9] {
                unsafe (near + nearCount * Self.stride).update(from: s, count: Self.stride)
                nearCount += 1
                if unsafe gap < reach + 0.5 * s[9] { touched = true }
                if unsafe s[14] > highest { highest = unsafe s[14] }
                if unsafe s[15] < lowest { lowest = unsafe s[15] }
            }
            if gap < reach + occlusionReach {
                unsafe (far + farCount * Self.stride).update(from: s, count: Self.stride)
                farCount += 1
            }
        }
        return touched
    }

    /// Draws the pixels of a tile.
    mutating func draw(_ tile: PictureRegion, into samples: UnsafeMutablePointer<Float>, of box: PictureRegion) {
        for y in tile.top..<tile.bottom {
            let row = unsafe samples + ((y - box.top) * box.width - box.left) * 4
            for x in tile.left..<tile.right { unsafe trace(Float(x) + 0.5, Float(y) + 0.5, into: row + 4 * x) }
        }
    }

    /// Traces one ray. A ray that passes close to a surface covers a part of the pixel, which smooths outlines.
    private mutating func trace(_ x: Float, _ y: Float, into pixel: UnsafeMutablePointer<Float>) {
        var z = highest + 0.5
        let end = lowest
        var closest: Float = 1e9
        var closestZ = z
        var steps = 0
        while z > end && steps < 200 {
            let d = distance(x, y, z)
            if d < closest {
                closest = d
                closestZ = z
            }
            if d < Self.nearEnough { break }
            z -= d < 0.6 ? 0.6 : d
            steps += 1
        }
        let coverage = closest < Self.nearEnough ? 1 : 1 - (closest - Self.nearEnough)
        if coverage <= 0 { return }
        unsafe shade(x, y, closestZ, coverage: coverage, into: pixel)
    }

    /// The place of a point relative to a solid.
    private struct Offset {
        /// The place on the axis that is nearest to the point: 0 at the start, 1 at the end.
        var along: Float
        /// The vector from that place to the point, and its length.
        var dx, dy, dz, length: Float
        /// The distance from the solid's surface; negative inside.
        var distance: Float
    }

    @inline(__always)
    private func offset(_ x: Float, _ y: Float, _ z: Float, from s: UnsafeMutablePointer<Float>) -> Offset {
        let px = unsafe x - s[0]
        let py = unsafe y - s[1]
        let pz = unsafe z - s[2]
        var h = unsafe (px * s[3] + py * s[4] + pz * s[5]) * s[6]
        if h < 0 { h = 0 }
        if h > 1 { h = 1 }
        let dx = unsafe px - h * s[3]
        let dy = unsafe py - h * s[4]
        let dz = unsafe pz - h * s[5]
        let length = (dx * dx + dy * dy + dz * dz).squareRoot()
        return Offset(along: h, dx: dx, dy: dy, dz: dz, length: length, distance: unsafe length - s[7] - h * s[8])
    }

    /// Returns the value of the distance field at a point, for the solids near the tile.
    private func distance(_ x: Float, _ y: Float, _ z: Float) -> Float {
        var result: Float = 1e9
        var s = unsafe near
        var i = nearCount
        while i > 0 {
            let d = unsafe offset(x, y, z, from: s).distance
            let k = unsafe s[9]
            var m = result - d
            let lower = m > 0 ? d : result
            if m < 0 { m = -m }
            if m < k {
                let w = k - m
                result = lower - w * w * 0.25 / k
            } else {
                result = lower
            }
            unsafe s += Self.stride
            i -= 1
        }
        return result
    }

    /// Returns the distance to the nearest solid in a wider neighbourhood, without melting, for ambient occlusion.
    private func openness(_ x: Float, _ y: Float, _ z: Float) -> Float {
        var result: Float = 1e9
        var s = unsafe far
        var i = farCount
        while i > 0 {
            let d = unsafe offset(x, y, z, from: s).distance
            if d < result { result = d }
            unsafe s += Self.stride
            i -= 1
        }
        return result
    }

    /// Computes the field's gradient and the colour at a point. Colours are blended where solids melt into each other.
    private mutating func evaluateWithColour(_ x: Float, _ y: Float, _ z: Float) {
        var result: Float = 1e9
        var s = unsafe near
        var i = nearCount
        while i > 0 {
            let offset = unsafe offset(x, y, z, from: s)
            let d = offset.distance
            let k = unsafe s[9]
            var m = result - d
            var weight: Float = m > 0 ? 1 : 0
            let lower = m > 0 ? d : result
            if m < 0 { m = -m }
            if m < k {
                let w = k - m
                let part = w / k * 0.5
                weight = weight > 0.5 ? 1 - part : part
                result = lower - w * w * 0.25 / k
            } else {
                result = lower
            }
            if weight > 0 {
                let keep = 1 - weight
                let scale = offset.length > 1e-4 ? weight / offset.length : 0
                nx = nx * keep + offset.dx * scale
                ny = ny * keep + offset.dy * scale
                nz = nz * keep + offset.dz * scale
                red = unsafe red * keep + s[10] * weight
                green = unsafe green * keep + s[11] * weight
                blue = unsafe blue * keep + s[12] * weight
                flush = unsafe flush * keep + s[13] * weight
                let fade = unsafe s[17]
                solidity = solidity * keep + (1 - fade * offset.along) * weight
            }
            unsafe s += Self.stride
            i -= 1
        }
    }

    private mutating func shade(
        _ x: Float, _ y: Float, _ z: Float, coverage: Float, into pixel: UnsafeMutablePointer<Float>
    ) {
        evaluateWithColour(x, y, z)
        let coverage = coverage * (solidity >= 0.3 ? 1 : solidity / 0.3)
        let size = (nx * nx + ny * ny + nz * nz).squareRoot()
        let scale = size > 1e-5 ? 1 / size : 0
        let ux = nx * scale
        let uy = ny * scale
        let uz = nz * scale
        var occlusion: Float = 0
        let reach = occlusionReach
        let a = openness(x + ux * reach * 0.35, y + uy * reach * 0.35, z + uz * reach * 0.35)
        let b = openness(x + ux * reach * 0.8, y + uy * reach * 0.8, z + uz * reach * 0.8)
        occlusion = ((reach * 0.35 - a) * 1.3 + (reach * 0.8 - b) * 0.6) / reach
        if occlusion < 0 { occlusion = 0 }
        if occlusion > 0.62 { occlusion = 0.62 }
        let light = lighting
        var lambert = ux * light.direction.x + uy * light.direction.y + uz * light.direction.z
        if lambert < 0 { lambert = 0 }
        let level =
            ((light.ambient - light.sky * uy) * (1 - occlusion)
                + light.diffuse * lambert * (1 - 0.5 * occlusion)) * light.level
        var rim = 1 - uz
        if rim < 0 { rim = 0 }
        rim = rim * rim * flush
        let warm = occlusion * flush
        unsafe pixel[0] = red * level * (1 - 0.14 * rim) * (1 + 0.10 * warm) * coverage
        unsafe pixel[1] = green * level * (1 - 0.30 * rim) * (1 - 0.08 * warm) * coverage
        unsafe pixel[2] = blue * level * (1 - 0.32 * rim) * (1 - 0.10 * warm) * coverage
        unsafe pixel[3] = coverage
    }
}
