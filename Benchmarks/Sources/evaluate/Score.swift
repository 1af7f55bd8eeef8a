/// The accuracy for one gesture in a set of pictures.
struct Score: Encodable, Sendable {
    var gesture: Gesture
    /// `all`, `hand ≥ 10 %`, `full frames` or `tight crops`.
    var pictures: String
    var right = 0
    /// Missed because too few hands were found.
    var withoutHand = 0
    /// Missed although the hands were found: the classifier's errors.
    var notRecognised = 0
    /// False detections in other pictures.
    var wrong = 0

    var shown: Int { right + withoutHand + notRecognised }
    var precision: SampleShare { SampleShare(right, of: right + wrong) }
    var recall: SampleShare { SampleShare(right, of: shown) }
    var f1: Double? { ratio(2 * right, right + shown + wrong) }
    /// F1 of the pictures whose hands were found.
    var f1OfFound: Double? { ratio(2 * right, 2 * right + notRecognised + wrong) }

    private enum Key: String, CodingKey {
        case gesture, pictures, shown, right, withoutHand, notRecognised, wrong
        case precision, recall, f1, f1OfFound
    }

    func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: Key.self)
        try fields.encode(gesture, forKey: .gesture)
        try fields.encode(pictures, forKey: .pictures)
        try fields.encode(shown, forKey: .shown)
        try fields.encode(right, forKey: .right)
        try fields.encode(withoutHand, forKey: .withoutHand)
        try fields.encode(notRecognised, forKey: .notRecognised)
        try fields.encode(wrong, forKey: .wrong)
        try fields.encode(precision, forKey: .precision)
        try fields.encode(recall, forKey: .recall)
        try fields.encode(f1, forKey: .f1)
        try fields.encode(f1OfFound, forKey: .f1OfFound)
    }
}

extension Score {
    init(of gesture: Gesture, in findings: [ImageFinding], pictures: String) {
        self.init(gesture: gesture, pictures: pictures)
        for finding in findings {
            switch (finding.truth == gesture, finding.said.contains(gesture)) {
            case (true, true): right += 1
            case (true, false): if finding.lacksHands { withoutHand += 1 } else { notRecognised += 1 }
            case (false, true): wrong += 1
            case (false, false): break
            }
        }
    }
}

/// The results for the pictures of one kind.
struct KindScore: Encodable, Sendable {
    /// The folder.
    var kind: String
    var pictures: String
    var shown = 0
    /// None if no gesture is shown.
    var truth: Gesture?
    var right = 0
    /// Pictures without enough hands found. Without a gesture, that is no error.
    var withoutHand = 0
    /// The counts of false gestures.
    var takenFor: [String: Int] = [:]
    /// Pictures with at least one false gesture.
    var wrong = 0

    init(kind: String, findings: [ImageFinding], pictures: String) {
        self.kind = kind
        self.pictures = pictures
        truth = findings.first?.truth
        for finding in findings {
            shown += 1
            if finding.lacksHands { withoutHand += 1 }
            let others = finding.said.subtracting([finding.truth].compactMap { $0 })
            if !others.isEmpty { wrong += 1 }
            for gesture in others { takenFor[gesture.rawValue, default: 0] += 1 }
            if let truth, finding.said.contains(truth) { right += 1 }
        }
    }
}

func ratio(_ part: Int, _ whole: Int) -> Double? {
    whole == 0 ? nil : Double(part) / Double(whole)
}
