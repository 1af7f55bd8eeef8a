package import Inference
package import Raster

/// Finds palms anywhere in a picture: MediaPipe's BlazePalm (lite or full).
package final class PalmDetector: PalmDetecting {
    /// The model for one size of pictures.
    private struct Sized {
        let loan: ModelLoan
        let anchors: PalmAnchors
    }

    private let load: (InputSize) throws(InferenceError) -> ModelLoan
    private var models: [InputSize: Sized] = [:]
    private let minimumScore: Double
    private var resampler = TensorResampler()

    /// - Parameters:
    ///   - minimumScore: below MediaPipe's 0.5, because the landmark model
    ///     tells hands from other things: on 2,022 photos 0.35 found 3 % more hands
    ///     (the second hand of a person above all) for 7 % more landmark searches.
    ///   - load: loads a `palm_detection_*` model for pictures of a size, once for each that is needed.
    /// - Throws: `.modelDamaged` when it is another model, and what `load` throws.
    package init(
        minimumScore: Double = 0.35, load: @escaping (InputSize) throws(InferenceError) -> ModelLoan
    ) throws(InferenceError) {
        self.minimumScore = minimumScore
        self.load = load
        _ = try model(for: PalmTensor.smallest)
    }

    package func palms(
        in picture: borrowing Picture, geometry: DisplayGeometry, window: PictureWindow
    ) throws(InferenceError) -> [Palm] {
        let tensor = PalmTensor(window, geometry: geometry)
        let sized = try model(for: tensor.size), model = sized.loan.model
        model.withInput("input_1") { values in
            resampler.resample(
                picture, toStored: tensor.toUpright.then(geometry.uprightToStored), border: .zero,
                width: tensor.size.columns, height: tensor.size.rows, into: &values)
        }
        try model.run()
        let found = model.withOutput("Identity") { boxes in
            model.withOutput("Identity_1") { scores in
                sized.anchors.decode(boxes: boxes, scores: scores, minimumScore: minimumScore)
            }
        }
        return Palm.merged(found).map { $0.mapped(by: tensor.toUpright) }
    }

    private func model(for size: InputSize) throws(InferenceError) -> Sized {
        if let known = models[size] { return known }
        let loan = try load(size)
        let anchors = PalmAnchors(size)
        let count = anchors.centres.count
        try loan.model.require(
            inputs: [TensorDescription(name: "input_1", shape: [1, size.rows, size.columns, 3])],
            outputs: [
                TensorDescription(name: "Identity", shape: [1, count, PalmAnchors.valuesPerBox]),
                TensorDescription(name: "Identity_1", shape: [1, count, 1]),
            ])
        let sized = Sized(loan: loan, anchors: anchors)
        models[size] = sized
        return sized
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
