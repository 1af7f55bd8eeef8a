/// One occurrence of an effect: its time, place and seed. `FrameCompositor` of Pipeline creates it for each frame, from
/// the frame's plan.
///
/// The picture at a time follows from these values alone. While the effect runs, `endTime` may be moved later, and
/// `renewals` may be added. Neither changes earlier pictures.
package struct EffectInstance: Sendable {
    package let description: EffectDescription
    package let seed: UInt64
    /// The media time of the first frame drawn, in seconds.
    package let startTime: Double
    /// The media time of the first frame without the effect.
    package var endTime: Double
    /// The renewals that prolonged the effect, in order. Bursts are repeated; streams, and particles that stay until
    /// the end, continue.
    package var renewals: [EffectRenewal]
    /// True if everything fades before the end, because the effect is cut off there.
    package var isCut = false
    /// The place of the gesture in the upright picture, 0…1, y down.
    package let originX, originY: Double
    /// The heads of people at the time of drawing.
    package var heads: [EffectHead] = []

    /// - Parameter endTime: By default, the start plus the description's duration.
    package init(
        description: EffectDescription, seed: UInt64, startTime: Double, endTime: Double? = nil,
        renewals: [EffectRenewal] = [], originX: Double = 0.5, originY: Double = 0.5
    ) {
        self.description = description
        self.seed = seed
        self.startTime = startTime
        self.endTime = endTime ?? startTime + description.duration
        self.renewals = renewals
        self.originX = originX
        self.originY = originY
    }

    package func isVisible(at time: Double) -> Bool { time >= startTime && time < endTime }

    /// The fade duration of an effect that is ended early, in seconds.
    private static let cutFade = 0.4

    /// Returns the remaining share of the effect during its exit: 1 before the exit, falling to 0 at the end.
    func exitFade(at time: Double) -> Double {
        let own = description.exit > 0 ? EffectMath.smooth((visibleEnd(at: time) - time) / description.exit) : 1
        return isCut ? min(own, EffectMath.smooth((endTime - time) / Self.cutFade)) : own
    }

    /// Returns the effect's end as it appears at a time. Particles without a limited life fade out towards this end.
    ///
    /// An effect that is renewed while it fades returns gradually, twice as fast as it faded. An immediate return would
    /// be visible as a flash.
    func visibleEnd(at time: Double) -> Double {
        let end = renewals.first { time < $0.requestTime }?.formerEnd ?? endTime
        guard let last = renewals.last(where: { $0.requestTime <= time }) else { return end }
        let left = last.formerEnd - last.requestTime
        return min(end, time + left + 2 * (time - last.requestTime))
    }
}

extension EffectDescription {
    /// True if the effect's figure, or some of its pieces, move aside from people's heads.
    package var movesAside: Bool { emitters.contains { $0.isFigure || $0.movesAside } }

    /// The largest single sprite at the effect's place; `nil` for effects without such a sprite, such as effects that
    /// fill the whole frame.
    package var footprint: EffectFootprint? {
        emitters.filter(\.isFigure).max { $0.appearance.size.maximum < $1.appearance.size.maximum }
            .map(EffectFootprint.init)
    }
}

extension EffectBirth {
    /// Returns the birthplace of a particle with these offsets, in heights of the frame.
    func place(
        _ x: Double, _ y: Double, originX: Double, originY: Double, aspectRatio: Double
    ) -> (x: Double, y: Double) {
        let sizeScale = ParticleSystem.sizeScale(aspectRatio)
        var place: (x: Double, y: Double)
        switch anchor {
        // For `people`, y is below the outline, which the caller adds.
        case .frame, .people:
            place = (x * aspectRatio, y)
        case .gesture:
            let side: Double = outward && originX < 0.5 ? -1 : 1
            place = (originX * aspectRatio + x * side * sizeScale, originY + y * sizeScale)
        }
        return clamped(place, aspectRatio: aspectRatio)
    }

    /// Returns a place within the birthplace's margins.
    func clamped(_ place: (x: Double, y: Double), aspectRatio: Double) -> (x: Double, y: Double) {
        guard let inside else { return place }
        let sizeScale = ParticleSystem.sizeScale(aspectRatio)
        return (
            EffectMargins.clamp(place.x, inside.x * sizeScale, below: aspectRatio),
            EffectMargins.clamp(place.y, inside.y * sizeScale, below: 1)
        )
    }
}

extension EffectValue {
    var middle: Double { (minimum + maximum) / 2 }
}

/// The prolongation of a running effect by another request for the same reaction. Times are media times in seconds.
package struct EffectRenewal: Sendable, Hashable {
    /// The time of the request, at which streams that had ended restart.
    package var requestTime: Double
    /// The time at which the effect's bursts are repeated.
    package var burstTime: Double
    /// The time at which the effect would have ended without the renewal.
    package var formerEnd: Double

    package init(requestTime: Double, burstTime: Double, formerEnd: Double) {
        self.requestTime = requestTime
        self.burstTime = burstTime
        self.formerEnd = formerEnd
    }
}

/// The area that the main figure of an effect covers around the effect's place. `EffectPlacer` of Pipeline keeps this
/// area off faces.
///
/// Lengths are in heights of the frame.
package struct EffectFootprint: Sendable {
    private let fullWidth, fullHeight: Double
    /// The distance by which the figure rises during its life.
    package let rise: Double
    private let birth: EffectBirth

    /// Returns half of the figure's width and height.
    package func halves(aspectRatio: Double) -> (width: Double, height: Double) {
        let scale = ParticleSystem.sizeScale(aspectRatio)
        return (fullWidth / 2 * scale, fullHeight / 2 * scale)
    }

    /// Returns the middle of the figure at its birth.
    /// - Parameters:
    ///   - originX, originY: The effect's place, 0…1 of the upright picture.
    ///   - aspectRatio: The picture's width over its height.
    package func centre(originX: Double, originY: Double, aspectRatio: Double) -> (x: Double, y: Double) {
        birth.place(
            birth.x.middle, birth.y.middle, originX: originX, originY: originY, aspectRatio: aspectRatio)
    }

    init(_ emitter: EffectEmitter) {
        birth = emitter.birth
        fullHeight = emitter.appearance.size.maximum
        fullWidth = fullHeight * emitter.appearance.spriteAspect
        let motion = emitter.motion
        let life = motion.untilEnd ? 0 : motion.life.middle
        let (velocity, force) = Particle.carried(life, drag: motion.drag.middle)
        let speed = motion.speed.middle * EffectMath.sine(turns: motion.angle.middle / 360)
        rise = max(0, speed * velocity - motion.gravity.middle * force)
    }
}
