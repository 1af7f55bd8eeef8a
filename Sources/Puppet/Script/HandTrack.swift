/// The place and shape of one hand over the whole call.
///
/// A track is a sequence of key states by time. The hand moves smoothly between two key states. The fingers change
/// shape late when the hand is raised, and early when it is lowered, as people's fingers do. A pose is therefore never
/// shown while the hand is far from its place.
struct HandTrack: Sendable {
    struct Key: Sendable {
        var time: Double
        /// The middle of the palm in pixels.
        var centre: SIMD2<Float>
        var palm: Float
        var shape: PuppetHandShape
        var bearing: HandBearing
        /// True if the hand is at rest, below the picture.
        var isRest: Bool
    }

    let isRight: Bool
    private(set) var keys: [Key] = []

    init(isRight: Bool) { self.isRight = isRight }

    /// Adds a pose: the hand is raised by `time`, held, and then lowered. A hand that is needed again before it is
    /// lowered moves straight from pose to pose.
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

    /// Returns the hand at a time, or nil while it is at rest.
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

extension HandTrack {
    /// Creates the track of one hand through a script.
    init(script: PuppetScript, isRight: Bool) {
        self.init(isRight: isRight)
        for cue in script.cues.sorted(by: { $0.time < $1.time }) {
            guard cue.hands == .both || (cue.hands == .right) == isRight else { continue }
            let pose = Self.key(of: cue, in: script, isRight: isRight)
            var rest = pose
            rest.isRest = true
            rest.shape = .relaxed
            rest.bearing = HandBearing(roll: pose.bearing.roll * 0.3, forearm: -92)
            rest.centre = [
                mix(pose.centre.x, Float(script.width) * (isRight ? 0.30 : 0.70), 0.5),
                Float(script.height) + 1.9 * pose.palm,
            ]
            let hold = isRight && cue.hands == .both ? cue.rightHold ?? cue.hold : cue.hold
            append(
                pose: pose, rest: rest, rise: cue.riseTime, hold: hold, fall: cue.fallTime)
        }
    }

    private static func key(of cue: PuppetCue, in script: PuppetScript, isRight: Bool) -> Key {
        let width = Float(script.width)
        let height = Float(script.height)
        let palm = Float(cue.size ?? PuppetCue.usualSize) * height
        var bearing = cue.pose.bearing
        bearing.roll += Float(cue.turn ?? 0)
        bearing.yaw += Float(cue.yaw ?? 0)
        bearing.pitch += Float(cue.pitch ?? 0)
        let place = cue.place ?? cue.pose.usualPlace
        var centre = SIMD2<Float>(Float(place.first ?? 0.5) * width, Float(place.last ?? 0.5) * height)
        let shape = cue.pose.shape
        if cue.pose == .heart {
            let half = HeartHalf(shape: shape, bearing: bearing, palm: palm)
            bearing = half.bearing
            centre = [centre.x + half.offset.x, centre.y + half.offset.y]
            if isRight { centre.x = 2 * Float(place.first ?? 0.5) * width - centre.x }
        } else if isRight, cue.hands == .both || cue.place == nil {
            centre.x = width - centre.x
        }
        return Key(
            time: cue.time, centre: centre, palm: palm, shape: shape, bearing: bearing, isRest: false)
    }
}

/// The orientation and place of the left hand of a heart. The tips of its index finger and thumb are on the heart's
/// middle line, where they touch the right hand, its mirror image.
private struct HeartHalf {
    var bearing: HandBearing
    /// The offset from the heart's middle to the palm's, in pixels.
    var offset: SIMD2<Float>

    init(shape: PuppetHandShape, bearing: HandBearing, palm: Float) {
        var state = HandState(shape: shape, bearing: bearing, centre: [0, 0], palm: palm, isRight: false)
        state.bearing.roll = 0
        let joints = state.joints
        // Fingertips are round, so the tips touch if their centres are slightly apart.
        let thumb = joints[4]
        let index = joints[8]
        // The direction on screen from the thumb's tip to the index finger's; straight up is (0, −1).
        let lean = arcTangent(index.x - thumb.x, thumb.y - index.y)
        state.bearing.roll = lean * (180 / Float.pi) + bearing.roll
        let turned = state.joints
        self.bearing = state.bearing
        let touch = 0.075 * palm
        offset = [
            touch - (turned[4].x + turned[8].x) * 0.5, -(turned[4].y + turned[8].y) * 0.5,
        ]
    }
}

extension PuppetCue {
    static let usualSize = 0.19
    var riseTime: Double { rise ?? 0.5 }
    var fallTime: Double { fall ?? 0.5 }
}

extension PuppetPose {
    /// The default place of the left hand, or of the middle of a heart, in fractions of the picture.
    var usualPlace: [Double] {
        switch self {
        case .thumbUp: [0.77, 0.58]
        case .thumbDown: [0.71, 0.60]
        case .heart: [0.5, 0.70]
        case .chin: [0.56, 0.62]
        default: [0.745, 0.54]
        }
    }
}
