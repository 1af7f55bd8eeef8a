import Inference
import Platform

/// The centres that the palm model's boxes are relative to, and how to read them.
///
/// The model looks at cells of 8 and 16 pixels, with two boxes a cell for each
/// of its layers (strides 8, 16, 16, 16), so of 192×192 pixels 24²·2 + 12²·6 = 2016 boxes
/// (MediaPipe, `SsdAnchorsCalculator`, with fixed anchor size).
struct PalmAnchors: Sendable {
    /// Values a box: centre, size, then seven points.
    static let valuesPerBox = 4 + 2 * Palm.keypointCount

    /// In pixels of the input.
    let centres: [Point]

    init(_ size: InputSize) {
        var centres: [Point] = []
        for (stride, boxesPerCell) in [(8, 2), (16, 6)] {
            for y in 0..<size.rows / stride {
                for x in 0..<size.columns / stride {
                    let centre = Point(
                        x: (Double(x) + 0.5) * Double(stride), y: (Double(y) + 0.5) * Double(stride))
                    centres.append(contentsOf: repeatElement(centre, count: boxesPerCell))
                }
            }
        }
        self.centres = centres
    }

    /// The boxes whose score reaches `minimumScore`, in pixels of the input.
    /// - Parameters:
    ///   - boxes: 18 values for each anchor.
    ///   - scores: one logit for each anchor.
    func decode(boxes: Span<Float>, scores: Span<Float>, minimumScore: Double) -> [Palm] {
        // A logit is compared in place of its sigmoid, which is computed for the few that pass.
        let minimumLogit = Float(log(minimumScore / (1 - minimumScore)))
        var palms: [Palm] = []
        for index in centres.indices where scores[index] >= minimumLogit {
            let logit = max(-100, min(100, Double(scores[index])))
            let first = index * Self.valuesPerBox
            let centre = centres[index]
            let x = centre.x + Double(boxes[first]), y = centre.y + Double(boxes[first + 1])
            let halfWidth = Double(boxes[first + 2]) / 2, halfHeight = Double(boxes[first + 3]) / 2
            guard halfWidth > 0, halfHeight > 0 else { continue }
            palms.append(
                Palm(
                    score: 1 / (1 + exp(-logit)),
                    box: Box(
                        left: x - halfWidth, top: y - halfHeight, right: x + halfWidth,
                        bottom: y + halfHeight),
                    keypoints: (0..<Palm.keypointCount).map { k in
                        Point(
                            x: centre.x + Double(boxes[first + 4 + 2 * k]),
                            y: centre.y + Double(boxes[first + 5 + 2 * k]))
                    }))
        }
        return palms
    }
}
