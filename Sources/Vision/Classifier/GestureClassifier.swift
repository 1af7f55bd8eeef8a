/// Classifies the gesture of one hand, if any, from the hand's 21 landmarks. ``GestureRecognizer`` calls it for each
/// hand. It is immutable, so threads may share it.
///
/// Three classifiers contribute:
/// - A small ``GestureNetwork``, trained on the landmarks of some thousand people's hands, on gestures and on their
///   near misses.
/// - Geometric rules (``HandRules``) define each gesture: certain fingers folded, others straight, the thumb within a
///   cone around the vertical. A rule scores 0…1 and passes from 0.5 on. A gesture's score is the score of its weakest
///   rule. The user is shown the rule that a hand violates as the reason.
/// - A ``PictureJudge`` classifies the hand's picture. This classifier detects objects that landmarks miss, such as a
///   cup in the hand, or the other hand.
///
/// The limits of each rule were measured on MediaPipe's landmarks of several hundred people. They lie between the 2nd
/// and the 98th percentile of the hands on either side of the limit. No result depends on the picture's size or aspect
/// ratio, or on whether it is mirrored.
///
/// Inputs: landmarks in the upright picture, with their embedding if the picture is to be classified, too. Outputs: a
/// ``HandReading``.
/// - complexity: O(1), some microseconds.
package struct GestureClassifier: Sendable {
    /// The classifiers in use. Flourish uses ``Method/mean``; the others are for comparisons.
    package enum Method: String, Sendable, Hashable, CaseIterable {
        case rules, network, veto, mean
    }

    /// The confidence from which a gesture counts. At this value a rule is right as often as wrong.
    static let threshold = 0.5

    /// The network's weight in the mean with the rules. On photographs that were not used in training, the network is
    /// slightly the better classifier.
    private static let networkWeight = 0.6

    /// The weight of the picture classifier in the mean with the combined rules and network.
    private static let pictureWeight = 0.5

    /// The landmark confidence from which the picture classifier checks a heart, and the weight of the picture in that
    /// check. Without the picture, many hands that touch would be taken for a heart.
    private static let minimumOfHeart = 0.2, heartWeight = 0.6

    private let network: GestureNetwork?
    private let pictures: PictureJudge?
    private let method: Method
    private let learned: [LearnedGesture]

    /// Creates a classifier of rules alone.
    package init() {
        network = nil
        pictures = nil
        method = .rules
        learned = []
    }

    /// Creates a classifier with trained networks.
    ///
    /// - Parameters:
    ///   - pictures: The picture classifier, for hands with an embedding.
    ///   - learned: Custom gestures. A hand that makes a built-in gesture makes no custom gesture.
    package init(
        network: GestureNetwork, pictures: PictureJudge? = nil, method: Method = .mean, learned: [LearnedGesture] = []
    ) {
        self.network = network
        self.pictures = pictures
        self.learned = learned
        self.method = method
    }

    /// Classifies one hand.
    package func classify(_ hand: HandLandmarks) -> HandReading {
        let shape = HandShape(hand)
        let rules = HandRules(shape)
        let ruled = HandGesture.allCases.map { rules.score(of: $0) }
        let probabilities = network?.probabilities(of: shape)
        let byPoints = combined(ruled, probabilities)
        let scores = adjusted(byPoints, hand)
        // Of equal scores the first one counts. The order of the cases decides, so that the result is deterministic.
        let best = scores.indices.max { scores[$0] < scores[$1] }!
        if scores[best] >= Self.threshold {
            return HandReading(
                gesture: HandGesture.allCases[best], confidence: scores[best], nearness: byPoints.max())
        }
        if let own = likeliestLearned(shape, probabilities) { return own }
        var reason = HandDescription(shape).reason
        if byPoints.max()! >= Self.threshold {
            reason = "has the shape of a gesture, but does not look like one"
        } else if ruled.max()! >= Self.threshold, let probabilities {
            reason = doubt(probabilities)
        }
        return HandReading(gesture: nil, confidence: scores[best], reason: reason, nearness: byPoints.max())
    }

    /// Returns the confidence that two hands make a heart: the weighted mean of the confidences by landmarks and by
    /// pictures. Hands whose landmarks do not form a heart make none, whatever their pictures show.
    func heartConfidence(byPoints: Double, _ a: HandLandmarks, _ b: HandLandmarks) -> Double {
        guard byPoints >= Self.minimumOfHeart, let probability = pictures?.heartConfidence(of: a.embedding, b.embedding)
        else {
            return byPoints
        }
        return (1 - Self.heartWeight) * byPoints + Self.heartWeight * probability
    }

    /// Returns the result for the custom gesture that the hand most likely makes; `nil` if it makes none.
    private func likeliestLearned(_ shape: HandShape, _ probabilities: [Double]?) -> HandReading? {
        guard let network, let probabilities, !learned.isEmpty else { return nil }
        let scores = learned.map {
            $0.confidence(of: shape, probabilities: probabilities, network: network)
        }
        let best = scores.indices.max { scores[$0] < scores[$1] }!
        guard scores[best] >= Self.threshold else { return nil }
        return HandReading(gesture: nil, confidence: scores[best], learned: learned[best].gesture)
    }

    /// Combines the rules' and the network's scores for each gesture, by the classifier's ``Method``.
    private func combined(_ ruled: [Double], _ probabilities: [Double]?) -> [Double] {
        guard let probabilities else { return ruled }
        return HandGesture.allCases.indices.map { index in
            // The network's first classes are the gestures, in the same order.
            let (rule, learned) = (ruled[index], probabilities[index])
            return switch method {
            case .rules: rule
            case .network: learned
            case .veto: min(learned, 2.5 * rule)
            case .mean: (1 - Self.networkWeight) * rule + Self.networkWeight * learned
            }
        }
    }

    /// Returns the means of the scores and of the picture classifier's probabilities; the scores if the hand has no
    /// embedding.
    private func adjusted(_ scores: [Double], _ hand: HandLandmarks) -> [Double] {
        guard let pictures, hand.embedding.count == pictures.layers[0].inputs else { return scores }
        let shown = pictures.probabilities(of: hand.embedding)
        return HandGesture.allCases.indices.map { index in
            let probability = pictures.confidence(of: HandGesture.allCases[index], probabilities: shown)
            return (1 - Self.pictureWeight) * scores[index] + Self.pictureWeight * probability
        }
    }

    /// Returns the reason why a hand that satisfies the rules is rejected: the class that the network assigns instead.
    private func doubt(_ probabilities: [Double]) -> String {
        let best = probabilities.indices.max { probabilities[$0] < probabilities[$1] }!
        let likeliest = HandClass.allCases[best]
        return likeliest.gesture == nil
            ? "looks more like \(likeliest.phrase)" : "not quite \(likeliest.phrase)"
    }
}
