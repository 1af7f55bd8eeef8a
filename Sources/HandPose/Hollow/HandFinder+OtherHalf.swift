internal import Inference
import Platform
internal import Raster

extension HandFinder {
    /// Looks for the other hand of a heart beside each hand that could be half of one.
    ///
    /// Of two hands whose fingertips touch, the palm detector mostly finds one. Where the
    /// other must be follows from the heart's symmetry about the line through the tips of
    /// the thumb and the index finger.
    /// - Parameter known: all hands found so far.
    /// - Returns: further hands, no more than `limit`.
    func otherHalves(
        of known: [LocatedHand], in picture: borrowing Picture, geometry: DisplayGeometry,
        limit: Int, isThorough: Bool
    ) throws(InferenceError) -> [LocatedHand] {
        var found: [LocatedHand] = []
        for (index, half) in known.enumerated() where found.count < limit {
            for region in half.regionsOfOtherHalf {
                let others = known[..<index] + known[(index + 1)...] + found
                if others.contains(where: { $0.region.relativeDistance(to: region) < 0.3 }) { break }
                guard let look = try hand(in: picture, geometry: geometry, region: region)
                else { continue }
                let settled = try hand(in: picture, geometry: geometry, region: look.region)
                let looks = [settled, look].compactMap { $0 }
                if let other = looks.first(where: half.touches),
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

    /// Looks beside the hollow that a half of a heart would frame as it is looked beside one that is seen.
    ///
    /// The mirror image is that of a person's own other hand at the same slant; of two people one
    /// often holds the hand otherwise, or nearer.
    private func touchingHand(
        of half: LocatedHand, others: [LocatedHand], in picture: borrowing Picture, geometry: DisplayGeometry
    ) throws(InferenceError) -> LocatedHand? {
        guard let (hollow, side) = half.hollowOfHalf, !others.contains(where: half.touches) else { return nil }
        let looks = try hands(beside: hollow, side: -side, in: picture, geometry: geometry)
        return looks.filter { look in
            look.hand.presence >= minimumPresence && half.touches(look)
                && !(others + [half]).contains { $0.isSameHand(as: look) }
        }.max { $0.hand.presence < $1.hand.presence }
    }
}

extension LocatedHand {
    private var palmLength: Double {
        max(
            point(.wrist).distance(to: point(.indexMCP)),
            point(.wrist).distance(to: point(.middleMCP)))
    }

    /// Whether the index finger's ends are nearer to each other than its bones reach.
    private var indexFingerIsBent: Bool {
        let joints = [HandJoint.indexMCP, .indexPIP, .indexDIP, .indexTip].map(point)
        let bones = zip(joints, joints.dropFirst()).reduce(0) { $0 + $1.0.distance(to: $1.1) }
        return joints[0].distance(to: joints[3]) < 0.95 * bones
    }

    /// Where the other hand may be if this one is half of a heart: its mirror images. Empty
    /// if it is none: in a half, the index finger is bent, its tip is above the thumb's, the
    /// two are apart, and the palm is beside the line through them, the wrist farther out.
    ///
    /// The line is only as good as the two points; most hearts stand straight, so that the
    /// image in a vertical line comes second.
    var regionsOfOtherHalf: [HandRegion] {
        let thumb = point(.thumbTip), index = point(.indexTip)
        let gap = thumb.distance(to: index)
        guard gap > 0.3 * palmLength, gap < 2 * palmLength, indexFingerIsBent else { return [] }
        let axis = HandRegion.rotation(from: thumb, to: index)
        guard abs(axis) < .pi / 4 else { return [] }
        let line = MirrorLine(
            through: Point(x: (thumb.x + index.x) / 2, y: (thumb.y + index.y) / 2), angle: axis)
        let knuckle = line.distance(to: point(.middleMCP)), wrist = line.distance(to: point(.wrist))
        guard knuckle * wrist > 0, abs(knuckle) > 0.3 * palmLength, abs(wrist) > 1.2 * abs(knuckle)
        else { return [] }
        return [line.mirrored(region), MirrorLine(through: line.place, angle: 0).mirrored(region)]
    }

    /// The hollow that this hand frames if it is half of a heart, and on which side of it the hand is, 1 for the right.
    fileprivate var hollowOfHalf: (hollow: Hollow, side: Double)? {
        guard !regionsOfOtherHalf.isEmpty else { return nil }
        let thumb = point(.thumbTip), index = point(.indexTip)
        let axis = HandRegion.rotation(from: thumb, to: index)
        let middle = Point(x: (thumb.x + index.x) / 2, y: (thumb.y + index.y) / 2)
        let side = MirrorLine(through: middle, angle: axis).distance(to: point(.middleMCP)) > 0 ? 1.0 : -1
        return (Hollow(notch: index, tip: thumb, axis: axis), side)
    }

    /// Whether both hands' thumbs meet, and their index fingers do; their points are bad where they touch.
    fileprivate func touches(_ other: LocatedHand) -> Bool {
        let reach = 0.8 * max(palmLength, other.palmLength)
        return point(.thumbTip).distance(to: other.point(.thumbTip)) < reach
            && point(.indexTip).distance(to: other.point(.indexTip)) < reach
    }
}

/// A line in the upright picture.
private struct MirrorLine {
    let place: Point
    /// How far it is turned from pointing up, clockwise, in radians.
    let angle: Double

    init(through place: Point, angle: Double) {
        self.place = place
        self.angle = angle
    }

    /// How far a point is to the right of the line, in pixels.
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
