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
