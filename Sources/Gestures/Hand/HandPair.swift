package import HandPose
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

    /// How near a point of one hand must be to one of the other for the hands to touch, in palm lengths: a finger's width.
    private static let touch = 0.2

    /// Whether the hands lie against each other in the picture, as folded ones do.
    package var touches: Bool {
        let (first, second) = (HandShape(a), HandShape(b))
        let reach = Self.touch * (first.palmLength + second.palmLength) / 2
        return PairEvidence(a, b).distance >= Self.leastDistance
            && first.points.contains { point in second.points.contains { norm(screen(point - $0)) < reach } }
    }

    /// The point halfway between the hands' centres.
    package var middle: PicturePoint {
        let (first, second) = (Self.centre(of: a), Self.centre(of: b))
        return PicturePoint(x: (first.x + second.x) / 2, y: (first.y + second.y) / 2)
    }

    /// The mean palm length of the two hands, in fractions of the picture's sides.
    package var palmLength: PicturePoint {
        let (first, second) = (Self.palmLength(of: a), Self.palmLength(of: b))
        return PicturePoint(x: (first.x + second.x) / 2, y: (first.y + second.y) / 2)
    }

    /// A hand's palm length, in fractions of the picture's sides.
    package static func palmLength(of hand: HandLandmarks) -> PicturePoint {
        let length = HandShape(hand).palmLength
        return PicturePoint(x: length / hand.pictureAspectRatio, y: length)
    }

    /// The middle of a hand's points, within the picture.
    package static func centre(of hand: HandLandmarks) -> PicturePoint {
        let count = Double(hand.points.count)
        let x = hand.points.reduce(0) { $0 + $1.x } / count
        let y = hand.points.reduce(0) { $0 + $1.y } / count
        return PicturePoint(x: min(1, max(0, x)), y: min(1, max(0, y)))
    }
}
