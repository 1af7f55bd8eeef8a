import Platform

/// The geometry of one hand: its 21 points, independent of place and size. All classifiers of landmarks read it.
/// Directions are kept, because up and down have a meaning.
///
/// Lengths are in *palm lengths*: the longest of the distances from the wrist to the knuckles and 1.3 times the width
/// of the row of knuckles. So a palm that is slanted or seen from the edge still gives a usable unit. Angles are in
/// degrees; directions on the screen are measured clockwise from the top, −180…180.
struct HandShape: Sendable {
    enum Finger: Int, CaseIterable, Sendable {
        case index, middle, ring, little

        var knuckle: HandJoint { HandJoint(rawValue: 5 + 4 * rawValue)! }
        var pip: HandJoint { HandJoint(rawValue: 6 + 4 * rawValue)! }
        var dip: HandJoint { HandJoint(rawValue: 7 + 4 * rawValue)! }
        var tip: HandJoint { HandJoint(rawValue: 8 + 4 * rawValue)! }
    }

    /// The points with equal units in all three axes: fractions of the picture's height.
    let points: [SIMD3<Double>]
    /// The palm's length in fractions of the picture's height.
    let palmLength: Double

    init(_ hand: HandLandmarks) {
        let aspect = hand.pictureAspectRatio
        self.init(points: hand.points.map { SIMD3($0.x * aspect, $0.y, $0.z * aspect) })
    }

    init(points: [SIMD3<Double>]) {
        self.points = points
        let at = points
        func length(_ a: HandJoint, _ b: HandJoint) -> Double {
            norm(at[a.rawValue] - at[b.rawValue])
        }
        // A palm is about 1.3 times as long as its row of knuckles is wide.
        let longest = max(
            max(length(.wrist, .indexMCP), length(.wrist, .middleMCP)),
            max(length(.wrist, .littleMCP), 1.3 * length(.indexMCP, .littleMCP)))
        palmLength = max(longest, 1e-9)
    }

    /// The same pose of the other hand.
    var mirrored: HandShape { HandShape(points: points.map { SIMD3(-$0.x, $0.y, $0.z) }) }

    subscript(joint: HandJoint) -> SIMD3<Double> { points[joint.rawValue] }

    /// The middle of the 21 points, in the units of ``points``.
    var centre: SIMD3<Double> { points.reduce(.zero, +) / Double(points.count) }

    /// The middle of the wrist and the four knuckles.
    var palmCentre: SIMD3<Double> {
        (self[.wrist] + self[.indexMCP] + self[.middleMCP] + self[.ringMCP]
            + self[.littleMCP]) / 5
    }

    func distance(_ a: HandJoint, _ b: HandJoint) -> Double {
        norm(self[a] - self[b]) / palmLength
    }

    // MARK: Fingers

    /// Returns by how much a finger's tip is farther from the wrist than the finger's knuckle is. Straight fingers have
    /// about 0.9, half-bent ones 0.5, folded ones less than 0.1.
    func reach(_ finger: Finger) -> Double {
        distance(.wrist, finger.tip) - distance(.wrist, finger.knuckle)
    }

    /// Returns the angle between a finger's first and last bone: below 15° for a straight finger.
    func bend(_ finger: Finger) -> Double {
        angle(self[finger.pip] - self[finger.knuckle], self[finger.tip] - self[finger.dip])
    }

    /// Returns the unit vector of a finger on the screen, from knuckle to tip.
    func screenDirection(_ finger: Finger) -> SIMD2<Double> {
        unit(screen(self[finger.tip] - self[finger.knuckle]))
    }

    // MARK: Thumb

    /// The direction of the thumb's tip from the palm's centre. This direction is much more stable than that of the
    /// thumb's bones: many people's thumbs bend back or lean inward.
    var thumbDirection: Double { direction(self[.thumbTip] - palmCentre) }

    /// The direction from the little finger's knuckle to the index finger's, which is the orientation of the fist under
    /// a raised thumb.
    var knuckleDirection: Double { direction(self[.indexMCP] - self[.littleMCP]) }

    /// The direction from the wrist to the middle finger's knuckle.
    var palmDirection: Double { direction(self[.middleMCP] - self[.wrist]) }

    /// The distance of the thumb's tip beyond the index finger's knuckle along the row of knuckles, in widths of the
    /// row. The value is about 0.8 for a thumb spread away, and −0.5 for a thumb across the palm.
    var thumbOutwards: Double {
        let row = self[.indexMCP] - self[.littleMCP]
        return ((self[.thumbTip] - self[.indexMCP]) * row).sum() / max((row * row).sum(), 1e-12)
    }

    /// The distance between the thumb's ends divided by the sum of its bones; 1 for a straight thumb.
    var thumbStraightness: Double {
        let bones =
            distance(.thumbCMC, .thumbMCP) + distance(.thumbMCP, .thumbIP)
            + distance(.thumbIP, .thumbTip)
        return distance(.thumbCMC, .thumbTip) / max(bones, 1e-9)
    }

    /// The height of the thumb's tip above all points of the other fingers and the palm.
    var thumbAbove: Double { (restOfHand.map(\.y).min()! - self[.thumbTip].y) / palmLength }

    /// The depth of the thumb's tip below all points of the other fingers and the palm.
    var thumbBelow: Double { (self[.thumbTip].y - restOfHand.map(\.y).max()!) / palmLength }

    private var restOfHand: [SIMD3<Double>] {
        HandJoint.allCases.filter { ![.thumbMCP, .thumbIP, .thumbTip].contains($0) }
            .map { self[$0] }
    }
}

// MARK: - Vectors

func norm(_ v: SIMD3<Double>) -> Double { (v * v).sum().squareRoot() }

func norm(_ v: SIMD2<Double>) -> Double { (v * v).sum().squareRoot() }

func screen(_ v: SIMD3<Double>) -> SIMD2<Double> { SIMD2(v.x, v.y) }

func unit(_ v: SIMD2<Double>) -> SIMD2<Double> { v / max(norm(v), 1e-12) }

/// Returns the angle between two vectors, 0…180°.
func angle(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> Double {
    let cosine = (a * b).sum() / max(norm(a) * norm(b), 1e-12)
    return acos(min(1, max(-1, cosine))) * 180 / .pi
}

/// Returns the angle between two vectors on the screen, 0…180°.
func angle(_ a: SIMD2<Double>, _ b: SIMD2<Double>) -> Double {
    angle(SIMD3(a, 0), SIMD3(b, 0))
}

/// Returns the direction of a vector on the screen: 0 up, 90 right, ±180 down.
func direction(_ v: SIMD3<Double>) -> Double { atan2(v.x, -v.y) * 180 / .pi }

/// Returns the angle between two directions, 0…180°.
func turn(from a: Double, to b: Double) -> Double {
    let difference = abs(a - b).truncatingRemainder(dividingBy: 360)
    return min(difference, 360 - difference)
}

/// Returns 0 at and below `low`, 1 at and above `high`, and interpolates linearly between them.
func rising(_ value: Double, _ low: Double, _ high: Double) -> Double {
    min(1, max(0, (value - low) / (high - low)))
}

/// Returns 1 at and below `low`, 0 at and above `high`, and interpolates linearly between them.
func falling(_ value: Double, _ low: Double, _ high: Double) -> Double {
    1 - rising(value, low, high)
}
