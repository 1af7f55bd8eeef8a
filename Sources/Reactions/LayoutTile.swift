/// A tile of a recorded gallery: the rectangle that shows one participant.
///
/// The unit is the upright picture: (0, 0) is its upper left corner, (1, 1) its lower right. The JSON form is the
/// object `tile` of events and plans (docs/events.md).
public struct LayoutTile: Sendable, Hashable, Codable {
    /// The tile's number, counted from 1. The tile keeps it while it moves and grows.
    public var id: Int
    /// The distance of the tile's left side from the picture's left side, 0…1.
    public var x: Double
    /// The distance of the tile's upper side from the picture's upper side, 0…1.
    public var y: Double
    /// The tile's width as a share of the picture's width.
    public var width: Double
    /// The tile's height as a share of the picture's height.
    public var height: Double

    /// Creates a tile from fractions of the upright picture.
    public init(id: Int, x: Double, y: Double, width: Double, height: Double) {
        self.id = id
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// Decodes a tile. A tile without a number gets its position in the list, counted from 1.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        id = try fields.decodeIfPresent(Int.self, forKey: .id) ?? (decoder.codingPath.last?.intValue ?? 0) + 1
        x = try fields.decode(Double.self, forKey: .x)
        y = try fields.decode(Double.self, forKey: .y)
        width = try fields.decode(Double.self, forKey: .width)
        height = try fields.decode(Double.self, forKey: .height)
    }

    /// Returns whether a place in the picture is within the tile.
    public func contains(_ point: PicturePoint) -> Bool {
        x <= point.x && point.x < x + width && y <= point.y && point.y < y + height
    }

    /// Converts a place in fractions of the tile to a place in the picture.
    public func placeInPicture(_ point: PicturePoint) -> PicturePoint {
        PicturePoint(x: x + point.x * width, y: y + point.y * height)
    }

    /// Converts a place in fractions of the picture to a place in fractions of the tile.
    public func placeInTile(_ point: PicturePoint) -> PicturePoint {
        PicturePoint(x: (point.x - x) / width, y: (point.y - y) / height)
    }

    /// The tile with five decimal places, which is finer than a pixel of the largest pictures.
    package var rounded: LayoutTile {
        func round(_ value: Double) -> Double { JSONLine.rounded(value, places: 5) }
        return LayoutTile(id: id, x: round(x), y: round(y), width: round(width), height: round(height))
    }
}

extension LayoutTile {
    /// Returns whether two tiles overlap by more than the rounding of their sides can explain.
    func overlaps(_ other: LayoutTile) -> Bool {
        let slack = 0.00002
        return x + slack < other.x + other.width && other.x + slack < x + width
            && y + slack < other.y + other.height && other.y + slack < y + height
    }
}
