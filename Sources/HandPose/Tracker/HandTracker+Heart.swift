internal import Inference
internal import Raster

extension HandTracker {
    /// The seconds for which a heart may be undetected.
    private static let patience = 0.4
    /// The number of hollows kept from a picture.
    private static let hollowLimit = 2

    /// Checks whether the hands of a known heart still frame a hollow. Landmarks are inaccurate where hands touch, and
    /// presence is low against the light, but the hollow determines the hands' places.
    func followHeart(
        _ picture: borrowing Picture, _ geometry: DisplayGeometry, _ time: Double
    ) throws(InferenceError) {
        guard let known = heart else { return }
        let hollows = hollowFinder.hollows(in: picture, geometry: geometry)
        for hollow in hollows where hollow.mayFollow(known.frame.hollow) {
            guard
                let left = try hand(known.left, known.frame.left, of: known, hollow, -1, picture, geometry),
                let right = try hand(known.right, known.frame.right, of: known, hollow, 1, picture, geometry),
                let frame = HandFinder.frame(of: hollow, left: [left], right: [right])
            else { continue }
            heart = FollowedHeart(frame: frame, left: known.left, right: known.right, time: time)
            put(frame.left, number: known.left, time)
            put(frame.right, number: known.right, time)
            return
        }
        if time - known.time > Self.patience { heart = nil }
    }

    /// Returns the reading of a heart's hand: from its tracked region, or else from the region that the hollow
    /// determines.
    private func hand(
        _ number: Int, _ last: LocatedHand, of heart: FollowedHeart, _ hollow: Hollow, _ side: Double,
        _ picture: borrowing Picture, _ geometry: DisplayGeometry
    ) throws(InferenceError) -> LocatedHand? {
        if let followed = tracks.first(where: { $0.id == number })?.located, followed.reaches(hollow, side: side) {
            return followed
        }
        let region = heart.region(of: last, around: hollow)
        let look = try finder.dimHand(in: picture, geometry: geometry, region: region)
        return look.flatMap { $0.reaches(hollow, side: side) ? $0 : nil }
    }

    /// Searches for a hollow, and for hands around one that has been detected twice. A hollow without hands is retried
    /// at growing intervals for as long as it stays.
    func searchHeart(
        _ picture: borrowing Picture, _ geometry: DisplayGeometry, _ time: Double
    ) throws(InferenceError) {
        emptyHollows.removeAll { time - $0.time > EmptyHollow.memory }
        for hollow in hollowFinder.hollows(in: picture, geometry: geometry).prefix(Self.hollowLimit) {
            guard let index = emptyHollows.firstIndex(where: { hollow.mayFollow($0.hollow) }) else {
                emptyHollows.append(EmptyHollow(hollow: hollow, time: time))
                continue
            }
            emptyHollows[index].hollow = hollow
            emptyHollows[index].time = time
            guard time >= emptyHollows[index].nextTry else { continue }
            if let frame = try finder.frame(
                of: hollow, known: tracks.map(\.located), in: picture, geometry: geometry, isThorough: false)
            {
                emptyHollows = []
                begin(frame, time)
                return
            }
            emptyHollows[index].recordFailure(at: time)
        }
    }

    private func begin(_ frame: HeartFrame, _ time: Double) {
        func number(of hand: LocatedHand) -> Int {
            tracks.first { $0.located.isSameHand(as: hand) }?.id ?? identify(hand)
        }
        let left = number(of: frame.left)
        put(frame.left, number: left, time)
        let right = number(of: frame.right)
        put(frame.right, number: right, time)
        // Hands that overlap these were misread; of too many the newest are dropped.
        tracks.removeAll { track in
            track.id != left && track.id != right
                && [frame.left, frame.right].contains { $0.region.relativeDistance(to: track.located.region) < 0.3 }
        }
        while tracks.count > configuration.maximumHands,
            let last = tracks.lastIndex(where: { $0.id != left && $0.id != right })
        {
            tracks.remove(at: last)
        }
        heart = FollowedHeart(frame: frame, left: left, right: right, time: time)
    }

    private func put(_ hand: LocatedHand, number: Int, _ time: Double) {
        tracks.removeAll { $0.id == number }
        lost.removeAll { $0.id == number }
        tracks.append(Track(id: number, located: hand, time: time))
        tracks.sort { $0.id < $1.id }
    }
}
