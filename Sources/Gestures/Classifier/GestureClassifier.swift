package import HandPose

/// Tells from the 21 points of one hand which gesture it makes, if any.
///
/// Three judges look at the hand. A small ``GestureNetwork`` has learned from some thousand
/// people's hands what the points of gestures and their near misses look like. Geometric rules
/// (``HandRules``) say what a gesture *is*: this finger folded, that one straight, the
/// thumb within a cone around the vertical. A rule scores 0…1 and passes from 0.5 on; a
/// gesture is as sure as its weakest rule, and the rule that a hand breaks is the reason
/// that people read. And a ``PictureJudge`` looks at the hand's picture, which shows what the points do not:
/// a cup in the hand, or the other hand.
///
/// The limits of the rules stand between the 2nd and 98th percentiles of the hands on either
/// side of each, measured on MediaPipe's landmarks of several hundred people. Neither judge
/// depends on the mirror image, on size, or on the picture's aspect ratio.
///
/// Inputs: landmarks in the upright picture, with their embedding where the picture is to be judged, too. Outputs: a ``HandReading``.
/// - complexity: O(1), some microseconds.
package struct GestureClassifier: Sendable {
    /// Who judges. Flourish uses ``Method/mean``; the others are for comparing.
    package enum Method: String, Sendable, Hashable, CaseIterable {
        case rules, network, veto, mean
    }

    /// The confidence from which a gesture counts: where a rule is as often right as wrong.
    package static let threshold = 0.5

    /// How much the network counts in the mean of both: on photographs that neither has seen it is
    /// the better judge by a little.
    private static let networkWeight = 0.6

    /// How much the picture counts beside the mean of the other two.
    private static let pictureWeight = 0.5

    /// How sure points must be of a heart for the picture to be asked, and how much that counts then: points that are
    /// sure of a heart are not enough by themselves.
    private static let leastOfHeart = 0.2, heartWeight = 0.6

    private let network: GestureNetwork?
    private let pictures: PictureJudge?
    private let method: Method
    private let learned: [LearnedGesture]

    /// A classifier of rules alone.
    package init() {
        network = nil
        pictures = nil
        method = .rules
        learned = []
    }

    /// A classifier that has learned.
    ///
    /// - Parameters:
    ///   - pictures: judges the hands that come with an embedding.
    ///   - learned: gestures of somebody's own. A hand that makes a built-in gesture makes none of them.
    package init(
        network: GestureNetwork, pictures: PictureJudge? = nil, method: Method = .mean, learned: [LearnedGesture] = []
    ) {
        self.network = network
        self.pictures = pictures
        self.learned = learned
        self.method = method
    }

    /// Reads one hand.
    package func classify(_ hand: HandLandmarks) -> HandReading {
        let shape = HandShape(hand)
        let rules = HandRules(shape)
        let ruled = HandGesture.allCases.map { rules.score(of: $0) }
        let probabilities = network?.probabilities(of: shape)
        let byPoints = combined(ruled, probabilities)
        let scores = judged(byPoints, hand)
        // The first of equals: the order of the cases decides, never chance.
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

    /// How sure it is that two hands make a heart of which their points are this sure: both judges' weighted mean. What is
    /// no heart at all by its points is none, however near the hands look to one.
    func heartConfidence(byPoints: Double, _ a: HandLandmarks, _ b: HandLandmarks) -> Double {
        guard byPoints >= Self.leastOfHeart, let look = pictures?.heartConfidence(of: a.embedding, b.embedding) else {
            return byPoints
        }
        return (1 - Self.heartWeight) * byPoints + Self.heartWeight * look
    }

    /// The gesture of somebody's own that the hand makes.
    private func likeliestLearned(_ shape: HandShape, _ probabilities: [Double]?) -> HandReading? {
        guard let network, let probabilities, !learned.isEmpty else { return nil }
        let scores = learned.map {
            $0.confidence(of: shape, probabilities: probabilities, network: network)
        }
        let best = scores.indices.max { scores[$0] < scores[$1] }!
        guard scores[best] >= Self.threshold else { return nil }
        return HandReading(gesture: nil, confidence: scores[best], learned: learned[best].gesture)
    }

    /// What both judges say of each gesture.
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

    /// The same, with what the picture shows.
    private func judged(_ scores: [Double], _ hand: HandLandmarks) -> [Double] {
        guard let pictures, hand.embedding.count == pictures.layers[0].inputs else { return scores }
        let shown = pictures.probabilities(of: hand.embedding)
        return HandGesture.allCases.indices.map { index in
            let look = pictures.confidence(of: HandGesture.allCases[index], probabilities: shown)
            return (1 - Self.pictureWeight) * scores[index] + Self.pictureWeight * look
        }
    }

    /// Why a hand that breaks no rule is no gesture: for what the network takes it.
    private func doubt(_ probabilities: [Double]) -> String {
        let best = probabilities.indices.max { probabilities[$0] < probabilities[$1] }!
        let likeliest = HandClass.allCases[best]
        return likeliest.gesture == nil
            ? "looks more like \(likeliest.phrase)" : "not quite \(likeliest.phrase)"
    }
}

/// A gesture of somebody's own: a hand like the examples.
///
/// A hand is like them if it is near their middle and if the network takes it for the same
/// kinds of hand. *Near* is measured feature by feature in the spread that different people's
/// hands have when they make the same sign, which ``GestureNetwork`` knows. How near it must
/// be follows from how far the examples are from each other, and from the nearest other
/// sign.
package struct LearnedGesture: Sendable, Hashable {
    /// What the machine and the events call it.
    package let gesture: FrameGesture
    /// How far a hand may be, in spreads.
    package let reach: Double
    /// The middle of the examples' features.
    private let middle: [Float]
    /// The classes that the network takes the examples for.
    private let kinds: [Int]

    /// The least and the greatest reach. Of hands that make the same sign 95 of 100 are
    /// within 1.5 spreads of its middle.
    private static let reaches = 1.25...1.9
    /// The reach in mean distances of the examples from the middle of the others.
    private static let reachPerSpread = 1.6
    /// The reach in distances to the nearest sign of another kind.
    private static let reachPerGap = 1.0
    /// How much of the examples' probability the classes of ``kinds`` cover.
    private static let coverage = 0.9

    /// - Parameter examples: at least one.
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

    /// How sure it is that a hand makes the gesture: 0…1, with 0.5 at the limit.
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

    /// The classes that make up most of what the network says of the examples.
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
