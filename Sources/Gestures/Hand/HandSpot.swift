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

    package init(_ hand: HandLandmarks) {
        centre = HandPair.centre(of: hand)
        palmLength = HandPair.palmLength(of: hand)
    }

    /// How many times as large it is as another one, or as small.
    func growth(from other: HandSpot) -> Double {
        let (one, two) = (palmLength.y, other.palmLength.y)
        return max(one, two) / max(min(one, two), 1e-9)
    }

    /// How far it is from another one, in palm lengths of the larger.
    func distance(to other: HandSpot) -> Double {
        let length = palmLength.y > other.palmLength.y ? palmLength : other.palmLength
        let x = (centre.x - other.centre.x) / max(length.x, 1e-9)
        let y = (centre.y - other.centre.y) / max(length.y, 1e-9)
        return (x * x + y * y).squareRoot()
    }
}
