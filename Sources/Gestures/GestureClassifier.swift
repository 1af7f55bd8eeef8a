package import HandPose

/// Tells from the 21 points of one hand which gesture it makes, if any.
///
/// Each gesture is a list of geometric rules: this finger folded, that one straight, the
/// thumb within a cone around the vertical. A rule scores 0…1 and passes from 0.5 on; a
/// gesture is as sure as its weakest rule. So what is *not* a gesture is known by the rule
/// it breaks, which is also the reason that people read.
///
/// The limits stand between the 2nd and 98th percentiles of the hands on either side of
/// each rule, measured on MediaPipe's landmarks of several hundred people. They do not
/// depend on the mirror image, on size, or on the picture's aspect ratio.
///
/// Inputs: landmarks in the upright picture. Outputs: a ``HandReading``.
/// - complexity: O(1), some microseconds.
package struct GestureClassifier: Sendable {
    /// The confidence from which a gesture counts: where a rule is as often right as wrong.
    package static let threshold = 0.5

    package init() {}

    /// Reads one hand.
    package func classify(_ hand: HandLandmarks) -> HandReading {
        let shape = HandShape(hand)
        let scores = HandGesture.allCases.map { confidence(of: $0, in: shape) }
        // The first of equals: the order of the cases decides, never chance.
        let best = scores.indices.max { scores[$0] < scores[$1] }!
        if scores[best] >= Self.threshold {
            return HandReading(gesture: HandGesture.allCases[best], confidence: scores[best])
        }
        return HandReading(
            gesture: nil, confidence: scores[best], reason: HandDescription(shape).reason)
    }

    /// How sure it is that `shape` makes `gesture`: its weakest rule.
    func confidence(of gesture: HandGesture, in shape: HandShape) -> Double {
        let rules = HandRules(shape)
        return switch gesture {
        case .thumbsUp: rules.thumbUp
        case .thumbsDown: rules.thumbDown
        case .victory: rules.victory
        case .horns: rules.horns
        }
    }
}
