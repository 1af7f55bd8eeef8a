/// Lowers quality step by step while a machine is too slow for a live stream, and raises it
/// again: a state machine without clock, lock or I/O.
///
/// It is told with each frame how long every stage has worked so far. A stage that works for
/// longer than the video lasts cannot keep up, whatever waits where; so the busiest stage's share
/// of the time is the load. What is lowered, and in which order, is fixed: ``Rung``.
///
/// It falls a rung after each half second that was too much, but not for what is slow at the start alone. After two
/// seconds of ease it rises as far as the load says that there is room: other programs that disturbed the run for a
/// moment cost no more than that, even where the ease is broken once. A run that was at home on a rung before, and takes no more of the machine now than it did
/// then, goes back there, however little room that leaves. Where a rise turns out to be too soon, it waits twice as long
/// before the next attempt.
package struct LoadLadder: Sendable {
    /// How far quality is lowered; each rung includes those before it.
    package enum Rung: Int, Sendable, Hashable, CaseIterable, Comparable {
        /// Everything as it should be.
        case full
        /// Hands are looked for half as often.
        case analysis
        /// The mask of people is renewed half as often.
        case mask
        /// Effects have half of their pieces.
        case detail
        /// Half of the frames are shown while effects run.
        case effectFrameRate
        /// Half of the frames are shown.
        case frameRate

        package static func < (a: Rung, b: Rung) -> Bool { a.rawValue < b.rawValue }

        /// The load below which the rung above it is tried. Where half of the frames are left out,
        /// the others would double it.
        var ease: Double { self >= .effectFrameRate ? 0.4 : 0.6 }

        /// How many times the load of this rung there would be at full quality: guesses on the safe side, measured at
        /// 720p and 1080p. Hands are looked for beside the frames' way, so the first rung tells nothing.
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
        /// The busiest stage's share of the time, 1 being all of it.
        package var load: Double

        package init(from: Rung, to: Rung, load: Double) {
            self.from = from
            self.to = to
            self.load = load
        }
    }

    /// Seconds over which the load is averaged.
    package static let window = 0.5
    /// Above this share of the time a stage is too slow: a little is left for what varies.
    package static let tooMuch = 0.95
    /// Seconds of ease before quality rises; the longest wait after attempts that failed.
    package static let patience = 2.0, longestPatience = 48.0
    /// The load that a rise may be expected to lead to.
    package static let room = 0.7
    /// Seconds after the first frame that count for nothing: models are loaded and sprites drawn beside them.
    package static let settling = 2.5
    /// Seconds for which quality must hold after a rise, or the rise was too soon.
    package static let probation = 10.0
    /// Seconds on a rung after which a run is at home there.
    package static let settledAfter = 2.0
    /// By how much the load may be above what it was at home: it varies, and what it is on other rungs is a guess.
    package static let likeness = 1.15

    package private(set) var rung = Rung.full
    /// The stage that worked most in the last window, by its place, and for which share of the time; `nil` before the first.
    package private(set) var busiest: (stage: Int, load: Double)?
    private var firstTime: Double?
    private var windowStart: Double?
    private var busyAtStart: [Double] = []
    private var ease = 0.0
    /// The greatest load since there is ease.
    private var easeLoad = 0.0
    /// Whether half a second of more than ease, but not of too much, was overlooked since then. One such moment says little:
    /// the mask was renewed twice, say. Were it counted, the wait would begin anew for it.
    private var hasOverlooked = false
    private var patience = Self.patience
    private var lastRise: Double?
    /// Where the run was at home, and with which load.
    private var home: (rung: Rung, load: Double)?
    /// Seconds on this rung without too much to do.
    private var calm = 0.0

    package init() {}

    /// Takes a frame.
    ///
    /// - Parameters:
    ///   - time: its time stamp in seconds.
    ///   - busy: for each stage, the seconds that it has worked since the start, waiting apart.
    /// - Returns: the step to take before this frame, if any.
    package mutating func observe(time: Double, busy: [Double]) -> Step? {
        guard let start = windowStart, time >= start, time - start < 4 * Self.window else {
            // The first frame, or a leap in time, about which nothing can be said.
            begin(at: time, busy)
            firstTime = firstTime ?? time
            return nil
        }
        let elapsed = time - start
        // A frame a little early is nearer to the beat than the next one.
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
                // What it was used to is no more.
                home = nil
            }
            guard let next = Rung(rawValue: rung.rawValue + 1) else { return nil }
            return move(to: next, load)
        }
        settle(load, elapsed)
        noteEase(load, elapsed)
        // Windows may be short by a frame.
        guard ease >= patience - Self.window / 4, let target = highestWithRoom() else { return nil }
        forgetEase()
        lastRise = time
        return move(to: target, load)
    }

    private mutating func noteEase(_ load: Double, _ elapsed: Double) {
        if load < most(for: rung) {
            (ease, easeLoad) = (ease + elapsed, max(easeLoad, load))
        } else if ease > 0, !hasOverlooked {
            hasOverlooked = true
        } else {
            forgetEase()
        }
    }

    private mutating func forgetEase() { (ease, easeLoad, hasOverlooked) = (0, 0, false) }

    /// Learns what the load is where nothing disturbs: on the best rung that the run has stayed on.
    private mutating func settle(_ load: Double, _ elapsed: Double) {
        calm += elapsed
        guard calm >= Self.settledAfter, home.map({ rung <= $0.rung }) ?? true else { return }
        let known = home.flatMap { $0.rung == rung ? $0.load : nil } ?? load
        home = (rung, known + (load - known) / 4)
    }

    /// The load at a rung that says that a better one may be tried.
    private func most(for rung: Rung) -> Double {
        guard let home, home.rung < rung else { return rung.ease }
        return max(rung.ease, home.load * Self.likeness * home.rung.relief / rung.relief)
    }

    /// The best quality that the load of the last seconds leaves room for, or where it was at home with such a load; and at
    /// least one rung better than now.
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
