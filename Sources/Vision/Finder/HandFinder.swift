internal import Raster

/// Detects hands in one picture, without state from earlier pictures. ``HandTracker`` uses it.
struct HandFinder {
    let detector: any PalmDetecting
    let landmarker: any HandLandmarking
    let minimumPresence: Double

    /// Returns the same finder with another minimum presence.
    func withMinimumPresence(_ presence: Double) -> HandFinder {
        HandFinder(detector: detector, landmarker: landmarker, minimumPresence: presence)
    }

    /// Runs the landmark model on a region.
    /// - Returns: `nil` if there is no hand, or if the region of the hand's points is too small, too large or outside
    ///   the picture.
    func hand(
        in picture: borrowing Picture, geometry: DisplayGeometry, region: HandRegion
    ) throws(InferenceError) -> LocatedHand? {
        let hand = try landmarker.hand(in: picture, geometry: geometry, region: region)
        guard hand.presence >= minimumPresence else { return nil }
        let located = LocatedHand(hand, geometry: geometry, searched: region)
        let next = located.region
        let longest = max(geometry.uprightWidth, geometry.uprightHeight)
        guard
            next.side > 4, next.side < 4 * longest,
            next.centreX > 0, next.centreX < geometry.uprightWidth,
            next.centreY > 0, next.centreY < geometry.uprightHeight
        else { return nil }
        return located
    }

    /// Detects hands in a window that are not among `known`, and detects known hands again.
    ///
    /// Tracking can keep an error that confirms itself, such as a raised thumb taken for an index finger. A detection
    /// from the palm alone is independent of the tracked detection. Of these two, the detection with the greater
    /// presence is kept.
    /// - Parameters:
    ///   - known: Tracked hands; they are replaced by fresh detections of a greater presence.
    ///   - settled: The indices of known hands that need no repeated detection. Hands that are detected again are
    ///     added.
    ///   - rejected: Regions that recently showed no hand. These regions are skipped, and further regions without a
    ///     hand are added.
    /// - Returns: At most `limit` hands, ordered by the palms' scores.
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

extension HandFinder {
    /// The presence below which a hand's landmarks are in doubt. In 2,022 photos, 5 % of the hands whose gesture was
    /// recognised correctly had a presence below 0.987, and so had more than half of the others.
    static let doubtfulPresence = 0.99
    /// The presence from which ``secondReading(at:in:geometry:)`` makes no further inference.
    private static let certainPresence = 0.995

    /// Runs the landmark model again on a hand whose landmarks are in doubt: on the region of its points, and on turned
    /// regions. The palm detector often mistakes the direction of a fist with a thumb below it. In the resulting
    /// region, the landmark model finds no thumb.
    /// - Returns: The detection with the greatest presence, if it at least halves the doubt (1 − presence); otherwise
    ///   `hand`.
    func secondReading(
        at hand: LocatedHand, in picture: borrowing Picture, geometry: DisplayGeometry
    ) throws(InferenceError) -> LocatedHand {
        guard hand.hand.presence < Self.doubtfulPresence else { return hand }
        var best = hand
        for turn in [0, Double.pi / 2, -Double.pi / 2, Double.pi]
        where best.hand.presence < Self.certainPresence {
            let region = hand.region.turned(by: turn)
            guard let detected = try self.hand(in: picture, geometry: geometry, region: region)
            else { continue }
            // The detected points determine the region better than the turned guess.
            let settled = try self.hand(in: picture, geometry: geometry, region: detected.region) ?? detected
            for other in [detected, settled]
            where other.hand.presence > best.hand.presence && other.isNear(hand) {
                best = other
            }
        }
        return 1 - best.hand.presence <= (1 - hand.hand.presence) / 2 ? best : hand
    }
}

extension HandFinder {
    /// The variations of a hand's region for further inferences: turned (in radians), scaled, mirrored.
    ///
    /// The variations exceed the region's change from one picture to the next, so that errors are independent. The
    /// variations stay within the range on which the landmark model was trained.
    private static let variations: [(turn: Double, scale: Double, isMirrored: Bool)] = [
        (.pi / 9, 1, false), (-.pi / 9, 1, false), (0, 0.85, false), (0, 1.25, false), (0, 1, true),
        (0, 1.1, true),
    ]

    /// Runs the landmark model on several crops of a hand, and returns the median of each point.
    ///
    /// Crops disagree on a finger that is hard to see. The median follows the majority. Of 2,022 photos without hearts,
    /// 39 are then misread instead of 48. `hand` counts as the result of one crop.
    /// - Returns: `nil` if fewer than half of the crops show this hand, which is then a false detection.
    func agreedReading(
        of hand: LocatedHand, in picture: borrowing Picture, geometry: DisplayGeometry
    ) throws(InferenceError) -> LocatedHand? {
        var readings = [hand]
        for (turn, scale, isMirrored) in Self.variations {
            var region = hand.region.turned(by: turn)
            region.side *= scale
            region.isMirrored = isMirrored
            if let detected = try self.hand(in: picture, geometry: geometry, region: region),
                detected.isSameHand(as: hand)
            {
                readings.append(detected)
            }
        }
        guard 2 * readings.count > Self.variations.count else { return nil }
        var agreed = hand.hand
        for index in agreed.points.indices {
            let points = readings.map { $0.hand.points[index] }
            agreed.points[index] = Landmark(
                x: middle(of: points.map(\.x)), y: middle(of: points.map(\.y)), z: middle(of: points.map(\.z)))
        }
        agreed.embedding = mean(of: readings.map(\.hand.embedding))
        agreed.presence = middle(of: readings.map(\.hand.presence))
        return LocatedHand(agreed, geometry: geometry, searched: hand.region)
    }
}

/// Returns the mean of vectors of equal length.
private func mean(of vectors: [[Float]]) -> [Float] {
    let share = 1 / Float(vectors.count)
    return vectors[0].indices.map { index in vectors.reduce(0) { $0 + $1[index] } * share }
}

/// Returns the median. For an even number of values, this is the mean of the two values in the middle.
private func middle(of values: [Double]) -> Double {
    let sorted = values.sorted()
    return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
}

extension HandFinder {
    /// Searches a smaller window for the other hand of a person with one detected hand.
    ///
    /// The palm detector reduces the whole picture to a width of 192 pixels. In pictures 1,280 wide, it found a third
    /// of the hands with palms of 40 to 70 pixels, and both hands in only one of ten pairs.
    /// - Parameters:
    ///   - hand: The detected hand.
    ///   - side: The side to search: −1 on the left of the hand, 1 on the right; nil for the side on which the person's
    ///     other hand is expected.
    ///   - known: All hands detected so far.
    func otherHand(
        of hand: LocatedHand, side: Double? = nil, known: [LocatedHand], in picture: borrowing Picture,
        geometry: DisplayGeometry, rejected: inout [HandRegion], limit: Int
    ) throws(InferenceError) -> [LocatedHand] {
        guard limit > 0, let window = hand.windowOfOtherHand(side: side, geometry: geometry) else { return [] }
        var others = known
        var settled = Set(known.indices)
        return try newHands(
            in: picture, geometry: geometry, window: window, known: &others, settled: &settled,
            rejected: &rejected, limit: limit)
    }
}

extension HandFinder {
    /// The side of the first crop, as a multiple of the changed region's longer side.
    private static let firstCrop = 1.2
    /// The minimum presence in the first two crops, and in the last crop, which is around detected points.
    static let minimumPresences = (guessed: 0.1, read: 0.7)

    /// Detects a hand whose palm the detector misses (a hand that is dark, blurred, or without an arm) in a changed
    /// region of about a hand's size.
    ///
    /// The landmark model runs on the region directly. The detected points determine a better region for the next run;
    /// there are three runs.
    /// - Parameter box: The changed region, in upright pixels.
    func handWithoutPalm(
        in picture: borrowing Picture, geometry: DisplayGeometry, around box: Box
    ) throws(InferenceError) -> LocatedHand? {
        let eager = withMinimumPresence(Self.minimumPresences.guessed)
        let shortest = min(geometry.uprightWidth, geometry.uprightHeight)
        let side = Self.firstCrop * min(max(box.width, box.height), shortest)
        let guess = HandRegion(
            centreX: (box.left + box.right) / 2, centreY: (box.top + box.bottom) / 2, side: side, rotation: 0)
        guard let first = try eager.hand(in: picture, geometry: geometry, region: guess),
            let second = try eager.hand(in: picture, geometry: geometry, region: HandRegion(landmarks: first.points))
        else { return nil }
        let reader = withMinimumPresence(Self.minimumPresences.read)
        return try reader.hand(in: picture, geometry: geometry, region: HandRegion(landmarks: second.points))
    }
}

/// A detected hand together with its place, in upright pixels. The unit in which ``HandFinder`` and ``HandTracker``
/// exchange hands.
struct LocatedHand {
    var hand: HandLandmarks
    /// The region to search in the next picture.
    var region: HandRegion
    /// The 21 points in upright pixels.
    let points: [Point]

    /// - Parameter searched: The region in which the hand was detected.
    init(_ hand: HandLandmarks, geometry: DisplayGeometry, searched: HandRegion) {
        self.hand = hand
        points = hand.points.map {
            Point(x: $0.x * geometry.uprightWidth, y: $0.y * geometry.uprightHeight)
        }
        let next = HandRegion(landmarks: points)
        // A still hand keeps its region. If the region followed every small change of the points, their errors would
        // affect the next points. A finger that reaches out of the region appears to end at its edge, so the region
        // then follows.
        region = searched.stillFits(next) && searched.contains(points) ? searched : next
    }

    func point(_ joint: HandJoint) -> Point { points[joint.rawValue] }

    /// Returns whether this and `other` are detections of one hand: their points nearly coincide. Two hands that touch
    /// or cross have overlapping regions, but different points.
    func isSameHand(as other: LocatedHand) -> Bool { distance(to: other) < 0.15 }

    /// Returns whether two inferences on one hand place its fingers differently, so that one of them is wrong.
    func contradicts(_ other: LocatedHand) -> Bool { distance(to: other) > 0.05 }

    /// Returns the mean distance between the points of both hands, in sides of the larger region.
    private func distance(to other: LocatedHand) -> Double {
        var sum = 0.0
        for index in points.indices { sum += points[index].distance(to: other.points[index]) }
        return sum / Double(points.count) / max(region.side, other.region.side)
    }

    /// Returns whether a detected palm's region certainly belongs to this hand.
    func covers(_ candidate: HandRegion) -> Bool {
        let dx = region.centreX - candidate.centreX, dy = region.centreY - candidate.centreY
        let limit = 0.15 * region.side
        return dx * dx + dy * dy < limit * limit && region.intersectionOverUnion(candidate) > 0.5
    }
}

extension LocatedHand {
    /// Returns whether this and `other` can be detections of one hand: their regions are close.
    func isNear(_ other: LocatedHand) -> Bool {
        region.relativeDistance(to: other.region) < 0.35
    }
}

extension LocatedHand {
    /// Returns the window in which a person's other hand is likely. Seen from the front, a person's left hand is to the
    /// right of the right hand.
    /// - Parameter side: −1 for the left, 1 for the right; nil for the side that the hand's handedness implies, and for
    ///   no window if it would be too large to show more detail than the whole picture. A photo has the time to look
    ///   there, too: the palm detector finds only one of two large hands now and then.
    func windowOfOtherHand(side: Double?, geometry: DisplayGeometry) -> PictureWindow? {
        let palm = max(
            point(.wrist).distance(to: point(.indexMCP)), point(.wrist).distance(to: point(.middleMCP)))
        let longest = max(geometry.uprightWidth, geometry.uprightHeight)
        // Hands at the ends of outstretched arms are 14 palms apart.
        let length = min(14 * palm, 0.6 * longest)
        guard side != nil || 14 * palm < 1.2 * longest else { return nil }
        let direction = side ?? (hand.handedness == .right ? 1 : -1)
        let left = region.centreX + (direction > 0 ? 0 : -length)
        return PictureWindow(
            left: max(0, min(left, geometry.uprightWidth - length)),
            top: max(0, min(region.centreY - length / 2, geometry.uprightHeight - length)), side: length)
    }
}
