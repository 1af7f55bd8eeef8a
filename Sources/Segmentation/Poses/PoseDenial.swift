/// What of a mask belongs to no body.
///
/// The model of masks takes a chair for a part of who sits in it; that of poses knows where bodies end. But it sees one
/// body at a time, may see none where only a hand is shown, and loses wide sleeves. So it is believed where it has
/// understood what is there: where bodies explain the faces and most of the mask, away from their bones, and where what
/// it denies is not as large as another person.
struct PoseDenial {
    /// What is denied of a connected part of the mask, as a share of it, at the most: a body that explains less is
    /// not all that is there.
    private static let mostOfPart = 0.35
    /// How much of it the bodies show at least.
    private static let leastShown = 0.5
    /// A single piece that is larger than this share of the whole mask may be somebody whose body was not found.
    private static let largestPiece = 0.14

    private let width, height: Int
    private var parts: MaskParts

    init(width: Int, height: Int) {
        self.width = width
        self.height = height
        parts = MaskParts(width: width, height: height)
    }

    /// - Parameters:
    ///   - confidence: `width` × `height` values: how surely each place shows a person, 0…1.
    ///   - poses: the bodies in the picture.
    ///   - faces: the middles of the faces in it, in upright pixels.
    ///   - size: the picture's, in upright pixels.
    /// - Returns: as many values: what is denied of the confidence, −1…0.
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

    /// Takes back what is denied of parts of the mask that the bodies do not explain.
    private mutating func keepDoubtfulParts(_ confidence: [Float], _ shown: [Float], _ denied: inout [Float]) {
        for part in parts.find(in: confidence, above: 0.5) {
            let count = Double(part.count)
            let gone = part.count { denied[$0] < -0.5 }, explained = part.count { shown[$0] > 0.5 }
            if Double(gone) > Self.mostOfPart * count || Double(explained) < Self.leastShown * count {
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
