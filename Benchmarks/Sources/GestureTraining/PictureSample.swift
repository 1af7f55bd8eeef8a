package import Vision

/// A labelled hand for the picture judge.
package struct PictureSample: Sendable {
    package var embedding: [Float]
    package var shows: HandPictureClass
    package var kind: PictureLesson.Kind
    package var fold: Int
    /// Its weight among those of its kind with the same label.
    package var weight: Double
}

/// Selects the hands of recorded detections for training.
package struct PictureSamples {
    private let network: GestureNetwork
    private let classifier: GestureClassifier

    /// The minimum likelihood of the gesture by its landmarks in a picture of it: the other hand hangs down, and
    /// false hands must not be learned.
    private static let minimumLikelihood = 0.3
    /// Hands of videos with landmarks this close to a gesture have full weight; all others, which resemble no
    /// gesture, have little.
    private static let nearGesture = 0.15, farWeight = 0.12

    package init(network: GestureNetwork) {
        self.network = network
        classifier = GestureClassifier(network: network)
    }

    /// The samples of one file.
    package func samples(of lesson: PictureLesson, _ detections: [RecordedDetection]) -> [PictureSample] {
        detections.flatMap { detection -> [PictureSample] in
            guard let span = lesson.span(at: detection.time), let shows = span.shows else { return [] }
            return detection.hands.compactMap { hand in
                let landmarks = hand.landmarks(aspectRatio: detection.aspectRatio)
                if shows != .none, likelihood(of: shows, landmarks) < Self.minimumLikelihood { return nil }
                let isFar =
                    lesson.kind == .video && shows == .none
                    && classifier.classify(landmarks).confidence < Self.nearGesture
                return PictureSample(
                    embedding: hand.numbers, shows: shows, kind: lesson.kind, fold: span.fold,
                    weight: isFar ? Self.farWeight : 1)
            }
        }
    }

    /// Returns the likelihood of a label by a hand's landmarks, in any direction.
    private func likelihood(of shows: HandPictureClass, _ hand: HandLandmarks) -> Double {
        let probabilities = network.probabilities(of: hand)
        return shows.handClasses.reduce(0) { $0 + probabilities[HandClass.allCases.firstIndex(of: $1)!] }
    }
}
