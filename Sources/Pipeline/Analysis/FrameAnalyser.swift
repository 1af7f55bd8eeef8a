import Gestures
import HandPose
package import MediaIO
import Platform
package import Reactions
import Synchronization

/// Looks at frames for gestures, on a schedule of their time stamps.
///
/// Input and output: the same frames, some with the gestures that they completed.
///
/// Used by one thread at a time.
package final class FrameAnalyser {
    private var looks: ScheduledLooks
    private let control: SessionControl
    private var isSwitchedOff = false
    /// What is looked at; `nil` for everything.
    private let stretches: CloseStretches?
    /// The number of the one that was looked at last.
    private var stretch: Int?
    /// The gesture that was being held when somebody looked last.
    private var coming: ComingGesture?

    /// Loads the models.
    /// - Parameter stretches: what is worth a look, and has been decoded; `nil` for everything.
    /// - Throws: ``FlourishError/Code/unavailable`` where a model or the library is missing.
    package init(
        resources: Resources, configuration: Configuration, control: SessionControl, stretches: CloseStretches? = nil
    ) throws(FlourishError) {
        looks = ScheduledLooks(
            try HandAnalyser(
                resources: resources, configuration: configuration, isGestureLikely: stretches != nil,
                threads: stretches == nil ? 1 : Self.threads(resources)),
            purpose: stretches == nil ? .watching : .closeLook)
        self.control = control
        self.stretches = stretches
    }

    /// How many threads compute each model in close looks: beside them goes on hardly more than decoding, unless runs share
    /// the cores. No more than four: a look of a few milliseconds has little to share out.
    private static func threads(_ resources: Resources) -> Int {
        resources.shared == nil ? min(Machine.cores, 4) : 1
    }

    /// Whether the frame at a time would be looked at.
    package func isDue(at time: Double) -> Bool {
        control.switches.gesturesEnabled ? looks.isDue(at: time) : !isSwitchedOff
    }

    /// Looks at one frame, if its turn has come.
    /// - Throws: `InferenceError`.
    package func process(_ item: inout PipelineFrame) throws {
        guard isWorthLooking(at: item) else { return }
        item.findings = try findings(in: item.frame, at: item.time)
        item.coming = coming
    }

    /// Whether a frame lies in one of the stretches; at the beginning of one, looking begins anew.
    private func isWorthLooking(at item: borrowing PipelineFrame) -> Bool {
        guard let stretches else { return true }
        guard let number = stretches.index(at: item.time), item.frame.hasPicture else {
            coming = nil
            return false
        }
        if number != stretch {
            stretch = number
            looks.resume()
        }
        if looks.isDue(at: item.time) { looks.analyser.expectHands(at: stretches.places(at: item.time)) }
        return true
    }

    /// Looks at a picture, if its turn has come.
    ///
    /// - Parameter stretch: by how much looks are further apart than usual.
    /// - Returns: the gestures that it completed, and the holds that it ended.
    /// - Throws: `InferenceError`.
    package func findings(in frame: borrowing VideoFrame, at time: Double, stretch: Double = 1) throws
        -> GestureFindings
    {
        looks.stretch = stretch
        guard follow(), let analysis = try looks.look(at: frame, time: time) else { return GestureFindings() }
        let hold = GestureHold(analysis.status)
        coming = ComingGesture(analysis.status, at: time, nextCompletion: analysis.nextCompletion)
        control.state.withLock { [coming] in
            $0.hold = hold
            $0.coming = coming
        }
        return analysis.findings
    }

    /// Follows the session's switches; says whether gestures are looked for at all.
    private func follow() -> Bool {
        let (isOn, disabled) = control.state.withLock { ($0.looksForGestures, $0.disabledGestures) }
        if isOn {
            isSwitchedOff = false
            looks.analyser.disabledGestures = disabled
        } else if !isSwitchedOff {
            isSwitchedOff = true
            looks.reset()
            coming = nil
            control.state.withLock { $0.forgetHold() }
        }
        return isOn
    }
}

extension GestureHold {
    /// - Returns: `nil` while nothing is held, or only what counts for nothing.
    fileprivate init?(_ status: GestureStatus) {
        let progress: Double
        switch status {
        case .holding(_, let elapsed, let hold), .moving(_, let elapsed, let hold, _):
            progress = hold > 0 ? min(max(elapsed / hold, 0), 1) : 1
        case .unsure, .waitingForSecondHand, .fired: progress = 1
        case .idle, .lingering, .coolingDown, .disabled, .waitingForRelease: return nil
        }
        guard let gesture = status.gesture?.name else { return nil }
        self.init(gesture: gesture, progress: progress)
    }
}

/// The stretches of a recording in which somebody may make a gesture, in seconds: they are worth a close look.
package struct CloseStretches: Sendable, Hashable {
    /// In order, none touching the next.
    private(set) var ranges: [ClosedRange<Double>] = []

    /// A hand that made a gesture, or nearly.
    struct Sighting: Sendable, Hashable {
        var time: Double
        var place: HandRegion
    }

    /// In order of their times.
    private(set) var sightings: [Sighting] = []

    /// Seconds before and after a suspicious moment that are looked at, too. A hold may have begun soon after the look
    /// before, which may have missed the hand; and a hand is to be seen going.
    private static let margin = 1.5
    /// Stretches that are nearer to each other than this are one: hands are followed that long.
    private static let leastGap = 1.0

    /// Adds a moment at which hands may make a gesture, or are about to.
    /// - Parameter places: where they are.
    mutating func add(_ time: Double, places: [HandRegion] = []) {
        add(time - Self.margin...time + Self.margin)
        for place in places { add(Sighting(time: time, place: place)) }
    }

    /// Adds all of others. In which order they are added does not matter.
    mutating func add(_ others: CloseStretches) {
        for range in others.ranges { add(range) }
        for sighting in others.sightings { add(sighting) }
    }

    /// Adds a hand; of one time they keep their order.
    mutating func add(_ sighting: Sighting) {
        sightings.insert(sighting, at: sightings.sortedIndex { $0.time > sighting.time })
    }

    /// Adds a stretch. In which order stretches are added does not matter.
    mutating func add(_ stretch: ClosedRange<Double>) {
        var joined = stretch
        ranges.removeAll { range in
            guard range.lowerBound - Self.leastGap <= stretch.upperBound,
                range.upperBound + Self.leastGap >= stretch.lowerBound
            else { return false }
            joined = min(joined.lowerBound, range.lowerBound)...max(joined.upperBound, range.upperBound)
            return true
        }
        ranges.insert(joined, at: ranges.firstIndex { $0.lowerBound > joined.lowerBound } ?? ranges.count)
    }

    /// Where hands were seen around a moment, those first that are nearest to it in time.
    func places(at time: Double) -> [HandRegion] {
        let first = sightings.sortedIndex { $0.time >= time - Self.margin }
        return sightings[first...].prefix { $0.time <= time + Self.margin }
            .sorted { abs($0.time - time) < abs($1.time - time) }.map(\.place)
    }

    /// The number of the stretch that a moment lies in.
    func index(at time: Double) -> Int? { ranges.firstIndex { $0.contains(time) } }
}
