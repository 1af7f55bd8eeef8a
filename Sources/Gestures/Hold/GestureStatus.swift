package import Reactions

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

/// A hold that ended without having fired although it came near: what people wonder about who held up a thumb.
package struct UnfiredHold: Sendable, Hashable {
    package var gesture: FrameGesture
    /// Why it did not fire.
    package var reason: ReactionEvent.CandidateReason
    /// What the looks agreed on, or the careful one at the end where that was less sure: 0…1.
    package var confidence: Double
    /// Where it was seen last, in the upright picture.
    package var origin: PicturePoint
    /// When the hold began, and when it was seen last, in the seconds of the observations.
    package var heldSince: Double
    package var heldUntil: Double
    /// How long it had to be held, in seconds.
    package var hold: Double
    /// The numbers of the hands that were seen last; empty where they are not known.
    package var tracks: [Int]
}

/// Keeps what is told of holds that did not fire to one candidate for what one person's hands did.
///
/// A hand that another joins is part of a gesture of two hands. What its own hold came to is told only where that
/// gesture neither fired nor is told itself. And a hand that moves may be on its way to another place, or down. So what
/// there is to tell waits until that is known: while both hands hold on, or one does and has not yet shown the gesture
/// for long elsewhere.
struct UnfiredHolds: Sendable, Hashable {
    /// A gesture of two hands that fired or was told.
    private struct Answer: Sendable, Hashable {
        var time: Double
        var tracks: [Int]
    }

    /// Those of hands that still hold something.
    private var waiting: [UnfiredHold] = []
    private var answers: [FrameGesture: Answer] = [:]

    /// A gesture of two hands was answered at `time`.
    mutating func fired(_ gesture: FrameGesture, at time: Double, by tracks: [Int]) {
        guard gesture.hands == 2 else { return }
        answers[gesture] = Answer(time: time, tracks: tracks)
    }

    /// Takes what ended in a frame; returns what is to be told now, in the order of the gestures.
    ///
    /// - Parameter tracks: of all gestures, as they are now.
    mutating func settle(_ ended: [UnfiredHold], _ tracks: [GestureTrack]) -> [UnfiredHold] {
        guard !(waiting.isEmpty && ended.isEmpty) else { return [] }
        for hold in ended where hold.gesture.hands == 2 {
            answers[hold.gesture] = Answer(time: hold.heldUntil, tracks: hold.tracks)
        }
        let open = (waiting + ended).filter { !isAnswered($0) }
        let held = Set(tracks.filter { $0.hold != nil }.map(\.gesture))
        waiting = open.filter { hold in
            Self.gesturesOfBoth(hold.gesture).contains(where: held.contains)
                || (held.contains(hold.gesture) && !Self.wentOn(hold, tracks))
        }
        return open.filter { !waiting.contains($0) }.map { ended in
            var hold = ended
            // A hand that was seen for a moment only after it had left its place was being lowered.
            if hold.reason == .moved, !Self.wentOn(hold, tracks) { hold.reason = .heldTooBriefly }
            return hold
        }
    }

    /// Whether the gesture was still shown long after the hold had ended.
    private static func wentOn(_ hold: UnfiredHold, _ tracks: [GestureTrack]) -> Bool {
        typealias Rules = GestureStateMachine.Configuration
        let lastSeen = tracks.first { $0.gesture == hold.gesture }?.lastSeen ?? hold.heldUntil
        return lastSeen - hold.heldUntil >= hold.hold * Rules.worthTelling - Rules.roundingSlack
    }

    /// Whether the hands went on to something of two hands that was answered.
    private func isAnswered(_ hold: UnfiredHold) -> Bool {
        Self.gesturesOfBoth(hold.gesture).contains { gesture in
            guard let answer = answers[gesture], answer.time > hold.heldSince else { return false }
            return hold.tracks.isEmpty || answer.tracks.isEmpty || hold.tracks.contains(where: answer.tracks.contains)
        }
    }

    /// The gestures of two hands that a hand may go on to; none for a gesture of two, or of somebody's own.
    private static func gesturesOfBoth(_ gesture: FrameGesture) -> [FrameGesture] {
        gesture.hands == 1 && !gesture.isLearned ? [gesture.counterpart, .heart].compactMap(\.self) : []
    }
}
