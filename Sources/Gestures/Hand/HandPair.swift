package import HandPose
import Platform
package import Reactions

/// Two hands of a picture, and whether they can be one person's.
///
/// Judged by their places, sizes, and by which hands they are; see ``PairEvidence``. In a
/// mirrored picture a right hand looks like a left one *and* is on the other side, so that it
/// makes no difference there.
package struct HandPair: Sendable {
    private let a: HandLandmarks
    private let b: HandLandmarks

    package init(_ a: HandLandmarks, _ b: HandLandmarks) {
        self.a = a
        self.b = b
    }

    /// Hands nearer to each other than this, in palm lengths, are one hand found twice.
    static let leastDistance = 0.6

    /// Whether one person may have both hands.
    package var mayBeOnePerson: Bool { likelihood != nil }

    /// How much likelier it is that one person has both hands than that two people have them, as a logarithm; nil where
    /// it is not.
    var likelihood: Double? {
        let evidence = PairEvidence(a, b)
        return evidence.distance >= Self.leastDistance && evidence.sum > 0 ? evidence.sum : nil
    }

    /// Whether both are as high in the picture, within a hand's width.
    var isLevel: Bool { PairEvidence(a, b).height < Self.levelHeight }

    /// In palm lengths.
    private static let levelHeight = 1.2

    /// How near a point of one hand must be to one of the other for the hands to touch, in palm lengths: a finger's width.
    private static let touch = 0.2

    /// Whether the hands lie against each other in the picture, as folded ones do.
    package var touches: Bool {
        let (first, second) = (HandShape(a), HandShape(b))
        let reach = Self.touch * (first.palmLength + second.palmLength) / 2
        return PairEvidence(a, b).distance >= Self.leastDistance
            && first.points.contains { point in second.points.contains { norm(screen(point - $0)) < reach } }
    }

    /// Where each hand is.
    package var spots: [HandSpot] { [HandSpot(a), HandSpot(b)] }

    /// The point halfway between the hands' centres, and their mean palm length.
    package var middle: HandSpot {
        let spots = spots
        func mean(_ side: (HandSpot) -> Double) -> Double { (side(spots[0]) + side(spots[1])) / 2 }
        return HandSpot(
            centre: PicturePoint(x: mean(\.centre.x), y: mean(\.centre.y)),
            palmLength: PicturePoint(x: mean(\.palmLength.x), y: mean(\.palmLength.y)))
    }
}

/// What speaks for two hands being one person's, and what against it.
///
/// Every piece is the logarithm of how much likelier it is with one person than with two, so that
/// they add up: hands that are far apart may be one person's if they are a right and a left one on
/// their own sides, and two right hands only if they are near. With a hard limit for each piece instead
/// (9 palm lengths across, 4 down, sizes up to 0.55, never two right hands), no hands that were
/// 9 to 14 palm lengths apart were a pair.
private struct PairEvidence: Sendable {
    private let a: HandLandmarks, b: HandLandmarks
    private let first: HandShape, second: HandShape

    init(_ a: HandLandmarks, _ b: HandLandmarks) {
        (self.a, self.b) = (a, b)
        (first, second) = (HandShape(a), HandShape(b))
    }

    /// More than 0 where one person is likelier.
    var sum: Double { nearness + level + likeness + handedness }

    /// From the first hand's centre to the second's on the screen, in their mean palm length: some 9 cm.
    private var offset: SIMD2<Double> {
        screen(second.centre - first.centre) / ((first.palmLength + second.palmLength) / 2)
    }

    /// How far apart the hands' centres are, in palm lengths.
    var distance: Double { norm(offset) }

    /// How much higher one of them is, in palm lengths.
    var height: Double { abs(offset.y) }

    /// Shoulders are 5 palm lengths apart, heads of people side by side 6 to 9, and hands at the ends of
    /// outstretched arms 15 or more, which few people do to show a gesture.
    private var nearness: Double {
        let across = abs(offset.x)
        return 0.8 + 0.8 * max(0, 3 - distance) - 0.15 * max(0, across - 5) - max(0, across - 14)
    }

    /// One person mostly raises both hands to similar heights.
    private var level: Double { -0.4 * max(0, height - 2) }

    /// Of two hands of a person one is rarely twice as near: logarithms of the ratio of sizes are taken to scatter by
    /// 0.28, those of two people's by 0.5.
    private var likeness: Double {
        let ratio = log(first.palmLength / second.palmLength)
        let (one, two) = (0.28, 0.5)
        return log(two / one) - ratio * ratio * (1 / (one * one) - 1 / (two * two)) / 2
    }

    /// Seen from the front, a person's right hand is on the left of the picture. Of two people
    /// each raises the hand that they like, mostly the one that the other raises.
    private var handedness: Double {
        let (left, right) = offset.x > 0 ? (a, b) : (b, a)
        let own = Self.handedness(Self.rightness(of: left), Self.rightness(of: right))
        // Hands one above the other may cross.
        guard abs(offset.x) < 1 else { return own }
        return max(own, Self.handedness(Self.rightness(of: right), Self.rightness(of: left)))
    }

    /// - Parameters:
    ///   - left: how likely the hand on the left of the picture is a right one.
    ///   - right: how likely the hand on the right of the picture is.
    private static func handedness(_ left: Double, _ right: Double) -> Double {
        let one = left * (1 - right)
        let alike = left * right + (1 - left) * (1 - right)
        let two = 0.35 * alike + 0.15 * (1 - alike)
        return log(one / two)
    }

    /// How likely a hand is a right one. The model is too sure of itself, and of a hand that is seen from the side it
    /// knows nothing.
    private static func rightness(of hand: HandLandmarks) -> Double {
        let shape = HandShape(hand)
        let index = screen(shape[.indexMCP] - shape[.wrist]), little = screen(shape[.littleMCP] - shape[.wrist])
        let palm = abs(index.x * little.y - index.y * little.x) / (shape.palmLength * shape.palmLength)
        let certainty = 0.94 * (hand.handednessConfidence - 0.5) * rising(palm, 0.05, 0.25)
        return hand.handedness == .right ? 0.5 + certainty : 0.5 - certainty
    }
}

/// Where a hand is, and how large.
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

    /// How many times as large it is as another one, or as small.
    func growth(from other: HandSpot) -> Double {
        let (one, two) = (palmLength.y, other.palmLength.y)
        return max(one, two) / min(one, two)
    }

    /// How far it is from another one, in palm lengths of the larger.
    func distance(to other: HandSpot) -> Double {
        let larger = palmLength.y > other.palmLength.y ? self : other
        return centre.distance(to: other.centre, palmLength: larger.palmLength)
    }
}

extension PicturePoint {
    /// How many palm lengths it is from another place; 0 where the length is not known.
    ///
    /// - Parameter palmLength: as a fraction of the picture's width (`x`) and of its height (`y`).
    package func distance(to other: PicturePoint, palmLength: PicturePoint) -> Double {
        guard palmLength.x > 0, palmLength.y > 0 else { return 0 }
        let x = (self.x - other.x) / palmLength.x
        let y = (self.y - other.y) / palmLength.y
        return (x * x + y * y).squareRoot()
    }
}
