internal import Inference
internal import Raster

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
        // affect the next points.
        region = searched.stillFits(next) ? searched : next
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
    /// Returns the window in which a person's other hand is likely; nil if the window is too large to show more detail
    /// than the whole picture. Seen from the front, a person's left hand is to the right of the right hand.
    /// - Parameter side: −1 for the left, 1 for the right; nil for the side that the hand's handedness implies.
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
