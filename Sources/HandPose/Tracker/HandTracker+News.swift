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
