package import Reactions

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
