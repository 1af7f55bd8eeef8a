package import Raster

/// One of the 21 points of a hand.
package struct Landmark: Sendable, Hashable {
    /// The horizontal place in the upright picture: 0 at its left edge, 1 at its right.
    package var x: Double
    /// The vertical place in the upright picture: 0 at its top edge, 1 at its bottom.
    package var y: Double
    /// Depth relative to the wrist in units of the picture's *width*; negative is nearer to the camera. Depth is the
    /// least certain of the three coordinates.
    package var z: Double

    package init(x: Double, y: Double, z: Double) {
        self.x = x
        self.y = y
        self.z = z
    }
}

/// The names of the 21 points, in the order of MediaPipe's hand landmark model.
package enum HandJoint: Int, Sendable, Hashable, CaseIterable {
    case wrist
    case thumbCMC, thumbMCP, thumbIP, thumbTip
    case indexMCP, indexPIP, indexDIP, indexTip
    case middleMCP, middlePIP, middleDIP, middleTip
    case ringMCP, ringPIP, ringDIP, ringTip
    case littleMCP, littlePIP, littleDIP, littleTip
}

/// The side of a hand *from its owner's view*, for a picture that is not mirrored.
package enum Handedness: String, Sendable, Hashable {
    case left, right
}

/// A hand in one picture.
package struct HandLandmarks: Sendable, Hashable {
    /// The 21 points in the order of ``HandJoint``, in the upright picture.
    package var points: [Landmark]
    package var handedness: Handedness
    /// The model's confidence in ``handedness``: 0.5…1.
    package var handednessConfidence: Double
    /// The model's confidence that there is a hand at all: 0…1.
    package var presence: Double
    /// The number of the hand's track, the same from one analysed frame to the next.
    package var trackID: Int
    /// The ``trackID`` of the other hand, if both enclose a hole in the shape of a heart. The tips of both hands'
    /// thumbs and index fingers meet at the ends of the hole. `nil` if this hand frames no hole.
    var heartPartner: Int?
    /// The ratio of the upright picture's width to its height, which converts distances in ``points`` into distances on
    /// the screen.
    package var pictureAspectRatio: Double

    /// The landmark model's features of the hand's crop, from which all of its outputs are computed. Unlike the points,
    /// they also represent objects that the hand holds or touches. Empty if the model does not expose them.
    package var embedding: [Float] = []

    package init(
        points: [Landmark], handedness: Handedness, handednessConfidence: Double,
        presence: Double, trackID: Int, pictureAspectRatio: Double
    ) {
        precondition(points.count == HandJoint.allCases.count)
        self.points = points
        self.handedness = handedness
        self.handednessConfidence = handednessConfidence
        self.presence = presence
        self.trackID = trackID
        self.pictureAspectRatio = pictureAspectRatio
    }

    package subscript(joint: HandJoint) -> Landmark { points[joint.rawValue] }

    /// Returns whether the rectangles around both hands' points overlap.
    package func overlaps(_ other: HandLandmarks) -> Bool {
        let (own, its) = (box, other.box)
        return own.overlap(its) > 0.4 * min(own.area, its.area)
    }

    /// The rectangle in fractions of the picture's width and height.
    private var box: Box { Box(around: points.map { Point(x: $0.x, y: $0.y) }) }
}

/// A detected palm, in upright pixels.
package struct Palm: Sendable, Hashable {
    /// The detector's score: 0…1.
    package var score: Double
    var box: Box
    /// Seven points: the wrist, the roots of the index, middle, ring and little
    /// fingers, and the thumb's first two joints.
    var keypoints: [Point]
}

extension Palm {
    static let keypointCount = 7

    /// MediaPipe's minimum score. Palms with a lower score may be hands, but their boxes are too inaccurate to be
    /// averaged with better boxes.
    static let confidentScore = 0.5

    /// Merges overlapping palms by weighted non-maximum suppression. Each group overlaps its best palm by more than
    /// `threshold` (intersection over union). The group becomes a mean weighted by score (BlazeFace,
    /// https://arxiv.org/abs/1907.05047, section 3.4). If the best palm is confident, only confident palms are
    /// averaged.
    /// - Returns: The palms in descending order of score.
    /// - Complexity: O(n²) in the worst case.
    static func merged(_ palms: [Palm], threshold: Double = 0.3) -> [Palm] {
        // Equal scores keep their order, so that the result does not depend on the sort.
        var rest = palms.enumerated().sorted {
            ($1.element.score, $0.offset) < ($0.element.score, $1.offset)
        }.map(\.element)
        var result: [Palm] = []
        while let best = rest.first {
            let group = rest.filter { $0.box.intersectionOverUnion(best.box) > threshold }
            rest.removeAll { $0.box.intersectionOverUnion(best.box) > threshold }
            guard !group.isEmpty else {
                // A box without an area overlaps nothing, not even itself.
                rest.removeFirst()
                continue
            }
            let floor = min(best.score, confidentScore)
            result.append(weightedMean(group.filter { $0.score >= floor }, score: best.score))
        }
        return result
    }

    private static func weightedMean(_ palms: [Palm], score: Double) -> Palm {
        let total = palms.reduce(0) { $0 + $1.score }
        func mean(_ value: (Palm) -> Double) -> Double {
            palms.reduce(0) { $0 + $1.score * value($1) } / total
        }
        return Palm(
            score: score,
            box: Box(
                left: mean(\.box.left), top: mean(\.box.top), right: mean(\.box.right),
                bottom: mean(\.box.bottom)),
            keypoints: (0..<keypointCount).map { index in
                Point(x: mean { $0.keypoints[index].x }, y: mean { $0.keypoints[index].y })
            })
    }
}

/// A palm detector for a ``HandTracker``.
package protocol PalmDetecting: AnyObject {
    /// Detects palms in a window of the picture.
    /// - Returns: Palms in upright pixels, in descending order of score, without duplicates.
    func palms(
        in picture: borrowing Picture, geometry: DisplayGeometry, window: PictureWindow
    ) throws(InferenceError) -> [Palm]
}

/// A detector of a hand's landmarks for a ``HandTracker``.
package protocol HandLandmarking: AnyObject {
    /// Detects landmarks in a region; `presence` is the confidence that the region shows a hand.
    func hand(
        in picture: borrowing Picture, geometry: DisplayGeometry, region: HandRegion
    ) throws(InferenceError) -> HandLandmarks
}

/// Detects the 21 landmarks of the hand in a region with MediaPipe's hand landmark model (lite or full). Used by one
/// thread at a time.
package final class HandLandmarker: HandLandmarking {
    private let model: Model
    private var resampler = TensorResampler()

    private static let inputSize = 224
    private static let pointCount = HandJoint.allCases.count
    /// The features from which the model computes all of its outputs. `Scripts/setup` makes a model in which this output
    /// replaces the points in metres, which are not used.
    static let embeddingOutput = "model_1/model/global_average_pooling2d/Mean"

    /// Creates a landmarker with a `hand_landmark_*` model.
    /// - Throws: `.modelDamaged` if it is another model.
    package init(model: Model) throws(InferenceError) {
        try model.require(
            inputs: [
                TensorDescription(name: "input_1", shape: [1, Self.inputSize, Self.inputSize, 3])
            ],
            outputs: [
                TensorDescription(name: "Identity", shape: [1, Self.pointCount * 3]),
                TensorDescription(name: "Identity_1", shape: [1, 1]),
                TensorDescription(name: "Identity_2", shape: [1, 1]),
            ])
        self.model = model
    }

    package func hand(
        in picture: borrowing Picture, geometry: DisplayGeometry, region: HandRegion
    ) throws(InferenceError) -> HandLandmarks {
        let size = Self.inputSize
        let toUpright = region.tensorToUpright(size: size)
        model.withInput("input_1") { tensor in
            resampler.resample(
                picture, toStored: toUpright.then(geometry.uprightToStored), border: .replicate,
                width: size, height: size, into: &tensor)
        }
        try model.run()
        let points = model.withOutput("Identity") { values in
            (0..<Self.pointCount).map { index in
                let place = toUpright.apply(
                    x: Double(values[3 * index]), y: Double(values[3 * index + 1]))
                // MediaPipe's graph divides depth by 0.4 (`normalize_z`), in addition to scaling it from the tensor to
                // the region.
                let depth = Double(values[3 * index + 2]) / Double(size) / 0.4 * region.side
                return Landmark(
                    x: place.x / geometry.uprightWidth, y: place.y / geometry.uprightHeight,
                    z: depth / geometry.uprightWidth)
            }
        }
        // The model was trained on mirrored pictures, for which this output is the confidence of a left hand. The
        // project's pictures are not mirrored, so here it is the confidence of a right hand.
        let right = model.withOutput("Identity_2") { Double($0[0]) }
        let presence = model.withOutput("Identity_1") { Double($0[0]) }
        var hand = HandLandmarks(
            points: points, handedness: right > 0.5 ? .right : .left,
            handednessConfidence: max(right, 1 - right), presence: presence, trackID: 0,
            pictureAspectRatio: geometry.aspectRatio)
        if let embedding = model.outputs.first(where: { $0.name == Self.embeddingOutput }) {
            hand.embedding = model.withOutput(embedding.name) { values in values.indices.map { values[$0] } }
        }
        return hand
    }
}
