import Reactions

/// The status of a gesture, for `inspect` and for explaining why nothing fired.
package enum GestureStatus: Sendable, Hashable, CustomStringConvertible {
    /// The status while no gesture is shown.
    case idle
    /// The status while a gesture is shown, but not yet long enough.
    case holding(FrameGesture, elapsed: Double, hold: Double)
    /// The status while a gesture is shown whose hold restarted because the hand moved; `moves` counts consecutive
    /// restarts.
    case moving(FrameGesture, elapsed: Double, hold: Double, moves: Int)
    /// The status while a gesture was held long enough, but its detections lack confidence.
    case unsure(FrameGesture, elapsed: Double, hold: Double, confidence: Double, minimum: Double)
    /// The status while a hand has stayed in one place in doubt for so long that it is ignored.
    case lingering(FrameGesture, elapsed: Double)
    /// The status while one hand's hold is complete and another hand may join it.
    case waitingForSecondHand(FrameGesture)
    /// The status while a gesture was held long enough, but someone speaks and gestures are ignored meanwhile.
    case waitingForSilence(FrameGesture)
    /// The status while the gesture is shown during its cooldown.
    case coolingDown(FrameGesture, remaining: Double)
    /// The status while a disabled gesture is shown.
    case disabled(FrameGesture)
    /// The status in the frame that completes a hold.
    case fired(FrameGesture)
    /// The status while a gesture that fired is still held up.
    case waitingForRelease(FrameGesture)

    /// The gesture that has the status.
    package var gesture: FrameGesture? {
        switch self {
        case .idle: nil
        case .holding(let gesture, _, _), .moving(let gesture, _, _, _), .unsure(let gesture, _, _, _, _),
            .lingering(let gesture, _), .waitingForSecondHand(let gesture),
            .waitingForSilence(let gesture), .coolingDown(let gesture, _),
            .disabled(let gesture), .fired(let gesture), .waitingForRelease(let gesture):
            gesture
        }
    }

    /// The number of consecutive moves from which the hand counts as moving all the time, as when its owner talks. A
    /// hand that is being raised moves once or twice.
    private static let manyMoves = 3

    /// A description such as "held 0.6 of 1.0 s", "cooldown 1.2 s" or "disabled".
    package var description: String {
        switch self {
        case .idle: "no gesture"
        case .holding(_, let elapsed, let hold):
            "held \(oneDecimal(elapsed)) of \(oneDecimal(hold)) s"
        case .moving(_, let elapsed, let hold, let moves):
            "held \(oneDecimal(elapsed)) of \(oneDecimal(hold)) s"
                + (moves < Self.manyMoves ? " since the hand moved" : "; the hand keeps moving")
        case .lingering(_, let elapsed): "shown for \(oneDecimal(elapsed)) s, but the confidence was too low"
        case .unsure(_, let elapsed, let hold, let confidence, let minimum):
            "held \(oneDecimal(elapsed)) of \(oneDecimal(hold)) s, but the confidence was too low: "
                + "\(hundredths(confidence, .down)) of \(hundredths(minimum, .toNearestOrEven))"
        case .waitingForSecondHand: "waiting for the second hand"
        case .waitingForSilence: "ignored while someone speaks"
        case .coolingDown(_, let remaining): "cooldown \(oneDecimal(remaining)) s"
        case .disabled: "disabled"
        case .fired: "fired"
        case .waitingForRelease: "already triggered; lower the hand to repeat it"
        }
    }
}

/// Returns `value` with two decimals, independent of the locale. The rounding rule is a parameter because a value just
/// below a limit must not be shown as the limit.
func hundredths(_ value: Double, _ rule: FloatingPointRoundingRule) -> String {
    let hundredths = Int((max(0, value) * 100 + 1e-6).rounded(rule))
    return "\(hundredths / 100).\(hundredths / 10 % 10)\(hundredths % 10)"
}

/// Returns `value` with one decimal, rounded, independent of the locale.
private func oneDecimal(_ value: Double) -> String {
    let tenths = Int((max(0, value) * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
}
