import Raster
import Testing
@testable import Vision

/// Decoding of the palm model's raw values.
@Suite struct PalmTests {
    @Test func anchorsCoverTheInput() {
        let centres = BoxAnchors(rows: 192, columns: 192).centres
        #expect(centres.count == 2016)
        #expect(centres[0] == Point(x: 4, y: 4))
        #expect(centres[1] == Point(x: 4, y: 4))
        #expect(centres[2] == Point(x: 12, y: 4))
        #expect(centres[1151] == Point(x: 188, y: 188))
        #expect(centres[1152] == Point(x: 8, y: 8))
        #expect(centres[2015] == Point(x: 184, y: 184))
    }

    @Test func anchorsCoverLessOfAFlatPicture() {
        let centres = BoxAnchors(rows: 128, columns: 192).centres
        #expect(centres.count == 1344)
        #expect(centres[767] == Point(x: 188, y: 124))
        #expect(centres[1343] == Point(x: 184, y: 120))
    }

    @Test func decodesABox() throws {
        let anchors = BoxAnchors(rows: 192, columns: 192)
        var boxes = [Float](repeating: 0, count: 2016 * 18)
        var scores = [Float](repeating: -200, count: 2016)
        let index = 1200
        scores[index] = 2
        scores[7] = -0.1
        for (offset, value) in [3, -2, 40, 60, 1, 2].enumerated() {
            boxes[index * 18 + offset] = Float(value)
        }
        let palms = anchors.palms(boxes: boxes.span, scores: scores.span, minimumScore: 0.5)
        let palm = try #require(palms.first)
        #expect(palms.count == 1)
        let centre = anchors.centres[index]
        #expect(abs(palm.score - 0.8808) < 0.0001)
        #expect(palm.box.left == centre.x + 3 - 20)
        #expect(palm.box.bottom == centre.y - 2 + 30)
        #expect(palm.keypoints[0] == Point(x: centre.x + 1, y: centre.y + 2))
    }

    static func palm(_ x: Double, score: Double) -> Palm {
        Palm(
            score: score, box: Box(left: x, top: 0, right: x + 10, bottom: 10),
            keypoints: [Point](repeating: Point(x: x, y: 0), count: Palm.keypointCount))
    }

    @Test func mergesByScore() {
        let merged = Palm.merged([
            Self.palm(2, score: 0.6), Self.palm(100, score: 0.7), Self.palm(0, score: 0.9),
        ])
        #expect(merged.count == 2)
        #expect(merged[0].score == 0.9)
        #expect(abs(merged[0].box.left - 2 * 0.6 / 1.5) < 1e-12)
        #expect(abs(merged[0].keypoints[3].x - 2 * 0.6 / 1.5) < 1e-12)
        #expect(merged[1] == Self.palm(100, score: 0.7))
    }

    @Test func averagesOnlyTheConfidentWithTheConfident() {
        let merged = Palm.merged([Self.palm(0, score: 0.9), Self.palm(2, score: 0.4)])
        #expect(merged == [Self.palm(0, score: 0.9)])
        let unsure = Palm.merged([Self.palm(0, score: 0.45), Self.palm(2, score: 0.45)])
        #expect(unsure.map(\.box.left) == [1])
    }

    @Test func leavesNeighboursApart() {
        // An overlap of 4 of 10 is 0.25 of the union.
        #expect(Palm.merged([Self.palm(0, score: 0.9), Self.palm(6, score: 0.8)]).count == 2)
        #expect(Palm.merged([]).isEmpty)
    }

    @Test func dropsBoxesWithoutArea() {
        var flat = Self.palm(0, score: 0.9)
        flat.box.right = flat.box.left
        #expect(Palm.merged([flat, Self.palm(50, score: 0.6)]).count == 1)
    }
}
