package import HandPose

/// Two hands of a picture, and whether they can be one person's.
///
/// Judged by their places alone: one right and one left hand, the right one on its own
/// side, of similar size, at similar height, and not farther apart than arms reach in
/// front of a body. In a mirrored picture a right hand looks like a left one *and* is on
/// the other side, so the rules hold there too.
package struct HandPair: Sendable {
    private let a: HandLandmarks
    private let b: HandLandmarks

    package init(_ a: HandLandmarks, _ b: HandLandmarks) {
        self.a = a
        self.b = b
    }

    /// Hands farther apart than this many palm lengths across are two people's. A palm is
    /// some 9 cm from wrist to knuckles, shoulders are about 45 cm apart.
    static let reach = 9.0
    /// The difference in height, in palm lengths, that one person's hands may have.
    static let heightDifference = 4.0
    /// The least ratio of sizes. Of two hands of a person one is rarely twice as near.
    static let sizeRatio = 0.55
    /// Hands nearer to each other than this, in palm lengths, are one hand found twice.
    static let leastDistance = 0.6
    /// Below this certainty the model's word on which hand it is does not count.
    static let certainHandedness = 0.8

    /// Whether one person may have both hands.
    package var mayBeOnePerson: Bool {
        let (first, second) = (HandShape(a), HandShape(b))
        let sizes = [first.palmLength, second.palmLength]
        guard sizes.min()! / sizes.max()! >= Self.sizeRatio else { return false }
        let offset = (second.centre - first.centre) / ((sizes[0] + sizes[1]) / 2)
        guard abs(offset.x) <= Self.reach, abs(offset.y) <= Self.heightDifference,
            norm(screen(offset)) >= Self.leastDistance
        else { return false }
        let isCertain =
            min(a.handednessConfidence, b.handednessConfidence) >= Self.certainHandedness
        guard isCertain else { return true }
        guard a.handedness != b.handedness else { return false }
        // Seen from the front, a person's right hand is on the left of the picture. Hands
        // that overlap may cross a little.
        let rightToLeft = a.handedness == .right ? offset.x : -offset.x
        return rightToLeft > -1
    }

    /// The point halfway between the hands' centres.
    package var middle: GesturePoint {
        let (first, second) = (Self.centre(of: a), Self.centre(of: b))
        return GesturePoint(x: (first.x + second.x) / 2, y: (first.y + second.y) / 2)
    }

    /// The mean palm length of the two hands, in fractions of the picture's sides.
    package var palmLength: GesturePoint {
        let (first, second) = (Self.palmLength(of: a), Self.palmLength(of: b))
        return GesturePoint(x: (first.x + second.x) / 2, y: (first.y + second.y) / 2)
    }

    /// A hand's palm length, in fractions of the picture's sides.
    package static func palmLength(of hand: HandLandmarks) -> GesturePoint {
        let length = HandShape(hand).palmLength
        return GesturePoint(x: length / hand.pictureAspectRatio, y: length)
    }

    /// The middle of a hand's points, within the picture.
    package static func centre(of hand: HandLandmarks) -> GesturePoint {
        let count = Double(hand.points.count)
        let x = hand.points.reduce(0) { $0 + $1.x } / count
        let y = hand.points.reduce(0) { $0 + $1.y } / count
        return GesturePoint(x: min(1, max(0, x)), y: min(1, max(0, y)))
    }
}
