internal import Raster

/// Where something new was seen of late, and how often it was searched for hands.
struct RecentNews {
    private struct Entry {
        var newcomer: Newcomer
        var time: Double
        var tries = 0
    }

    private var entries: [Entry] = []

    /// Seconds for which what is new stays so; where much is, a hand that comes a second later is news of its own.
    private static let memory = 1.2, memoryOfMuch = 0.5
    /// The sides of the windows of successive looks at one, in its longer sides: what has changed may be a hand with
    /// its arm, or a part of a hand.
    private static let margins = [1.8, 1.3, 2.6]
    private static let limit = 3

    private var near = WindowAllowance(rate: 0.25), wide = WindowAllowance(rate: 0.1)
    private var lastTime: Double?

    /// Notes what a glance at the picture at `time` has seen, what changed most first.
    mutating func note(_ newcomers: [Newcomer], at time: Double) {
        entries.removeAll {
            time < $0.time || time - $0.time > ($0.newcomer == .everything ? Self.memoryOfMuch : Self.memory)
        }
        for newcomer in newcomers.map(\.orEverything).prefix(Self.limit).reversed() {
            let known = entries.firstIndex { $0.newcomer.overlaps(newcomer) }
            let tries = known.map { entries.remove(at: $0).tries } ?? 0
            entries.insert(Entry(newcomer: newcomer, time: time, tries: tries), at: 0)
        }
        entries.removeLast(max(0, entries.count - Self.limit))
    }

    /// The windows to look through next, those first that were looked through least often.
    mutating func windows(at time: Double, geometry: DisplayGeometry, count: Int) -> [PictureWindow] {
        let passed = max(0, time - (lastTime ?? time))
        near.refill(after: passed)
        wide.refill(after: passed)
        lastTime = time
        var windows: [PictureWindow] = []
        let order = entries.indices.sorted { (entries[$0].tries, $0) < (entries[$1].tries, $1) }
        for index in order where windows.count < count {
            let entry = entries[index]
            entries[index].tries += 1
            if entry.newcomer == .everything {
                guard entry.tries < PictureWindow.fartherLooks.count, wide.spend() else { continue }
                windows.append(PictureWindow(around: geometry, scale: PictureWindow.fartherLooks[entry.tries]))
            } else {
                guard entry.tries < Self.margins.count,
                    let window = PictureWindow(
                        around: entry.newcomer, margin: Self.margins[entry.tries], geometry: geometry),
                    near.spend()
                else { continue }
                windows.append(window)
            }
        }
        return windows
    }

    /// Notes that one of the windows given last showed a hand: it was well spent.
    mutating func noteHand() {
        near.refill()
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
    /// The whole picture in place of something that takes half of it.
    fileprivate var orEverything: Newcomer { max(right - left, bottom - top) > 0.45 ? .everything : self }

    /// Whether both are likely the same thing, which has moved a little.
    fileprivate func overlaps(_ other: Newcomer) -> Bool {
        let box = Box(left: left, top: top, right: right, bottom: bottom)
        return box.intersectionOverUnion(
            Box(left: other.left, top: other.top, right: other.right, bottom: other.bottom)) > 0.4
    }
}
