import Pipeline
import Reactions
import Vision

/// The text and the points that an ``InspectionPainter`` draws over one picture, from the last analysis of the hands.
struct InspectionScene {
    /// One hand and its label.
    struct Hand {
        /// The 21 landmarks in the upright picture.
        var points: [PicturePoint]
        var isRight: Bool
        /// A text such as "victory 0.97" or "perhaps victory, 0.56", or the confidence of the likeliest sign.
        var title: String
        /// A text such as "right · presence 0.99".
        var detail: String
        /// The reason why the hand makes no gesture.
        var reason: String?
        /// True if the hand takes part in the gesture that the hands show together.
        var takesPart = false
    }

    /// The phase of the gesture that the hands show together.
    enum Phase: Hashable {
        /// Nothing fires, and nothing is being held.
        case none
        /// The gesture is being held, with the completed share of the hold.
        case holding(Double)
        /// The gesture fired in this frame.
        case fired
        /// The gesture cannot fire now. The value is the remaining share of its cooldown; `nil` if it cannot fire for
        /// another reason, such as that the hands must first be lowered.
        case resting(Double?)
    }

    var hands: [Hand] = []
    /// A text such as "victory → balloons".
    var gesture: String?
    var phase = Phase.none
    /// The reason why nothing fires, or the progress of the gesture.
    var reason = ""
}

extension InspectionScene {
    /// The place of the scene among others, by its nearness to a reaction: a hand, a gesture, a share of the hold, or a
    /// gesture that fired.
    var rank: Double {
        switch phase {
        case .fired: 4
        case .holding(let share): 2 + min(share, 1)
        case .resting: 1.5
        case .none: gesture != nil ? 1 : hands.isEmpty ? 0 : 0.5
        }
    }

    /// Creates the scene of an analysis.
    init(_ analysis: HandAnalyser.Analysis, _ inspection: FrameInspection, configuration: Configuration) {
        hands = inspection.hands.map(Hand.init)
        // A single hand has the same reason as the picture, so the reason is shown once.
        if hands.count == 1, hands[0].reason == inspection.reason { hands[0].reason = nil }
        for (index, hand) in analysis.named.hands.enumerated()
        where index < hands.count && hand.sign != analysis.observation.hands[index].sign {
            (hands[index].title, hands[index].reason) = (hand.reason ?? "", nil)
        }
        if let gesture = inspection.gesture {
            self.gesture = "\(gesture.rawValue) → \(configuration.reactionType(for: gesture).rawValue)"
        }
        reason = inspection.reason
        guard let gesture = analysis.observation.gesture else { return }
        for (index, reading) in analysis.observation.hands.enumerated() where index < hands.count {
            hands[index].takesPart =
                gesture == .heart || reading.learned == gesture
                || (reading.gesture != nil && reading.gesture == gesture.handGesture)
            guard gesture == .heart, analysis.gesture == .heart, reading.gesture == nil else { continue }
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
            case .waitingForRelease, .waitingForSilence, .disabled, .lingering: .resting(nil)
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
            ?? (confidence == "0.00" ? "no sign" : "no sign, almost \(confidence)")
        detail = "\(hand.handedness) · presence \(InspectionText.decimals(hand.presence, 2))"
        reason = hand.reason
    }
}

/// The format of numbers over pictures, independent of the locale.
enum InspectionText {
    /// Formats a number with the given count of decimals.
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

    /// Formats a time: 75.25 → "1:15.250".
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

/// The lines between a hand's 21 points, in the order of MediaPipe's hand landmark model.
enum HandSkeleton {
    static let pointCount = 21

    struct Bone {
        let from, to: Int
        /// The number of the finger, from 0 for the thumb to 4; `nil` in the palm.
        let finger: Int?
    }

    static let bones: [Bone] = {
        let palm = [(0, 1), (0, 5), (5, 9), (9, 13), (13, 17), (0, 17)]
        var bones = palm.map { Bone(from: $0.0, to: $0.1, finger: nil) }
        for finger in 0..<5 {
            let root = 1 + finger * 4
            for joint in root..<root + 3 { bones.append(Bone(from: joint, to: joint + 1, finger: finger)) }
        }
        return bones
    }()

    /// Returns the finger of a point; `nil` for the wrist.
    static func finger(of point: Int) -> Int? { point == 0 ? nil : (point - 1) / 4 }
}
