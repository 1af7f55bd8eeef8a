internal import Inference
internal import Raster

/// A hand together with where it was, in upright pixels.
struct LocatedHand {
    var hand: HandLandmarks
    /// Where to look for it in the next picture.
    var region: HandRegion
    /// The 21 points in upright pixels.
    let points: [Point]

    /// - Parameter looked: the region in which the hand was found.
    init(_ hand: HandLandmarks, geometry: DisplayGeometry, looked: HandRegion) {
        self.hand = hand
        points = hand.points.map {
            Point(x: $0.x * geometry.uprightWidth, y: $0.y * geometry.uprightHeight)
        }
        let next = HandRegion(landmarks: points)
        // A hand that keeps still is looked at in the same region again: one that followed
        // every small change of the points would feed their errors back to itself.
        region = looked.stillFits(next) ? looked : next
    }

    func point(_ joint: HandJoint) -> Point { points[joint.rawValue] }

    /// Whether both are one hand seen twice: their points lie on each other.
    /// Two hands that touch or cross have overlapping regions, but not that.
    func isSameHand(as other: LocatedHand) -> Bool { distance(to: other) < 0.15 }

    /// Whether two looks at one hand saw its fingers in different places: then one of them is wrong.
    func contradicts(_ other: LocatedHand) -> Bool { distance(to: other) > 0.05 }

    /// The mean distance between the points of both, in sides of the larger region.
    private func distance(to other: LocatedHand) -> Double {
        var sum = 0.0
        for index in points.indices { sum += points[index].distance(to: other.points[index]) }
        return sum / Double(points.count) / max(region.side, other.region.side)
    }

    /// Whether a detected palm's region is surely that of this hand.
    func covers(_ candidate: HandRegion) -> Bool {
        let dx = region.centreX - candidate.centreX, dy = region.centreY - candidate.centreY
        let limit = 0.15 * region.side
        return dx * dx + dy * dy < limit * limit && region.intersectionOverUnion(candidate) > 0.5
    }
}

/// Detects hands in one picture, whatever was seen before.
struct HandFinder {
    let detector: any PalmDetecting
    let landmarker: any HandLandmarking
    let minimumPresence: Double

    /// The same with another limit.
    func withMinimumPresence(_ presence: Double) -> HandFinder {
        HandFinder(detector: detector, landmarker: landmarker, minimumPresence: presence)
    }

    /// Looks at a region for the points of a hand.
    /// - Returns: `nil` when there is none, or one so degenerate that it cannot be followed.
    func hand(
        in picture: borrowing Picture, geometry: DisplayGeometry, region: HandRegion
    ) throws(InferenceError) -> LocatedHand? {
        let hand = try landmarker.hand(in: picture, geometry: geometry, region: region)
        guard hand.presence >= minimumPresence else { return nil }
        let located = LocatedHand(hand, geometry: geometry, looked: region)
        let next = located.region
        let longest = max(geometry.uprightWidth, geometry.uprightHeight)
        guard
            next.side > 4, next.side < 4 * longest,
            next.centreX > 0, next.centreX < geometry.uprightWidth,
            next.centreY > 0, next.centreY < geometry.uprightHeight
        else { return nil }
        return located
    }

    /// Looks through a window for hands that are not among `known`, and afresh at those that are.
    ///
    /// Following a hand from picture to picture can settle on a wrong reading that
    /// confirms itself, such as a raised thumb taken for the index finger. A look
    /// from the palm alone knows nothing of that, so the surer of the two stays.
    /// - Parameters:
    ///   - known: hands that are followed; those that a fresh look sees more surely are replaced.
    ///   - settled: the indices of those that need no fresh look; those that got one are added.
    ///   - rejected: regions that were found to show no hand a moment ago: they are not
    ///     looked at again, and further ones are added.
    /// - Returns: at most `limit` hands, the surest palms first.
    func newHands(
        in picture: borrowing Picture, geometry: DisplayGeometry, window: PictureWindow,
        known: inout [LocatedHand], settled: inout Set<Int>, rejected: inout [HandRegion], limit: Int
    ) throws(InferenceError) -> [LocatedHand] {
        var found: [LocatedHand] = []
        for palm in try detector.palms(in: picture, geometry: geometry, window: window) {
            let region = HandRegion(palm)
            let match = known.firstIndex { $0.covers(region) }
            if match.map({ settled.contains($0) }) ?? (found.count >= limit) { continue }
            if rejected.contains(where: { $0.isNearlySame(as: region) }) { continue }
            guard let hand = try hand(in: picture, geometry: geometry, region: region) else {
                if match == nil { rejected.append(region) }
                continue
            }
            if let match {
                settled.insert(match)
                if hand.hand.presence > known[match].hand.presence { known[match] = hand }
                continue
            }
            if known.contains(where: { $0.isSameHand(as: hand) }) { continue }
            if found.contains(where: { $0.isSameHand(as: hand) }) { continue }
            found.append(hand)
        }
        return found
    }
}
