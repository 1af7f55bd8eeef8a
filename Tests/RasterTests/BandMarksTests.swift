import Testing
import TestSupport

@testable import Raster

@Suite("Marks of drawn cells")
struct BandMarksTests {
    @Test("Runs cover the marked cells at any picture width", arguments: [32, 1024, 1056, 3840])
    func runs(width: Int) {
        var random = SeededGenerator(seed: UInt64(width))
        var marks = BandMarks(width: width)
        var expected = [[Bool]](repeating: [Bool](repeating: false, count: width / 16), count: BandGrid.bandHeight)
        #expect(marks.isEmpty)
        for _ in 0..<20 {
            let y = Int.random(in: 0..<BandGrid.bandHeight, using: &random)
            let first = Int.random(in: 0..<width, using: &random)
            let end = min(first + Int.random(in: 1...width, using: &random) / 8 + 1, width)
            marks.mark(first..<end, inRow: y)
            for cell in first / 16...(end - 1) / 16 { expected[y][cell] = true }
        }
        for y in 0..<BandGrid.bandHeight {
            var found = [Bool](repeating: false, count: width / 16)
            marks.forEachRun(inRow: y) { for cell in $0.lowerBound / 16..<$0.upperBound / 16 { found[cell] = true } }
            #expect(found == expected[y])
            let cells = found.indices.filter { found[$0] }
            #expect(marks.bounds(inRow: y) == (cells.first ?? 0) * 16..<((cells.last ?? -1) + 1) * 16)
            for x in stride(from: 0, to: width, by: 24) {
                #expect(marks.contains(x..<x + 1, inRow: y) == expected[y][x / 16])
            }
        }
        for y in stride(from: 0, to: BandGrid.bandHeight, by: 2) {
            var found = [Bool](repeating: false, count: width / 16)
            marks.forEachRun(inRow: y, count: 2) {
                for cell in $0.lowerBound / 16..<$0.upperBound / 16 { found[cell] = true }
            }
            #expect(found == zip(expected[y], expected[y + 1]).map { $0 || $1 })
        }
        marks.clear()
        #expect(marks.isEmpty && marks.bounds(inRow: 3).isEmpty)
    }
}
