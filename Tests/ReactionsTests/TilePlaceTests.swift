import Testing

@testable import Reactions

@Suite struct TilePlaceTests {
    private func places(_ tiles: [LayoutTile]) -> [[Int]?] {
        tiles.map { tile in TilePlace(of: tile, among: tiles).map { [$0.row, $0.column] } }
    }

    private func tile(_ id: Int, _ x: Double, _ y: Double, _ width: Double, _ height: Double) -> LayoutTile {
        LayoutTile(id: id, x: x, y: y, width: width, height: height)
    }

    @Test("Tiles of a grid have a row and a column, in any order and whatever their numbers are")
    func grids() {
        let tiles = LayoutTimeline(columns: 3, rows: 2).tiles(at: 0)
        #expect(places(tiles) == [[1, 1], [1, 2], [1, 3], [2, 1], [2, 2], [2, 3]])
        #expect(places(tiles.reversed()) == [[2, 3], [2, 2], [2, 1], [1, 3], [1, 2], [1, 1]])
    }

    @Test("A last row with fewer tiles, and rows of portrait and landscape tiles, are rows")
    func unevenRows() {
        #expect(
            places([tile(1, 0, 0, 0.45, 0.45), tile(2, 0.5, 0, 0.45, 0.45), tile(3, 0.25, 0.5, 0.45, 0.45)])
                == [[1, 1], [1, 2], [2, 1]])
        #expect(places([tile(7, 0.5, 0.11, 0.2, 0.8), tile(4, 0.1, 0.1, 0.3, 0.81)]) == [[1, 2], [1, 1]])
    }

    @Test("A speaker beside a strip has neither, nor has a single tile")
    func speakerAndStrip() {
        let strip = [
            tile(1, 0, 0, 0.7, 1), tile(2, 0.75, 0, 0.25, 0.3), tile(3, 0.75, 0.35, 0.25, 0.3),
            tile(4, 0.75, 0.7, 0.25, 0.3),
        ]
        #expect(places(strip) == [nil, nil, nil, nil])
        #expect(places([tile(1, 0, 0, 1, 1)]) == [nil])
        #expect(TilePlace(of: tile(9, 0, 0, 0.1, 0.1), among: strip) == nil)
    }

    @Test("A speaker above a strip is the first row")
    func speakerAboveStrip() {
        #expect(
            places([tile(1, 0.1, 0, 0.8, 0.7), tile(2, 0, 0.75, 0.3, 0.25), tile(3, 0.4, 0.75, 0.3, 0.25)])
                == [[1, 1], [2, 1], [2, 2]])
    }
}
