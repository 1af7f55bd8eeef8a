/// Where a gesture stands, for `inspect` and for people who wonder why nothing happened.
package enum GestureStatus: Sendable, Hashable, CustomStringConvertible {
    /// The status while no gesture is shown.
    case idle
    /// The status while a gesture is shown, but not yet long enough.
    case holding(FrameGesture, elapsed: Double, hold: Double)
    /// The status while a gesture is shown whose hold began anew because the hand went elsewhere: `moves` times in a row.
    case moving(FrameGesture, elapsed: Double, hold: Double, moves: Int)
    /// The status while a gesture was held long enough, but the looks at it are not sure enough.
    case unsure(FrameGesture, elapsed: Double, hold: Double, confidence: Double, least: Double)
    /// The status while a hand lies where it has been in doubt for so long that it counts for nothing.
    case lingering(FrameGesture, elapsed: Double)
    /// The status while one hand's hold is complete and another hand may join it.
    case waitingForSecondHand(FrameGesture)
    /// The status while the gesture is shown, but was answered a moment ago.
    case coolingDown(FrameGesture, remaining: Double)
    /// The status while a gesture is shown that is switched off.
    case disabled(FrameGesture)
    /// The status in the frame that completes a hold.
    case fired(FrameGesture)
    /// The status while a gesture that fired is still held up.
    case waitingForRelease(FrameGesture)

    /// The gesture that the status is about.
    package var gesture: FrameGesture? {
        switch self {
        case .idle: nil
        case .holding(let gesture, _, _), .moving(let gesture, _, _, _), .unsure(let gesture, _, _, _, _),
            .lingering(let gesture, _), .waitingForSecondHand(let gesture), .coolingDown(let gesture, _),
            .disabled(let gesture), .fired(let gesture), .waitingForRelease(let gesture):
            gesture
        }
    }

    /// From how many moves in a row on a hand is said to move as in talking: one that is raised moves once or twice.
    private static let manyMoves = 3

    /// "held 0.6 of 1.0 s", "cooldown 1.2 s", "disabled", …
    package var description: String {
        switch self {
        case .idle: "no gesture"
        case .holding(_, let elapsed, let hold):
            "held \(oneDecimal(elapsed)) of \(oneDecimal(hold)) s"
        case .moving(_, let elapsed, let hold, let moves):
            "held \(oneDecimal(elapsed)) of \(oneDecimal(hold)) s"
                + (moves < Self.manyMoves ? " since the hand moved" : "; the hand keeps moving, as in talking")
        case .lingering(_, let elapsed): "was there before: for \(oneDecimal(elapsed)) s, and never sure enough"
        case .unsure(_, let elapsed, let hold, let confidence, let least):
            "held \(oneDecimal(elapsed)) of \(oneDecimal(hold)) s, but not sure enough: "
                + "\(hundredths(confidence, .down)) of \(hundredths(least, .toNearestOrEven))"
        case .waitingForSecondHand: "waiting for the second hand"
        case .coolingDown(_, let remaining): "cooldown \(oneDecimal(remaining)) s"
        case .disabled: "disabled"
        case .fired: "fired"
        case .waitingForRelease: "already answered; lower the hand to make it again"
        }
    }
}

/// `value` with two decimals, whatever the locale. What is a little too small is not rounded up to what it misses.
private func hundredths(_ value: Double, _ rule: FloatingPointRoundingRule) -> String {
    let hundredths = Int((max(0, value) * 100 + 1e-6).rounded(rule))
    return "\(hundredths / 100).\(hundredths / 10 % 10)\(hundredths % 10)"
}

/// `value` with one decimal, rounded, whatever the locale.
private func oneDecimal(_ value: Double) -> String {
    let tenths = Int((max(0, value) * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
}
