import Raster
import Reactions

/// Draws particles: from state to placed shapes in stored pixels.
struct EffectPen {
    let time: Double
    /// Upright pixels in the frame's height, the unit of all lengths.
    let unit: Double
    /// From heights to stored pixels.
    let toStored: AffineTransform

    init(geometry: DisplayGeometry, time: Double) {
        self.time = time
        unit = geometry.uprightHeight
        toStored = AffineTransform.scale(x: unit, y: unit).then(geometry.uprightToStored)
    }

    func draw(
        _ particle: Particle, fade: Double, _ sprites: inout EffectSprites, on canvas: inout TileCanvas
    ) throws(EffectError) {
        let age = time - particle.birth
        let opacity = particle.visibility(age: age) * fade
        let growth = particle.growth(age: age)
        if opacity < 0.004 || growth < 0.004 { return }
        let state = State(
            age: age, opacity: opacity, size: particle.size * growth,
            place: particle.position(age: age), turn: particle.turn(age: age), colour: colour(particle, age))
        if let glow = particle.emitter.look.glow {
            let size = state.size * glow.size
            lay(
                .glow(halo: 0.55), at: state.place, size, size, 0, state.colour,
                state.opacity * glow.opacity, light: 1, on: &canvas)
        }
        switch particle.emitter.look.shape {
        case .sprite: try drawSprite(particle, state, &sprites, on: &canvas)
        case .paper, .coin: drawPaper(particle, state, on: &canvas)
        case .ribbon: drawRibbon(particle, state, on: &canvas)
        case .streak: drawStreak(particle, state, on: &canvas)
        case .beam: drawBeam(particle, state, on: &canvas)
        case .glow, .disc, .ring, .sparkle: drawSimple(particle, state, on: &canvas)
        }
    }

    /// A particle at the time of drawing, lengths in heights.
    struct State {
        var age, opacity, size: Double
        var place: (x: Double, y: Double)
        var turn: Double
        var colour: EffectColour
    }

    private func colour(_ particle: Particle, _ age: Double) -> EffectColour {
        let look = particle.emitter.look
        var colour = particle.colour
        if look.heat > 0 {
            let left = 1 - age / (particle.death - particle.birth)
            colour = colour.mixed(with: .white, look.heat * left * left)
        }
        return look.shade > 0 ? colour.scaled(1 - look.shade * (1 - particle.depth)) : colour
    }

    /// Carries the square −1…1 to a box of the given size, turned by `degrees` clockwise.
    func placement(
        _ place: (x: Double, y: Double), _ width: Double, _ height: Double, _ degrees: Double
    ) -> AffineTransform {
        AffineTransform.scale(x: width / 2, y: height / 2)
            .then(
                .rotation(
                    cosine: EffectMath.cosine(turns: degrees / 360), sine: EffectMath.sine(turns: degrees / 360))
            )
            .then(.translation(x: place.x, y: place.y))
            .then(toStored)
    }

    /// Lays one shape down.
    func lay(
        _ shape: TileShape, at place: (x: Double, y: Double), _ width: Double, _ height: Double,
        _ degrees: Double, _ colour: EffectColour, _ opacity: Double, light: Double,
        on canvas: inout TileCanvas
    ) {
        canvas.draw(
            shape, placed: placement(place, width, height, degrees),
            colour: TileColour(
                red: colour.red, green: colour.green, blue: colour.blue, opacity: opacity, light: light))
    }

    private func drawSimple(_ particle: Particle, _ state: State, on canvas: inout TileCanvas) {
        let look = particle.emitter.look
        let pixel = 1 / unit
        var size = state.size
        let half = max(size * unit / 2, 0.5)
        let shape: TileShape
        switch look.shape {
        case .disc:
            shape = .disc(slope: Float(half + 0.5))
            size += pixel
        case .ring: shape = .ring(radius: 0.8, slope: 6)
        case .sparkle: shape = .sparkle
        default: shape = .glow(halo: 0.3)
        }
        size = max(size, 2 * pixel)
        lay(
            shape, at: state.place, size * particle.aspect, size, state.turn, state.colour, state.opacity,
            light: look.light, on: &canvas)
    }
}
