package import Inference
package import Raster

/// Finds palms anywhere in a picture: MediaPipe's BlazePalm (lite or full).
package final class PalmDetector: PalmDetecting {
    private let model: Model
    private let anchors = PalmAnchors()
    private let minimumScore: Double
    private var resampler = TensorResampler()

    /// Takes over a `palm_detection_*` model.
    /// - Parameter minimumScore: below MediaPipe's 0.5, because the landmark model
    ///   tells hands from other things: on 2,022 photos 0.35 found 3 % more hands
    ///   (the second hand of a person above all) for 7 % more landmark searches.
    /// - Throws: `.modelDamaged` when it is another model.
    package init(model: Model, minimumScore: Double = 0.35) throws(InferenceError) {
        let count = PalmAnchors().centres.count
        try model.require(
            inputs: [
                TensorDescription(
                    name: "input_1", shape: [1, PalmAnchors.inputSize, PalmAnchors.inputSize, 3])
            ],
            outputs: [
                TensorDescription(name: "Identity", shape: [1, count, PalmAnchors.valuesPerBox]),
                TensorDescription(name: "Identity_1", shape: [1, count, 1]),
            ])
        self.model = model
        self.minimumScore = minimumScore
    }

    package func palms(
        in picture: borrowing Picture, geometry: DisplayGeometry, window: PictureWindow
    ) throws(InferenceError) -> [Palm] {
        let size = PalmAnchors.inputSize
        let toUpright = window.tensorToUpright(size: size)
        model.withInput("input_1") { tensor in
            resampler.resample(
                picture, toStored: toUpright.then(geometry.uprightToStored), border: .zero,
                width: size, height: size, into: &tensor)
        }
        try model.run()
        let found = model.withOutput("Identity") { boxes in
            model.withOutput("Identity_1") { scores in
                anchors.decode(boxes: boxes, scores: scores, minimumScore: minimumScore)
            }
        }
        return Palm.merged(found).map { $0.mapped(by: toUpright) }
    }
}

extension Palm {
    /// - Parameter map: scales both axes alike and turns nothing.
    fileprivate func mapped(by map: AffineTransform) -> Palm {
        func mapped(_ x: Double, _ y: Double) -> Point {
            let place = map.apply(x: x, y: y)
            return Point(x: place.x, y: place.y)
        }
        let first = mapped(box.left, box.top), last = mapped(box.right, box.bottom)
        return Palm(
            score: score, box: Box(left: first.x, top: first.y, right: last.x, bottom: last.y),
            keypoints: keypoints.map { mapped($0.x, $0.y) })
    }
}
