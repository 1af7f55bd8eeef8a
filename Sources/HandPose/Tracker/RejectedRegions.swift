/// Regions that looked like palms and showed no hand when they were looked at closely: faces, sleeves.
///
/// Each is left alone for a while, longer each time that it shows none again.
struct RejectedRegions {
    fileprivate struct Entry {
        var region: HandRegion
        var time: Double
        /// How often it was rejected before.
        var repeats: Int
    }

    private var entries: [Entry] = []

    /// The regions that are not to be looked at now.
    mutating func regions(at time: Double, _ rules: HandTracker.Configuration) -> [HandRegion] {
        entries.removeAll { time - $0.time > $0.rest(rules) + rules.longestRejection }
        return entries.filter { time - $0.time <= $0.rest(rules) }.map(\.region)
    }

    /// Adds regions that have just been looked at.
    mutating func add(_ regions: some Sequence<HandRegion>, at time: Double) {
        for region in regions {
            let known = entries.firstIndex { $0.region.isNearlySame(as: region) }
            let repeats = known.map { entries.remove(at: $0).repeats + 1 } ?? 0
            entries.append(Entry(region: region, time: time, repeats: repeats))
        }
    }

    /// Has all of them looked at again.
    mutating func forget() { entries = [] }
}

extension RejectedRegions.Entry {
    /// For how many seconds it is left alone.
    func rest(_ rules: HandTracker.Configuration) -> Double {
        min(rules.rejectionTime * Double(1 << min(repeats, 8)), rules.longestRejection)
    }
}
