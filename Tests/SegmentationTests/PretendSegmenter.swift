import Inference
import Raster

@testable import Segmentation

/// Says what a test tells it to.
final class PretendSegmenter: PersonSegmenting {
    let width = 32
    let height = 16
    /// What it says of a place.
    var confidence: (_ x: Int, _ y: Int) -> Float = { _, _ in 0 }
    /// The luma that it sees.
    var luma: (_ x: Int, _ y: Int) -> Float = { _, _ in 0.5 }

    func segment(
        _ picture: borrowing Picture, geometry: DisplayGeometry, confidence: inout [Float], guide: inout [Float]
    ) throws(InferenceError) {
        for y in 0..<height {
            for x in 0..<width {
                confidence[y * width + x] = self.confidence(x, y)
                guide[y * width + x] = luma(x, y)
            }
        }
    }
}
