package import HandPose

/// Classifies the gesture of one hand, if any, from the hand's 21 landmarks.
///
/// Three classifiers contribute:
/// - A small ``GestureNetwork``, trained on the landmarks of some thousand people's hands, on gestures and on their
///   near misses.
/// - Geometric rules (``HandRules``) define each gesture: certain fingers folded, others straight, the thumb within a
///   cone around the vertical. A rule scores 0…1 and passes from 0.5 on. A gesture's score is the score of its weakest
///   rule. The user is shown the rule that a hand violates as the reason.
/// - A ``PictureJudge`` classifies the hand's picture. It detects objects that landmarks miss, such as a cup in the
///   hand, or the other hand.
///
/// The limits of each rule lie between the 2nd and the 98th percentile of the hands on either side of it, measured on
/// MediaPipe's landmarks of several hundred people. No classifier depends on the mirror image, on size, or on the
/// picture's aspect ratio.
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
    package static let threshold = 0.5

    /// The network's weight in the mean with the rules. On photographs that were not used in training, the network is
    /// slightly the better classifier.
    private static let networkWeight = 0.6

    /// The picture's weight in the mean with the other two.
    private static let pictureWeight = 0.5

    /// The landmark confidence from which the picture classifier checks a heart, and the weight of the picture in that
    /// check. Landmarks alone do not suffice for a heart.
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

    /// Returns the reading of the custom gesture that the hand most likely makes.
    private func likeliestLearned(_ shape: HandShape, _ probabilities: [Double]?) -> HandReading? {
        guard let network, let probabilities, !learned.isEmpty else { return nil }
        let scores = learned.map {
            $0.confidence(of: shape, probabilities: probabilities, network: network)
        }
        let best = scores.indices.max { scores[$0] < scores[$1] }!
        guard scores[best] >= Self.threshold else { return nil }
        return HandReading(gesture: nil, confidence: scores[best], learned: learned[best].gesture)
    }

    /// Returns the mean of both classifiers' scores for each gesture.
    private func combined(_ ruled: [Double], _ probabilities: [Double]?) -> [Double] {
        guard let probabilities else { return ruled }
        return HandGesture.allCases.indices.map { index in
            // The gestures are the first of the classes.
            let (rule, learned) = (ruled[index], probabilities[index])
            return switch method {
            case .rules: rule
            case .network: learned
            case .veto: min(learned, 2.5 * rule)
            case .mean: (1 - Self.networkWeight) * rule + Self.networkWeight * learned
            }
        }
    }

    /// Returns the scores, weighted with the scores of the hand's picture.
    private func adjusted(_ scores: [Double], _ hand: HandLandmarks) -> [Double] {
        guard let pictures, hand.embedding.count == pictures.layers[0].inputs else { return scores }
        let shown = pictures.probabilities(of: hand.embedding)
        return HandGesture.allCases.indices.map { index in
            let probability = pictures.confidence(of: HandGesture.allCases[index], probabilities: shown)
            return (1 - Self.pictureWeight) * scores[index] + Self.pictureWeight * probability
        }
    }

    /// Returns the reason why a hand that breaks no rule makes no gesture: the class that the network assigns.
    private func doubt(_ probabilities: [Double]) -> String {
        let best = probabilities.indices.max { probabilities[$0] < probabilities[$1] }!
        let likeliest = HandClass.allCases[best]
        return likeliest.gesture == nil
            ? "looks more like \(likeliest.phrase)" : "not quite \(likeliest.phrase)"
    }
}

/// A custom gesture, defined by examples of a hand.
///
/// A hand matches if it is near the mean of the examples and if the network assigns it to the same classes. Distances
/// are measured per feature, relative to the spread among different people's hands that make one sign, which
/// ``GestureNetwork`` stores. The maximum distance is derived from the distances between the examples, and from the
/// distance to the nearest other sign.
package struct LearnedGesture: Sendable, Hashable {
    /// The gesture's name in the state machine and in events.
    package let gesture: FrameGesture
    /// The maximum distance of a matching hand, in spreads.
    package let reach: Double
    /// The mean of the examples' features.
    private let middle: [Float]
    /// The classes that the network assigns to the examples.
    private let kinds: [Int]

    /// The minimum and maximum reach, in spreads. Of hands that make the same sign, 95 of 100 are within 1.5 spreads
    /// of their mean.
    private static let reaches = 1.25...1.9
    /// The maximum distance from the mean of the examples, as a multiple of the examples' mean distance from the mean
    /// of the others.
    private static let reachPerSpread = 1.6
    /// The reach as a share of the distance to the nearest sign of another kind.
    private static let reachPerGap = 1.0
    /// The share of the examples' probability that the classes of ``kinds`` cover.
    private static let coverage = 0.9

    /// - Parameter examples: At least one.
    package init(gesture: FrameGesture, examples: [HandExample], network: GestureNetwork) {
        self.gesture = gesture
        let features = network.aligned(examples)
        let middle = Self.mean(of: features), kinds = Self.kinds(of: examples, network)
        let distances = features.indices.map { index in
            let others = features.indices.filter { $0 != index }.map { features[$0] }
            return network.distance(features[index], others.isEmpty ? middle : Self.mean(of: others))
        }
        let spread = distances.reduce(0, +) / Double(distances.count)
        let reach = min(Self.reaches.upperBound, max(Self.reaches.lowerBound, spread * Self.reachPerSpread))
        let gap =
            network.classMeans.indices.filter { !kinds.contains($0) }
            .map { network.distance(network.classMeans[$0], middle) }.min() ?? .infinity
        self.reach = min(reach, gap * Self.reachPerGap)
        self.middle = middle
        self.kinds = kinds
    }

    /// Returns the confidence that a hand makes the gesture: 0…1, with 0.5 at the limit.
    func confidence(of shape: HandShape, probabilities: [Double], network: GestureNetwork) -> Double {
        let kinship = kinds.reduce(0) { $0 + probabilities[$1] }
        let distance = network.distance(of: shape, to: middle) / reach
        return min(falling(distance, 0.5, 1.5), rising(kinship, 0, 0.6))
    }

    private static func mean(of features: [[Float]]) -> [Float] {
        features[0].indices.map { index in
            features.reduce(0) { $0 + $1[index] } / Float(features.count)
        }
    }

    /// Returns the classes that cover most of the probability that the network assigns to the examples.
    private static func kinds(of examples: [HandExample], _ network: GestureNetwork) -> [Int] {
        var sums = [Double](repeating: 0, count: HandClass.allCases.count)
        for example in examples {
            for (index, probability) in network.probabilities(of: example.shape).enumerated() {
                sums[index] += probability / Double(examples.count)
            }
        }
        let order = sums.indices.sorted { sums[$0] != sums[$1] ? sums[$0] > sums[$1] : $0 < $1 }
        var covered = 0.0
        return order.prefix { index in
            defer { covered += sums[index] }
            return covered < coverage
        }
    }
}
