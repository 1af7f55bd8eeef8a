import Platform
import Raster
import Reactions

/// Computes which particles of an effect are on screen at a given time.
///
/// There is no step-by-step simulation. Times of birth are computed from the rates, and states from closed-form
/// equations of time. So the cost depends only on the living particles. ``ParticleRenderer`` creates one system for
/// each instance and frame.
struct ParticleSystem {
    let instance: EffectInstance
    let time: Double
    /// Width of the upright frame over its height.
    let aspectRatio: Double

    /// The outline of people, for emitters that are placed on the outline.
    private let outline: PeopleOutline?
    private let visibleEnd: Double
    /// The displacement of particles at the gesture, by which the effect's figure makes room for heads.
    private let shift: (x: Double, y: Double)
    /// The phase of the wind, in turns.
    private let wind: Double

    init(instance: EffectInstance, time: Double, aspectRatio: Double, outline: PeopleOutline? = nil) {
        self.outline = outline
        self.instance = instance
        self.time = time
        self.aspectRatio = aspectRatio
        visibleEnd = instance.visibleEnd(at: time)
        shift = HeadField(instance.heads, aspectRatio: aspectRatio).shift(of: instance, aspectRatio: aspectRatio)
        var random = SplitMix64(seed: SplitMix64.key(instance.seed, 0xA18))
        wind = random.uniform()
    }

    /// The factor of all sizes, below 1 on portrait frames, whose height is large relative to the width.
    var sizeScale: Double { Self.sizeScale(aspectRatio) }

    static func sizeScale(_ aspectRatio: Double) -> Double { min(1, aspectRatio / 0.8) }

    /// Adds the living particles in the order in which they are to be drawn.
    func collect(into particles: inout [Particle]) {
        for (index, emitter) in instance.description.emitters.enumerated() {
            let first = particles.count
            let key = SplitMix64.key(SplitMix64.key(instance.seed, 0x5EED), index)
            collect(emitter, key: key, parent: nil, from: instance.startTime, into: &particles)
            if emitter.burstsAgain {
                for renewal in instance.renewals {
                    let key = SplitMix64.key(key, Int(truncatingIfNeeded: renewal.burstTime.bitPattern))
                    collect(emitter, key: key, parent: nil, from: renewal.burstTime, into: &particles)
                }
            }
            if emitter.motion.perspective > 0 {
                // Far particles first.
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
        var random = SplitMix64(seed: key)
        let delay = birth.start.draw(random.uniform(), place: 0)
        let begin = start + delay
        let end = parent?.death ?? instance.endTime - birth.stop
        if time < begin { return }
        let reach = emitter.motion.untilEnd ? visibleEnd - begin : emitter.reach
        if let count = birth.count {
            if time > begin + birth.over + reach { return }
            let n = max(1, Int(count.rounded()))
            let step = Self.mixingStep(n)
            for i in 0..<n {
                // Places are evenly spaced but mixed, so that particles born one after the other are not next to each
                // other.
                let place = n > 1 ? Double(i * step % n) / Double(n - 1) : 0.5
                let interval = birth.over / Double(n)
                add(
                    emitter, key: SplitMix64.key(key, i), from: begin + interval * Double(i),
                    interval, place, i, parent, into: &particles)
            }
        } else {
            let rate = birth.rate
            let last = Int(((min(time, end) - begin) * rate).rounded(.down))
            let first = max(0, Int(((time - reach - begin) * rate).rounded(.down)) - 1)
            if first > last { return }
            for i in first...last {
                let moment = begin + Double(i) / rate
                guard moment < end, parent != nil || !hadEnded(birth, at: moment) else { continue }
                add(emitter, key: SplitMix64.key(key, i), from: moment, 1 / rate, 0.5, i, parent, into: &particles)
            }
        }
    }

    /// Returns whether a stream had ended at a given time because the effect was renewed only later.
    private func hadEnded(_ birth: EffectBirth, at moment: Double) -> Bool {
        instance.renewals.contains { $0.formerEnd - birth.stop <= moment && moment < $0.requestTime }
    }

    /// Returns a step near 0.38 n that has no common factor with n. The step's multiples modulo n visit each of 0..<n
    /// once.
    static func mixingStep(_ n: Int) -> Int {
        var step = max(1, Int(Double(n) * 0.382))
        func common(_ a: Int, _ b: Int) -> Int { b == 0 ? a : common(b, a % b) }
        while common(n, step) != 1 { step += 1 }
        return step
    }

    /// Adds one particle, if it is alive, and its descendants.
    private func add(
        _ emitter: EffectEmitter, key: UInt64, from earliest: Double, _ interval: Double,
        _ place: Double, _ index: Int, _ parent: Particle?, into particles: inout [Particle]
    ) {
        var random = SplitMix64(seed: key)
        let birth = earliest + interval * random.uniform()
        if time < birth { return }
        let life = emitter.motion.life.draw(random.uniform(), place: place)
        let death = emitter.motion.untilEnd ? visibleEnd - emitter.birth.stop : birth + life
        if emitter.children.isEmpty, time >= death { return }
        guard let particle = make(emitter, birth, death, place, index, parent, &random) else { return }
        for (index, child) in emitter.children.enumerated() {
            collect(
                child, key: SplitMix64.key(key, 1000 + index), parent: particle,
                from: child.when == .death ? death : birth, into: &particles)
        }
        if time < death { particles.append(particle) }
    }

    private func make(
        _ emitter: EffectEmitter, _ birth: Double, _ death: Double, _ place: Double, _ index: Int,
        _ parent: Particle?, _ random: inout SplitMix64
    ) -> Particle? {
        let motion = emitter.motion
        let appearance = emitter.appearance
        func draw(_ value: EffectValue) -> Double { value.draw(random.uniform(), place: place) }
        let depth = draw(motion.depth)
        let scale = 1 - motion.perspective * (1 - depth)
        let speed = draw(motion.speed) * scale
        let angle = draw(motion.angle)
        var (x, y) = emitter.birth.place(
            draw(emitter.birth.x), draw(emitter.birth.y), originX: instance.originX, originY: instance.originY,
            aspectRatio: aspectRatio)
        if emitter.birth.anchor == .gesture, shift != (0, 0) {
            (x, y) = emitter.birth.clamped((x + shift.x, y + shift.y), aspectRatio: aspectRatio)
        }
        if emitter.birth.anchor == .people {
            // Without a person at this place, no particle is emitted there.
            guard let top = outline?.top(at: x / aspectRatio) else { return nil }
            y += top
        }
        var vx = speed * EffectMath.cosine(turns: angle / 360)
        var vy = -speed * EffectMath.sine(turns: angle / 360)
        if let parent {
            let age = birth - parent.birth
            let p = parent.position(age: age)
            let v = parent.velocity(age: age)
            x = p.x + emitter.birth.x.draw(random.uniform(), place: place)
            y = p.y + emitter.birth.y.draw(random.uniform(), place: place)
            vx += v.x * motion.inherit
            vy += v.y * motion.inherit
        }
        // A burst assigns its colours evenly; a stream assigns them at random.
        let drawn = random.uniform()
        let choice = emitter.birth.count == nil ? Int(drawn * 1024) : index
        let colour: EffectColour
        if appearance.inheritColour, let parent {
            colour = parent.colour
        } else if appearance.colours.isEmpty {
            colour = .white
        } else {
            colour = appearance.colours[choice % appearance.colours.count]
        }
        return Particle(
            emitter: emitter, birth: birth, death: death, x: x, y: y, velocityX: vx, velocityY: vy,
            gravity: draw(motion.gravity) * scale, drag: draw(motion.drag), sway: draw(motion.sway) * scale,
            swayRate: draw(motion.swayRate), lean: draw(motion.lean), phase: random.uniform(),
            tilt: draw(motion.tilt), spin: draw(motion.spin), tumble: draw(motion.tumble),
            swing: draw(motion.swing), swingRate: draw(motion.swingRate),
            swingDamping: draw(motion.swingDamping), depth: depth, scale: scale,
            size: draw(appearance.size) * scale * sizeScale, aspect: draw(appearance.aspect),
            length: draw(appearance.length),
            trail: draw(appearance.trail), opacity: draw(appearance.opacity), twinkle: draw(appearance.twinkle),
            colour: colour, angle: angle, wobble: draw(motion.wobble),
            air: AirDrift(speed: draw(motion.gust) * scale, phase: wind, start: birth - instance.startTime))
    }
}

/// One particle: its random values at birth, from which its state at any time follows.
struct Particle {
    let emitter: EffectEmitter
    var birth: Double
    var death: Double
    /// The birthplace and motion, in heights of the frame, y down.
    var x, y, velocityX, velocityY, gravity, drag: Double
    var sway, swayRate, lean, phase: Double
    var tilt, spin, tumble: Double
    var swing, swingRate, swingDamping: Double
    var depth, scale: Double
    var size, aspect, length, trail, opacity, twinkle: Double
    var colour: EffectColour
    var angle: Double
    var wobble: Double
    var air: AirDrift

    /// Returns the factors that turn an initial velocity and a constant acceleration into distances, after `t` seconds
    /// with linear drag k. With c = (1 − e^−kt)/k they are c and (t − c)/k, with their limits for k → 0.
    static func carried(_ t: Double, drag k: Double) -> (velocity: Double, force: Double) {
        if k < 1e-3 { return (t, t * t / 2) }
        let f = (1 - EffectMath.decay(k * t)) / k
        return (f, (t - f) / k)
    }

    /// Returns the particle's place `age` seconds after its birth.
    func position(age: Double) -> (x: Double, y: Double) {
        let (f, g) = Self.carried(max(age, 0), drag: drag)
        var px = x + velocityX * f
        if sway > 0 {
            let begin = EffectMath.sine(turns: phase)
            px += sway * (EffectMath.sine(turns: swayRate * age + phase) - begin)
        }
        if air.speed > 0 { px += air.distance(age: max(age, 0)) }
        return (px, y + velocityY * f + gravity * g)
    }

    /// Returns the velocity in heights a second.
    func velocity(age: Double) -> (x: Double, y: Double) {
        let (f, _) = Self.carried(max(age, 0), drag: drag)
        let left = EffectMath.decay(drag * max(age, 0))
        return (velocityX * left + (air.speed > 0 ? air.velocity(age: age) : 0), velocityY * left + gravity * f)
    }

    /// Returns the rotation in the picture's plane, in degrees clockwise on screen.
    func turn(age: Double) -> Double {
        var degrees = tilt + spin * age
        if sway > 0, lean != 0 { degrees += lean * EffectMath.cosine(turns: swayRate * age + phase) }
        if swing != 0 { degrees += swinging(age: age) }
        return degrees
    }

    func swinging(age: Double) -> Double {
        swing * EffectMath.sine(turns: swingRate * age + (swingDamping > 0 ? 0 : phase))
            * EffectMath.decay(swingDamping * age)
    }

    /// Returns the factor of the size at an age: over the life, while growing and while shrinking.
    func growth(age: Double) -> Double {
        let appearance = emitter.appearance
        var s = EmitterAppearance.along(appearance.sizeOverLife, age / (death - birth))
        if appearance.grow > 0, age < appearance.grow { s *= Self.pop(age / appearance.grow, appearance.overshoot) }
        if appearance.shrink > 0 {
            let left = (death - birth - age) / appearance.shrink
            if left < 1 { s *= Self.pop(left, appearance.overshoot * 0.5) }
        }
        return max(s, 0)
    }

    /// Rises from 0 to 1 with an overshoot: Penner's "back" easing.
    static func pop(_ t: Double, _ overshoot: Double) -> Double {
        let c = overshoot * 8
        let u = min(max(t, 0), 1) - 1
        return 1 + (c + 1) * u * u * u + c * u * u
    }

    func visibility(age: Double) -> Double {
        let appearance = emitter.appearance
        let life = death - birth
        var o = opacity * EmitterAppearance.along(appearance.opacityOverLife, age / life)
        if appearance.fadeIn > 0 { o *= EffectMath.smooth(age / appearance.fadeIn) }
        if appearance.fadeOut > 0 { o *= EffectMath.smooth((life - age) / appearance.fadeOut) }
        if twinkle > 0 { o *= 0.65 + 0.35 * EffectMath.sine(turns: twinkle * age + phase) }
        return min(max(o, 0), 1)
    }
}

/// The drift of a particle in the wind of its effect: two waves, so that gusts come at uneven intervals.
struct AirDrift {
    /// The speed of the strongest gust, in heights a second.
    var speed: Double
    /// The wind's phase in turns, and its time at the particle's birth in seconds.
    var phase, start: Double

    /// The frequency of each wave in cycles a second, and its share of the speed.
    private static let slow = (rate: 0.23, share: 0.62), quick = (rate: 0.61, share: 0.38)

    func velocity(age: Double) -> Double {
        let t = start + age
        return speed
            * (Self.slow.share * EffectMath.sine(turns: Self.slow.rate * t + phase)
                + Self.quick.share * EffectMath.sine(turns: Self.quick.rate * t + 3 * phase))
    }

    /// Returns the distance since the particle's birth: the integral of the velocity.
    func distance(age: Double) -> Double {
        func travelled(_ t: Double) -> Double {
            let slow = Self.slow.share / Self.slow.rate * EffectMath.cosine(turns: Self.slow.rate * t + phase)
            let quick = Self.quick.share / Self.quick.rate * EffectMath.cosine(turns: Self.quick.rate * t + 3 * phase)
            return -(slow + quick) / (2 * Double.pi)
        }
        return speed * (travelled(start + age) - travelled(start))
    }
}

/// The upper outline of people, on which rain falls: heads and shoulders.
struct PeopleOutline {
    private static let columns = 96
    private static let rows = 96
    /// The minimum distance of the outline from the picture's top, in heights of the frame. A person nearer to the top
    /// counts as cut off.
    private static let minimum = 0.02

    /// The distance of the outline from the frame's top for each column, in heights of the frame; `nil` without a
    /// person, or if the person is cut off at the top.
    private let tops: [Double?]

    init(_ mask: BandMask, geometry: DisplayGeometry) {
        let toStored = geometry.uprightToStored
        tops = (0..<Self.columns).map { column in
            let x = (Double(column) + 0.5) / Double(Self.columns) * geometry.uprightWidth
            let row = (0..<Self.rows).first { row in
                let p = toStored.apply(x: x, y: (Double(row) + 0.5) / Double(Self.rows) * geometry.uprightHeight)
                return mask.isMostlyPerson(
                    p.x / Double(geometry.storedWidth), p.y / Double(geometry.storedHeight))
            }
            return row.map { (Double($0) + 0.5) / Double(Self.rows) }.flatMap { $0 < Self.minimum ? nil : $0 }
        }
    }

    /// Returns the distance of the outline from the frame's top, in heights of the frame; `nil` as in ``tops``.
    /// - Parameter x: The place, 0…1 of the frame's width.
    func top(at x: Double) -> Double? {
        let place = x * Double(Self.columns) - 0.5
        let column = Int(place.rounded(.down))
        guard tops.indices.contains(column), let left = tops[column] else { return nil }
        guard tops.indices.contains(column + 1), let right = tops[column + 1] else { return left }
        return EffectMath.mix(left, right, place - Double(column))
    }
}

extension SplitMix64 {
    /// Returns the key of a child of another key: the seed of its random numbers.
    ///
    /// The numbers of a particle depend only on the effect's seed, the emitter and the particle's index, never on earlier
    /// draws. So any frame can be drawn independently.
    static func key(_ parent: UInt64, _ index: Int) -> UInt64 {
        mixed(parent &+ UInt64(truncatingIfNeeded: index &+ 1) &* increment)
    }
}
