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

/// The row and the column of a tile in a gallery, counted from 1.
public struct TilePlace: Sendable, Hashable, Codable {
    /// The row, from the top.
    public var row: Int
    /// The column, from the left, among the tiles of its row.
    public var column: Int

    /// Finds the place of a tile among all tiles of a layout.
    ///
    /// - Returns: `nil` if the tiles form no rows, as beside a speaker's large tile, or the tile is not among them.
    public init?(of tile: LayoutTile, among tiles: [LayoutTile]) {
        var rows: [[LayoutTile]] = []
        for next in tiles.sorted(by: { ($0.middle, $0.x) < ($1.middle, $1.x) }) {
            if let last = rows.last?.first, next.isBeside(last) {
                rows[rows.count - 1].append(next)
            } else {
                rows.append([next])
            }
        }
        // In rows, each tile begins below the middle of all tiles of the row above.
        for (upper, lower) in zip(rows, rows.dropFirst())
        where upper.contains(where: { a in lower.contains { $0.y < a.y + a.height / 2 } }) {
            return nil
        }
        guard rows.count > 1 || tiles.count > 1, let row = rows.firstIndex(where: { $0.contains { $0.id == tile.id } }),
            let column = rows[row].sorted(by: { $0.x < $1.x }).firstIndex(where: { $0.id == tile.id })
        else { return nil }
        (self.row, self.column) = (row + 1, column + 1)
    }
}

extension LayoutTile {
    fileprivate var middle: Double { y + height / 2 }

    /// Returns whether both tiles are in one row: their middles differ by less than a quarter of the smaller height,
    /// and their heights by less than a factor of 2.
    fileprivate func isBeside(_ other: LayoutTile) -> Bool {
        abs(middle - other.middle) < min(height, other.height) / 4
            && max(height, other.height) < 2 * min(height, other.height)
    }
}

/// The tiles of a recording over time: layouts, each of which is valid until the next one begins.
///
/// In JSON it is the list `layouts` of plans, and the content of a file for `--layout`.
public struct LayoutTimeline: Sendable, Hashable {
    /// A layout, and the time from which it is valid.
    public struct Layout: Sendable, Hashable {
        /// The time from which the layout is valid, in seconds on the recording's clock.
        public var startTime: Double
        /// The tiles of the layout; fewer than two for a single picture.
        public var tiles: [LayoutTile]

        /// Creates a layout that is valid from a time on.
        public init(startTime: Double, tiles: [LayoutTile]) {
            self.startTime = startTime
            self.tiles = tiles
        }
    }

    /// The layouts in the order of their times.
    public private(set) var layouts: [Layout]
    /// The name in messages and settings: a grid such as `3x2`, or the path of a file.
    package var name = ""

    /// Creates a time line from layouts in any order.
    public init(_ layouts: [Layout] = []) {
        self.layouts = layouts.sorted { $0.startTime < $1.startTime }
    }

    /// Returns the tiles at a time, in seconds on the recording's clock; none if the picture is a single one.
    public func tiles(at time: Double) -> [LayoutTile] {
        // Allows for times that are rounded to a millisecond.
        layouts.last { $0.startTime <= time + 0.0005 }?.tiles ?? []
    }

    /// Returns the same layouts on a clock that begins at a given time of this clock, in seconds.
    package func shifted(toStart start: Double) -> LayoutTimeline {
        var shifted = self
        for index in shifted.layouts.indices { shifted.layouts[index].startTime -= start }
        return shifted
    }

    /// Creates an even grid that is valid from the beginning. The tiles are numbered row by row.
    ///
    /// - Precondition: Both numbers are positive.
    public init(columns: Int, rows: Int) {
        precondition(columns > 0 && rows > 0, "a grid has columns and rows")
        let (width, height) = (1 / Double(columns), 1 / Double(rows))
        let tiles = (0..<columns * rows).map {
            LayoutTile(
                id: $0 + 1, x: Double($0 % columns) * width, y: Double($0 / columns) * height, width: width,
                height: height)
        }
        layouts = [Layout(startTime: -.infinity, tiles: tiles)]
    }

    /// Returns the message for the first fault; `nil` if there is none. Faults are tiles that are outside the picture
    /// or empty, and pairs of tiles that overlap or have the same number.
    package var fault: String? {
        for layout in layouts {
            var ids: Set<Int> = []
            for tile in layout.tiles {
                let name = "tile \(tile.id)"
                let values = [tile.x, tile.y, tile.width, tile.height]
                guard values.allSatisfy(\.isFinite), tile.width > 0, tile.height > 0 else { return "\(name) is empty" }
                guard tile.id > 0 else { return "\(name): numbers count from 1" }
                guard ids.insert(tile.id).inserted else { return "\(name) has a duplicate number" }
                guard tile.x >= 0, tile.y >= 0, tile.x + tile.width <= 1.00001, tile.y + tile.height <= 1.00001 else {
                    return "\(name) is not within the picture: fractions of it are 0…1"
                }
            }
            for (index, tile) in layout.tiles.enumerated() {
                for other in layout.tiles[..<index] where tile.overlaps(other) {
                    return "tiles \(other.id) and \(tile.id) overlap"
                }
            }
        }
        return nil
    }
}

extension LayoutTimeline.Layout: Codable {
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: FieldName.self)
        startTime = try fields.decodeIfPresent(Double.self, forKey: "startTime") ?? -.infinity
        tiles = try fields.decode([LayoutTile].self, forKey: "tiles")
    }

    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: FieldName.self)
        // A layout without a time applies from the beginning.
        if startTime > -.infinity { try fields.encode(seconds: startTime, forKey: "startTime") }
        try fields.encode(tiles.map(\.rounded), forKey: "tiles")
    }
}

extension LayoutTimeline: Codable {
    public init(from decoder: any Decoder) throws { self.init(try [Layout](from: decoder)) }
    public func encode(to encoder: any Encoder) throws { try layouts.encode(to: encoder) }
}
