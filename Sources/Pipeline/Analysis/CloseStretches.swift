/// The stretches of a recording in which somebody may make a gesture, in seconds: they are worth a close look.
package struct CloseStretches: Sendable, Hashable {
    /// In order, none touching the next.
    package private(set) var ranges: [ClosedRange<Double>] = []

    package init() {}

    /// Seconds before and after a suspicious moment that are looked at, too. A hold may have begun soon after the look
    /// before, which may have missed the hand; and a hand is to be seen going.
    private static let margin = 1.5
    /// Stretches that are nearer to each other than this are one: hands are followed that long.
    private static let leastGap = 1.0

    /// Adds a moment at which a hand may make a gesture, or is about to. Moments come in order.
    mutating func add(_ time: Double) { add(time - Self.margin...time + Self.margin) }

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

    /// The number of the stretch that a moment lies in.
    func index(at time: Double) -> Int? { ranges.firstIndex { $0.contains(time) } }
}
