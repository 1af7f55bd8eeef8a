import Platform
internal import Raster

/// Two hands whose fingers make a heart around a hole, through which the background is visible.
struct HeartFrame {
    var hole: Hole
    var left: LocatedHand, right: LocatedHand

    /// The presence of the hand with the lower presence.
    var presence: Double { min(left.hand.presence, right.hand.presence) }
}

extension HandFinder {
    /// The minimum presence of a hand beside a hole. Backlit hands, which show only their outline, reach 0.3 to 0.9.
    private static let minimumPresence = 0.05
    /// The minimum product of both hands' presences. The higher one of them is, the lower the other may be.
    private static let minimumProduct = 0.09
    /// The minimum product for hands around a plain hole. A hole is plain if it appears at ``plainLevels`` levels and
    /// the hands' tips are within ``plainReach`` of its ends. The lower limit finds three of 12 blurred photos of
    /// hearts that are missed otherwise, and accepts no more of 88 near misses.
    private static let minimumProductOfPlain = 0.02
    /// The minimum number of brightness levels (``HoleFinder``) at which a plain hole is detected.
    private static let plainLevels = 8
    /// The maximum mean distance of both hands' tips from the ends of a plain hole, in sizes of the hole.
    private static let plainReach = 0.16
    /// The sides of a hole: −1 is left, 1 is right.
    private static let signs = [-1.0, 1]
    /// The regions searched next to a hole: their side in sizes of the hole, and the hand's rotations in degrees. At 0
    /// the hand points up, at 90 to the hole, at 180 down, as hands do that come from below, from the side and from
    /// above. The likeliest regions are searched first. In video, the other regions are searched only if the first
    /// regions show a possible hand on both sides.
    private static let steps: [(scale: Double, turns: [Double])] = [
        (2.6, [30, 60, 90]), (2.6, [120, 150, 180]), (1.6, [30, 60, 90, 120, 150, 180]),
        (2, [30, 60, 90, 120, 150, 180]), (3.4, [30, 60, 90, 120, 150, 180]),
    ]

    /// Searches for two hands around a hole whose index fingers and thumbs meet at its ends.
    ///
    /// The palm detector finds few hands that touch, and no backlit hands. The hole determines where the hands must be,
    /// so the landmark model runs there directly.
    /// - Parameter known: The hands detected so far, which may include the hands of the heart. If any other hand near
    ///   the hole has a greater presence, the hole is rejected.
    func frame(
        of hole: Hole, known: [LocatedHand], in picture: borrowing Picture, geometry: DisplayGeometry,
        isThorough: Bool
    ) throws(InferenceError) -> HeartFrame? {
        var sides: [[LocatedHand]] = [[], []]
        for step in Self.steps {
            for index in 0...1 {
                sides[index] += try hands(
                    beside: hole, side: Self.signs[index], step, in: picture, geometry: geometry)
                if sides[index].isEmpty, !isThorough { return nil }
            }
        }
        for index in 0...1 {
            let hands = try settled(sides[index], in: picture, geometry: geometry) + known
            sides[index] = hands.filter { $0.reaches(hole, side: Self.signs[index]) }
        }
        guard let frame = Self.frame(of: hole, left: sides[0], right: sides[1]) else { return nil }
        let isContradicted = known.contains {
            $0.hand.presence > frame.presence && $0.isNear(hole)
                && !$0.isSameHand(as: frame.left) && !$0.isSameHand(as: frame.right)
        }
        return isContradicted ? nil : frame
    }

    /// Returns the possible hands on one side of a hole, from all regions that may contain half of a heart.
    func hands(
        beside hole: Hole, side: Double, in picture: borrowing Picture, geometry: DisplayGeometry
    ) throws(InferenceError) -> [LocatedHand] {
        var found: [LocatedHand] = []
        for step in Self.steps {
            found += try hands(beside: hole, side: side, step, in: picture, geometry: geometry)
        }
        return try settled(found, in: picture, geometry: geometry)
    }

    /// Returns the hands that frame a hole best. The thumbs of both hands are at the hole's tip (below), or those of
    /// both at its notch (on top).
    static func frame(of hole: Hole, left: [LocatedHand], right: [LocatedHand]) -> HeartFrame? {
        var best: (frame: HeartFrame, score: Double)?
        for thumbIsBelow in [true, false] {
            let (lefts, rights) = (reaching(hole, left, thumbIsBelow), reaching(hole, right, thumbIsBelow))
            for one in lefts {
                for other in rights where mayFrame(hole, one, other) {
                    let score = one.score + other.score
                    if score > best?.score ?? -.infinity {
                        best = (HeartFrame(hole: hole, left: one.hand, right: other.hand), score)
                    }
                }
            }
        }
        return best?.frame
    }

    /// A hand next to a hole, the distance of its tips from the hole's ends in sizes of the hole, and its score among
    /// other hands.
    private typealias Beside = (hand: LocatedHand, distance: Double, score: Double)

    private static func reaching(_ hole: Hole, _ hands: [LocatedHand], _ thumbIsBelow: Bool) -> [Beside] {
        hands.compactMap { hand in
            let distance = hand.tipDistance(to: hole, thumbIsBelow: thumbIsBelow)
            return distance <= LocatedHand.reach ? (hand, distance, hand.hand.presence - distance) : nil
        }
    }

    /// Returns whether two hands that reach a hole have sufficient presence together. A lower presence is sufficient if
    /// the hole is plain.
    private static func mayFrame(_ hole: Hole, _ a: Beside, _ b: Beside) -> Bool {
        let isPlain = hole.levels >= plainLevels && a.distance + b.distance <= 2 * plainReach
        return a.hand.hand.presence * b.hand.hand.presence >= (isPlain ? minimumProductOfPlain : minimumProduct)
    }

    /// Runs the landmark model on a region that may contain a hand of a heart, and accepts a low presence.
    func dimHand(
        in picture: borrowing Picture, geometry: DisplayGeometry, region: HandRegion
    ) throws(InferenceError) -> LocatedHand? {
        try withMinimumPresence(Self.minimumPresence).hand(in: picture, geometry: geometry, region: region)
    }

    /// Returns the possible hands on one side of a hole, from the regions of one step of ``steps``.
    private func hands(
        beside hole: Hole, side: Double, _ step: (scale: Double, turns: [Double]),
        in picture: borrowing Picture, geometry: DisplayGeometry
    ) throws(InferenceError) -> [LocatedHand] {
        let finder = withMinimumPresence(Self.minimumPresence)
        var hands: [LocatedHand] = []
        for turn in step.turns {
            let region = HandRegion(beside: hole, side: side, scale: step.scale, turn: turn * .pi / 180)
            if let detected = try finder.hand(in: picture, geometry: geometry, region: region) {
                hands.append(detected)
            }
        }
        return hands
    }

    /// Returns the hands, and the results of running the landmark model again on the regions of the two hands with the
    /// greatest presence.
    private func settled(
        _ hands: [LocatedHand], in picture: borrowing Picture, geometry: DisplayGeometry
    ) throws(InferenceError) -> [LocatedHand] {
        var hands = hands
        for detected in hands.sorted(by: { $0.hand.presence > $1.hand.presence }).prefix(2) {
            if let hand = try dimHand(in: picture, geometry: geometry, region: detected.region) { hands.append(hand) }
        }
        return hands
    }
}

extension HandRegion {
    /// Creates the region of a hand that may make half of a heart around a hole.
    /// - Parameters:
    ///   - side: −1 on the left of the hole, 1 on the right.
    ///   - scale: The region's side in sizes of the hole.
    ///   - turn: The hand's rotation from pointing up to the hole, in radians.
    fileprivate init(beside hole: Hole, side: Double, scale: Double, turn: Double) {
        let across = 0.6 * side * hole.width
        // The knuckles are above the middle of a heart unless the hand reaches in from above.
        let down = (turn < 2 ? -0.2 : -0.05) * hole.height
        let c = cos(hole.axis), s = sin(hole.axis)
        self.init(
            centreX: hole.centre.x + across * c - down * s, centreY: hole.centre.y + across * s + down * c,
            side: scale * max(hole.height, 0.7 * hole.width), rotation: hole.axis - side * turn)
        isMirrored = side < 0
    }
}

extension LocatedHand {
    /// The maximum mean distance of the tips of a framing hand from the hole's notch and tip, in sizes of the
    /// hole.
    static let reach = 0.25

    /// Returns whether this hand may be the hand on one side of a hole: its wrist is on the outside, and its tips are
    /// at the ends of the hole.
    func reaches(_ hole: Hole, side: Double) -> Bool {
        let wrist = point(.wrist)
        let across = (wrist.x - hole.centre.x) * cos(hole.axis) + (wrist.y - hole.centre.y) * sin(hole.axis)
        return side * across > 0.3 * hole.width
            && [true, false].contains { tipDistance(to: hole, thumbIsBelow: $0) <= Self.reach }
    }

    /// Returns the mean distance of the tips of this hand's thumb and index finger from the ends of a hole, in sizes of
    /// the hole.
    fileprivate func tipDistance(to hole: Hole, thumbIsBelow: Bool) -> Double {
        let thumb = point(.thumbTip), index = point(.indexTip)
        let (upper, lower) = thumbIsBelow ? (index, thumb) : (thumb, index)
        return (upper.distance(to: hole.notch) + lower.distance(to: hole.tip)) / 2 / hole.size
    }

    /// Returns whether this hand covers or touches a hole.
    fileprivate func isNear(_ hole: Hole) -> Bool {
        Point(x: region.centreX, y: region.centreY).distance(to: hole.centre) < 0.8 * region.side
    }
}

extension HandFinder {
    /// Searches for the other hand of a heart next to each hand that could be half of a heart.
    ///
    /// The palm detector mostly finds one of two hands whose fingertips touch. The heart is symmetrical about the line
    /// through the tips of the thumb and the index finger. So the line determines the place of the other hand.
    /// - Parameter known: All hands detected so far.
    /// - Returns: Further hands, at most `limit`.
    func otherHalves(
        of known: [LocatedHand], in picture: borrowing Picture, geometry: DisplayGeometry,
        limit: Int, isThorough: Bool
    ) throws(InferenceError) -> [LocatedHand] {
        var found: [LocatedHand] = []
        for (index, half) in known.enumerated() where found.count < limit {
            for region in half.regionsOfOtherHalf {
                let others = known[..<index] + known[(index + 1)...] + found
                if others.contains(where: { $0.region.relativeDistance(to: region) < 0.3 }) { break }
                guard let detected = try hand(in: picture, geometry: geometry, region: region)
                else { continue }
                let settled = try hand(in: picture, geometry: geometry, region: detected.region)
                let hands = [settled, detected].compactMap { $0 }
                if let other = hands.first(where: half.touches),
                    !(others + [half]).contains(where: { $0.isSameHand(as: other) })
                {
                    found.append(other)
                    break
                }
            }
            if isThorough, found.count < limit {
                let others = known[..<index] + known[(index + 1)...] + found
                if let other = try touchingHand(of: half, others: Array(others), in: picture, geometry: geometry) {
                    found.append(other)
                }
            }
        }
        return found
    }

    /// Searches next to the hole that half of a heart would frame, in the same way as next to a detected hole.
    ///
    /// Mirrored regions (``LocatedHand/regionsOfOtherHalf``) find the other hand of the same person, held at the same
    /// slant. Two people often hold their hands differently, or at different distances.
    private func touchingHand(
        of half: LocatedHand, others: [LocatedHand], in picture: borrowing Picture, geometry: DisplayGeometry
    ) throws(InferenceError) -> LocatedHand? {
        guard let (hole, side) = half.holeOfHalf, !others.contains(where: half.touches) else { return nil }
        let hands = try hands(beside: hole, side: -side, in: picture, geometry: geometry)
        return hands.filter { detected in
            detected.hand.presence >= minimumPresence && half.touches(detected)
                && !(others + [half]).contains { $0.isSameHand(as: detected) }
        }.max { $0.hand.presence < $1.hand.presence }
    }
}

extension LocatedHand {
    private var palmLength: Double {
        max(
            point(.wrist).distance(to: point(.indexMCP)),
            point(.wrist).distance(to: point(.middleMCP)))
    }

    /// True if the index finger is bent: the distance between its ends is shorter than the sum of its bones.
    private var indexFingerIsBent: Bool {
        let joints = [HandJoint.indexMCP, .indexPIP, .indexDIP, .indexTip].map(point)
        let bones = zip(joints, joints.dropFirst()).reduce(0) { $0 + $1.0.distance(to: $1.1) }
        return joints[0].distance(to: joints[3]) < 0.95 * bones
    }

    /// The regions of the other hand if this hand is half of a heart: its mirror images. Empty if this hand cannot be
    /// half of a heart. In half of a heart, the index finger is bent, and the finger's tip is above the thumb's tip and
    /// apart from it. The palm is beside the line through the tips, with the wrist farther out.
    ///
    /// The line through the tips is only as accurate as these two points. Most hearts are upright, so the reflection in
    /// a vertical line is the second region.
    var regionsOfOtherHalf: [HandRegion] {
        let thumb = point(.thumbTip), index = point(.indexTip)
        let gap = thumb.distance(to: index)
        guard gap > 0.3 * palmLength, gap < 2 * palmLength, indexFingerIsBent else { return [] }
        let axis = HandRegion.rotation(from: thumb, to: index)
        guard abs(axis) < .pi / 4 else { return [] }
        let line = MirrorLine(
            place: Point(x: (thumb.x + index.x) / 2, y: (thumb.y + index.y) / 2), angle: axis)
        let knuckle = line.distance(to: point(.middleMCP)), wrist = line.distance(to: point(.wrist))
        guard knuckle * wrist > 0, abs(knuckle) > 0.3 * palmLength, abs(wrist) > 1.2 * abs(knuckle)
        else { return [] }
        return [line.mirrored(region), MirrorLine(place: line.place, angle: 0).mirrored(region)]
    }

    /// The hole that this hand would frame as half of a heart, and the hand's side of the hole: 1 for the right.
    fileprivate var holeOfHalf: (hole: Hole, side: Double)? {
        guard !regionsOfOtherHalf.isEmpty else { return nil }
        let thumb = point(.thumbTip), index = point(.indexTip)
        let axis = HandRegion.rotation(from: thumb, to: index)
        let middle = Point(x: (thumb.x + index.x) / 2, y: (thumb.y + index.y) / 2)
        let side = MirrorLine(place: middle, angle: axis).distance(to: point(.middleMCP)) > 0 ? 1.0 : -1
        return (Hole(notch: index, tip: thumb, axis: axis), side)
    }

    /// Returns whether the thumbs of both hands meet, and their index fingers meet. Landmarks are inaccurate where
    /// hands touch.
    fileprivate func touches(_ other: LocatedHand) -> Bool {
        let reach = 0.8 * max(palmLength, other.palmLength)
        return point(.thumbTip).distance(to: other.point(.thumbTip)) < reach
            && point(.indexTip).distance(to: other.point(.indexTip)) < reach
    }
}

/// A line in the upright picture, in which regions are mirrored.
private struct MirrorLine {
    let place: Point
    /// The rotation from pointing up, clockwise, in radians.
    let angle: Double

    /// Returns the distance of a point from the line, in upright pixels; negative on the left of the line.
    func distance(to point: Point) -> Double {
        (point.x - place.x) * cos(angle) + (point.y - place.y) * sin(angle)
    }

    func mirrored(_ region: HandRegion) -> HandRegion {
        let shift = 2 * distance(to: Point(x: region.centreX, y: region.centreY))
        return HandRegion(
            centreX: region.centreX - shift * cos(angle),
            centreY: region.centreY - shift * sin(angle), side: region.side,
            rotation: (2 * angle - region.rotation).remainder(dividingBy: 2 * .pi))
    }
}

/// A heart that is tracked from picture to picture.
struct FollowedHeart {
    var frame: HeartFrame
    /// The track numbers of its hands.
    let left: Int, right: Int
    /// The time of the last detection, in seconds.
    var time: Double

    /// Returns the region of a hand of the heart, given the current hole.
    func region(of hand: LocatedHand, around hole: Hole) -> HandRegion {
        let growth = hole.size / frame.hole.size
        var region = hand.region
        region.centreX = hole.centre.x + growth * (region.centreX - frame.hole.centre.x)
        region.centreY = hole.centre.y + growth * (region.centreY - frame.hole.centre.y)
        region.side *= growth
        return region
    }
}
