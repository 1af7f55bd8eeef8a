import Reactions

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
