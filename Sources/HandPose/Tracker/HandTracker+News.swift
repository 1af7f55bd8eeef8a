internal import Inference
internal import Raster

extension HandTracker {
    /// How many windows a look that finds no hand goes on to: each costs as much as the look at the whole picture.
    private static let windowLimit = 2

    /// Notes where the picture at `time` shows something new.
    ///
    /// The next looks that see no hand look nearer there: the palm detector sees the whole picture with 192 pixels
    /// across, in which a hand of a tenth of the height is eleven pixels high. Where much is new they look from farther
    /// away: it finds no hand that fills the picture either.
    package func note(_ newcomers: [Newcomer], at time: Double) { news.note(newcomers, at: time) }

    /// Searches where something is new that none of the hands explains: a face that was taken for a hand must not
    /// keep the one from being seen that is raised beside it.
    /// - Parameters:
    ///   - found: hands that this look has found; further ones are added.
    ///   - known: the hands that are followed.
    func searchNews(
        _ found: inout [LocatedHand], _ known: inout [LocatedHand], settled: inout Set<Int>,
        _ picture: borrowing Picture, _ geometry: DisplayGeometry, _ time: Double, _ rejected: inout [HandRegion]
    ) throws(InferenceError) {
        let followed = known.count
        var hands = known + found
        let searches = news.searches(at: time, geometry: geometry, count: Self.windowLimit) { newcomer in
            hands.contains { $0.explains(newcomer, geometry) }
        } isWorthwhile: {
            // Where hands are seen something always moves: arms, sleeves, the hands themselves.
            hands.isEmpty || ($0.stays && !$0.isLarge)
        }
        for search in searches where hands.count < configuration.maximumHands {
            let new = try self.hands(search, &hands, &settled, picture, geometry, &rejected)
            hands += new
            guard new.isEmpty else {
                news.noteHand()
                break
            }
        }
        known = Array(hands[..<followed])
        found = Array(hands[followed...])
        // Those that are not followed yet have been looked at just now.
        settled = settled.filter { $0 < followed }
    }

    /// The hands that one search finds beside those that are known.
    private func hands(
        _ search: RecentNews.Search, _ known: inout [LocatedHand], _ settled: inout Set<Int>,
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
    /// Below this presence a face or a sleeve may have been taken for a hand.
    private static let surePresence = 0.9
    /// What is new in front of what may be no hand, and smaller than this share of its region, is more than a finger of it.
    private static let smallShare = 0.4

    /// Whether it surely is a hand.
    var isSure: Bool { hand.presence >= Self.surePresence }

    /// Whether this hand may be what is new there: it lies in it, or around its middle.
    fileprivate func explains(_ newcomer: Newcomer, _ geometry: DisplayGeometry) -> Bool {
        let box = Box(newcomer, geometry: geometry)
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

/// Where something new was seen of late, and how often it was searched for hands.
struct RecentNews {
    private struct Entry {
        /// What is looked at: the whole picture in place of something that takes half of it.
        var newcomer: Newcomer
        /// What was seen.
        var shown: Newcomer
        var time: Double
        var tries = 0
        /// Whether a hand was looked for without a palm.
        var hasSoughtPoints = false

        /// The palm detector's next window; `nil` after the last.
        func window(_ geometry: DisplayGeometry) -> PictureWindow? {
            if newcomer.isLarge {
                guard tries < PictureWindow.fartherLooks.count else { return nil }
                return PictureWindow(around: geometry, scale: PictureWindow.fartherLooks[tries])
            }
            guard tries < margins.count else { return nil }
            return PictureWindow(around: newcomer, margin: margins[tries], geometry: geometry)
        }
    }

    private var entries: [Entry] = []

    /// Seconds for which what is new stays so; where much is, a hand that comes a second later is news of its own.
    private static let memory = 1.2, memoryOfMuch = 0.5
    /// The sides of the windows of successive looks at one, in its longer sides: what has changed may be a hand with
    /// its arm, or a part of a hand.
    private static let margins = [1.8, 1.3, 2.6]
    private static let limit = 3

    private var near: WindowAllowance, wide = WindowAllowance(rate: 0.1), points = WindowAllowance(rate: 0.5)
    private var lastTime: Double?

    /// - Parameter isLikely: whether somebody is likely to make a gesture: then it is searched more often.
    init(isLikely: Bool = false) { near = WindowAllowance(rate: isLikely ? 0.5 : 0.25) }

    /// Notes what a glance at the picture at `time` has seen, what changed most first.
    mutating func note(_ newcomers: [Newcomer], at time: Double) {
        entries.removeAll {
            time < $0.time || time - $0.time > ($0.newcomer.isLarge ? Self.memoryOfMuch : Self.memory)
        }
        // A cut leaves nothing of what was there.
        if newcomers.contains(.everything) { entries = [] }
        for shown in newcomers.prefix(Self.limit).reversed() {
            var entry = Entry(newcomer: shown.orEverything, shown: shown, time: time)
            if let known = entries.firstIndex(where: { $0.newcomer.overlaps(entry.newcomer) }) {
                let last = entries.remove(at: known)
                (entry.tries, entry.hasSoughtPoints) = (last.tries, last.hasSoughtPoints)
            }
            entries.insert(entry, at: 0)
        }
        entries.removeLast(max(0, entries.count - Self.limit))
    }

    /// How to search for hands at something new.
    struct Search {
        /// The palm detector's window; `nil` where it has looked often enough.
        var window: PictureWindow?
        /// Where the thing is, in upright pixels, if a hand may be looked for there without a palm.
        var box: Box?
    }

    /// How to search next, at those first that were searched least often.
    /// - Parameters:
    ///   - isExplained: whether a hand that is seen is what is new. It is forgotten then: when the hand has gone there is
    ///     nothing in its place.
    ///   - isWorthwhile: whether it may be searched now.
    mutating func searches(
        at time: Double, geometry: DisplayGeometry, count: Int, isExplained: (Newcomer) -> Bool,
        isWorthwhile: (Newcomer) -> Bool
    ) -> [Search] {
        let passed = max(0, time - (lastTime ?? time))
        near.refill(after: passed)
        wide.refill(after: passed)
        points.refill(after: passed)
        lastTime = time
        entries.removeAll { isExplained($0.shown) }
        let open = entries.indices.filter { isWorthwhile(entries[$0].shown) }
        var searches: [Search] = []
        // Where there is little else that is new, one look searches twice: a gesture is not held for long.
        for _ in 0..<count {
            for index in open.sorted(by: { (entries[$0].tries, $0) < (entries[$1].tries, $1) })
            where searches.count < count {
                if let search = search(index, geometry) { searches.append(search) }
            }
        }
        return searches
    }

    /// - Returns: `nil` where enough was done.
    private mutating func search(_ index: Int, _ geometry: DisplayGeometry) -> Search? {
        let entry = entries[index], isWide = entry.newcomer.isLarge
        var search = Search()
        if let window = entry.window(geometry), isWide ? wide.spend() : near.spend() {
            search.window = window
            entries[index].tries += 1
        }
        // Only where a near look has found no palm, or there is none.
        let isLast = isWide || entry.tries > 0 || search.window == nil
        let box = Box(entry.shown, geometry: geometry)
        if isLast, !entry.hasSoughtPoints, PictureWindow.isReadable(box, geometry: geometry), points.spend() {
            entries[index].hasSoughtPoints = true
            search.box = box
        }
        return search.window == nil && search.box == nil ? nil : search
    }

    /// Notes that one of the windows given last showed a hand: it was well spent.
    mutating func noteHand() {
        near.refill()
        points.refill()
        wide.refill()
    }
}

/// How many windows may be looked through: where people talk there is always something new.
private struct WindowAllowance {
    /// How many at once after a time without news.
    private static let reserve = 4.0
    /// How many a second in the long run.
    let rate: Double
    private var left = reserve

    init(rate: Double) { self.rate = rate }

    mutating func refill(after seconds: Double = .infinity) { left = min(Self.reserve, left + rate * seconds) }

    /// - Returns: whether there was one left.
    mutating func spend() -> Bool {
        guard left >= 1 else { return false }
        left -= 1
        return true
    }
}

extension Newcomer {
    /// Whether it takes half of the picture's width or height.
    var isLarge: Bool { max(right - left, bottom - top) > 0.45 }

    fileprivate var orEverything: Newcomer {
        guard isLarge else { return self }
        var everything = Newcomer.everything
        everything.stays = stays
        return everything
    }

    /// Whether both are likely the same thing, which has moved a little.
    fileprivate func overlaps(_ other: Newcomer) -> Bool {
        let box = Box(left: left, top: top, right: right, bottom: bottom)
        return box.intersectionOverUnion(
            Box(left: other.left, top: other.top, right: other.right, bottom: other.bottom)) > 0.4
    }
}

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
