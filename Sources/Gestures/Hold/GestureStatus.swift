package import Reactions

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
            .lingering(let gesture, _), .waitingForSecondHand(let gesture), .coolingDown(let gesture, _),
            .disabled(let gesture), .fired(let gesture), .waitingForRelease(let gesture):
            gesture
        }
    }

    /// The number of consecutive moves from which the hand counts as one that moves while its owner talks. A hand that
    /// is being raised moves once or twice.
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
        case .coolingDown(_, let remaining): "cooldown \(oneDecimal(remaining)) s"
        case .disabled: "disabled"
        case .fired: "fired"
        case .waitingForRelease: "already triggered; lower the hand to repeat it"
        }
    }
}

/// Returns `value` with two decimals, independent of the locale. A value just below a limit must not be rounded up to
/// it.
private func hundredths(_ value: Double, _ rule: FloatingPointRoundingRule) -> String {
    let hundredths = Int((max(0, value) * 100 + 1e-6).rounded(rule))
    return "\(hundredths / 100).\(hundredths / 10 % 10)\(hundredths % 10)"
}

/// Returns `value` with one decimal, rounded, independent of the locale.
private func oneDecimal(_ value: Double) -> String {
    let tenths = Int((max(0, value) * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
}

/// A hold that almost fired, and the reason why it did not.
package struct NearMiss: Sendable, Hashable {
    package var gesture: FrameGesture
    /// The reason why the hold did not fire.
    package var reason: ReactionEvent.CandidateReason
    /// The mean confidence of the hold, or the confidence of the careful detection at its end if that is lower: 0…1.
    package var confidence: Double
    /// The place of the last detection, in the upright picture.
    package var origin: PicturePoint
    /// The times at which the hold began and was last detected, in the seconds of the observations.
    package var heldSince: Double
    package var heldUntil: Double
    /// The required duration of the hold, in seconds.
    package var hold: Double
    /// The track numbers of the hands last detected; empty if unknown.
    package var tracks: [Int]
    /// The tile of the person who made it; `nil` if the picture is a single one.
    package var tile: LayoutTile?
}

/// Reduces unfired holds to one report for the hands of one person.
///
/// A hand that another hand joins is part of a two-hand gesture. Its own hold is reported only if that gesture neither
/// fired nor was reported. A moving hand may be moving to another place, or be on its way down. So reports are delayed
/// until this is known: as long as both hands still hold, or as long as one hand holds and has only briefly shown the
/// gesture elsewhere.
struct NearMissLog: Sendable, Hashable {
    /// A gesture of two hands that fired or was reported.
    private struct Answer: Sendable, Hashable {
        var time: Double
        var tracks: [Int]
    }

    /// The holds of hands that still hold something.
    private var waiting: [NearMiss] = []
    private var answers: [FrameGesture: Answer] = [:]

    /// Records a gesture of two hands that fired at `time`.
    mutating func fired(_ gesture: FrameGesture, at time: Double, by tracks: [Int]) {
        guard gesture.hands == 2 else { return }
        answers[gesture] = Answer(time: time, tracks: tracks)
    }

    /// Adds the holds that ended in a frame; returns the holds to report now, in the order of the gestures.
    ///
    /// - Parameter tracks: The current tracks of all gestures.
    mutating func settle(_ ended: [NearMiss], _ tracks: [GestureTrack]) -> [NearMiss] {
        guard !(waiting.isEmpty && ended.isEmpty) else { return [] }
        for hold in ended where hold.gesture.hands == 2 {
            answers[hold.gesture] = Answer(time: hold.heldUntil, tracks: hold.tracks)
        }
        let open = (waiting + ended).filter { !isAnswered($0) }
        let held = Set(tracks.filter { $0.hold != nil }.map(\.gesture))
        waiting = open.filter { hold in
            Self.gesturesOfBoth(hold.gesture).contains(where: held.contains)
                || (held.contains(hold.gesture) && !Self.continued(hold, tracks))
        }
        return open.filter { !waiting.contains($0) }.map { ended in
            var hold = ended
            // A hand that was detected only briefly at another place was on its way down.
            if hold.reason == .moved, !Self.continued(hold, tracks) { hold.reason = .heldTooBriefly }
            return hold
        }
    }

    /// Returns whether the gesture was still shown long after the hold had ended.
    private static func continued(_ hold: NearMiss, _ tracks: [GestureTrack]) -> Bool {
        typealias Rules = GestureStateMachine.Configuration
        let lastSeen = tracks.first { $0.gesture == hold.gesture }?.lastSeen ?? hold.heldUntil
        return lastSeen - hold.heldUntil >= hold.hold * Rules.reportedShare - Rules.roundingSlack
    }

    /// Returns whether the hands continued with a gesture of two hands that fired.
    private func isAnswered(_ hold: NearMiss) -> Bool {
        Self.gesturesOfBoth(hold.gesture).contains { gesture in
            guard let answer = answers[gesture], answer.time > hold.heldSince else { return false }
            return hold.tracks.isEmpty || answer.tracks.isEmpty || hold.tracks.contains(where: answer.tracks.contains)
        }
    }

    /// Returns the two-hand gestures that a hand's gesture may become. A two-hand or custom gesture becomes none.
    private static func gesturesOfBoth(_ gesture: FrameGesture) -> [FrameGesture] {
        gesture.hands == 1 && !gesture.isLearned ? [gesture.counterpart, .heart].compactMap(\.self) : []
    }
}
