/// A place in the upright picture: (0, 0) is its upper left corner, (1, 1) its lower right.
public struct PicturePoint: Sendable, Hashable, Codable {
    public var x: Double
    public var y: Double

    public init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }
}
