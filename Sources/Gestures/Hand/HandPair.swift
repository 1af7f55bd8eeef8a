package import HandPose
import Reactions

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
