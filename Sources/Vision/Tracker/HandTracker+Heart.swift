internal import Raster

/// Tracks the two hands of a heart by the hole that they enclose. Changes the tracker's tracks and its known heart and
/// holes.
extension HandTracker {
    /// The seconds for which a heart may remain undetected.
    private static let maximumGap = 0.4
    /// The maximum number of holes in a picture around which hands are searched.
    private static let holeLimit = 2

    /// Checks whether the hands of a known heart still frame a hole. Landmarks are inaccurate where hands touch, and
    /// the presence of backlit hands is low. But the hole determines the places of the hands.
    func followHeart(
        _ picture: borrowing Picture, _ geometry: DisplayGeometry, _ time: Double
    ) throws(InferenceError) {
        guard let known = heart else { return }
        let holes = holeFinder.holes(in: picture, geometry: geometry)
        for hole in holes where hole.mayFollow(known.frame.hole) {
            guard
                let left = try hand(known.left, known.frame.left, of: known, hole, -1, picture, geometry),
                let right = try hand(known.right, known.frame.right, of: known, hole, 1, picture, geometry),
                let frame = HandFinder.frame(of: hole, left: [left], right: [right])
            else { continue }
            heart = FollowedHeart(frame: frame, left: known.left, right: known.right, time: time)
            put(frame.left, number: known.left, time)
            put(frame.right, number: known.right, time)
            return
        }
        if time - known.time > Self.maximumGap { heart = nil }
    }

    /// Returns one hand of a heart: the tracked hand, or else a detection in the region that the hole determines; `nil`
    /// if neither reaches the hole.
    private func hand(
        _ number: Int, _ last: LocatedHand, of heart: FollowedHeart, _ hole: Hole, _ side: Double,
        _ picture: borrowing Picture, _ geometry: DisplayGeometry
    ) throws(InferenceError) -> LocatedHand? {
        if let followed = tracks.first(where: { $0.id == number })?.located, followed.reaches(hole, side: side) {
            return followed
        }
        let region = heart.region(of: last, around: hole)
        let detected = try finder.dimHand(in: picture, geometry: geometry, region: region)
        return detected.flatMap { $0.reaches(hole, side: side) ? $0 : nil }
    }

    /// Searches for a hole, and for hands around a hole that has been detected twice. A hole without hands is retried
    /// at growing intervals while it exists.
    func searchHeart(
        _ picture: borrowing Picture, _ geometry: DisplayGeometry, _ time: Double
    ) throws(InferenceError) {
        unconfirmedHoles.removeAll { time - $0.time > UnconfirmedHole.memory }
        for hole in holeFinder.holes(in: picture, geometry: geometry).prefix(Self.holeLimit) {
            guard let index = unconfirmedHoles.firstIndex(where: { hole.mayFollow($0.hole) }) else {
                unconfirmedHoles.append(UnconfirmedHole(hole: hole, time: time))
                continue
            }
            unconfirmedHoles[index].hole = hole
            unconfirmedHoles[index].time = time
            guard time >= unconfirmedHoles[index].nextTry else { continue }
            if let frame = try finder.frame(
                of: hole, known: tracks.map(\.located), in: picture, geometry: geometry, isThorough: false)
            {
                unconfirmedHoles = []
                begin(frame, time)
                return
            }
            unconfirmedHoles[index].recordFailure(at: time)
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
        // Other tracks that overlap these two hands were wrong. If there are too many hands, the newest are dropped.
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
