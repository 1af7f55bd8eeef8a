internal import Raster

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
