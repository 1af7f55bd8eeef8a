import Reactions

/// Finds the particles of an effect that are on screen at a time.
///
/// Nothing is simulated step by step: births follow from the rates, states from
/// closed forms, so the cost is that of the particles alive.
struct ParticleSystem {
    let instance: EffectInstance
    let time: Double
    /// Width of the upright frame over its height.
    let aspectRatio: Double

    /// Where people are, for emitters that stand on them.
    private let outline: PeopleOutline?
    private let visibleEnd: Double

    init(instance: EffectInstance, time: Double, aspectRatio: Double, outline: PeopleOutline? = nil) {
        self.outline = outline
        self.instance = instance
        self.time = time
        self.aspectRatio = aspectRatio
        visibleEnd = instance.visibleEnd(at: time)
    }

    /// Sizes shrink on narrow (portrait) frames, where a height is long for the width.
    var sizeScale: Double { Self.sizeScale(aspectRatio) }

    static func sizeScale(_ aspectRatio: Double) -> Double { min(1, aspectRatio / 0.8) }

    /// Adds the living particles in the order in which they are to be drawn.
    func collect(into particles: inout [Particle]) {
        for (index, emitter) in instance.description.emitters.enumerated() {
            let first = particles.count
            let key = EffectRandom.key(EffectRandom.key(instance.seed, 0x5EED), index)
            collect(emitter, key: key, parent: nil, from: instance.startTime, into: &particles)
            if emitter.burstsAgain {
                for renewal in instance.renewals {
                    let key = EffectRandom.key(key, Int(truncatingIfNeeded: renewal.burstTime.bitPattern))
                    collect(emitter, key: key, parent: nil, from: renewal.burstTime, into: &particles)
                }
            }
            if emitter.motion.perspective > 0 {
                // Far ones first.
                let sorted = particles[first...].enumerated().sorted {
                    ($0.element.depth, $0.offset) < ($1.element.depth, $1.offset)
                }
                particles.replaceSubrange(first..., with: sorted.map(\.element))
            }
        }
    }

    private func collect(
        _ emitter: EffectEmitter, key: UInt64, parent: Particle?, from start: Double,
        into particles: inout [Particle]
    ) {
        let birth = emitter.birth
        var random = EffectRandom(key: key)
        let delay = birth.start.draw(random.next(), place: 0)
        let begin = start + delay
        let end = parent?.death ?? instance.endTime - birth.stop
        if time < begin { return }
        let reach = emitter.motion.untilEnd ? visibleEnd - begin : emitter.reach
        if let count = birth.count {
            if time > begin + birth.over + reach { return }
            let n = max(1, Int(count.rounded()))
            let step = Self.mixingStep(n)
            for i in 0..<n {
                // Even places in a mixed order, so that place and time of birth do not go together.
                let place = n > 1 ? Double(i * step % n) / Double(n - 1) : 0.5
                let interval = birth.over / Double(n)
                add(
                    emitter, key: EffectRandom.key(key, i), from: begin + interval * Double(i),
                    interval, place, i, parent, into: &particles)
            }
        } else {
            let rate = birth.rate
            let last = Int(((min(time, end) - begin) * rate).rounded(.down))
            let first = max(0, Int(((time - reach - begin) * rate).rounded(.down)) - 1)
            if first > last { return }
            for i in first...last {
                let moment = begin + Double(i) / rate
                guard moment < end, parent != nil || !hadCeased(birth, at: moment) else { continue }
                add(emitter, key: EffectRandom.key(key, i), from: moment, 1 / rate, 0.5, i, parent, into: &particles)
            }
        }
    }

    /// Whether a stream had ceased at a moment, since nobody had asked yet for the effect to go on.
    private func hadCeased(_ birth: EffectBirth, at moment: Double) -> Bool {
        instance.renewals.contains { $0.formerEnd - birth.stop <= moment && moment < $0.requestTime }
    }

    /// A step near 0.38 n that has no factor in common with n: multiples of it visit 0..<n once.
    static func mixingStep(_ n: Int) -> Int {
        var step = max(1, Int(Double(n) * 0.382))
        func common(_ a: Int, _ b: Int) -> Int { b == 0 ? a : common(b, a % b) }
        while common(n, step) != 1 { step += 1 }
        return step
    }

    /// Adds one particle, if it lives, and what springs from it.
    private func add(
        _ emitter: EffectEmitter, key: UInt64, from earliest: Double, _ interval: Double,
        _ place: Double, _ index: Int, _ parent: Particle?, into particles: inout [Particle]
    ) {
        var random = EffectRandom(key: key)
        let birth = earliest + interval * random.next()
        if time < birth { return }
        let life = emitter.motion.life.draw(random.next(), place: place)
        let death = emitter.motion.untilEnd ? visibleEnd - emitter.birth.stop : birth + life
        if emitter.children.isEmpty, time >= death { return }
        guard let particle = make(emitter, birth, death, place, index, parent, &random) else { return }
        for (index, child) in emitter.children.enumerated() {
            collect(
                child, key: EffectRandom.key(key, 1000 + index), parent: particle,
                from: child.when == .death ? death : birth, into: &particles)
        }
        if time < death { particles.append(particle) }
    }

    private func make(
        _ emitter: EffectEmitter, _ birth: Double, _ death: Double, _ place: Double, _ index: Int,
        _ parent: Particle?, _ random: inout EffectRandom
    ) -> Particle? {
        let motion = emitter.motion
        let look = emitter.look
        func draw(_ value: EffectValue) -> Double { value.draw(random.next(), place: place) }
        let depth = draw(motion.depth)
        let scale = 1 - motion.perspective * (1 - depth)
        let speed = draw(motion.speed) * scale
        let angle = draw(motion.angle)
        var (x, y) = emitter.birth.place(
            draw(emitter.birth.x), draw(emitter.birth.y), originX: instance.originX, originY: instance.originY,
            aspectRatio: aspectRatio)
        if emitter.birth.anchor == .people {
            // Where nobody is, nothing falls on anybody.
            guard let top = outline?.top(at: x / aspectRatio) else { return nil }
            y += top
        }
        var vx = speed * EffectMath.cosine(turns: angle / 360)
        var vy = -speed * EffectMath.sine(turns: angle / 360)
        if let parent {
            let age = birth - parent.birth
            let p = parent.position(age: age)
            let v = parent.velocity(age: age)
            x = p.x + emitter.birth.x.draw(random.next(), place: place)
            y = p.y + emitter.birth.y.draw(random.next(), place: place)
            vx += v.x * motion.inherit
            vy += v.y * motion.inherit
        }
        // A burst deals its colours out evenly, a stream draws them.
        let drawn = random.next()
        let choice = emitter.birth.count == nil ? Int(drawn * 1024) : index
        let colour: EffectColour
        if look.inheritColour, let parent {
            colour = parent.colour
        } else if look.colours.isEmpty {
            colour = .white
        } else {
            colour = look.colours[choice % look.colours.count]
        }
        return Particle(
            emitter: emitter, birth: birth, death: death, x: x, y: y, velocityX: vx, velocityY: vy,
            gravity: draw(motion.gravity) * scale, drag: draw(motion.drag), sway: draw(motion.sway) * scale,
            swayRate: draw(motion.swayRate), lean: draw(motion.lean), phase: random.next(),
            tilt: draw(motion.tilt), spin: draw(motion.spin), tumble: draw(motion.tumble),
            swing: draw(motion.swing), swingRate: draw(motion.swingRate),
            swingDamping: draw(motion.swingDamping), depth: depth, scale: scale,
            size: draw(look.size) * scale * sizeScale, aspect: draw(look.aspect), length: draw(look.length),
            trail: draw(look.trail), opacity: draw(look.opacity), twinkle: draw(look.twinkle),
            colour: colour, angle: angle, wobble: draw(motion.wobble))
    }
}
