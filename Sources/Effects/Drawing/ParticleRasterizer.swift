package import Raster
package import Reactions

/// Draws particles of an instance on a canvas: converts their state into shapes placed in stored pixels.
/// ``ParticleRenderer`` creates one for each instance and frame.
struct ParticleRasterizer {
    let time: Double
    /// The frame's height in upright pixels, the unit of all lengths.
    let unit: Double
    /// The transform from places in heights of the frame to stored pixels.
    let toStored: AffineTransform
    /// The frame's width in heights.
    let aspectRatio: Double
    /// The remaining share of the effect during its exit.
    private let fade: Double
    private let heads: HeadField

    init(geometry: DisplayGeometry, instance: EffectInstance, time: Double) {
        self.time = time
        unit = geometry.uprightHeight
        aspectRatio = geometry.aspectRatio
        fade = instance.exitFade(at: time)
        heads = HeadField(instance.heads, aspectRatio: geometry.aspectRatio)
        toStored = AffineTransform.scale(x: unit, y: unit).then(geometry.uprightToStored)
    }

    func draw(
        _ particle: Particle, _ sprites: EffectSprites, on canvas: inout BandCanvas
    ) throws(EffectError) {
        let age = time - particle.birth
        let opacity = particle.visibility(age: age) * fade
        let growth = particle.growth(age: age)
        if opacity < 0.004 || growth < 0.004 { return }
        let size = particle.size * growth
        var place = particle.position(age: age)
        if particle.emitter.motion.aside, !heads.isEmpty {
            place = heads.aside(place, half: (size * particle.aspect / 2, size / 2))
        }
        let state = State(
            age: age, opacity: opacity, size: size, place: place, turn: particle.turn(age: age),
            colour: colour(particle, age))
        if let glow = particle.emitter.appearance.glow {
            let size = state.size * glow.size
            lay(
                .glow(halo: 0.55), at: state.place, size, size, 0, state.colour,
                state.opacity * glow.opacity, light: 1, on: &canvas)
        }
        switch particle.emitter.appearance.shape {
        case .sprite: try drawSprite(particle, state, sprites, on: &canvas)
        case .paper, .coin: drawPaper(particle, state, on: &canvas)
        case .ribbon: drawRibbon(particle, state, on: &canvas)
        case .streak: drawStreak(particle, state, on: &canvas)
        case .beam: drawBeam(particle, state, on: &canvas)
        case .glow, .disc, .ring, .sparkle: drawSimple(particle, state, on: &canvas)
        }
    }

    /// A particle at the time of drawing. Lengths are in heights of the frame, the turn is in degrees.
    struct State {
        var age, opacity, size: Double
        var place: (x: Double, y: Double)
        var turn: Double
        var colour: EffectColour
    }

    private func colour(_ particle: Particle, _ age: Double) -> EffectColour {
        let appearance = particle.emitter.appearance
        var colour = particle.colour
        if appearance.heat > 0 {
            let left = 1 - age / (particle.death - particle.birth)
            colour = colour.mixed(with: .white, appearance.heat * left * left)
        }
        return appearance.shade > 0 ? colour.scaled(1 - appearance.shade * (1 - particle.depth)) : colour
    }

    /// Returns the transform from the square −1…1 to a box of the given size, rotated by `degrees` clockwise.
    func placement(
        _ place: (x: Double, y: Double), _ width: Double, _ height: Double, _ degrees: Double
    ) -> AffineTransform {
        placement(
            place, half: (width / 2, height / 2), cosine: EffectMath.cosine(turns: degrees / 360),
            sine: EffectMath.sine(turns: degrees / 360))
    }

    /// Returns the transform from the square −1…1 to a box, given half of its size and the direction of its u axis.
    private func placement(
        _ middle: (x: Double, y: Double), half: (u: Double, v: Double), cosine: Double, sine: Double
    ) -> AffineTransform {
        AffineTransform.scale(x: half.u, y: half.v)
            .then(.rotation(cosine: cosine, sine: sine))
            .then(.translation(x: middle.x, y: middle.y))
            .then(toStored)
    }

    /// Draws one shape.
    func lay(
        _ shape: BandShape, at place: (x: Double, y: Double), _ width: Double, _ height: Double,
        _ degrees: Double, _ colour: EffectColour, _ opacity: Double, light: Double,
        on canvas: inout BandCanvas
    ) {
        canvas.draw(
            shape, placed: placement(place, width, height, degrees),
            colour: BandColour(colour, opacity: opacity, light: light))
    }

    private func drawSimple(_ particle: Particle, _ state: State, on canvas: inout BandCanvas) {
        let appearance = particle.emitter.appearance
        let pixel = 1 / unit
        var size = state.size
        let half = max(size * unit / 2, 0.5)
        let shape: BandShape
        switch appearance.shape {
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
            light: appearance.light, on: &canvas)
    }
}

extension ParticleRasterizer {
    /// Draws a piece of paper, rectangular or round, that tumbles in space. The paper's face narrows as it turns away
    /// from the viewer, and reflects light from above and in front.
    func drawPaper(_ particle: Particle, _ state: State, on canvas: inout BandCanvas) {
        let appearance = particle.emitter.appearance
        let turns = particle.tumble * state.age + particle.phase
        let facing = EffectMath.cosine(turns: turns)
        let lit = EffectMath.cosine(turns: turns - 0.09)
        // The back is a darker shade; a glint appears when the face mirrors the light.
        let diffuse = facing >= 0 ? 0.68 + 0.32 * max(lit, 0) : 0.52 + 0.3 * max(-lit, 0)
        let glint = max(0, lit.magnitude - 0.93) * 14 * 0.6
        let colour = state.colour.scaled(diffuse).mixed(with: .white, glint)
        let width = state.size * particle.aspect
        let height = state.size * max(facing.magnitude, 0.1)
        let soft = softness(of: particle, state, turns: turns)
        let (slopeU, slopeV) = (Self.slope(width, soft.u), Self.slope(height, soft.v))
        let shape: BandShape =
            appearance.shape == .coin
            ? .disc(slope: Float(min(slopeU, slopeV))) : .paper(slopeU: Float(slopeU), slopeV: Float(slopeV))
        if appearance.shadow > 0 {
            let offset = (x: state.place.x + state.size * 0.2, y: state.place.y + state.size * 0.5)
            lay(
                .glow(halo: 0.8), at: offset, state.size * 2, state.size * 2, 0,
                .black, state.opacity * appearance.shadow, light: 0, on: &canvas)
        }
        lay(
            shape, at: state.place, width + soft.u, height + soft.v, state.turn, colour,
            state.opacity * min(1, width / soft.u) * min(1, height / soft.v), light: appearance.light, on: &canvas)
    }

    /// Returns the width of a paper's edges along its own axes, in heights of the frame. The width combines the lens
    /// blur, which grows out of focus, with the motion blur of the shutter time.
    ///
    /// Without this blur, an encoder would have to code hundreds of edges that are sharper than the camera's own.
    private func softness(of particle: Particle, _ state: State, turns: Double) -> (u: Double, v: Double) {
        let blur = particle.emitter.appearance.blur * (particle.depth - 0.6).magnitude * state.size * 0.25
        let lens = lensBlur + blur
        let velocity = particle.velocity(age: state.age)
        let (dx, dy) = (velocity.x * Self.shutter, velocity.y * Self.shutter)
        let cosine = EffectMath.cosine(turns: state.turn / 360), sine = EffectMath.sine(turns: state.turn / 360)
        let (along, across) = (dx * cosine + dy * sine, dy * cosine - dx * sine)
        let turning = state.size * EffectMath.sine(turns: turns) * 2 * Double.pi * particle.tumble * Self.shutter
        return (
            (lens * lens + along * along).squareRoot(),
            (lens * lens + across * across + turning * turning).squareRoot()
        )
    }

    /// Returns the `slope` of a ``BandShape``: half of the shape's width with its soft edges, divided by the width of
    /// an edge. An edge is at most as wide as the shape; callers make shapes with wider edges fainter instead.
    static func slope(_ size: Double, _ soft: Double) -> Double { (size + soft) / 2 / min(size, soft) }

    /// The width of an edge in the picture of an ordinary camera, in heights of the frame; at least one pixel.
    var lensBlur: Double { max(1.0 / 320, 1 / unit) }
    /// The simulated shutter time in seconds: half of a frame at 30 frames a second.
    private static let shutter = 1.0 / 60

    /// Draws a streak along the particle's path of the last `trail` seconds. A path that gravity, drag or wind bends is
    /// drawn in several straight pieces.
    func drawStreak(_ particle: Particle, _ state: State, on canvas: inout BandCanvas) {
        let begin = max(0, state.age - particle.trail)
        let tail = particle.position(age: begin)
        let middle = particle.position(age: (begin + state.age) / 2)
        let (bendX, bendY) = (middle.x - (tail.x + state.place.x) / 2, middle.y - (tail.y + state.place.y) / 2)
        let bend = (bendX * bendX + bendY * bendY).squareRoot() * unit
        // The distance between a curve and its chords falls with the square of their number.
        let pieces = bend <= Self.bend ? 1 : min(Self.pieces, Int((bend / Self.bend).squareRoot().rounded(.up)))
        let fading = min(1, particle.aspect)
        func brightness(_ piece: Int) -> Double {
            let share = Double(piece) / Double(pieces)
            return 1 - fading * (1 - share * share)
        }
        // A streak thinner than two pixels would flicker, so its brightness is reduced instead of its width.
        let thickness = max(state.size, 2.2 / unit)
        let faint = min(1, state.size / thickness)
        var from = tail
        for piece in 1...pieces {
            let to =
                piece == pieces
                ? state.place
                : particle.position(age: EffectMath.mix(begin, state.age, Double(piece) / Double(pieces)))
            let (before, after) = (brightness(piece - 1), brightness(piece))
            let (dx, dy) = (to.x - from.x, to.y - from.y)
            let flown = (dx * dx + dy * dy).squareRoot()
            let (cosine, sine) = flown > 1e-9 ? (dx / flown, dy / flown) : (1, 0)
            // The rounded ends of neighbouring pieces overlap by half, so that their sum is even.
            let first = thickness * (piece == 1 ? 0.5 : 0.25), last = thickness * (piece == pieces ? 0.5 : 0.25)
            let length = flown + first + last
            let offset = (last - first) / 2
            canvas.draw(
                .streak(tail: Float(1 - before / max(after, 1e-6)), slope: Float(length / thickness)),
                placed: placement(
                    ((from.x + to.x) / 2 + cosine * offset, (from.y + to.y) / 2 + sine * offset),
                    half: (length / 2, thickness / 2), cosine: cosine, sine: sine),
                colour: BandColour(
                    state.colour, opacity: state.opacity * faint * after, light: particle.emitter.appearance.light))
            from = to
        }
    }

    /// The distance in pixels by which the drawn path of a streak may deviate from a curve, and the maximum number of its
    /// pieces.
    private static let bend = 0.8, pieces = 5

    /// Draws a beam from the particle's place along its angle: a wide soft glow with a bright core.
    func drawBeam(_ particle: Particle, _ state: State, on canvas: inout BandCanvas) {
        let degrees = particle.angle + particle.swinging(age: state.age)
        let cosine = EffectMath.cosine(turns: degrees / 360)
        let sine = -EffectMath.sine(turns: degrees / 360)
        let length = particle.length
        let phase = particle.phase * 8 - state.age * 0.35 + 16
        let core = max(state.size * 0.1, 5 / unit)
        let white = state.colour.mixed(with: .white, 0.8)
        let middle = (x: state.place.x + cosine * length / 2, y: state.place.y + sine * length / 2)
        func placement(_ width: Double) -> AffineTransform {
            self.placement(middle, half: (length / 2, width / 2), cosine: cosine, sine: sine)
        }
        func light(_ colour: EffectColour, _ opacity: Double) -> BandColour {
            BandColour(colour, opacity: opacity, light: 1)
        }
        canvas.draw(
            .beam(spread: 0.4, phase: Float(phase)), placed: placement(max(state.size, 8 / unit)),
            colour: light(state.colour, state.opacity))
        // Reversed, so that the streak, which fades toward its tail, is brightest at the particle's place.
        canvas.draw(
            .streak(tail: 1, slope: Float(length / core)),
            placed: AffineTransform.scale(x: -1, y: 1).then(placement(core)),
            colour: light(white, state.opacity * 0.9))
    }

    func drawSprite(
        _ particle: Particle, _ state: State, _ sprites: EffectSprites, on canvas: inout BandCanvas
    ) throws(EffectError) {
        let appearance = particle.emitter.appearance
        guard let name = appearance.sprite else { return }
        let film = try sprites.sprite(
            name, pixels: particle.emitter.spritePixels(unit: unit),
            colour: appearance.colours.isEmpty && !appearance.inheritColour ? nil : particle.colour)
        let sprite = film.frame(age: appearance.plays ? state.age : 0)
        if let string = appearance.string { drawString(string, particle, state, on: &canvas) }
        let squash = particle.wobble * EffectMath.sine(turns: particle.swayRate * 1.7 * state.age + particle.phase)
        let height = state.size * (1 - squash)
        let width = state.size * (1 + squash) * Double(sprite.width) / Double(sprite.height) * particle.aspect
        let place = kept(particle.emitter, state, width: width, height: height)
        if appearance.shadow > 0 {
            let offset = (x: place.x + state.size * 0.03, y: place.y + state.size * 0.07)
            lay(
                .glow(halo: 0.9), at: offset, width * 1.5, state.size * 1.5, state.turn,
                .black, state.opacity * appearance.shadow, light: 0, on: &canvas)
        }
        canvas.draw(
            sprite, placed: placement(place, width, height, state.turn), opacity: state.opacity,
            brightness: 1 - appearance.shade * (1 - particle.depth),
            blur: appearance.blur * (particle.depth - 0.6).magnitude)
    }

    /// Returns the place of a sprite at which it is inside of the picture: of texts and sprites with an `inside`, the
    /// left and right ends; of an effect's single figure also the upper and lower ones.
    private func kept(
        _ emitter: EffectEmitter, _ state: State, width: Double, height: Double
    ) -> (x: Double, y: Double) {
        guard emitter.appearance.text != nil || emitter.birth.inside != nil else { return state.place }
        let sine = EffectMath.sine(turns: state.turn / 360).magnitude
        let cosine = EffectMath.cosine(turns: state.turn / 360).magnitude
        var place = state.place
        place.x = EffectMargins.clamp(place.x, (width * cosine + height * sine) / 2, below: aspectRatio)
        if emitter.isFigure {
            place.y = EffectMargins.clamp(place.y, (width * sine + height * cosine) / 2, below: 1)
        }
        return place
    }

    /// Draws a string that hangs from the sprite's foot and follows its sideways movement with a delay.
    private func drawString(
        _ string: EffectString, _ particle: Particle, _ state: State, on canvas: inout BandCanvas
    ) {
        let sine = EffectMath.sine(turns: state.turn / 360)
        let cosine = EffectMath.cosine(turns: state.turn / 360)
        let reach = state.size * 0.49
        let knot = (x: state.place.x - sine * reach, y: state.place.y + cosine * reach)
        let segments = 9
        let width = max(string.width * state.size, 2 / unit)
        var last = knot
        for i in 1...segments {
            let s = Double(i) / Double(segments)
            let past = particle.position(age: state.age - s * 0.5)
            let wave = EffectMath.sine(turns: s * 1.1 - state.age * 0.6 + particle.phase)
            let point = (
                x: knot.x + (past.x - state.place.x) * s + wave * 0.05 * s * state.size,
                y: knot.y + s * string.length * state.size
            )
            let (dx, dy) = (point.x - last.x, point.y - last.y)
            let length = (dx * dx + dy * dy).squareRoot()
            if length > 1e-9 {
                canvas.draw(
                    .streak(tail: 0, slope: Float(length / width)),
                    placed: placement(
                        ((point.x + last.x) / 2, (point.y + last.y) / 2), half: ((length + width * 0.4) / 2, width / 2),
                        cosine: dx / length, sine: dy / length),
                    colour: BandColour(string.colour, opacity: state.opacity * (1 - 0.5 * s)))
            }
            last = point
        }
    }
}

extension ParticleRasterizer {
    /// Draws a paper streamer that follows its particle's path and curls around the path like a spring.
    ///
    /// The ribbon consists of short pieces of paper. A piece becomes narrower where the spring turns the ribbon's edge
    /// to the viewer. The ribbon is lit like other paper: from above, with the back darker than the face.
    func drawRibbon(_ particle: Particle, _ state: State, on canvas: inout BandCanvas) {
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
                // Each piece is slightly longer than its share, so that no gaps open in the curves.
                let half = (u: length / 2 + thick * 0.16, v: (thick + soft) / 2)
                let colour = state.colour.scaled(facing > 0 ? 0.72 + 0.28 * facing : 0.66 + 0.2 * facing)
                canvas.draw(
                    .paper(slopeU: Float(half.u * unit), slopeV: Float(Self.slope(thick, soft))),
                    placed: placement(
                        ((from.x + to.x) / 2, (from.y + to.y) / 2), half: half, cosine: dx / length, sine: dy / length),
                    colour: BandColour(
                        colour, opacity: state.opacity * min(1, thick / soft),
                        light: particle.emitter.appearance.light))
            }
            from = to
        }
    }
}

extension BandColour {
    /// - Parameter light: 0 for matter, which hides its ground; 1 for pure light.
    package init(_ colour: EffectColour, opacity: Double, light: Double = 0) {
        self.init(red: colour.red, green: colour.green, blue: colour.blue, opacity: opacity, light: light)
    }
}
