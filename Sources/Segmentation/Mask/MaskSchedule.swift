internal import Raster

/// Which frames are looked at for people: a matter of their time stamps, and of whether
/// anything moves.
struct MaskSchedule: Sendable {
    /// Seconds between looks while much of the picture moves: limbs that fly leave ghosts
    /// behind where looks are fewer.
    static let rushingInterval = 1.0 / 30
    /// Seconds between looks while something moves.
    static let movingInterval = 1.0 / 15
    /// Seconds between looks while nothing does.
    static let restingInterval = 1.0 / 5
    /// After a pause as long as this nothing is known of what was seen before it.
    static let memory = 0.5

    /// By how much looks are further apart than usual; up to 2, or what was seen is forgotten between them.
    var stretch = 1.0
    /// Frames that are no further apart than this may share the work of a look.
    static let leisure = 1.0 / 20

    private var lastLook: Double?
    private var lastFrame: Double?
    /// Whether frames are so far apart that one has time for all the work of a look and more.
    private(set) var isLeisurely = false

    /// When a frame is to be looked at.
    enum Look { case none, now, overNextFrames }

    /// When the frame at `time` (seconds) is to be looked at.
    /// - Parameter motion: asked only where the answer matters.
    mutating func look(at time: Double, motion: () -> MotionProbe.Motion) -> Look {
        let sinceFrame = lastFrame.map { time - $0 } ?? .infinity
        lastFrame = time
        isLeisurely = sinceFrame > Self.leisure && sinceFrame <= Self.memory
        guard let lastLook, time >= lastLook, time - lastLook <= Self.memory else { return .now }
        // A frame a little early is nearer to the beat than the next one.
        let elapsed = (time - lastLook + 0.004) / stretch
        guard elapsed >= Self.rushingInterval else { return .none }
        return switch motion() {
        case .none where elapsed < Self.restingInterval: .none
        case .none: sinceFrame <= Self.leisure ? .overNextFrames : .now
        case .some: elapsed >= Self.movingInterval ? .now : .none
        case .much: .now
        }
    }

    /// Notes a look.
    /// - Returns: seconds since the last one; `nil` where there is none to go on from.
    mutating func looked(at time: Double) -> Double? {
        defer { lastLook = time }
        guard let lastLook, time > lastLook, time - lastLook <= Self.memory else { return nil }
        return time - lastLook
    }
}
