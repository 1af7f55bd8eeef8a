/// A palm that the detector found, in upright pixels.
package struct Palm: Sendable, Hashable {
    /// 0…1.
    package var score: Double
    var box: Box
    /// Seven points: the wrist, the roots of the index, middle, ring and little
    /// fingers, and the thumb's first two joints.
    var keypoints: [Point]
}

extension Palm {
    static let keypointCount = 7

    /// MediaPipe's least score. Palms below it are worth a look, but their boxes are
    /// too rough to be averaged with better ones.
    static let confidentScore = 0.5

    /// Merges overlapping palms by weighted non-maximum suppression: of each group
    /// that overlaps its best one by more than `threshold` (intersection over
    /// union), the mean weighted by score (BlazeFace, https://arxiv.org/abs/1907.05047,
    /// section 3.4). Where the best one is confident, only confident ones are averaged.
    /// - Returns: the palms by falling score.
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
