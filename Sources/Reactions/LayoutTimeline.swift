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
