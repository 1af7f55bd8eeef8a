/// Which of a hand's 21 points are joined by lines, in the order of MediaPipe's hand landmark model.
enum HandSkeleton {
    static let pointCount = 21

    struct Bone {
        let from, to: Int
        /// 0, the thumb, to 4; `nil` in the palm.
        let finger: Int?
    }

    static let bones: [Bone] = {
        let palm = [(0, 1), (0, 5), (5, 9), (9, 13), (13, 17), (0, 17)]
        var bones = palm.map { Bone(from: $0.0, to: $0.1, finger: nil) }
        for finger in 0..<5 {
            let root = 1 + finger * 4
            for joint in root..<root + 3 { bones.append(Bone(from: joint, to: joint + 1, finger: finger)) }
        }
        return bones
    }()

    /// The finger that a point belongs to; `nil` for the wrist.
    static func finger(of point: Int) -> Int? { point == 0 ? nil : (point - 1) / 4 }
}
