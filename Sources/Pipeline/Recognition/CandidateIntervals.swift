import MediaIO
import Platform
package import Raster
import Reactions
package import Vision

/// The candidate intervals of a recording, in seconds: gestures are likely in them. A ``RecordingScan`` collects them,
/// and a ``FrameAnalyser`` analyses their frames closely. In a gallery, each tile is analysed in the intervals of its
/// own hands, so that the analysis of a tile does not depend on other people.
package struct CandidateIntervals: Sendable, Hashable {
    /// The intervals, in order and disjoint.
    package private(set) var ranges: [ClosedRange<Double>] = []

    /// A hand that made or almost made a gesture.
    package struct Detection: Sendable, Hashable {
        package var time: Double
        /// The hand's region, in upright pixels of the picture.
        package var place: HandRegion
        /// The part of the picture in which the hand's person is seen, in fractions of the upright picture.
        package var area: Rectangle
    }

    /// The hands, in order of their times.
    package private(set) var detections: [Detection] = []

    /// The time before and after a candidate that is included, in seconds. The hold may have begun soon after the
    /// previous analysis, which may have missed the hand. The end of the hold must also be analysed.
    private static let margin = 1.5
    /// The minimum distance between two intervals, in seconds. Closer intervals are merged, because hands are tracked
    /// across shorter gaps.
    private static let minimumGap = 1.0

    /// Adds a time, in seconds, at which hands may make a gesture or be about to make one.
    ///
    /// - Parameters:
    ///   - places: the regions of the hands.
    ///   - area: the part of the picture in which the hands' person is seen, in fractions of the upright picture.
    package mutating func add(
        _ time: Double, places: [HandRegion] = [], in area: Rectangle = Rectangle(left: 0, top: 0, right: 1, bottom: 1)
    ) {
        add(time - Self.margin...time + Self.margin)
        for place in places { add(Detection(time: time, place: place, area: area)) }
    }

    /// Returns the hands of the person in a part of the picture, and the intervals around these hands alone.
    ///
    /// - Parameters:
    ///   - part: a rectangle in fractions of the upright picture.
    ///   - origin: the upper left corner of the part, to which the returned places are relative, in upright pixels.
    package func within(_ part: Rectangle, origin: (x: Double, y: Double)) -> CandidateIntervals {
        var own = CandidateIntervals()
        for var hand in detections where hand.area.overlap(part) * 2 >= min(hand.area.area, part.area) {
            hand.place.centreX -= origin.x
            hand.place.centreY -= origin.y
            own.add(hand.time, places: [hand.place], in: hand.area)
        }
        return own
    }

    /// Adds all intervals and hands of another value. The order of additions does not matter.
    package mutating func add(_ others: CandidateIntervals) {
        for range in others.ranges { add(range) }
        for sighting in others.detections { add(sighting) }
    }

    /// Adds a hand. Hands with the same time keep their order.
    package mutating func add(_ sighting: Detection) {
        detections.insert(sighting, at: detections.sortedIndex { $0.time > sighting.time })
    }

    /// Adds an interval. The order of additions does not matter.
    package mutating func add(_ interval: ClosedRange<Double>) {
        var joined = interval
        ranges.removeAll { range in
            guard range.lowerBound - Self.minimumGap <= interval.upperBound,
                range.upperBound + Self.minimumGap >= interval.lowerBound
            else { return false }
            joined = min(joined.lowerBound, range.lowerBound)...max(joined.upperBound, range.upperBound)
            return true
        }
        ranges.insert(joined, at: ranges.firstIndex { $0.lowerBound > joined.lowerBound } ?? ranges.count)
    }

    /// Returns the regions of hands around a time, sorted by distance in time.
    package func places(at time: Double) -> [HandRegion] {
        let first = detections.sortedIndex { $0.time >= time - Self.margin }
        return detections[first...].prefix { $0.time <= time + Self.margin }
            .sorted { abs($0.time - time) < abs($1.time - time) }.map(\.place)
    }

    /// Returns the index of the interval that contains a time.
    package func index(at time: Double) -> Int? {
        let next = ranges.sortedIndex { $0.upperBound >= time }
        return next < ranges.count && ranges[next].contains(time) ? next : nil
    }
}
