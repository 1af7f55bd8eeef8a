internal import Raster

/// Searches for hands in enlarged windows around changed regions, after the whole picture showed none.
extension HandTracker {
    /// The number of windows that are searched after a detection without hands. Each window costs as much as the whole
    /// picture.
    private static let windowLimit = 2

    /// Records the changed regions of the picture at `time`.
    ///
    /// Later detections without hands search windows around these regions. The palm detector reduces the whole picture
    /// to a width of 192 pixels, so that a hand of a tenth of the height is only eleven pixels high. After large
    /// changes, these detections search a wider window, since the detector also misses hands that fill the picture.
    package func recordChanges(_ regions: [ChangedRegion], at time: Double) { recentChanges.record(regions, at: time) }

    /// Searches changed regions that are not covered by a detected hand. A face detected as a hand must not hide the
    /// hand raised next to it.
    /// - Parameters:
    ///   - found: Hands that this detection has found; further ones are added.
    ///   - known: The tracked hands.
    func searchChangedRegions(
        _ found: inout [LocatedHand], _ known: inout [LocatedHand], settled: inout Set<Int>,
        _ picture: borrowing Picture, _ geometry: DisplayGeometry, _ time: Double, _ rejected: inout [HandRegion]
    ) throws(InferenceError) {
        let followed = known.count
        var hands = known + found
        let searches = recentChanges.searches(at: time, geometry: geometry, count: Self.windowLimit) { region in
            hands.contains { $0.explains(region, geometry) }
        } isWorthwhile: {
            // Next to hands, something always moves: arms, sleeves, or the hands themselves.
            hands.isEmpty || ($0.stays && !$0.isLarge)
        }
        for search in searches where hands.count < configuration.maximumHands {
            let new = try self.hands(search, &hands, &settled, picture, geometry, &rejected)
            hands += new
            guard new.isEmpty else {
                recentChanges.recordHand()
                break
            }
        }
        known = Array(hands[..<followed])
        found = Array(hands[followed...])
        // Hands that are not yet tracked have just been detected.
        settled = settled.filter { $0 < followed }
    }

    /// Returns the hands that one search finds in addition to the known hands.
    private func hands(
        _ search: RecentChanges.Search, _ known: inout [LocatedHand], _ settled: inout Set<Int>,
        _ picture: borrowing Picture, _ geometry: DisplayGeometry, _ rejected: inout [HandRegion]
    ) throws(InferenceError) -> [LocatedHand] {
        if let window = search.window {
            let found = try finder.newHands(
                in: picture, geometry: geometry, window: window, known: &known, settled: &settled,
                rejected: &rejected, limit: configuration.maximumHands - known.count)
            guard found.isEmpty else { return found }
        }
        guard let box = search.box,
            let hand = try finder.handWithoutPalm(in: picture, geometry: geometry, around: box),
            !known.contains(where: { $0.isSameHand(as: hand) })
        else { return [] }
        return [hand]
    }
}

extension LocatedHand {
    /// The presence below which a detected hand may be a face or a sleeve.
    private static let surePresence = 0.9
    /// A changed region in front of a doubtful hand is searched if it is smaller than this share of the hand's region:
    /// slightly more than a finger.
    private static let smallShare = 0.4

    /// True if this is certainly a hand.
    var isSure: Bool { hand.presence >= Self.surePresence }

    /// Returns whether this hand may be the cause of a change: the hand's middle is in the changed region, or the
    /// hand's region contains the change's middle.
    fileprivate func explains(_ change: ChangedRegion, _ geometry: DisplayGeometry) -> Bool {
        let box = Box(change, geometry: geometry)
        if !isSure, max(box.width, box.height) < Self.smallShare * region.side {
            return false
        }
        let margin = 0.15 * max(box.width, box.height)
        let count = Double(points.count)
        let x = points.reduce(0) { $0 + $1.x } / count, y = points.reduce(0) { $0 + $1.y } / count
        if (box.left - margin...box.right + margin).contains(x), (box.top - margin...box.bottom + margin).contains(y) {
            return true
        }
        let middle = Point(x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2)
        return abs(middle.x - region.centreX) < region.side / 2 && abs(middle.y - region.centreY) < region.side / 2
    }
}

/// The regions that changed recently, and the number of their searches.
struct RecentChanges {
    private struct Entry {
        /// The region to search. The whole picture replaces a region that covers half of it.
        var region: ChangedRegion
        /// The region that changed, without that replacement.
        var shown: ChangedRegion
        var time: Double
        var tries = 0
        /// True if the landmark model has searched the region without a palm.
        var hasSoughtPoints = false

        /// Returns the palm detector's next window; `nil` after the last one.
        func window(_ geometry: DisplayGeometry) -> PictureWindow? {
            if region.isLarge {
                guard tries < PictureWindow.farScales.count else { return nil }
                return PictureWindow(around: geometry, scale: PictureWindow.farScales[tries])
            }
            guard tries < margins.count else { return nil }
            return PictureWindow(around: region, margin: margins[tries], geometry: geometry)
        }
    }

    private var entries: [Entry] = []

    /// The seconds for which a change is kept, and a large change. The latter are fewer, because a hand that appears
    /// one second after a large change is a separate change.
    private static let memory = 1.2, memoryOfMuch = 0.5
    /// The sides of the windows of successive searches, as multiples of the region's longer side. A changed region may
    /// be a hand with its arm, or a part of a hand.
    private static let margins = [1.8, 1.3, 2.6]
    private static let limit = 3

    private var near: WindowAllowance, wide = WindowAllowance(rate: 0.1), points = WindowAllowance(rate: 0.5)
    private var lastTime: Double?

    /// - Parameter isLikely: Whether a gesture is likely. Searches are then more frequent.
    init(isLikely: Bool = false) { near = WindowAllowance(rate: isLikely ? 0.5 : 0.25) }

    /// Records the changed regions of the picture at `time`, ordered by the amount of change.
    mutating func record(_ regions: [ChangedRegion], at time: Double) {
        entries.removeAll {
            time < $0.time || time - $0.time > ($0.region.isLarge ? Self.memoryOfMuch : Self.memory)
        }
        // A cut makes all earlier regions invalid.
        if regions.contains(.everything) { entries = [] }
        for shown in regions.prefix(Self.limit).reversed() {
            var entry = Entry(region: shown.orEverything, shown: shown, time: time)
            if let known = entries.firstIndex(where: { $0.region.overlaps(entry.region) }) {
                let last = entries.remove(at: known)
                (entry.tries, entry.hasSoughtPoints) = (last.tries, last.hasSoughtPoints)
            }
            entries.insert(entry, at: 0)
        }
        entries.removeLast(max(0, entries.count - Self.limit))
    }

    /// A search for hands in a changed region.
    struct Search {
        /// The palm detector's window; `nil` if the region has been searched often enough.
        var window: PictureWindow?
        /// The region in upright pixels, if the landmark model may search it without a palm.
        var box: Box?
    }

    /// Returns the next searches. Regions that were searched least often come first.
    /// - Parameters:
    ///   - isExplained: Whether a detected hand is the cause of the change. The region is then dropped, because no hand
    ///     remains in it when that hand has gone.
    ///   - isWorthwhile: Whether the region may be searched now.
    mutating func searches(
        at time: Double, geometry: DisplayGeometry, count: Int, isExplained: (ChangedRegion) -> Bool,
        isWorthwhile: (ChangedRegion) -> Bool
    ) -> [Search] {
        let passed = max(0, time - (lastTime ?? time))
        near.refill(after: passed)
        wide.refill(after: passed)
        points.refill(after: passed)
        lastTime = time
        entries.removeAll { isExplained($0.shown) }
        let open = entries.indices.filter { isWorthwhile(entries[$0].shown) }
        var searches: [Search] = []
        // If fewer regions than `count` have changed, a region is searched twice at once, because a gesture is not held
        // for long.
        for _ in 0..<count {
            for index in open.sorted(by: { (entries[$0].tries, $0) < (entries[$1].tries, $1) })
            where searches.count < count {
                if let search = search(index, geometry) { searches.append(search) }
            }
        }
        return searches
    }

    /// - Returns: The next search of an entry's region; `nil` if it has been searched sufficiently or if no allowance
    ///   is left.
    private mutating func search(_ index: Int, _ geometry: DisplayGeometry) -> Search? {
        let entry = entries[index], isWide = entry.region.isLarge
        var search = Search()
        if let window = entry.window(geometry), isWide ? wide.spend() : near.spend() {
            search.window = window
            entries[index].tries += 1
        }
        // The landmark model searches the region directly after the palm detector has searched a close window, or if
        // the region has none.
        let isLast = isWide || entry.tries > 0 || search.window == nil
        let box = Box(entry.shown, geometry: geometry)
        if isLast, !entry.hasSoughtPoints, PictureWindow.isReadable(box, geometry: geometry), points.spend() {
            entries[index].hasSoughtPoints = true
            search.box = box
        }
        return search.window == nil && search.box == nil ? nil : search
    }

    /// Records that one of the searches returned last found a hand, and restores the allowances.
    mutating func recordHand() {
        near.refill()
        points.refill()
        wide.refill()
    }
}

/// The number of windows that may be searched at a time. The number is limited because pictures of talking people
/// always contain changes.
private struct WindowAllowance {
    /// The number of windows available at once after a time without changes.
    private static let reserve = 4.0
    /// The number of windows a second in the long run.
    let rate: Double
    private var left = reserve

    init(rate: Double) { self.rate = rate }

    mutating func refill(after seconds: Double = .infinity) { left = min(Self.reserve, left + rate * seconds) }

    /// - Returns: Whether the allowance was not exhausted.
    mutating func spend() -> Bool {
        guard left >= 1 else { return false }
        left -= 1
        return true
    }
}

extension ChangedRegion {
    /// True if the region covers about half of the picture's width or height.
    var isLarge: Bool { max(right - left, bottom - top) > 0.45 }

    fileprivate var orEverything: ChangedRegion {
        guard isLarge else { return self }
        var everything = ChangedRegion.everything
        everything.stays = stays
        return everything
    }

    /// Returns whether both regions likely show the same object, which has moved a little.
    fileprivate func overlaps(_ other: ChangedRegion) -> Bool {
        let box = Box(left: left, top: top, right: right, bottom: bottom)
        return box.intersectionOverUnion(
            Box(left: other.left, top: other.top, right: other.right, bottom: other.bottom)) > 0.4
    }
}

/// Regions that resembled palms, but in which the landmark model found no hand: faces, sleeves.
///
/// Each region is skipped for a time, which grows with each further rejection. ``HandTracker`` owns it.
struct RejectedRegions {
    fileprivate struct Entry {
        var region: HandRegion
        var time: Double
        /// The number of earlier rejections.
        var repeats: Int
    }

    private var entries: [Entry] = []

    /// Returns the regions to skip at a time.
    mutating func regions(at time: Double, _ rules: HandTracker.Configuration) -> [HandRegion] {
        entries.removeAll { time - $0.time > $0.rest(rules) + rules.longestRejection }
        return entries.filter { time - $0.time <= $0.rest(rules) }.map(\.region)
    }

    /// Adds regions that have just been rejected.
    mutating func add(_ regions: some Sequence<HandRegion>, at time: Double) {
        for region in regions {
            let known = entries.firstIndex { $0.region.isNearlySame(as: region) }
            let repeats = known.map { entries.remove(at: $0).repeats + 1 } ?? 0
            entries.append(Entry(region: region, time: time, repeats: repeats))
        }
    }

    /// Clears all regions, so that they are examined again.
    mutating func forget() { entries = [] }
}

extension RejectedRegions.Entry {
    /// Returns the seconds for which the region is skipped.
    func rest(_ rules: HandTracker.Configuration) -> Double {
        min(rules.rejectionTime * Double(1 << min(repeats, 8)), rules.longestRejection)
    }
}
