/// Where one hand is and what it does, over the whole call.
///
/// A track is a row of key states in the order of time. Between two of them the
/// hand travels smoothly; its fingers change shape late on the way up and early
/// on the way down, as people's do, so that a pose is never shown while the
/// hand is still far from its place.
struct HandTrack: Sendable {
    struct Key: Sendable {
        var time: Double
        /// The middle of the palm in pixels.
        var centre: SIMD2<Float>
        var palm: Float
        var shape: PuppetHandShape
        var bearing: HandBearing
        /// At rest the hand is out of the picture.
        var isRest: Bool
    }

    let isRight: Bool
    private(set) var keys: [Key] = []

    init(isRight: Bool) { self.isRight = isRight }

    /// Adds a pose: up by `time`, held, then down. Where the hand has not yet gone when
    /// it is wanted again, it goes straight from pose to pose.
    mutating func append(pose: Key, rest: Key, rise: Double, hold: Double, fall: Double) {
        var start = rest
        start.time = pose.time - rise
        if let last = keys.last, last.isRest, last.time > start.time {
            keys.removeLast()
        } else {
            keys.append(start)
        }
        keys.append(pose)
        var held = pose
        held.time += hold
        keys.append(held)
        var end = rest
        end.time = held.time + fall
        keys.append(end)
    }

    /// The hand at a time, or nil while it is at rest.
    func state(at time: Double, sway: SIMD2<Float>, swayTurn: Float) -> HandState? {
        guard let next = keys.firstIndex(where: { $0.time > time }), next > 0 else { return nil }
        let a = keys[next - 1]
        let b = keys[next]
        if a.isRest && b.isRest { return nil }
        let t = b.time > a.time ? Float((time - a.time) / (b.time - a.time)) : 1
        let travel = smoothstep(0, 1, t)
        let form = a.isRest ? smoothstep(0.35, 1, t) : (b.isRest ? smoothstep(0, 0.65, t) : travel)
        var bearing = a.bearing.blended(to: b.bearing, travel)
        bearing.roll += swayTurn
        return HandState(
            shape: a.shape.blended(to: b.shape, form), bearing: bearing,
            centre: a.centre + (b.centre - a.centre) * travel + sway,
            palm: mix(a.palm, b.palm, travel), isRight: isRight)
    }
}
