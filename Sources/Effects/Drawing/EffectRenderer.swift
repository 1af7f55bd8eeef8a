package import Platform
package import Raster
package import Reactions

/// Draws effects on pictures.
///
/// A renderer keeps its canvas and its sprites from frame to frame, but nothing
/// that a picture depends on: the same instances at the same time give the
/// same bytes, whatever was drawn before.
///
/// Not to be shared between threads; several renderers may work side by side.
package final class EffectRenderer {
    private var canvas = TileCanvas(width: 0, height: 0)
    private let helper: HelperThread?
    private var sprites: EffectSprites
    private var particles: [Particle] = []

    /// - Parameters:
    ///   - library: where the sprites are.
    ///   - rasterizer: turns SVG into pixels; called once for each sprite and size.
    ///   - helper: a thread that draws part of each picture.
    package init(library: EffectLibrary, rasterizer: @escaping SpriteRasterizer, helper: HelperThread? = nil) {
        self.helper = helper
        sprites = EffectSprites(sources: library.sprites, rasterize: rasterizer)
    }

    /// Takes over sprites that were drawn ahead.
    package func adopt(_ prepared: PreparedSprites) { sprites.adopt(prepared.sprites) }

    /// Draws what the instances show at a time; nothing where none is visible.
    ///
    /// - Parameters:
    ///   - time: media time in seconds.
    ///   - geometry: how the picture is stored; effects stand upright on it.
    ///   - mask: the people, who stay before the `behind` layers and out of the dark. Without
    ///     it everything is in front.
    /// - Throws: ``EffectError`` where a sprite cannot be drawn.
    package func draw(
        _ instances: [EffectInstance], at time: Double, on picture: inout MutablePicture,
        geometry: DisplayGeometry, mask: TileMask? = nil
    ) throws(EffectError) {
        let visible = instances.filter { $0.isVisible(at: time) }
        if visible.isEmpty { return }
        let format = picture.format
        if canvas.width != format.width || canvas.height != format.height {
            canvas = TileCanvas(width: format.width, height: format.height, helper: helper)
        }
        canvas.encoding = ColourEncoding(format)
        sprites.encoding = canvas.encoding
        for instance in visible {
            if let wash = EffectWash(instance, at: time, geometry: geometry) {
                canvas.draw(wash.veil(format), onPeople: wash.onPeople)
            }
        }
        var front: [(particle: Particle, fade: Double)] = []
        let pen = EffectPen(geometry: geometry, time: time)
        let stands = visible.contains { $0.description.emitters.contains(where: \.standsOnPeople) }
        let outline = stands ? mask.map { PeopleOutline($0, geometry: geometry) } : nil
        for instance in visible {
            particles.removeAll(keepingCapacity: true)
            ParticleSystem(instance: instance, time: time, aspectRatio: geometry.aspectRatio, outline: outline)
                .collect(into: &particles)
            let fade = instance.exitFade(at: time)
            for particle in particles {
                if particle.isInFront {
                    front.append((particle, fade))
                } else {
                    try pen.draw(particle, fade: fade, &sprites, on: &canvas)
                }
            }
        }
        canvas.beginFront()
        for entry in front {
            try pen.draw(entry.particle, fade: entry.fade, &sprites, on: &canvas)
        }
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
