import Gestures
import Pipeline
import Reactions

/// What is written and drawn over one picture: the last look at the hands, in words and places.
struct InspectionScene {
    /// One hand, as it is shown.
    struct Hand {
        /// 21 places in the upright picture.
        var points: [PicturePoint]
        var isRight: Bool
        /// "victory 0.97", or how near it came to a sign.
        var title: String
        /// "right · presence 0.99"
        var detail: String
        /// Why it makes no gesture.
        var reason: String?
        /// Whether it takes part in the leading gesture.
        var takesPart = false
    }

    /// Where the leading gesture stands.
    enum Phase: Hashable {
        /// Nothing fires, and nothing is under way.
        case none
        /// The share of the hold that is done.
        case holding(Double)
        /// It fired at this very look.
        case fired
        /// It rests; the share of the cooldown that is left, where one runs.
        case resting(Double?)
    }

    var hands: [Hand] = []
    /// "victory → balloons"
    var gesture: String?
    var phase = Phase.none
    /// Why nothing fires, or how far the gesture is.
    var reason = ""
}

extension InspectionScene {
    /// The scene after a look.
    init(_ analysis: HandAnalyser.Analysis, _ inspection: FrameInspection, configuration: Configuration) {
        hands = inspection.hands.map(Hand.init)
        // One hand's reason is the picture's: said once.
        if hands.count == 1, hands[0].reason == inspection.reason { hands[0].reason = nil }
        if let gesture = inspection.gesture {
            self.gesture = "\(gesture.rawValue) → \(configuration.reactionType(for: gesture).rawValue)"
        }
        reason = inspection.reason
        guard let gesture = analysis.observation.gesture else { return }
        for (index, reading) in analysis.observation.hands.enumerated() where index < hands.count {
            hands[index].takesPart =
                gesture == .heart || reading.learned == gesture
                || (reading.gesture != nil && reading.gesture == gesture.handGesture)
            guard gesture == .heart, reading.gesture == nil else { continue }
            hands[index].title = "half of the heart"
            hands[index].reason = nil
        }
        phase =
            switch analysis.status {
            case .holding(_, let elapsed, let hold), .moving(_, let elapsed, let hold, _):
                .holding(hold > 0 ? elapsed / hold : 1)
            case .unsure, .waitingForSecondHand: .holding(1)
            case .fired: .fired
            case .coolingDown(_, let remaining):
                .resting(configuration.cooldown > 0 ? remaining / configuration.cooldown : nil)
            case .waitingForRelease, .disabled, .lingering: .resting(nil)
            case .idle: .none
            }
    }
}

extension InspectionScene.Hand {
    fileprivate init(_ hand: HandInspection) {
        points = hand.landmarks.map { PicturePoint(x: $0[0], y: $0[1]) }
        isRight = hand.handedness == "right"
        let confidence = InspectionText.decimals(hand.confidence, 2)
        title =
            hand.gesture.map { "\($0.rawValue) \(confidence)" }
            ?? (confidence == "0.00" ? "no sign" : "no sign, nearly \(confidence)")
        detail = "\(hand.handedness) · presence \(InspectionText.decimals(hand.presence, 2))"
        reason = hand.reason
    }
}

/// Numbers as they are written over pictures, whatever the locale.
enum InspectionText {
    /// A number with so many decimals.
    static func decimals(_ value: Double, _ places: Int) -> String {
        guard value.isFinite, value.magnitude < 1e12 else { return "?" }
        var scale = 1
        for _ in 0..<places { scale *= 10 }
        let whole = Int((value.magnitude * Double(scale)).rounded())
        let fraction = String(whole % scale)
        let sign = value < 0 && whole > 0 ? "–" : ""
        let padding = String(repeating: "0", count: max(0, places - fraction.count))
        return "\(sign)\(whole / scale).\(padding)\(fraction)"
    }

    /// 75.25 → "1:15.250"
    static func clock(_ seconds: Double) -> String {
        guard seconds.isFinite, seconds.magnitude < 1e9 else { return "?" }
        let milliseconds = Int((seconds.magnitude * 1000).rounded())
        func padded(_ value: Int, _ places: Int) -> String {
            String(repeating: "0", count: max(0, places - String(value).count)) + String(value)
        }
        let (minutes, rest) = (milliseconds / 60_000, milliseconds % 60_000)
        let tail = "\(padded(rest / 1000, 2)).\(padded(rest % 1000, 3))"
        let head = minutes < 60 ? "\(minutes)" : "\(minutes / 60):\(padded(minutes % 60, 2))"
        return "\(seconds < 0 ? "–" : "")\(head):\(tail)"
    }
}
