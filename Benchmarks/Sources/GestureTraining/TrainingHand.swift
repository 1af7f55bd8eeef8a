package import Vision

/// One hand of known class.
package struct TrainingHand: Sendable {
    /// The points with equal units across, down and in depth.
    package var points: [SIMD3<Double>]
    package var handClass: HandClass
    /// True if the depths are meaningful. Some tables have none.
    package var hasDepth: Bool
    /// Its source: a table, or a project in one.
    package var source: String
    /// The person or project of the picture, as far as it is known: hands of one owner are never on both sides of a
    /// split.
    package var owner: String

    package init(
        points: [SIMD3<Double>], handClass: HandClass, hasDepth: Bool, source: String, owner: String
    ) {
        self.points = points
        self.handClass = handClass
        self.hasDepth = hasDepth
        self.source = source
        self.owner = owner
    }

    /// The hand in the form of the recogniser's input.
    package var landmarks: HandLandmarks {
        HandLandmarks(
            points: points.map { Landmark(x: $0.x, y: $0.y, z: $0.z) }, handedness: .left,
            handednessConfidence: 0.5, presence: 1, trackID: 0, pictureAspectRatio: 1)
    }
}
