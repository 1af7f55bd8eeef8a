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
