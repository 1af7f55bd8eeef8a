import Platform
import Raster

/// A square in the upright picture, rotated to the direction of a hand, in upright pixels. The landmark model receives
/// its contents.
package struct HandRegion: Sendable, Hashable {
    package var centreX: Double
    package var centreY: Double
    package var side: Double
    /// The hand's rotation from pointing up, clockwise on screen, in radians, −π…π.
    var rotation: Double
    /// True if the model receives the region mirrored. The resulting landmarks still refer to the unmirrored picture.
    var isMirrored = false

    /// Returns the intersection over union of two squares. The rotation of both is ignored, as in MediaPipe's
    /// association calculator.
    package func intersectionOverUnion(_ other: HandRegion) -> Double {
        Box(self).intersectionOverUnion(Box(other))
    }

    /// Returns whether both regions give the landmark model nearly the same picture.
    func isNearlySame(as other: HandRegion) -> Bool {
        turn(to: other) < 0.3 && intersectionOverUnion(other) > 0.8
    }

    /// Returns whether a hand whose region is now `next` is still well inside this region. The ratio of sizes is
    /// limited to 1.2, because an approaching hand outgrows its region: with 1.45, a raised thumb that moved toward the
    /// camera was taken for bent fingers.
    func stillFits(_ next: HandRegion) -> Bool {
        turn(to: next) < 0.4 && relativeDistance(to: next) < 0.12
            && next.side < 1.2 * side && side < 1.2 * next.side
    }

    /// Returns whether the square contains all points.
    func contains(_ points: [Point]) -> Bool {
        let c = cos(rotation), s = sin(rotation)
        return points.allSatisfy {
            let x = $0.x - centreX, y = $0.y - centreY
            return max(abs(x * c + y * s), abs(y * c - x * s)) <= side / 2
        }
    }

    /// Returns the same square, rotated about its centre by an angle in radians, clockwise.
    func turned(by angle: Double) -> HandRegion {
        var region = self
        region.rotation = (rotation + angle).remainder(dividingBy: 2 * .pi)
        return region
    }

    /// Returns the angle between both regions, 0…π.
    private func turn(to other: HandRegion) -> Double {
        let turn = abs(rotation - other.rotation)
        return min(turn, 2 * .pi - turn)
    }

    /// Returns the distance between the centres, in units of the larger side.
    func relativeDistance(to other: HandRegion) -> Double {
        Point(x: centreX, y: centreY).distance(to: Point(x: other.centreX, y: other.centreY))
            / max(side, other.side)
    }
}

// The numbers come from MediaPipe's graphs `palm_detection_detection_to_roi` and `hand_landmark_landmarks_to_roi`
// (https://github.com/google-ai-edge/mediapipe, mediapipe/modules/hand_landmark).
extension HandRegion {
    /// Creates the region of landmarks for a palm. The direction from the wrist (keypoint 0) to the middle finger's
    /// root (keypoint 2) points up.
    init(_ palm: Palm) {
        let rotation = Self.rotation(from: palm.keypoints[0], to: palm.keypoints[2])
        self.init(
            boundingWidth: palm.box.width, boundingHeight: palm.box.height,
            centre: Point(
                x: (palm.box.left + palm.box.right) / 2, y: (palm.box.top + palm.box.bottom) / 2),
            rotation: rotation, shiftY: -0.5, scale: 2.6)
    }

    /// Creates the region for the next picture from the 21 points in upright pixels.
    init(landmarks points: [Point]) {
        let wrist = points[HandJoint.wrist.rawValue]
        let index = points[HandJoint.indexMCP.rawValue]
        let middle = points[HandJoint.middleMCP.rawValue]
        let ring = points[HandJoint.ringMCP.rawValue]
        let rotation = Self.rotation(
            from: wrist,
            to: Point(
                x: ((index.x + ring.x) / 2 + middle.x) / 2, y: ((index.y + ring.y) / 2 + middle.y) / 2))

        let palm = Self.palmJoints.map { points[$0.rawValue] }
        let straight = Box(around: palm)
        let centre = Point(
            x: (straight.left + straight.right) / 2, y: (straight.top + straight.bottom) / 2)
        // The bounds in a frame that rotates with the hand, about the centre of the upright bounds.
        let c = cos(rotation), s = sin(rotation)
        let turned = Box(
            around: palm.map {
                let x = $0.x - centre.x, y = $0.y - centre.y
                return Point(x: x * c + y * s, y: -x * s + y * c)
            })
        let midX = (turned.left + turned.right) / 2, midY = (turned.top + turned.bottom) / 2
        self.init(
            boundingWidth: turned.width, boundingHeight: turned.height,
            centre: Point(
                x: centre.x + midX * c - midY * s, y: centre.y + midX * s + midY * c),
            rotation: rotation, shiftY: -0.1, scale: 2)
    }

    /// The points whose bounds make the next region: the palm and the first
    /// joints, which move less than the finger tips.
    private static let palmJoints: [HandJoint] = [
        .wrist, .thumbCMC, .thumbMCP, .thumbIP, .indexMCP, .indexPIP, .middleMCP, .middlePIP,
        .ringMCP, .ringPIP, .littleMCP, .littlePIP,
    ]

    /// Shifts a rectangle along its own height, squares it on its longer side and scales it.
    private init(
        boundingWidth: Double, boundingHeight: Double, centre: Point, rotation: Double,
        shiftY: Double, scale: Double
    ) {
        let shift = boundingHeight * shiftY
        self.init(
            centreX: centre.x - shift * sin(rotation), centreY: centre.y + shift * cos(rotation),
            side: max(boundingWidth, boundingHeight) * scale, rotation: rotation)
    }

    /// Returns the rotation from pointing up, clockwise, of the arrow between two points.
    static func rotation(from: Point, to: Point) -> Double {
        atan2(to.x - from.x, from.y - to.y)
    }

    /// Returns the transform from the pixels of a square tensor that shows this region to upright pixels.
    func tensorToUpright(size: Int) -> AffineTransform {
        let half = Double(size) / 2
        return AffineTransform.translation(x: -half, y: -half)
            .then(.scale(x: (isMirrored ? -side : side) / Double(size), y: side / Double(size)))
            .then(.rotation(cosine: cos(rotation), sine: sin(rotation)))
            .then(.translation(x: centreX, y: centreY))
    }
}
