import Reactions

// The only definition of the names that users see for a detection. Holds count every detection from
// `GestureClassifier.threshold` on, because the mean of a hold may reach what a single detection does not.
extension GestureStateMachine.Configuration {
    /// Returns an observation as users are shown it. A sign or a gesture has its name only from the confidence with
    /// which it may fire; below that it has a reason such as "perhaps horns, 0.56".
    ///
    /// The leading gesture decides whether the observation has any, because ``GestureStateMachine/status`` is that of
    /// the leading gesture.
    package func named(_ observation: FrameObservation) -> FrameObservation {
        var shown = observation
        shown.hands = observation.hands.map(named)
        if let leading = observation.candidates.first {
            guard !names(leading) else {
                shown.candidates.removeAll { !names($0) }
                return shown
            }
            shown.candidates = []
            shown.reason = perhaps(leading.gesture.rawValue, leading.confidence)
        } else if shown.hands.allSatisfy({ $0.sign == nil }) {
            // The reason may be that a sign needs both hands, which is irrelevant if it is hardly that sign.
            let doubted = observation.hands.indices.filter { observation.hands[$0].sign != nil }
            let likeliest = doubted.max { observation.hands[$0].confidence < observation.hands[$1].confidence }
            if let likeliest { shown.reason = shown.hands[likeliest].reason }
        }
        return shown
    }

    /// Returns whether the confidence of a detected gesture is one with which it may fire.
    package func names(_ candidate: GestureCandidate) -> Bool {
        candidate.confidence >= minimumAgreement(of: candidate.gesture)
    }

    private func named(_ hand: HandReading) -> HandReading {
        guard let sign = hand.sign, hand.confidence < minimumAgreement(ofSign: hand) else { return hand }
        var shown = hand
        (shown.gesture, shown.learned) = (nil, nil)
        shown.reason = perhaps(sign, hand.confidence)
        return shown
    }

    /// Returns the lowest confidence with which the sign of a hand may fire, alone or with the other hand.
    private func minimumAgreement(ofSign hand: HandReading) -> Double {
        let gestures = hand.learned.map { [$0] } ?? FrameGesture.allCases.filter { $0.handGesture == hand.gesture }
        return gestures.map(minimumAgreement).min() ?? 0
    }
}

/// Returns the doubtful name of a sign or gesture.
private func perhaps(_ name: String, _ confidence: Double) -> String {
    "perhaps \(name), \(hundredths(confidence, .down))"
}
