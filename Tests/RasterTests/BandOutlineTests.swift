import Testing
import TestSupport

@testable import Raster

@Suite("Outlines of shapes")
struct BandOutlineTests {
    private static func placement(_ random: inout SeededGenerator) -> AffineTransform {
        let size = Double.random(in: 0.3...60, using: &random), slant = Double.random(in: 0.02...1, using: &random)
        // Some edges are horizontal or vertical: there a coordinate is constant along a row.
        let turn =
            Bool.random(using: &random)
            ? [(1.0, 0.0), (0, 1), (-1, 0)].randomElement(using: &random)!
            : (0.6, [-0.8, 0.8].randomElement(using: &random)!)
        return AffineTransform.scale(x: size, y: size * slant)
            .then(.rotation(cosine: turn.0, sine: turn.1))
            .then(
                .translation(
                    x: Double.random(in: -20...220, using: &random), y: Double.random(in: -20...80, using: &random)))
    }

    @Test("The rows of a band at once are the same rows one by one", arguments: [false, true])
    func rows(round: Bool) throws {
        var random = SeededGenerator(seed: round ? 1 : 2)
        var covered = 0
        for _ in 0..<2000 {
            guard let outline = BandOutline(Self.placement(&random), round: round, within: (200, 64)) else { continue }
            let top = Int.random(in: 0..<4, using: &random) * 16
            let rows = top + Int.random(in: 0..<8, using: &random)..<top + Int.random(in: 8...16, using: &random)
            let columns = outline.columns(inRows: rows)
            for y in rows {
                #expect(columns[y] == outline.columns(inRow: y))
                covered += columns[y].count
            }
        }
        #expect(covered > 10_000)
    }

    @Test("Two rows together are covered from the first pixel of either to the last")
    func union() throws {
        let outline = try #require(
            BandOutline(
                AffineTransform.scale(x: 10, y: 1).then(.rotation(cosine: 0.8, sine: 0.6))
                    .then(.translation(x: 30, y: 20)), round: false, within: (64, 64)))
        let columns = outline.columns(inRows: 16..<24)
        for y in stride(from: 16, to: 24, by: 2) {
            let both = [columns[y], columns[y + 1]].filter { !$0.isEmpty }
            let first = both.map(\.lowerBound).min() ?? 0, end = both.map(\.upperBound).max() ?? 0
            #expect(columns.union(of: y) == first..<end)
        }
    }
}
