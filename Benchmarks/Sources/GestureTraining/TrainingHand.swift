package import Gestures
package import HandPose

/// One hand of which the class is known.
package struct TrainingHand: Sendable {
    /// The points with equal units across, down and in depth.
    package var points: [SIMD3<Double>]
    package var handClass: HandClass
    /// Whether the depths mean anything. Some tables have none.
    package var hasDepth: Bool
    /// Where it comes from: a table, or a project in one.
    package var source: String
    /// Whose picture it is, as well as that is known: hands of one owner are never on
    /// both sides of a split.
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

    /// As the recogniser would get it.
    package var landmarks: HandLandmarks {
        HandLandmarks(
            points: points.map { Landmark(x: $0.x, y: $0.y, z: $0.z) }, handedness: .left,
            handednessConfidence: 0.5, presence: 1, trackID: 0, pictureAspectRatio: 1)
    }
}
