package import Platform
package import Raster
package import Reactions

/// Draws effects on pictures.
///
/// A renderer keeps its canvas and its sprites from frame to frame, but no state that affects a picture.
/// `FrameCompositor` of Pipeline owns one. The same instances at the same time give the same bytes.
///
/// A renderer must not be shared between threads; several renderers may work in parallel.
package final class ParticleRenderer {
    private var canvas: BandCanvas
    private let sprites: EffectSprites
    private var particles: [Particle] = []

    /// - Parameters:
    ///   - library: The source of the sprites.
    ///   - rasterizer: Turns SVG into pixels; called once for each sprite and size.
    ///   - helper: A thread that draws part of each picture.
    package init(library: EffectLibrary, rasterizer: @escaping SpriteRasterizer, helper: HelperThread? = nil) {
        canvas = BandCanvas(width: 0, height: 0, helper: helper)
        sprites = EffectSprites(library: library, rasterize: rasterizer)
    }

    /// Creates a renderer that shares the sprites of another one, for another tile of the same pictures. The two must be
    /// used by one thread at a time.
    package init(sharingSpritesOf other: ParticleRenderer) {
        canvas = BandCanvas(width: 0, height: 0)
        sprites = other.sprites
    }

    /// Adds sprites that were rasterised in advance.
    package func adopt(_ prepared: PreparedSprites) { sprites.adopt(prepared.sprites) }

    /// Draws the instances at a time; does nothing if no instance is visible.
    ///
    /// - Parameters:
    ///   - time: The media time in seconds.
    ///   - geometry: The layout of the stored picture; effects are upright on it.
    ///   - mask: The people, who cover particles of the `behind` layer and are dimmed by their own share. Without a
    ///     mask, all layers are drawn in front.
    /// - Throws: ``EffectError`` if a sprite cannot be drawn.
    package func draw(
        _ instances: [EffectInstance], at time: Double, on picture: inout MutablePicture,
        geometry: DisplayGeometry, mask: BandMask? = nil
    ) throws(EffectError) {
        let visible = instances.filter { $0.isVisible(at: time) }
        if visible.isEmpty { return }
        canvas.fit(picture.format)
        sprites.encoding = canvas.encoding
        for instance in visible {
            if let wash = EffectWash(instance, at: time, geometry: geometry) {
                canvas.draw(wash.veil(picture.format))
            }
        }
        var front: [(particle: Particle, pen: ParticleRasterizer)] = []
        let stands = visible.contains { $0.description.emitters.contains(where: \.standsOnPeople) }
        let outline = stands ? mask.map { PeopleOutline($0, geometry: geometry) } : nil
        for instance in visible {
            particles.removeAll(keepingCapacity: true)
            ParticleSystem(instance: instance, time: time, aspectRatio: geometry.aspectRatio, outline: outline)
                .collect(into: &particles)
            let pen = ParticleRasterizer(geometry: geometry, instance: instance, time: time)
            for particle in particles {
                if particle.isInFront {
                    front.append((particle, pen))
                } else {
                    try pen.draw(particle, sprites, on: &canvas)
                }
            }
        }
        canvas.beginFront()
        for entry in front { try entry.pen.draw(entry.particle, sprites, on: &canvas) }
        canvas.blend(into: &picture, hiding: mask)
    }
}

extension Particle {
    var isInFront: Bool {
        switch emitter.layer {
        case .front: true
        case .behind: false
        case .split: depth >= 0.5
        }
    }
}

/// The dimming of the whole room by one effect at one time.
private struct EffectWash {
    private let dim: EffectDim
    private let amount: Double
    private let time: Double
    private let geometry: DisplayGeometry

    /// Creates the dimming; `nil` if none is visible at this time.
    init?(_ instance: EffectInstance, at time: Double, geometry: DisplayGeometry) {
        guard let dim = instance.description.dim else { return nil }
        let entrance = instance.description.entrance
        let coming = entrance > 0 ? EffectMath.smooth((time - instance.startTime) / entrance) : 1
        amount = dim.amount * coming * instance.exitFade(at: time)
        if amount < 0.002 { return nil }
        self.dim = dim
        self.time = time - instance.startTime
        self.geometry = geometry
    }

    func veil(_ format: PictureFormat) -> BlendWash {
        let toUpright = geometry.uprightToStored.inverse
        return BlendWash(
            width: format.width, height: format.height, red: dim.colour.red, green: dim.colour.green,
            blue: dim.colour.blue, onPeople: dim.people
        ) { x, y in
            let p = toUpright.apply(x: x, y: y)
            return amount(p.x / geometry.uprightHeight, p.y / geometry.uprightHeight)
        }
    }

    /// Returns the dimming at a place, in heights of the frame.
    private func amount(_ x: Double, _ y: Double) -> Double {
        var a = 1.0
        if dim.vignette > 0 {
            let u = x / geometry.aspectRatio * 2 - 1
            let v = y * 2 - 1
            a *= 1 - dim.vignette * (1 - min(1, (u * u + v * v) * 0.6))
        }
        if dim.sky != 0 { a *= 1 - dim.sky * min(max(y, 0), 1) }
        if dim.haze > 0 {
            let n1 = EffectMath.sine(turns: x * 0.9 + y * 0.5 + time * 0.07)
            let n2 = EffectMath.sine(turns: x * 0.6 - y * 1.3 - time * 0.05 + n1 * 0.15)
            let n3 = EffectMath.sine(turns: x * 2.1 + y * 1.7 + time * 0.11 + n2 * 0.2)
            a *= 1 - dim.haze * (0.5 + 0.25 * n1 + 0.15 * n2 + 0.1 * n3)
        }
        return amount * a
    }
}
