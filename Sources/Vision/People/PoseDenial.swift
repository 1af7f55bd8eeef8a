/// Computes the part of a people mask that belongs to no detected body. ``PoseExaminer`` creates one for each picture,
/// on its thread.
///
/// The mask model includes a chair in the person on it; the pose model finds the body's limits. But the pose model
/// detects only one body at a time. It may miss a body of which only a hand is visible, and wide sleeves. So the pose
/// model's result counts only if three conditions are met. Each face belongs to a detected body, and bodies cover most
/// of the mask. The rejected part is away from the bodies' bones. The rejected part is not as large as another person.
struct PoseDenial {
    /// The maximum rejected share of a connected part of the mask. If more were rejected, the part may contain
    /// something that the pose model did not detect.
    private static let maximumShareOfPart = 0.35
    /// The minimum share of a connected part that bodies must cover.
    private static let minimumShown = 0.5
    /// The maximum size of a single piece, as a share of the whole mask. A larger piece may be a person whom the pose
    /// model missed.
    private static let largestPiece = 0.14

    private let width, height: Int
    private var parts: MaskParts

    init(width: Int, height: Int) {
        self.width = width
        self.height = height
        parts = MaskParts(width: width, height: height)
    }

    /// - Parameters:
    ///   - confidence: `width` × `height` values: the confidence of a person at each place, 0…1.
    ///   - poses: The bodies in the picture.
    ///   - faces: The centres of the faces in the picture, in upright pixels.
    ///   - size: The picture's size, in upright pixels.
    /// - Returns: `width` × `height` values: the rejected part of the confidence, −1…0.
    mutating func denied(
        of confidence: [Float], poses: [Pose], faces: [(x: Double, y: Double)], size: (width: Double, height: Double)
    ) -> [Float] {
        var denied = [Float](repeating: 0, count: width * height)
        let skeletons = poses.map(PoseSkeleton.init)
        guard !poses.isEmpty,
            faces.allSatisfy({ face in skeletons.contains { $0.isAtHead(x: face.x, y: face.y) } })
        else { return denied }
        var shown = [Float](repeating: 0, count: denied.count)
        for row in 0..<height {
            let y = (Double(row) + 0.5) * size.height / Double(height)
            for column in 0..<width {
                let x = (Double(column) + 0.5) * size.width / Double(width), index = row * width + column
                var isSeen = false
                for pose in poses {
                    guard let sure = pose.confidence(x: x, y: y) else { continue }
                    isSeen = true
                    shown[index] = max(shown[index], sure)
                }
                let denial = min(shown[index] - confidence[index], 0)
                guard isSeen, denial < 0, !skeletons.contains(where: { $0.covers(x: x, y: y) }) else { continue }
                denied[index] = denial
            }
        }
        keepDoubtfulParts(confidence, shown, &denied)
        keepLargePieces(confidence, &denied)
        return denied
    }

    /// Keeps connected parts of the mask of which bodies cover too little, or of which too much would be rejected.
    private mutating func keepDoubtfulParts(_ confidence: [Float], _ shown: [Float], _ denied: inout [Float]) {
        for part in parts.find(in: confidence, above: 0.5) {
            let count = Double(part.count)
            let gone = part.count { denied[$0] < -0.5 }, explained = part.count { shown[$0] > 0.5 }
            if Double(gone) > Self.maximumShareOfPart * count || Double(explained) < Self.minimumShown * count {
                for index in part { denied[index] = 0 }
            }
        }
    }

    private mutating func keepLargePieces(_ confidence: [Float], _ denied: inout [Float]) {
        let people = confidence.count { $0 > 0.5 }
        for piece in parts.find(in: denied.map(-), above: 0.1)
        where Double(piece.count { denied[$0] < -0.5 }) > Self.largestPiece * Double(people) {
            for index in piece { denied[index] = 0 }
        }
    }
}

/// The bones of a body, with the distance around them that certainly belongs to it.
///
/// A pose's mask ends at wide sleeves and at the hair. Places near the bones belong to the body in any case.
private struct PoseSkeleton {
    /// The distance from a bone that its limb with its sleeve covers, as a share of the shoulders' width.
    private static let limb = 0.25
    /// The radius of the head with its hair: a multiple of the distance between the ears, and at least a share of the
    /// shoulders' width. The minimum is for heads in profile, whose ears are close together.
    private static let head = (ears: 1.5, shoulders: 0.45)

    /// The numbers of BlazePose's points (MediaPipe, `PoseLandmark`).
    private static let nose = 0, ears = (7, 8), shoulders = (11, 12)
    private static let bones = [
        (11, 12), (11, 13), (13, 15), (15, 19), (12, 14), (14, 16), (16, 20), (11, 23), (12, 24), (23, 24), (23, 25),
        (25, 27), (24, 26), (26, 28), (0, 7), (0, 8),
    ]

    private let bones: [Bone]
    private let thickness: Double
    /// The middle of the head, and its radius.
    private let head: (x: Double, y: Double)
    private let headRadius: Double

    private struct Bone {
        var x, y, dx, dy: Double

        /// Returns the square of a place's distance from the bone.
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

    /// Returns whether a place (upright pixels) certainly belongs to the body.
    func covers(x: Double, y: Double) -> Bool {
        isAtHead(x: x, y: y) || bones.contains { $0.distance(x, y) < thickness * thickness }
    }

    /// Returns whether a place is at the head.
    func isAtHead(x: Double, y: Double) -> Bool {
        let dx = x - head.x, dy = y - head.y
        return dx * dx + dy * dy < headRadius * headRadius
    }
}

/// Finds the connected parts of a mask.
struct MaskParts {
    private let width, height: Int
    private var isTaken: [Bool]

    init(width: Int, height: Int) {
        self.width = width
        self.height = height
        isTaken = [Bool](repeating: false, count: width * height)
    }

    /// Returns the connected parts of the places whose values are above a limit: for each part, the indices of its
    /// places. Places that share a side are connected.
    mutating func find(in values: [Float], above limit: Float) -> [[Int]] {
        precondition(values.count == isTaken.count)
        for index in values.indices { isTaken[index] = !(values[index] > limit) }
        var parts: [[Int]] = []
        for start in values.indices where !isTaken[start] {
            isTaken[start] = true
            var part = [start], next = 0
            while next < part.count {
                let place = part[next], column = place % width
                next += 1
                if column > 0 { add(place - 1, &part) }
                if column < width - 1 { add(place + 1, &part) }
                if place >= width { add(place - width, &part) }
                if place < values.count - width { add(place + width, &part) }
            }
            parts.append(part)
        }
        return parts
    }

    private mutating func add(_ place: Int, _ part: inout [Int]) {
        guard !isTaken[place] else { return }
        isTaken[place] = true
        part.append(place)
    }
}
