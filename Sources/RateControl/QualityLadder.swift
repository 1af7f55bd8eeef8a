/// Lowers quality in steps while a machine is too slow for a live stream, and raises it again: a state machine without
/// clock, lock or I/O.
///
/// For each frame the ladder receives the accumulated working time of every stage of the pipeline. A stage that works
/// for longer than the video lasts cannot keep up, so the load is the busiest stage's share of the time. The order in
/// which quality is lowered is fixed: ``Level``.
///
/// Quality is lowered by one level after each half second of overload, except at the start. After two seconds of
/// headroom, a load that is low enough for higher quality, it rises as far as the load allows, so that quality is
/// lowered only as long as a disturbance lasts. One busy half second does not reset the timer. A level that was stable
/// at this load is restored even with little headroom. After a rise that was too early, the next wait is twice as long.
package struct QualityLadder: Sendable {
    /// The quality level; each level includes the reductions of the levels before it.
    package enum Level: Int, Sendable, Hashable, CaseIterable, Comparable {
        /// Full quality.
        case full
        /// Hands are detected half as often.
        case analysis
        /// The mask of people is computed half as often.
        case mask
        /// Effects have half of their pieces.
        case detail
        /// Half of the frames are shown while effects run.
        case effectFrameRate
        /// Half of the frames are shown.
        case frameRate

        package static func < (a: Level, b: Level) -> Bool { a.rawValue < b.rawValue }

        /// The load below which the next higher quality is tried. While half of the frames are dropped, the next higher
        /// quality would double the load.
        var headroomThreshold: Double { self >= .effectFrameRate ? 0.4 : 0.6 }

        /// The load at full quality, divided by this level's load: cautious estimates, from measurements at 720p and
        /// 1080p. Detection runs in parallel with the frames, so the first reduction, `analysis`, does not change the
        /// load.
        var loadReduction: Double {
            switch self {
            case .full, .analysis: 1
            case .mask: 1.1
            case .detail: 1.3
            case .effectFrameRate, .frameRate: 2
            }
        }
    }

    /// A step from one level to another.
    package struct Step: Sendable, Hashable {
        package var from: Level
        package var to: Level
        /// The busiest stage's share of the time; 1 is all of it.
        package var load: Double

        package init(from: Level, to: Level, load: Double) {
            self.from = from
            self.to = to
            self.load = load
        }
    }

    /// The number of seconds over which the load is averaged.
    package static let window = 0.5
    /// The share of the time above which a stage is too slow; the rest is a reserve for variation.
    package static let overload = 0.95
    /// The seconds of headroom before quality rises, and the longest wait after failed attempts.
    package static let riseDelay = 2.0, longestRiseDelay = 48.0
    /// The maximum acceptable load after a rise.
    package static let highestLoadAfterRise = 0.7
    /// The seconds after the first frame that are ignored, because models are loaded and sprites are drawn in parallel.
    package static let startupTime = 2.5
    /// The seconds for which quality must hold after a rise; otherwise the rise was too early.
    package static let probation = 10.0
    /// The seconds after which a level counts as stable.
    package static let stableAfter = 2.0
    /// The factor by which the load may exceed the load of the stable level. The load varies, and is estimated for
    /// other levels.
    package static let loadTolerance = 1.15

    package private(set) var level = Level.full
    /// The busiest stage of the last window, by index, and its share of the time; `nil` before the first window.
    package private(set) var busiest: (stage: Int, load: Double)?
    private var firstTime: Double?
    private var windowStart: Double?
    private var busyAtStart: [Double] = []
    private var headroom = 0.0
    /// The maximum load since headroom began.
    private var headroomLoad = 0.0
    /// True if a half second without headroom, but also without overload, was ignored since headroom began. One is
    /// ignored without a reset of the timer, because its cause may be as small as a mask that was computed twice.
    private var hasIgnoredWindow = false
    private var riseDelay = Self.riseDelay
    private var lastRise: Double?
    /// The best level that was stable, and its load.
    private var stableLevel: (level: Level, load: Double)?
    /// The seconds on this level without overload.
    private var secondsWithoutOverload = 0.0

    package init() {}

    /// Adds a frame.
    ///
    /// - Parameters:
    ///   - time: Its time stamp in seconds.
    ///   - busy: The seconds that each stage has worked since the start, without waiting.
    /// - Returns: The step to take before this frame, if any.
    package mutating func observe(time: Double, busy: [Double]) -> Step? {
        guard let start = windowStart, time >= start, time - start < 4 * Self.window else {
            // The first frame, or a time gap, after which the load is unknown.
            begin(at: time, busy)
            firstTime = firstTime ?? time
            return nil
        }
        let elapsed = time - start
        // A frame that is slightly early is closer to the window's end than the next frame.
        guard elapsed >= Self.window - 0.004 else { return nil }
        let loads = zip(busy, busyAtStart).map { ($0 - $1) / elapsed }
        busiest = loads.enumerated().max { $0.element < $1.element }.map { ($0.offset, $0.element) }
        let load = busiest?.load ?? 0
        begin(at: time, busy)
        return evaluate(load, elapsed: elapsed, at: time)
    }

    private mutating func begin(at time: Double, _ busy: [Double]) {
        windowStart = time
        busyAtStart = busy
    }

    private mutating func evaluate(_ load: Double, elapsed: Double, at time: Double) -> Step? {
        if let lastRise, time - lastRise >= Self.probation {
            self.lastRise = nil
            riseDelay = Self.riseDelay
        }
        if load > Self.overload {
            resetHeadroom()
            secondsWithoutOverload = 0
            if let firstTime, level == .full, (0..<Self.startupTime - 0.004).contains(time - firstTime) {
                return nil
            }
            if lastRise != nil {
                lastRise = nil
                riseDelay = min(riseDelay * 2, Self.longestRiseDelay)
                // The earlier stable load no longer applies.
                stableLevel = nil
            }
            guard let next = Level(rawValue: level.rawValue + 1) else { return nil }
            return move(to: next, load)
        }
        recordStableLevel(load, elapsed)
        recordHeadroom(load, elapsed)
        // The wait may end slightly early, because each window may be shorter by a frame.
        guard headroom >= riseDelay - Self.window / 4, let target = bestLevelWithHeadroom() else { return nil }
        resetHeadroom()
        lastRise = time
        return move(to: target, load)
    }

    private mutating func recordHeadroom(_ load: Double, _ elapsed: Double) {
        if load < headroomLimit(at: level) {
            (headroom, headroomLoad) = (headroom + elapsed, max(headroomLoad, load))
        } else if headroom > 0, !hasIgnoredWindow {
            hasIgnoredWindow = true
        } else {
            resetHeadroom()
        }
    }

    private mutating func resetHeadroom() { (headroom, headroomLoad, hasIgnoredWindow) = (0, 0, false) }

    /// Updates the load of the best level on which the run has been stable.
    private mutating func recordStableLevel(_ load: Double, _ elapsed: Double) {
        secondsWithoutOverload += elapsed
        guard secondsWithoutOverload >= Self.stableAfter, stableLevel.map({ level <= $0.level }) ?? true else { return }
        let known = stableLevel.flatMap { $0.level == level ? $0.load : nil } ?? load
        stableLevel = (level, known + (load - known) / 4)
    }

    /// Returns the load at a level below which a better one may be tried.
    private func headroomLimit(at level: Level) -> Double {
        guard let stableLevel, stableLevel.level < level else { return level.headroomThreshold }
        return max(
            level.headroomThreshold,
            stableLevel.load * Self.loadTolerance * stableLevel.level.loadReduction / level.loadReduction)
    }

    /// Returns the best level for which the recent load leaves room, or that was stable at this load. The result is at
    /// least one level better than the present level; nil at full quality.
    private func bestLevelWithHeadroom() -> Level? {
        let whole = headroomLoad * level.loadReduction
        return Level.allCases.first { better in
            guard better < level else { return false }
            let isStable =
                stableLevel.map { better == $0.level && whole <= $0.load * Self.loadTolerance * better.loadReduction }
                ?? false
            return isStable || whole / better.loadReduction <= Self.highestLoadAfterRise
                || better.rawValue == level.rawValue - 1
        }
    }

    private mutating func move(to next: Level, _ load: Double) -> Step {
        secondsWithoutOverload = 0
        defer { level = next }
        return Step(from: level, to: next, load: load)
    }
}
