/// Where a body's bones are, and the flesh and clothes around them.
///
/// A pose's mask ends at sleeves that are wide, and before hair; what is as near to the bones as this belongs to the body
/// whatever its mask says.
struct PoseSkeleton {
    /// How thick limbs are with their sleeves, as the share of the shoulders' width.
    private static let limb = 0.25
    /// The head with its hair, in distances between the ears, and as the share of the shoulders' width at least: the
    /// ears of somebody in profile are close together.
    private static let head = (ears: 1.5, shoulders: 0.45)

    /// Numbers of BlazePose's points (MediaPipe, `PoseLandmark`).
    private static let nose = 0, ears = (7, 8), shoulders = (11, 12)
    private static let bones = [
        (11, 12), (11, 13), (13, 15), (15, 19), (12, 14), (14, 16), (16, 20), (11, 23), (12, 24), (23, 24), (23, 25),
        (25, 27), (24, 26), (26, 28), (0, 7), (0, 8),
    ]

    private let bones: [Bone]
    private let thickness: Double
    /// The middle of the head, and how far it reaches.
    private let head: (x: Double, y: Double)
    private let headRadius: Double

    private struct Bone {
        var x, y, dx, dy: Double

        /// The square of a place's distance.
        func distance(_ placeX: Double, _ placeY: Double) -> Double {
            let length = dx * dx + dy * dy
            let along = length > 0 ? max(0, min(1, ((placeX - x) * dx + (placeY - y) * dy) / length)) : 0
            let restX = placeX - x - along * dx, restY = placeY - y - along * dy
            return restX * restX + restY * restY
        }
    }

    init(_ pose: Pose) {
        let points = pose.points
        func distance(_ pair: (Int, Int)) -> Double {
            let dx = points[pair.0].x - points[pair.1].x, dy = points[pair.0].y - points[pair.1].y
            return (dx * dx + dy * dy).squareRoot()
        }
        bones = Self.bones.map { from, to in
            Bone(
                x: points[from].x, y: points[from].y, dx: points[to].x - points[from].x,
                dy: points[to].y - points[from].y)
        }
        let width = distance(Self.shoulders)
        thickness = Self.limb * width
        let face = [points[Self.nose], points[Self.ears.0], points[Self.ears.1]]
        head = (x: face.reduce(0) { $0 + $1.x } / 3, y: face.reduce(0) { $0 + $1.y } / 3)
        headRadius = max(Self.head.ears * distance(Self.ears), Self.head.shoulders * width)
    }

    /// Whether a place (upright pixels) is surely the body's.
    func covers(x: Double, y: Double) -> Bool {
        isAtHead(x: x, y: y) || bones.contains { $0.distance(x, y) < thickness * thickness }
    }

    /// Whether a place is at the head.
    func isAtHead(x: Double, y: Double) -> Bool {
        let dx = x - head.x, dy = y - head.y
        return dx * dx + dy * dy < headRadius * headRadius
    }
}
