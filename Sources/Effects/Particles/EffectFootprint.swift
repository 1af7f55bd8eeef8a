/// The ground that the main figure of an effect covers around the place where the effect starts:
/// what somebody who chooses that place must keep off faces.
///
/// Lengths are in heights of the frame.
package struct EffectFootprint: Sendable {
    private let fullRadius: Double
    /// How far it rises during its life.
    package let rise: Double
    private let birth: EffectBirth

    /// The figure's half size.
    package func radius(aspectRatio: Double) -> Double { fullRadius * ParticleSystem.sizeScale(aspectRatio) }

    /// Where the middle of the figure is at its birth.
    /// - Parameters:
    ///   - originX, originY: where the effect starts, 0…1 of the upright picture.
    ///   - aspectRatio: the picture's width over its height.
    package func centre(originX: Double, originY: Double, aspectRatio: Double) -> (x: Double, y: Double) {
        birth.place(
            birth.x.middle, birth.y.middle, originX: originX, originY: originY, aspectRatio: aspectRatio)
    }

    fileprivate init(_ emitter: EffectEmitter) {
        birth = emitter.birth
        fullRadius = emitter.look.size.greatest / 2
        let motion = emitter.motion
        let life = motion.untilEnd ? 0 : motion.life.middle
        let (velocity, force) = Particle.carried(life, drag: motion.drag.middle)
        let speed = motion.speed.middle * EffectMath.sine(turns: motion.angle.middle / 360)
        rise = max(0, speed * velocity - motion.gravity.middle * force)
    }
}

extension EffectDescription {
    /// The largest single sprite that stands where the effect starts; `nil` for effects that
    /// have none, such as those that fill the whole frame.
    package var footprint: EffectFootprint? {
        emitters.filter {
            $0.birth.anchor == .gesture && $0.look.shape == .sprite && ($0.birth.count ?? 2) == 1
        }.max { $0.look.size.greatest < $1.look.size.greatest }.map(EffectFootprint.init)
    }
}

extension EffectBirth {
    /// Where a particle with these offsets is born, in heights of the frame.
    func place(
        _ x: Double, _ y: Double, originX: Double, originY: Double, aspectRatio: Double
    ) -> (x: Double, y: Double) {
        let sizeScale = ParticleSystem.sizeScale(aspectRatio)
        var place: (x: Double, y: Double)
        switch anchor {
        // Only somebody who knows the outline can say how high it is.
        case .frame, .people:
            place = (x * aspectRatio, y)
        case .gesture:
            let side: Double = outward && originX < 0.5 ? -1 : 1
            place = (originX * aspectRatio + x * side * sizeScale, originY + y * sizeScale)
        }
        if let margin = inside.map({ $0 * sizeScale }) {
            place.x = min(max(place.x, margin), max(aspectRatio - margin, margin))
            place.y = min(max(place.y, margin), max(1 - margin, margin))
        }
        return place
    }
}

extension EffectValue {
    var middle: Double { (least + greatest) / 2 }
}
