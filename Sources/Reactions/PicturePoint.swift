/// A place in the upright picture: (0, 0) is its upper left corner, (1, 1) its lower right.
public struct PicturePoint: Sendable, Hashable, Codable {
    /// From the left edge, 0, to the right one, 1.
    public var x: Double
    /// From the upper edge, 0, to the lower one, 1.
    public var y: Double

    /// A place by its fractions of the picture.
    public init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }
}
