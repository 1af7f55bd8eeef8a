import Platform
internal import Raster

// The numbers are those of MediaPipe's graphs `palm_detection_detection_to_roi`
// and `hand_landmark_landmarks_to_roi`
// (https://github.com/google-ai-edge/mediapipe, mediapipe/modules/hand_landmark).
extension HandRegion {
    /// Where to look for landmarks, given a palm: the wrist (keypoint 0) to the
    /// middle finger's root (keypoint 2) points up.
    init(_ palm: Palm) {
        let rotation = Self.rotation(from: palm.keypoints[0], to: palm.keypoints[2])
        self.init(
            boundingWidth: palm.box.width, boundingHeight: palm.box.height,
            centre: Point(
                x: (palm.box.left + palm.box.right) / 2, y: (palm.box.top + palm.box.bottom) / 2),
            rotation: rotation, shiftY: -0.5, scale: 2.6)
    }

    /// Where to look in the next picture, given the 21 points in upright pixels.
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
        // The bounds in a frame turned with the hand, about the centre of the straight ones.
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

    /// How far the arrow between two points is turned from pointing up, clockwise.
    static func rotation(from: Point, to: Point) -> Double {
        atan2(to.x - from.x, from.y - to.y)
    }

    /// From the pixels of a square tensor that shows this region to upright pixels.
    func tensorToUpright(size: Int) -> AffineTransform {
        let half = Double(size) / 2
        return AffineTransform.translation(x: -half, y: -half)
            .then(.scale(x: (isMirrored ? -side : side) / Double(size), y: side / Double(size)))
            .then(.rotation(cosine: cos(rotation), sine: sin(rotation)))
            .then(.translation(x: centreX, y: centreY))
    }
}
