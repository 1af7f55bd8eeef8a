import Platform
package import Raster

/// Detects palms anywhere in a picture with MediaPipe's BlazePalm (lite or full). The detector loads a model for each
/// input size on demand. Used by one thread at a time.
package final class PalmDetector: PalmDetecting {
    /// The model for one input size.
    private struct Sized {
        let lease: ModelLease
        let anchors: BoxAnchors
    }

    /// The rows and columns of the model's input.
    package struct InputSize: Sendable, Hashable {
        let rows: Int, columns: Int

        /// All sizes that are used. Each is a separate model.
        package static let all = PalmTensor.sides.flatMap { rows in
            PalmTensor.sides.map { InputSize(rows: rows, columns: $0) }
        }

        /// Returns the file's name of the model for this size, which `Scripts/setup` makes of the model for 192×192.
        package func file(of model: String) -> String {
            self == Self.all.last ? "\(model).tflite" : "\(model)_\(columns)x\(rows).tflite"
        }
    }

    private let load: (InputSize) throws(InferenceError) -> ModelLease
    private var models: [InputSize: Sized] = [:]
    private let minimumScore: Double
    private var resampler = TensorResampler()

    /// - Parameters:
    ///   - minimumScore: The minimum score of a palm: lower than MediaPipe's 0.5, because the landmark model later
    ///     rejects objects that are not hands. On 2,022 photos, 0.35 found 3 % more hands (mostly the second hand of a
    ///     person) for 7 % more landmark inferences.
    ///   - load: Loads a `palm_detection_*` model for an input size, once for each size needed.
    /// - Throws: `.modelDamaged` if it is another model, and the errors of `load`.
    package init(
        minimumScore: Double = 0.35, load: @escaping (InputSize) throws(InferenceError) -> ModelLease
    ) throws(InferenceError) {
        self.minimumScore = minimumScore
        self.load = load
        // The size that all detectors eventually need.
        _ = try model(for: InputSize.all[0])
    }

    package func palms(
        in picture: borrowing Picture, geometry: DisplayGeometry, window: PictureWindow
    ) throws(InferenceError) -> [Palm] {
        let tensor = PalmTensor(window, geometry: geometry)
        let sized = try model(for: tensor.size), model = sized.lease.model
        model.withInput("input_1") { values in
            resampler.resample(
                picture, toStored: tensor.toUpright.then(geometry.uprightToStored), border: .zero,
                width: tensor.size.columns, height: tensor.size.rows, into: &values)
        }
        try model.run()
        let found = model.withOutput("Identity") { boxes in
            model.withOutput("Identity_1") { scores in
                sized.anchors.palms(boxes: boxes, scores: scores, minimumScore: minimumScore)
            }
        }
        return Palm.merged(found).map { $0.mapped(by: tensor.toUpright) }
    }

    private func model(for size: InputSize) throws(InferenceError) -> Sized {
        if let known = models[size] { return known }
        let lease = try load(size)
        let anchors = BoxAnchors(rows: size.rows, columns: size.columns)
        let count = anchors.centres.count
        try lease.model.require(
            inputs: [TensorDescription(name: "input_1", shape: [1, size.rows, size.columns, 3])],
            outputs: [
                TensorDescription(name: "Identity", shape: [1, count, BoxAnchors.valuesPerPalm]),
                TensorDescription(name: "Identity_1", shape: [1, count, 1]),
            ])
        let sized = Sized(lease: lease, anchors: anchors)
        models[size] = sized
        return sized
    }
}

extension Palm {
    /// - Parameter map: A transform that scales both axes alike and does not rotate.
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

/// The centres to which the boxes of MediaPipe's detectors of palms and faces are relative.
///
/// A model has cells of 8 and 16 pixels, and two boxes in a cell for each of its layers (strides 8, 16, 16, 16). For
/// 192×192 pixels these are 24²·2 + 12²·6 = 2016 boxes (MediaPipe, `SsdAnchorsCalculator`, with fixed anchor size).
struct BoxAnchors: Sendable {
    /// The centres in pixels of the input.
    let centres: [Point]

    init(rows: Int, columns: Int) {
        var centres: [Point] = []
        for (stride, boxesPerCell) in [(8, 2), (16, 6)] {
            for y in 0..<rows / stride {
                for x in 0..<columns / stride {
                    let centre = Point(
                        x: (Double(x) + 0.5) * Double(stride), y: (Double(y) + 0.5) * Double(stride))
                    centres.append(contentsOf: repeatElement(centre, count: boxesPerCell))
                }
            }
        }
        self.centres = centres
    }
}

extension BoxAnchors {
    /// The number of values of a palm's box: its centre, its size, then seven points.
    static let valuesPerPalm = 4 + 2 * Palm.keypointCount

    /// Returns the palms whose score is at least `minimumScore`, in pixels of the input.
    /// - Parameters:
    ///   - boxes: 18 values for each anchor.
    ///   - scores: One logit for each anchor.
    func palms(boxes: Span<Float>, scores: Span<Float>, minimumScore: Double) -> [Palm] {
        // Compares logits, and computes the sigmoid only for the few boxes that pass.
        let minimumLogit = Float(log(minimumScore / (1 - minimumScore)))
        var palms: [Palm] = []
        for index in centres.indices where scores[index] >= minimumLogit {
            let logit = max(-100, min(100, Double(scores[index])))
            let first = index * Self.valuesPerPalm
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

/// The palm detector's input for a window. The input extends as little as possible beyond the video's picture.
///
/// A whole picture of 16:9 leaves two fifths of a square black, and a black pixel costs as much as any other.
struct PalmTensor: Equatable {
    let size: PalmDetector.InputSize
    /// The transform from the tensor's pixels to upright pixels.
    let toUpright: AffineTransform

    /// The possible sides in pixels. Each combination is a separate model of 5 MB. The model halves its sides five
    /// times, so sides must be multiples of 32.
    static let sides = [128, 192]

    init(_ window: PictureWindow, geometry: DisplayGeometry) {
        let scale = window.side / Double(window.detail)
        let across = Self.span(from: window.left, of: window, picture: geometry.uprightWidth, scale)
        let down = Self.span(from: window.top, of: window, picture: geometry.uprightHeight, scale)
        size = PalmDetector.InputSize(rows: down.count, columns: across.count)
        toUpright = .scale(x: scale, y: scale).then(.translation(x: across.start, y: down.start))
    }

    /// Returns the start in upright pixels, and the number of pixels, along one axis.
    private static func span(
        from start: Double, of window: PictureWindow, picture length: Double, _ scale: Double
    ) -> (start: Double, count: Int) {
        let first = max(start, 0), last = min(start + window.side, length)
        let seen = max(last - first, 0) / scale
        // Half a thousandth allows for rounding.
        guard let count = sides.first(where: { Double($0) + 0.0005 >= seen }), count < window.detail else {
            return (start, window.detail)
        }
        return ((first + last - Double(count) * scale) / 2, count)
    }
}
