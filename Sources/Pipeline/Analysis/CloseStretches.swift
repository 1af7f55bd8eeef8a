package import HandPose
import Platform

/// The stretches of a recording in which somebody may make a gesture, in seconds: they are worth a close look.
package struct CloseStretches: Sendable, Hashable {
    /// In order, none touching the next.
    package private(set) var ranges: [ClosedRange<Double>] = []

    /// A hand that made a gesture, or nearly.
    package struct Sighting: Sendable, Hashable {
        package var time: Double
        package var place: HandRegion

        package init(time: Double, place: HandRegion) {
            self.time = time
            self.place = place
        }
    }

    /// In order of their times.
    package private(set) var sightings: [Sighting] = []

    package init() {}

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
    package mutating func add(_ others: CloseStretches) {
        for range in others.ranges { add(range) }
        for sighting in others.sightings { add(sighting) }
    }

    /// Adds a hand; of one time they keep their order.
    package mutating func add(_ sighting: Sighting) {
        sightings.insert(sighting, at: sightings.sortedIndex { $0.time > sighting.time })
    }

    /// Adds a stretch. In which order stretches are added does not matter.
    package mutating func add(_ stretch: ClosedRange<Double>) {
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

extension CloseStretches.Sighting: Codable {
    /// The time in seconds; the place's middle and side in pixels of the upright picture, and its turn in radians.
    private enum CodingKeys: String, CodingKey { case time, x, y, side, turn }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        time = try fields.decode(Double.self, forKey: .time)
        place = HandRegion(
            centreX: try fields.decode(Double.self, forKey: .x), centreY: try fields.decode(Double.self, forKey: .y),
            side: try fields.decode(Double.self, forKey: .side), rotation: try fields.decode(Double.self, forKey: .turn)
        )
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(time, forKey: .time)
        try fields.encode(place.centreX, forKey: .x)
        try fields.encode(place.centreY, forKey: .y)
        try fields.encode(place.side, forKey: .side)
        try fields.encode(place.rotation, forKey: .turn)
    }
}
