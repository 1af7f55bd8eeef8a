import Raster
import Reactions

/// The view of a virtual camera: the middle of the shown part, and its size, as shares of the picture's width and height.
struct CameraView: Sendable, Hashable {
    var x: Double
    var y: Double
    /// The share of the width, and of the height; 1 for the whole picture.
    var size: Double

    static let whole = CameraView(x: 0.5, y: 0.5, size: 1)

    /// The view of the same size within the picture.
    var inside: CameraView {
        let size = min(size, 1), half = size / 2
        return CameraView(x: min(max(x, half), 1 - half), y: min(max(y, half), 1 - half), size: size)
    }

    var crop: PictureCrop { PictureCrop(x: x - size / 2, y: y - size / 2, width: size, height: size) }
}

/// The pace of a virtual camera.
struct CameraPace: Sendable, Hashable {
    /// The natural frequency of the critically damped spring, in radians a second. It is within 1 % of a new place after
    /// 6.6 divided by it.
    var frequency: Double
    /// The limit of speed, in shares of the picture a second. The middle of a picture of 30 frames a second moves by at
    /// most a thirtieth of it.
    var speed: Double
    /// The limit of acceleration, in shares of the picture a second squared. It is above `frequency` · `speed` / e, the
    /// most that the spring needs to brake, so that it does not overshoot.
    var acceleration: Double

    /// The pace of following people.
    static let following = CameraPace(frequency: 7, speed: 0.8, acceleration: 2.5)
    /// The pace of opening after people have left.
    static let opening = CameraPace(frequency: 1.5, speed: 0.15, acceleration: 0.3)
}

/// A virtual camera that is pointed at people. It rests while they sit still, follows them smoothly when they move, and
/// cuts with the scene.
///
/// It has no clock and no input but the times and views it is given: equal calls give equal views.
///
/// ```
///  wanted ─▶ dead zone ─▶ ramp between detections ─▶ critically damped spring ─▶ view
/// ```
struct FramingCamera: Sendable {
    private var x = CameraAxis(0.5), y = CameraAxis(0.5), size = CameraAxis(1)
    private var pace = CameraPace.following
    private var lastTime: Double?

    /// The distances by which people may move without the camera, as shares of the view's size.
    private static let zone = (x: 0.08, y: 0.08, size: 0.1)
    /// The longest step of the simulation, in seconds.
    private static let step = 1.0 / 240

    /// The view at the time of the last call of ``advance(to:)``.
    var view: CameraView { CameraView(x: x.value, y: y.value, size: size.value).inside }

    /// True while the camera moves, or is about to.
    var isMoving: Bool { x.isMoving || y.isMoving || size.isMoving }

    /// Points the camera at a view. Nothing moves while the view is within the dead zone.
    ///
    /// - Parameters:
    ///   - wanted: The view that people call for at a time.
    ///   - interval: The seconds until the next call. The camera is pointed at the new view gradually in this time.
    mutating func point(at wanted: CameraView, at time: Double, for interval: Double) {
        pace = .following
        let extent = max(wanted.size, 0.1)
        size.want(wanted.size, zone: Self.zone.size * extent, at: time, over: interval)
        // A view of another size has other middles.
        let isResized = size.isFollowing
        x.want(
            wanted.x, zone: isResized ? 0 : Self.zone.x * extent, rest: Self.zone.x * extent, at: time, over: interval)
        y.want(
            wanted.y, zone: isResized ? 0 : Self.zone.y * extent, rest: Self.zone.y * extent, at: time, over: interval)
    }

    /// Opens to the whole picture: slowly, after people have left, or at the usual pace.
    mutating func open(_ pace: CameraPace) {
        self.pace = pace
        x.aim(at: CameraView.whole.x)
        y.aim(at: CameraView.whole.y)
        size.aim(at: CameraView.whole.size)
    }

    /// Shows a view at once.
    mutating func cut(to view: CameraView) {
        (x, y, size) = (CameraAxis(view.x), CameraAxis(view.y), CameraAxis(view.size))
    }

    /// Returns whether a view is within the dead zone around the view at which the camera is pointed.
    func isAimed(at view: CameraView) -> Bool {
        let extent = max(view.size, 0.1)
        return abs(x.target - view.x) <= Self.zone.x * extent && abs(y.target - view.y) <= Self.zone.y * extent
            && abs(size.target - view.size) <= Self.zone.size * extent
    }

    /// Advances to a time, in seconds. A time before the last one changes nothing.
    mutating func advance(to time: Double) {
        defer { lastTime = time }
        guard let lastTime, time > lastTime else { return }
        let count = max(1, ((time - lastTime) / Self.step).rounded(.up))
        let step = (time - lastTime) / count
        for index in 1...Int(count) {
            let now = lastTime + Double(index) * step
            x.advance(to: now, by: step, pace)
            y.advance(to: now, by: step, pace)
            size.advance(to: now, by: step, pace)
        }
    }
}

/// One coordinate of a virtual camera.
struct CameraAxis: Sendable {
    private(set) var value: Double
    private var velocity = 0.0
    /// The target moves from a value at a time to another one.
    private var ramp: (from: Double, to: Double, start: Double, duration: Double)
    /// The values that are wanted while the camera follows, since they last moved; `nil` while the camera rests.
    private var following: (anchor: Double, since: Double, sum: Double, count: Double)?
    /// The number of successive wanted values outside the dead zone.
    private var outside = 0

    /// The seconds for which wanted values must be nearly equal before the camera rests at their mean.
    private static let restingTime = 0.5
    /// The number of dead zones from which the camera follows at once. Nearer values must be wanted twice.
    private static let atOnce = 2.0
    /// The distance from the target, and the speed, below which the axis stops: some hundredths of a pixel.
    private static let still = (distance: 1e-5, speed: 1e-4)

    init(_ value: Double) {
        self.value = value
        ramp = (value, value, 0, 0)
    }

    /// The value to which the axis moves.
    var target: Double { ramp.to }
    var isFollowing: Bool { following != nil }
    var isMoving: Bool { isFollowing || velocity != 0 || value != ramp.to }

    /// Wants a value from a time on.
    ///
    /// - Parameters:
    ///   - zone: The distance from the target within which an axis that rests goes on resting.
    ///   - rest: Four times the distance within which successive values count as equal; the zone if `nil`.
    mutating func want(_ wanted: Double, zone: Double, rest: Double? = nil, at time: Double, over interval: Double) {
        if following == nil {
            let distance = abs(wanted - ramp.to)
            outside = distance > zone ? outside + 1 : 0
            guard outside >= 2 || distance > Self.atOnce * zone else { return }
            following = (wanted, time, 0, 0)
        }
        guard var now = following else { return }
        if abs(wanted - now.anchor) > (rest ?? zone) / 4 { now = (wanted, time, 0, 0) }
        now.sum += wanted
        now.count += 1
        following = now
        var aim = wanted
        if time - now.since >= Self.restingTime {
            aim = now.sum / now.count
            (following, outside) = (nil, 0)
        }
        ramp = (target(at: time), aim, time, interval)
    }

    /// Moves to a value without a ramp, and rests there.
    mutating func aim(at value: Double) {
        ramp = (value, value, 0, 0)
        (following, outside) = (nil, 0)
    }

    private func target(at time: Double) -> Double {
        guard ramp.duration > 0 else { return ramp.to }
        let share = min(max((time - ramp.start) / ramp.duration, 0), 1)
        return ramp.from + (ramp.to - ramp.from) * share
    }

    mutating func advance(to time: Double, by step: Double, _ pace: CameraPace) {
        let target = target(at: time), distance = target - value
        if target == ramp.to, abs(distance) < Self.still.distance, abs(velocity) < Self.still.speed {
            (value, velocity) = (target, 0)
            return
        }
        let frequency = pace.frequency
        let force = frequency * frequency * distance - 2 * frequency * velocity
        velocity += min(max(force, -pace.acceleration), pace.acceleration) * step
        velocity = min(max(velocity, -pace.speed), pace.speed)
        value += velocity * step
    }
}
