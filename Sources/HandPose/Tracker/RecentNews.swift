internal import Raster

/// Where something new was seen of late, and how often it was searched for hands.
struct RecentNews {
    private struct Entry {
        var newcomer: Newcomer
        var time: Double
        var tries = 0
    }

    private var entries: [Entry] = []

    /// Seconds for which what is new stays so.
    private static let memory = 1.2
    /// The sides of the windows of successive looks at one, in its longer sides: what has changed may be a hand with
    /// its arm, or a part of a hand.
    private static let margins = [1.8, 1.3, 2.6]
    private static let limit = 3
    /// How many windows may be looked through at once after a time without news, and how many a second in the long run:
    /// where people talk there is always something new.
    private static let reserve = 4.0, rate = 0.25

    private var allowance = reserve
    private var lastTime: Double?

    /// Notes what a glance at the picture at `time` has seen, what changed most first.
    mutating func note(_ newcomers: [Newcomer], at time: Double) {
        entries.removeAll { time - $0.time > Self.memory || time < $0.time }
        for newcomer in newcomers.prefix(Self.limit).reversed() {
            let known = entries.firstIndex { $0.newcomer.overlaps(newcomer) }
            let tries = known.map { entries.remove(at: $0).tries } ?? 0
            entries.insert(Entry(newcomer: newcomer, time: time, tries: tries), at: 0)
        }
        entries.removeLast(max(0, entries.count - Self.limit))
    }

    /// The windows to look through next, those first that were looked through least often.
    mutating func windows(at time: Double, geometry: DisplayGeometry, count: Int) -> [PictureWindow] {
        allowance = min(Self.reserve, allowance + Self.rate * max(0, time - (lastTime ?? time)))
        lastTime = time
        var windows: [PictureWindow] = []
        let order = entries.indices.sorted { (entries[$0].tries, $0) < (entries[$1].tries, $1) }
        for index in order where windows.count < count && allowance >= 1 && entries[index].tries < Self.margins.count {
            let margin = Self.margins[entries[index].tries]
            entries[index].tries += 1
            if let window = PictureWindow(around: entries[index].newcomer, margin: margin, geometry: geometry) {
                windows.append(window)
                allowance -= 1
            }
        }
        return windows
    }

    /// Notes that one of the windows given last showed a hand: it was well spent.
    mutating func noteHand() { allowance = Self.reserve }
}

extension Newcomer {
    /// Whether both are likely the same thing, which has moved a little.
    fileprivate func overlaps(_ other: Newcomer) -> Bool {
        let box = Box(left: left, top: top, right: right, bottom: bottom)
        return box.intersectionOverUnion(
            Box(left: other.left, top: other.top, right: other.right, bottom: other.bottom)) > 0.4
    }
}
