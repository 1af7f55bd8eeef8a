import Raster
import Reactions

extension EffectPen {
    /// A paper streamer that follows its particle's way and curls about it like a spring.
    ///
    /// It is laid in short pieces of paper. Each narrows where the spring turns its edge to
    /// the viewer and is lit like the other paper: from above, the back darker than the face.
    func drawRibbon(_ particle: Particle, _ state: State, on canvas: inout TileCanvas) {
        let segments = 28
        let velocity = particle.velocity(age: state.age)
        let speed = max((velocity.x * velocity.x + velocity.y * velocity.y).squareRoot(), 1e-6)
        let step = min(particle.trail, particle.length * particle.scale / speed) / Double(segments)
        let width = max(state.size, 2 / unit)
        let across = (x: -velocity.y / speed, y: velocity.x / speed)
        func point(_ i: Int) -> (x: Double, y: Double, facing: Double) {
            let s = Double(i) / Double(segments)
            let turns = s * 2.4 + particle.phase - particle.tumble * state.age
            let p = particle.position(age: max(0, state.age - step * Double(i)))
            let curl = EffectMath.sine(turns: turns) * state.size * (0.5 + 1.1 * s)
            return (p.x + across.x * curl, p.y + across.y * curl, EffectMath.cosine(turns: turns))
        }
        var from = point(0)
        for i in 1...segments {
            let to = point(i)
            let (dx, dy) = (to.x - from.x, to.y - from.y)
            let length = (dx * dx + dy * dy).squareRoot()
            let facing = (from.facing + to.facing) / 2
            if length > 1e-9 {
                let thick = width * (0.3 + 0.7 * facing.magnitude)
                let soft = lensBlur
                // A little longer than its share, so that no gaps open in the curves.
                let placement = AffineTransform.scale(x: length / 2 + thick * 0.16, y: (thick + soft) / 2)
                    .then(.rotation(cosine: dx / length, sine: dy / length))
                    .then(.translation(x: (from.x + to.x) / 2, y: (from.y + to.y) / 2))
                    .then(toStored)
                let colour = state.colour.scaled(facing > 0 ? 0.72 + 0.28 * facing : 0.66 + 0.2 * facing)
                canvas.draw(
                    .paper(slopeU: Float((length / 2 + thick * 0.16) * unit), slopeV: Float(Self.slope(thick, soft))),
                    placed: placement,
                    colour: TileColour(
                        red: colour.red, green: colour.green, blue: colour.blue,
                        opacity: state.opacity * min(1, thick / soft),
                        light: particle.emitter.look.light))
            }
            from = to
        }
    }
}
