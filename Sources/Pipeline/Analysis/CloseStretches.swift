import HandPose
import Platform

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
