import Platform
package import Reactions

/// Two hands of a picture, and the likelihood that both belong to one person. ``GestureRecognizer`` makes one for each
/// pair of hands.
///
/// The likelihood depends on the hands' places, sizes and handedness; see ``PairEvidence``. In a mirrored picture a
/// right hand looks like a left one *and* is on the other side, so the likelihood does not change.
package struct HandPair: Sendable {
    private let a: HandLandmarks
    private let b: HandLandmarks

    package init(_ a: HandLandmarks, _ b: HandLandmarks) {
        self.a = a
        self.b = b
    }

    /// The minimum distance of two hands in palm lengths. Hands at a smaller distance count as one hand that was
    /// detected twice.
    static let minimumDistance = 0.6

    /// True if both hands may belong to one person.
    var mayBeOnePerson: Bool { likelihood != nil }

    /// The logarithm of the ratio of two likelihoods: that the hands belong to one person, and that they belong to two.
    /// Nil if two people are likelier, or if both are detections of one hand.
    var likelihood: Double? {
        let evidence = PairEvidence(a, b)
        return evidence.distance >= Self.minimumDistance && evidence.sum > 0 ? evidence.sum : nil
    }

    /// True if both hands are at the same height in the picture, within a hand's width.
    var isLevel: Bool { PairEvidence(a, b).height < Self.levelHeight }

    /// The maximum difference in height of level hands, in palm lengths.
    private static let levelHeight = 1.2

    /// The distance in palm lengths at which points of two hands touch: a finger's width.
    private static let touch = 0.2

    /// True if the hands touch in the picture, as folded hands do.
    package var touches: Bool {
        let (first, second) = (HandShape(a), HandShape(b))
        let reach = Self.touch * (first.palmLength + second.palmLength) / 2
        return PairEvidence(a, b).distance >= Self.minimumDistance
            && first.points.contains { point in second.points.contains { norm(screen(point - $0)) < reach } }
    }

    /// The place and size of each hand.
    var spots: [HandSpot] { [HandSpot(a), HandSpot(b)] }

    /// The point halfway between the hands' centres, and their mean palm length.
    package var middle: HandSpot {
        let spots = spots
        func mean(_ side: (HandSpot) -> Double) -> Double { (side(spots[0]) + side(spots[1])) / 2 }
        return HandSpot(
            centre: PicturePoint(x: mean(\.centre.x), y: mean(\.centre.y)),
            palmLength: PicturePoint(x: mean(\.palmLength.x), y: mean(\.palmLength.y)))
    }
}

/// The evidence for and against both hands belonging to one person.
///
/// Each term is a log likelihood ratio of one person over two people, and the terms are summed. Hands that are far
/// apart may belong to one person if each is on its own side. Two right hands may belong to one person only if they are
/// near each other. Hard limits (9 palm lengths across, 4 down, sizes up to 0.55, and never two right hands) would miss
/// pairs that are 9 to 14 palm lengths apart.
private struct PairEvidence: Sendable {
    private let a: HandLandmarks, b: HandLandmarks
    private let first: HandShape, second: HandShape

    init(_ a: HandLandmarks, _ b: HandLandmarks) {
        (self.a, self.b) = (a, b)
        (first, second) = (HandShape(a), HandShape(b))
    }

    /// The sum of the terms; more than 0 if one person is likelier.
    var sum: Double { nearness + level + likeness + handedness }

    /// The offset of the second hand's centre from the first's on the screen, in mean palm lengths of both hands (about
    /// 9 cm).
    private var offset: SIMD2<Double> {
        screen(second.centre - first.centre) / ((first.palmLength + second.palmLength) / 2)
    }

    /// The distance of the hands' centres, in palm lengths.
    var distance: Double { norm(offset) }

    /// The difference in height, in palm lengths.
    var height: Double { abs(offset.y) }

    /// The term for distance. Shoulders are 5 palm lengths apart, heads of people side by side 6 to 9. Hands at the
    /// ends of outstretched arms are 15 or more apart, which is rare with gestures.
    private var nearness: Double {
        let across = abs(offset.x)
        return 0.8 + 0.8 * max(0, 3 - distance) - 0.15 * max(0, across - 5) - max(0, across - 14)
    }

    /// The term for height. One person mostly raises both hands to similar heights.
    private var level: Double { -0.4 * max(0, height - 2) }

    /// The term for size. One hand of a person is rarely twice as near as the other. The logarithm of the ratio of
    /// sizes has a standard deviation of 0.28 for one person, and of 0.5 for two people.
    private var likeness: Double {
        let ratio = log(first.palmLength / second.palmLength)
        let (one, two) = (0.28, 0.5)
        return log(two / one) - ratio * ratio * (1 / (one * one) - 1 / (two * two)) / 2
    }

    /// The term for handedness. Seen from the front, a person's right hand is on the left of the picture. If two people
    /// raise a hand each, these are mostly two right hands or two left hands.
    private var handedness: Double {
        let (left, right) = offset.x > 0 ? (a, b) : (b, a)
        let own = Self.handedness(Self.rightHandScore(of: left), Self.rightHandScore(of: right))
        // If one hand is above the other, their order from left to right is uncertain, so the likelier order counts.
        guard abs(offset.x) < 1 else { return own }
        return max(own, Self.handedness(Self.rightHandScore(of: right), Self.rightHandScore(of: left)))
    }

    /// - Parameters:
    ///   - left: The probability that the hand on the left of the picture is a right hand.
    ///   - right: The probability that the hand on the right of the picture is a right hand.
    private static func handedness(_ left: Double, _ right: Double) -> Double {
        let one = left * (1 - right)
        let alike = left * right + (1 - left) * (1 - right)
        let two = 0.35 * alike + 0.15 * (1 - alike)
        return log(one / two)
    }

    /// Returns the probability that a hand is a right hand. The model's confidence is too high, and carries no
    /// information for a hand seen from the side.
    private static func rightHandScore(of hand: HandLandmarks) -> Double {
        let shape = HandShape(hand)
        let index = screen(shape[.indexMCP] - shape[.wrist]), little = screen(shape[.littleMCP] - shape[.wrist])
        let palm = abs(index.x * little.y - index.y * little.x) / (shape.palmLength * shape.palmLength)
        let certainty = 0.94 * (hand.handednessConfidence - 0.5) * rising(palm, 0.05, 0.25)
        return hand.handedness == .right ? 0.5 + certainty : 0.5 - certainty
    }
}

/// The place and the size of a hand.
package struct HandSpot: Sendable, Hashable {
    package var centre: PicturePoint
    /// The palm's length as a fraction of the picture's width (`x`) and of its height (`y`).
    package var palmLength: PicturePoint

    package init(centre: PicturePoint, palmLength: PicturePoint) {
        self.centre = centre
        self.palmLength = palmLength
    }

    /// The middle of a hand's points, within the picture.
    package init(_ hand: HandLandmarks) {
        let count = Double(hand.points.count)
        let x = hand.points.reduce(0) { $0 + $1.x } / count
        let y = hand.points.reduce(0) { $0 + $1.y } / count
        centre = PicturePoint(x: min(1, max(0, x)), y: min(1, max(0, y)))
        let length = HandShape(hand).palmLength
        palmLength = PicturePoint(x: length / hand.pictureAspectRatio, y: length)
    }

    /// Returns the ratio of the sizes of the larger and the smaller hand.
    func growth(from other: HandSpot) -> Double {
        let (one, two) = (palmLength.y, other.palmLength.y)
        return max(one, two) / min(one, two)
    }

    /// Returns the distance from another hand, in palm lengths of the larger.
    func distance(to other: HandSpot) -> Double {
        let larger = palmLength.y > other.palmLength.y ? self : other
        return centre.distance(to: other.centre, palmLength: larger.palmLength)
    }
}

extension PicturePoint {
    /// Returns the distance from another place in palm lengths; 0 if the length is unknown.
    ///
    /// - Parameter palmLength: As a fraction of the picture's width (`x`) and of its height (`y`).
    package func distance(to other: PicturePoint, palmLength: PicturePoint) -> Double {
        guard palmLength.x > 0, palmLength.y > 0 else { return 0 }
        let x = (self.x - other.x) / palmLength.x
        let y = (self.y - other.y) / palmLength.y
        return (x * x + y * y).squareRoot()
    }
}
