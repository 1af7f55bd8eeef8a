package import Vision

/// The accuracy of a classifier on hands of known class.
package struct Measure {
    package private(set) var right: [HandGesture: Int] = [:]
    package private(set) var missed: [HandGesture: Int] = [:]
    package private(set) var wrong: [HandGesture: Int] = [:]
    package private(set) var negatives = 0
    /// The negatives classified as a gesture, by kind and result.
    package private(set) var falseGestures: [String: Int] = [:]
    package private(set) var calibrationError = 0.0

    package init(_ classifier: GestureClassifier, on hands: [TrainingHand]) {
        var answers: [(confidence: Double, isRight: Bool)] = []
        for hand in hands {
            let reading = classifier.classify(hand.landmarks)
            let truth = hand.handClass.gesture
            if truth == nil { negatives += 1 }
            for gesture in HandGesture.allCases {
                switch (truth == gesture, reading.gesture == gesture) {
                case (true, true): right[gesture, default: 0] += 1
                case (true, false): missed[gesture, default: 0] += 1
                case (false, true): wrong[gesture, default: 0] += 1
                case (false, false): break
                }
            }
            if truth == nil, let said = reading.gesture {
                falseGestures["\(hand.handClass) → \(said)", default: 0] += 1
            }
            let sure = reading.gesture == nil ? 1 - reading.confidence : reading.confidence
            answers.append((sure, reading.gesture == truth))
        }
        calibrationError = Calibration.expectedError(answers)
    }

    package func f1(_ gesture: HandGesture) -> Double {
        let (right, missed, wrong) = (right[gesture] ?? 0, missed[gesture] ?? 0, wrong[gesture] ?? 0)
        return 2 * Double(right) / Double(max(1, 2 * right + missed + wrong))
    }

    /// Returns one line for a table.
    package var summary: String {
        let scores = HandGesture.allCases.map { gesture in
            let parts = "\(right[gesture] ?? 0) right \(missed[gesture] ?? 0) missed \(wrong[gesture] ?? 0) wrong"
            return "\(gesture) \(percent(f1(gesture))) (\(parts))"
        }
        let taken = falseGestures.values.reduce(0, +)
        let kinds = falseGestures.sorted { $0.value != $1.value ? $0.value > $1.value : $0.key < $1.key }
            .prefix(6).map { "\($0.key) \($0.value)" }
        return scores.joined(separator: ", ")
            + "; \(taken) of \(negatives) others taken for a gesture (\(percent(Double(taken) / Double(max(1, negatives)))))"
            + " [\(kinds.joined(separator: ", "))]; calibration error \(percent(calibrationError))"
    }

    private func percent(_ value: Double) -> String {
        let tenths = Int((value * 1000).rounded())
        return "\(tenths / 10).\(tenths % 10) %"
    }
}
