import Raster
@testable import Vision

/// Returns a test's values.
final class FakeSegmenter: PersonSegmenting {
    let width = 32
    let height = 16
    /// The confidence at a place.
    var confidence: (_ x: Int, _ y: Int) -> Float = { _, _ in 0 }
    /// The confidence at a place in a second inference; the same by default.
    var second: ((_ x: Int, _ y: Int) -> Float)?
    /// The luma of its input.
    var luma: (_ x: Int, _ y: Int) -> Float = { _, _ in 0.5 }

    /// The number of second inferences that were prepared.
    private(set) var turnCount = 0
    private var seen: [Float] = []

    func read(_ picture: borrowing Picture, geometry: DisplayGeometry, guide: inout [Float]) {
        for y in 0..<height { for x in 0..<width { guide[y * width + x] = luma(x, y) } }
        seen = (0..<width * height).map { confidence($0 % width, $0 / width) }
    }

    func segment(confidence: inout [Float]) throws(InferenceError) { confidence = seen }

    func turn() {
        turnCount += 1
        seen = (0..<width * height).map { (second ?? confidence)($0 % width, $0 / width) }
    }

    func segmentAgain(confidence: inout [Float]) throws(InferenceError) { confidence = seen }
}
