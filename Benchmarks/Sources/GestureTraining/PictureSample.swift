package import Gestures
import HandPose

/// A hand of which the judge of pictures learns what it shows.
package struct PictureSample: Sendable {
    package var embedding: [Float]
    package var shows: HandPictureClass
    package var kind: PictureLesson.Kind
    package var fold: Int
    /// How much it counts among those of its kind that show the same.
    package var weight: Double
}

/// Tells which hands of recorded looks teach something.
package struct PictureSamples {
    private let network: GestureNetwork
    private let classifier: GestureClassifier

    /// In a picture of a gesture the hand must be this likely to make it, by its points: the other hand hangs down,
    /// and of what is nobody's hand nothing can be learned.
    private static let leastLikely = 0.3
    /// Hands of videos whose points are this near to a gesture are those that matter; of all the others, which no one
    /// would take for a gesture, each counts little.
    private static let nearGesture = 0.15, farWeight = 0.12

    package init(network: GestureNetwork) {
        self.network = network
        classifier = GestureClassifier(network: network)
    }

    /// The samples of one file.
    package func samples(of lesson: PictureLesson, _ looks: [RecordedLook]) -> [PictureSample] {
        looks.flatMap { look -> [PictureSample] in
            guard let span = lesson.span(at: look.time), let shows = span.shows else { return [] }
            return look.hands.compactMap { hand in
                let landmarks = hand.landmarks(aspectRatio: look.aspectRatio)
                if shows != .none, likelihood(of: shows, landmarks) < Self.leastLikely { return nil }
                let isFar =
                    lesson.kind == .video && shows == .none
                    && classifier.classify(landmarks).confidence < Self.nearGesture
                return PictureSample(
                    embedding: hand.numbers, shows: shows, kind: lesson.kind, fold: span.fold,
                    weight: isFar ? Self.farWeight : 1)
            }
        }
    }

    /// How likely a hand's points make what a picture shows, whichever way it points.
    private func likelihood(of shows: HandPictureClass, _ hand: HandLandmarks) -> Double {
        let probabilities = network.probabilities(of: hand)
        return shows.handClasses.reduce(0) { $0 + probabilities[HandClass.allCases.firstIndex(of: $1)!] }
    }
}
