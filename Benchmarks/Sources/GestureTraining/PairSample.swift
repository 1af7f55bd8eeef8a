import Vision

/// Two hands near each other, labelled for the heart network.
package struct PairSample: Sendable {
    /// The network's inputs.
    package var numbers: [Float]
    package var isHeart: Bool
    package var kind: PictureLesson.Kind
    package var fold: Int
}

/// Selects the pairs of recorded detections for training on hearts.
package struct PairSamples {
    private let detector = HeartDetector()

    /// The minimum likelihood of a heart by its landmarks in a photo of one: the pair may be of other hands.
    private static let minimumLikelihood = 0.2

    package init() {}

    /// The samples of one file.
    package func samples(of lesson: PictureLesson, _ detections: [RecordedDetection]) -> [PairSample] {
        detections.flatMap { detection -> [PairSample] in
            guard let span = lesson.span(at: detection.time), span.labelsHearts else { return [] }
            let isHeart = span.isHeart == true
            let hands = detection.hands.map { $0.landmarks(aspectRatio: detection.aspectRatio) }
            return hands.indices.flatMap { a in
                hands.indices.dropFirst(a + 1).compactMap { b -> PairSample? in
                    guard HandPair(hands[a], hands[b]).touches else { return nil }
                    if isHeart, detector.classify(hands[a], hands[b]).confidence < Self.minimumLikelihood { return nil }
                    return PairSample(
                        numbers: PictureJudge.pair(detection.hands[a].numbers, detection.hands[b].numbers),
                        isHeart: isHeart,
                        kind: lesson.kind, fold: span.fold)
                }
            }
        }
    }
}
