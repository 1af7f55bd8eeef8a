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

extension HandFinder {
    /// Below this presence a reading is in doubt. Of the hands in 2,022 photos whose gesture
    /// was read rightly 5 % were below 0.987; of those that were misread, more than half.
    static let doubtfulPresence = 0.99
    /// From this presence on no surer reading is looked for.
    private static let certainPresence = 0.995

    /// Looks again at a hand whose reading is in doubt: from where its points are, and
    /// turned. The palm detector often takes a fist with a thumb below it for one that
    /// points another way, and the landmark model sees no thumb from there.
    /// - Returns: the surest reading of this hand, if it leaves at most half of the doubt;
    ///   else `hand`.
    func secondLook(
        at hand: LocatedHand, in picture: borrowing Picture, geometry: DisplayGeometry
    ) throws(InferenceError) -> LocatedHand {
        guard hand.hand.presence < Self.doubtfulPresence else { return hand }
        var best = hand
        for turn in [0, Double.pi / 2, -Double.pi / 2, Double.pi]
        where best.hand.presence < Self.certainPresence {
            let region = hand.region.turned(by: turn)
            guard let look = try self.hand(in: picture, geometry: geometry, region: region)
            else { continue }
            // The points say better than the guess where to look.
            let settled = try self.hand(in: picture, geometry: geometry, region: look.region) ?? look
            for other in [look, settled]
            where other.hand.presence > best.hand.presence && other.isNear(hand) {
                best = other
            }
        }
        return 1 - best.hand.presence <= (1 - hand.hand.presence) / 2 ? best : hand
    }
}

extension LocatedHand {
    /// Whether both can be one hand, read differently.
    fileprivate func isNear(_ other: LocatedHand) -> Bool {
        region.relativeDistance(to: other.region) < 0.35
    }
}

extension HandFinder {
    /// How further looks at a hand differ from the first: turned, in radians, scaled, mirrored.
    ///
    /// By more than a hand's region changes from one picture to the next, so that the looks err
    /// apart, and by less than takes the landmark model out of what it was trained on.
    private static let variations: [(turn: Double, scale: Double, isMirrored: Bool)] = [
        (.pi / 9, 1, false), (-.pi / 9, 1, false), (0, 0.85, false), (0, 1.25, false), (0, 1, true),
        (0, 1.1, true),
    ]

    /// Reads a hand from several crops, and takes the middle of what they say of each point.
    ///
    /// Of a finger that is hard to see one crop makes this and another that; what most of them see
    /// is there. Of 2,022 photos, hearts left out, 39 instead of 48 are misread so. `hand` counts as one look.
    /// - Returns: `nil` where fewer than half of the looks see this hand: then there is none, or
    ///   what was read of it was luck.
    func agreedReading(
        of hand: LocatedHand, in picture: borrowing Picture, geometry: DisplayGeometry
    ) throws(InferenceError) -> LocatedHand? {
        var looks = [hand]
        for (turn, scale, isMirrored) in Self.variations {
            var region = hand.region.turned(by: turn)
            region.side *= scale
            region.isMirrored = isMirrored
            if let look = try self.hand(in: picture, geometry: geometry, region: region),
                look.isSameHand(as: hand)
            {
                looks.append(look)
            }
        }
        guard 2 * looks.count > Self.variations.count else { return nil }
        var agreed = hand.hand
        for index in agreed.points.indices {
            let points = looks.map { $0.hand.points[index] }
            agreed.points[index] = Landmark(
                x: middle(of: points.map(\.x)), y: middle(of: points.map(\.y)), z: middle(of: points.map(\.z)))
        }
        agreed.embedding = mean(of: looks.map(\.hand.embedding))
        agreed.presence = middle(of: looks.map(\.hand.presence))
        return LocatedHand(agreed, geometry: geometry, looked: hand.region)
    }
}

/// The mean of vectors of one length.
private func mean(of vectors: [[Float]]) -> [Float] {
    let share = 1 / Float(vectors.count)
    return vectors[0].indices.map { index in vectors.reduce(0) { $0 + $1[index] } * share }
}

/// The median; of an even number of values the mean of the two in the middle.
private func middle(of values: [Double]) -> Double {
    let sorted = values.sorted()
    return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
}

extension HandFinder {
    /// Looks nearer for the other hand of a person of whom one is seen.
    ///
    /// The palm detector sees the whole picture with 192 pixels across: of hands whose palms were
    /// 40 to 70 pixels long in pictures of 1,280 it found a third, and of pairs of them one in ten.
    /// - Parameters:
    ///   - hand: the hand that is seen.
    ///   - side: where to look, −1 on the left of it, 1 on the right; nil for where its other hand should be.
    ///   - known: all hands found so far.
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

extension LocatedHand {
    /// The part of the picture in which a person's other hand is likely, if it is so much smaller than the picture that
    /// a look at it shows more: seen from the front a right hand has the left one on the right of it.
    /// - Parameter side: −1 for the left, 1 for the right; nil for what the hand says.
    func windowOfOtherHand(side: Double?, geometry: DisplayGeometry) -> PictureWindow? {
        let palm = max(
            point(.wrist).distance(to: point(.indexMCP)), point(.wrist).distance(to: point(.middleMCP)))
        let longest = max(geometry.uprightWidth, geometry.uprightHeight)
        // Hands at the ends of outstretched arms are 14 palms apart.
        let length = min(14 * palm, 0.6 * longest)
        guard 14 * palm < 1.2 * longest else { return nil }
        let direction = side ?? (hand.handedness == .right ? 1 : -1)
        let left = region.centreX + (direction > 0 ? 0 : -length)
        return PictureWindow(
            left: max(0, min(left, geometry.uprightWidth - length)),
            top: max(0, min(region.centreY - length / 2, geometry.uprightHeight - length)), side: length)
    }
}

extension HandFinder {
    /// The side of the first crop, in longer sides of what is new.
    private static let firstCrop = 1.2
    /// From this presence on a crop that was guessed may show a hand; from this one on a crop around its points does.
    static let leastPresences = (guessed: 0.1, read: 0.7)

    /// A hand whose palm the detector does not see, in the dark, blurred, or without an arm, where something new is about
    /// as large as a hand.
    ///
    /// The landmark model looks there itself. The points that it sees say better where to look, twice.
    /// - Parameter box: where something is new, in upright pixels.
    func handWithoutPalm(
        in picture: borrowing Picture, geometry: DisplayGeometry, around box: Box
    ) throws(InferenceError) -> LocatedHand? {
        let eager = withMinimumPresence(Self.leastPresences.guessed)
        let shortest = min(geometry.uprightWidth, geometry.uprightHeight)
        let side = Self.firstCrop * min(max(box.width, box.height), shortest)
        let guess = HandRegion(
            centreX: (box.left + box.right) / 2, centreY: (box.top + box.bottom) / 2, side: side, rotation: 0)
        guard let first = try eager.hand(in: picture, geometry: geometry, region: guess),
            let second = try eager.hand(in: picture, geometry: geometry, region: HandRegion(landmarks: first.points))
        else { return nil }
        let reader = withMinimumPresence(Self.leastPresences.read)
        return try reader.hand(in: picture, geometry: geometry, region: HandRegion(landmarks: second.points))
    }
}
