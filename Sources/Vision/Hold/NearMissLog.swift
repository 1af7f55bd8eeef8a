package import Reactions

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
    var tracks: [Int]
    /// The tile of the person who made it; `nil` if the picture is a single one.
    package var tile: LayoutTile?
}

/// Reduces holds that ended without firing to one report for the hands of one person. ``GestureStateMachine`` owns it.
///
/// A hand that another hand joins is part of a two-hand gesture. If the two-hand gesture fires or is reported, the
/// one-hand hold is not reported. A hand that moved may show its gesture at another place, or be on its way down. So a
/// report is delayed while a two-hand gesture with the hand is held, and while the hand has shown its gesture only
/// briefly at the new place.
struct NearMissLog: Sendable, Hashable {
    /// A gesture of two hands that fired or was reported.
    private struct Answer: Sendable, Hashable {
        var time: Double
        var tracks: [Int]
    }

    /// The ended holds whose report is delayed.
    private var waiting: [NearMiss] = []
    private var answers: [FrameGesture: Answer] = [:]

    /// Records a gesture of two hands that fired at `time`.
    mutating func fired(_ gesture: FrameGesture, at time: Double, by tracks: [Int]) {
        guard gesture.hands == 2 else { return }
        answers[gesture] = Answer(time: time, tracks: tracks)
    }

    /// Adds the holds that ended in a frame, and returns the holds to report now, in the order of the gestures.
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
            if hold.reason == .moved, hold.heldUntil - hold.heldSince < hold.hold, !Self.continued(hold, tracks) {
                hold.reason = .heldTooBriefly
            }
            return hold
        }
    }

    /// Returns whether the gesture was still shown after the hold had ended, for as long as a hold must last to be
    /// reported.
    private static func continued(_ hold: NearMiss, _ tracks: [GestureTrack]) -> Bool {
        typealias Rules = GestureStateMachine.Configuration
        let lastSeen = tracks.first { $0.gesture == hold.gesture }?.lastSeen ?? hold.heldUntil
        return lastSeen - hold.heldUntil >= hold.hold * Rules.reportedShare - Rules.roundingSlack
    }

    /// Returns whether the hands continued with a gesture of two hands that fired or was reported.
    private func isAnswered(_ hold: NearMiss) -> Bool {
        Self.gesturesOfBoth(hold.gesture).contains { gesture in
            guard let answer = answers[gesture], answer.time > hold.heldSince else { return false }
            return hold.tracks.isEmpty || answer.tracks.isEmpty || hold.tracks.contains(where: answer.tracks.contains)
        }
    }

    /// Returns the two-hand gestures that a hand's gesture may become. For a two-hand or custom gesture there are none.
    private static func gesturesOfBoth(_ gesture: FrameGesture) -> [FrameGesture] {
        gesture.hands == 1 && !gesture.isLearned ? [gesture.counterpart, .heart].compactMap(\.self) : []
    }
}
