import Reactions

/// One particle: everything it drew at birth, from which its state at any time follows.
struct Particle {
    let emitter: EffectEmitter
    var birth: Double
    var death: Double
    /// In heights of the frame, y down.
    var x, y, velocityX, velocityY, gravity, drag: Double
    var sway, swayRate, lean, phase: Double
    var tilt, spin, tumble: Double
    var swing, swingRate, swingDamping: Double
    var depth, scale: Double
    var size, aspect, length, trail, opacity, twinkle: Double
    var colour: EffectColour
    var angle: Double
    var wobble: Double

    /// How a velocity and a steady force carry after `t` seconds of linear drag k:
    /// (1 − e^−kt)/k and (t − that)/k, with their limits for k → 0.
    static func carried(_ t: Double, drag k: Double) -> (velocity: Double, force: Double) {
        if k < 1e-3 { return (t, t * t / 2) }
        let f = (1 - EffectMath.decay(k * t)) / k
        return (f, (t - f) / k)
    }

    /// Where the particle is `age` seconds after its birth.
    func position(age: Double) -> (x: Double, y: Double) {
        let (f, g) = Self.carried(max(age, 0), drag: drag)
        var px = x + velocityX * f
        if sway > 0 {
            let begin = EffectMath.sine(turns: phase)
            px += sway * (EffectMath.sine(turns: swayRate * age + phase) - begin)
        }
        return (px, y + velocityY * f + gravity * g)
    }

    /// Heights a second.
    func velocity(age: Double) -> (x: Double, y: Double) {
        let (f, _) = Self.carried(max(age, 0), drag: drag)
        let left = EffectMath.decay(drag * max(age, 0))
        return (velocityX * left, velocityY * left + gravity * f)
    }

    /// The turn in the picture's plane, in degrees clockwise on screen.
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

    /// Size after growing and shrinking, as a factor.
    func growth(age: Double) -> Double {
        let look = emitter.look
        var s = EmitterLook.along(look.sizeOverLife, age / (death - birth))
        if look.grow > 0, age < look.grow { s *= Self.pop(age / look.grow, look.overshoot) }
        if look.shrink > 0 {
            let left = (death - birth - age) / look.shrink
            if left < 1 { s *= Self.pop(left, look.overshoot * 0.5) }
        }
        return max(s, 0)
    }

    /// From 0 to 1 with an overshoot: Penner's "back" easing.
    static func pop(_ t: Double, _ overshoot: Double) -> Double {
        let c = overshoot * 8
        let u = min(max(t, 0), 1) - 1
        return 1 + (c + 1) * u * u * u + c * u * u
    }

    func visibility(age: Double) -> Double {
        let look = emitter.look
        let life = death - birth
        var o = opacity * EmitterLook.along(look.opacityOverLife, age / life)
        if look.fadeIn > 0 { o *= EffectMath.smooth(age / look.fadeIn) }
        if look.fadeOut > 0 { o *= EffectMath.smooth((life - age) / look.fadeOut) }
        if twinkle > 0 { o *= 0.65 + 0.35 * EffectMath.sine(turns: twinkle * age + phase) }
        return min(max(o, 0), 1)
    }
}
