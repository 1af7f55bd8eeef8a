import Reactions
import Testing
@testable import Vision

/// Reports of holds that did not fire: one character a frame, and below it the reason, in the frame that reports it.
@Suite("Near misses")
struct NearMissTests {
    /// The reasons that `line` reports, as `name reason`, in sequence.
    private func reported(_ line: String, _ marbles: Marbles = Marbles()) -> [String] {
        marbles.unfired(line).map { "\($0.gesture.rawValue) \($0.reason.rawValue)" }
    }

    @Test func briefHoldsAreReportedAtTheirEnd() throws {
        let unfired = Marbles().unfired("--uuuuuuu-----")
        try #require(unfired.count == 1)
        #expect(unfired[0].gesture == .thumbsUp && unfired[0].reason == .heldTooBriefly)
        #expect(abs(unfired[0].heldSince - 0.15) < 1e-9 && abs(unfired[0].heldUntil - 0.8) < 1e-9)
        #expect(unfired[0].hold == 1 && unfired[0].origin == PicturePoint(x: 0.5, y: 0.5))
        #expect(abs(unfired[0].confidence - 0.8) < 1e-9)
        #expect(Marbles().unfired("--uuuuuuu--").isEmpty, "it may go on")
    }

    @Test(arguments: [
        // Less than 40 % of the hold.
        "--uuu------", "----------", "oooooooooo", "hhhhhhhhhhhhhhh----",
        // Fired, and held on.
        "--uuuuuuuuuuuuu------------", "UUUUUUUUUUUUuuuuuuuuuu-------------",
        "♥♥♥♥♥♥♥♥♥♥♥♥-----------",
        // One thumb, and then the other.
        "uuuuuuUUUUUUUUUUUUU-------", "UUUUUuUUUUUUUUU------",
    ])
    func firedAndShortHoldsAreNotReported(_ line: String) {
        #expect(reported(line) == [])
    }

    @Test func twoHandsAreReportedOnceAsAPair() {
        #expect(reported("UUUUUUUU-----") == ["twoThumbsUp heldTooBriefly"])
        #expect(reported("uUUUUUUUu-----") == ["twoThumbsUp heldTooBriefly"])
        // The other one was seen too briefly.
        #expect(reported("uuuuuuUu-----") == ["thumbsUp heldTooBriefly"])
        var marbles = Marbles()
        marbles.configuration.disabled = [.twoThumbsUp]
        #expect(reported("UUUUUUUUUUUUUUUU-----", marbles) == ["twoThumbsUp disabled"])
    }

    /// A thumb, and then another hand's heart: the hand may have gone on to it.
    @Test func handsThatContinueToAHeartAreNotReported() {
        #expect(reported("uuuuuuu♥♥♥♥♥♥♥♥♥♥♥♥-----") == [])
        #expect(reported("uuuuuuu♥♥♥-----") == ["thumbsUp heldTooBriefly"])
    }

    @Test func disabledGesturesAndCooldownsAreReported() {
        var marbles = Marbles()
        marbles.configuration.disabled = [.thumbsUp]
        #expect(reported("uuuuuuuuuuuuuuu----", marbles) == ["thumbsUp disabled"])
        // Fired, released, and shown again within the cooldown.
        #expect(reported("uuuuuuuuuuu---------uuuuuuuuuuuu----") == ["thumbsUp coolingDown"])
        #expect(reported("uuuuuuuuuuu---------uuuuuu----") == ["thumbsUp heldTooBriefly"])
    }

    @Test func gesturesInTooFewFramesAreReported() {
        #expect(reported("u--u-u-u--u-u--u-u-u--u-----") == ["thumbsUp notSeenEnough"])
    }

    @Test func lowConfidenceIsReported() throws {
        let unfired = Marbles(confidence: 0.62).unfired("--uuuuuuuuuuuuuuuu----")
        try #require(unfired.map(\.reason) == [.notSure])
        #expect(abs(unfired[0].confidence - 0.62) < 1e-9)
        #expect(abs(unfired[0].heldUntil - 1.7) < 1e-9)
        // A hold that is too brief is reported as such, however confident.
        #expect(Marbles(confidence: 0.62).unfired("uuuuuuu-----").map(\.reason) == [.heldTooBriefly])
    }

    /// Careful detection at the end of a hold does not confirm the others.
    @Test func failedConfirmationsAreReported() {
        #expect(reported("uuuuuuuuuuoooo") == ["thumbsUp notSure"])
        // The hand was lowered: careful detection had no input.
        #expect(reported("uuuuuuuuuu----") == ["thumbsUp heldTooBriefly"])

        var machine = GestureStateMachine()
        var nearMisses: [NearMiss] = []
        for index in 0..<20 {
            let marbles = Marbles(confidence: index == 10 || index == 11 ? 0.55 : 0.9)
            _ = machine.advance(marbles.observation(index < 12 ? "u" : "-"), at: Double(index) * 0.1)
            nearMisses += machine.nearMisses
        }
        #expect(nearMisses.map(\.reason) == [.notSure])
        #expect(nearMisses.map(\.confidence) == [0.55])
    }

    @Test func movingHandsAreReported() {
        /// A thumb that is `far` palm lengths away from its first place from 0.7 s on.
        func reported(until last: Int, far: Double, _ tracks: (Int) -> [Int] = { _ in [1] }) -> [ReactionEvent
            .CandidateReason]
        {
            var machine = GestureStateMachine()
            return (0..<24).flatMap { index -> [ReactionEvent.CandidateReason] in
                let thumb = GestureCandidate(
                    gesture: .thumbsUp, confidence: 1,
                    origin: PicturePoint(x: 0.5, y: 0.9 - (index >= 7 ? 0.1 * far : 0)),
                    palmLength: PicturePoint(x: 0.05, y: 0.1), tracks: tracks(index))
                _ = machine.advance(
                    FrameObservation(candidates: index <= last ? [thumb] : []), at: Double(index) * 0.1)
                return machine.nearMisses.map(\.reason)
            }
        }
        #expect(reported(until: 9, far: 0.5) == [.heldTooBriefly])
        // The hold goes on at the other place, but a hand that moves must hold longer.
        #expect(reported(until: 12, far: 2) == [.moved])
        #expect(reported(until: 12, far: 4) == [.moved, .heldTooBriefly])
        // The hand was seen on its way down.
        #expect(reported(until: 8, far: 2) == [.heldTooBriefly])
        #expect(reported(until: 8, far: 4) == [.heldTooBriefly])
        // Another person's hand took over.
        #expect(reported(until: 12, far: 2) { $0 >= 7 ? [2] : [1] } == [.heldTooBriefly, .heldTooBriefly])
    }

    /// A shaken hand is displaced at once: the movement is reported while it goes on, not when the hand has gone.
    @Test func shakenHandsAreReportedSoon() {
        /// A thumb that is `step` palm lengths away, and `growth` times as large, in every third frame from 0.8 s on.
        func reported(step: Double, growth: Double = 1, until last: Int = 30) -> (holds: [String], statuses: [String]) {
            var machine = GestureStateMachine()
            var holds: [String] = [], statuses: [String] = []
            for index in 0...last {
                let isAway = index >= 8 && index / 3 % 2 == 0
                let size = index >= 8 ? growth : 1
                let place = PicturePoint(x: 0.5, y: isAway ? 0.5 - 0.1 * step : 0.5)
                let palm = PicturePoint(x: 0.05 * size, y: 0.1 * size)
                let thumb = GestureCandidate(
                    gesture: .thumbsUp, confidence: 1, origin: place, palmLength: palm,
                    tracks: [1], spots: [HandSpot(centre: place, palmLength: palm)])
                #expect(machine.advance(FrameObservation(candidates: [thumb]), at: Double(index) / 10).isEmpty)
                holds += machine.nearMisses.map { "\($0.reason.rawValue) at \(index)" }
                statuses.append(machine.status.description)
            }
            return (holds, statuses)
        }
        let shaken = reported(step: 2)
        #expect(shaken.holds == ["moved at 11"])
        #expect(shaken.statuses[7] == "held 0.7 of 1.0 s")
        #expect(shaken.statuses[9] == "held 0.0 of 1.0 s since the hand moved")
        #expect(shaken.statuses[30] == "held 0.0 of 1.0 s; the hand keeps moving")
        // Another picture's hand, in the same place.
        #expect(reported(step: 0, growth: 2, until: 16).holds == ["heldTooBriefly at 11"])
    }

    /// A hand around a cup, for example, that some detections read as a thumb, and one at the end confidently.
    @Test func persistentDoubtFiresNothing() {
        var machine = GestureStateMachine()
        var fired = 0
        var nearMisses: [ReactionEvent.CandidateReason] = []
        func show(_ mark: Character, confidence: Double, from: Int, to: Int) {
            for tenth in from..<to {
                let observation = Marbles(confidence: confidence).observation(mark)
                fired += machine.advance(observation, at: Double(tenth) / 10).count
                nearMisses += machine.nearMisses.map(\.reason)
            }
        }
        show("u", confidence: 0.6, from: 0, to: 65)
        #expect(machine.status.description == "shown for 6.4 s, but the confidence was too low")
        show("u", confidence: 0.95, from: 65, to: 200)
        #expect(fired == 0)
        #expect(machine.handsCompleting(at: 20.1).isEmpty && machine.nextCompletion == nil)
        show("-", confidence: 0, from: 200, to: 205)
        #expect(nearMisses == [.wasThereBefore])
        // A gesture that is shown again counts.
        show("u", confidence: 0.95, from: 205, to: 218)
        #expect(fired == 1)
        // After a shorter doubtful time it may still fire.
        #expect(reported(String(repeating: "u", count: 50) + "-----", Marbles(confidence: 0.6)) == ["thumbsUp notSure"])
    }

    @Test func gapsEndHolds() {
        #expect(reported("uuuuuuu" + String(repeating: ">", count: 22) + "-") == ["thumbsUp heldTooBriefly"])
    }

    /// Near misses have no influence on gestures: the same line fires the same, reported or not.
    @Test func twoPeopleAreReportedIndependently() {
        #expect(reported("xxxxxxxuuuuuuuuu-----") == ["victory heldTooBriefly"])
        #expect(Marbles().fired("xxxxxxxuuuuuuuuu-----").filter { $0 != "." } == "u")
    }
}
