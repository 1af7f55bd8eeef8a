package import HandPose
package import Reactions

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
