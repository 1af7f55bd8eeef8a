/// Lowers quality in steps while a machine is too slow for a live stream, and raises it again: a state machine without
/// clock, lock or I/O.
///
/// It is fed each frame with the working time of every stage so far. A stage that works for longer than the video lasts
/// cannot keep up, so the busiest stage's share of the time is the load. The order in which quality is lowered is
/// fixed: ``Rung``.
///
/// It falls a rung after each half second of overload, except at the start. After two seconds of headroom it rises as
/// far as the load allows, so that short disturbances cost no more than that; one busy half second does not reset the
/// timer. A rung that was stable at this load is restored even with little headroom. After a rise that was too early,
/// the next wait is twice as long.
package struct QualityLadder: Sendable {
    /// The level of quality; each rung includes the reductions of those before it.
    package enum Rung: Int, Sendable, Hashable, CaseIterable, Comparable {
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

        package static func < (a: Rung, b: Rung) -> Bool { a.rawValue < b.rawValue }

        /// The load below which the rung above is tried. If half of the frames are dropped, the others would double the
        /// load.
        var ease: Double { self >= .effectFrameRate ? 0.4 : 0.6 }

        /// The factor from this rung's load to that at full quality: cautious estimates, measured at 720p and 1080p.
        /// Detection runs in parallel with the frames, so the first rung does not change the load.
        var relief: Double {
            switch self {
            case .full, .analysis: 1
            case .mask: 1.1
            case .detail: 1.3
            case .effectFrameRate, .frameRate: 2
            }
        }
    }

    /// A step from one rung to another.
    package struct Step: Sendable, Hashable {
        package var from: Rung
        package var to: Rung
        /// The busiest stage's share of the time; 1 is all of it.
        package var load: Double

        package init(from: Rung, to: Rung, load: Double) {
            self.from = from
            self.to = to
            self.load = load
        }
    }

    /// The number of seconds over which the load is averaged.
    package static let window = 0.5
    /// The share of the time above which a stage is too slow; the rest is a reserve for variation.
    package static let tooMuch = 0.95
    /// The seconds of headroom before quality rises, and the longest wait after failed attempts.
    package static let patience = 2.0, longestPatience = 48.0
    /// The highest load that is acceptable after a rise.
    package static let room = 0.7
    /// The seconds after the first frame that are ignored: models are loaded and sprites drawn in parallel.
    package static let settling = 2.5
    /// The seconds for which quality must hold after a rise; otherwise the rise was too early.
    package static let probation = 10.0
    /// The seconds after which a rung counts as stable.
    package static let settledAfter = 2.0
    /// The factor by which the load may exceed that of the stable rung: it varies, and is estimated for other rungs.
    package static let likeness = 1.15

    package private(set) var rung = Rung.full
    /// The busiest stage of the last window, by index, and its share of the time; `nil` before the first window.
    package private(set) var busiest: (stage: Int, load: Double)?
    private var firstTime: Double?
    private var windowStart: Double?
    private var busyAtStart: [Double] = []
    private var ease = 0.0
    /// The greatest load since headroom began.
    private var easeLoad = 0.0
    /// A Boolean value that indicates whether one half second without headroom, but without overload, was ignored since
    /// then. A single one means little, such as a mask that was computed twice, and must not reset the timer.
    private var hasOverlooked = false
    private var patience = Self.patience
    private var lastRise: Double?
    /// The stable rung, and its load.
    private var home: (rung: Rung, load: Double)?
    /// The seconds on this rung without overload.
    private var calm = 0.0

    package init() {}

    /// Adds a frame.
    ///
    /// - Parameters:
    ///   - time: Its time stamp in seconds.
    ///   - busy: The seconds that each stage has worked since the start, without waiting.
    /// - Returns: The step to take before this frame, if any.
    package mutating func observe(time: Double, busy: [Double]) -> Step? {
        guard let start = windowStart, time >= start, time - start < 4 * Self.window else {
            // The first frame, or a leap in time, after which the load is unknown.
            begin(at: time, busy)
            firstTime = firstTime ?? time
            return nil
        }
        let elapsed = time - start
        // A frame that is slightly early is closer to the window's end than the next one.
        guard elapsed >= Self.window - 0.004 else { return nil }
        let loads = zip(busy, busyAtStart).map { ($0 - $1) / elapsed }
        busiest = loads.enumerated().max { $0.element < $1.element }.map { ($0.offset, $0.element) }
        let load = busiest?.load ?? 0
        begin(at: time, busy)
        return judge(load, elapsed: elapsed, at: time)
    }

    private mutating func begin(at time: Double, _ busy: [Double]) {
        windowStart = time
        busyAtStart = busy
    }

    private mutating func judge(_ load: Double, elapsed: Double, at time: Double) -> Step? {
        if let lastRise, time - lastRise >= Self.probation {
            self.lastRise = nil
            patience = Self.patience
        }
        if load > Self.tooMuch {
            forgetEase()
            calm = 0
            if let firstTime, rung == .full, (0..<Self.settling - 0.004).contains(time - firstTime) {
                return nil
            }
            if lastRise != nil {
                lastRise = nil
                patience = min(patience * 2, Self.longestPatience)
                // The earlier stable load no longer applies.
                home = nil
            }
            guard let next = Rung(rawValue: rung.rawValue + 1) else { return nil }
            return move(to: next, load)
        }
        settle(load, elapsed)
        recordEase(load, elapsed)
        // Windows may be short by a frame.
        guard ease >= patience - Self.window / 4, let target = highestWithRoom() else { return nil }
        forgetEase()
        lastRise = time
        return move(to: target, load)
    }

    private mutating func recordEase(_ load: Double, _ elapsed: Double) {
        if load < most(for: rung) {
            (ease, easeLoad) = (ease + elapsed, max(easeLoad, load))
        } else if ease > 0, !hasOverlooked {
            hasOverlooked = true
        } else {
            forgetEase()
        }
    }

    private mutating func forgetEase() { (ease, easeLoad, hasOverlooked) = (0, 0, false) }

    /// Updates the load of the best rung on which the run has been stable.
    private mutating func settle(_ load: Double, _ elapsed: Double) {
        calm += elapsed
        guard calm >= Self.settledAfter, home.map({ rung <= $0.rung }) ?? true else { return }
        let known = home.flatMap { $0.rung == rung ? $0.load : nil } ?? load
        home = (rung, known + (load - known) / 4)
    }

    /// Returns the load at a rung below which a better one may be tried.
    private func most(for rung: Rung) -> Double {
        guard let home, home.rung < rung else { return rung.ease }
        return max(rung.ease, home.load * Self.likeness * home.rung.relief / rung.relief)
    }

    /// Returns the best rung for which the recent load leaves room, or which was stable at this load; at least one rung
    /// better than the present one.
    private func highestWithRoom() -> Rung? {
        let whole = easeLoad * rung.relief
        return Rung.allCases.first { better in
            guard better < rung else { return false }
            let isHome = home.map { better == $0.rung && whole <= $0.load * Self.likeness * better.relief } ?? false
            return isHome || whole / better.relief <= Self.room || better.rawValue == rung.rawValue - 1
        }
    }

    private mutating func move(to next: Rung, _ load: Double) -> Step {
        calm = 0
        defer { rung = next }
        return Step(from: rung, to: next, load: load)
    }
}
