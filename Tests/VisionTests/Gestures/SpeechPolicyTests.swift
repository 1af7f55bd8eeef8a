import Reactions
import Testing
@testable import Vision

/// The effect of speech on holds. In the second line, `s` marks tenths of a second in which someone speaks.
@Suite("Gestures of people who speak")
struct SpeechPolicyTests {
    /// Returns the frames in which a thumb fires, and the reasons of holds that did not fire.
    ///
    /// - Parameter lag: The time by which the sound arrives after the pictures, in seconds.
    private func run(_ policy: SpeechPolicy, _ line: String, _ speech: String, lag: Double = 0)
        -> (fired: [Int], reasons: [ReactionEvent.CandidateReason], status: GestureStatus)
    {
        var rules = GestureStateMachine.Configuration()
        rules.speechPolicy = policy
        let marbles = Marbles()
        var machine = GestureStateMachine(configuration: rules)
        var (fired, reasons): ([Int], [ReactionEvent.CandidateReason]) = ([], [])
        var intervals: [ClosedRange<Double>] = []
        for (index, (mark, sound)) in zip(line, speech).enumerated() {
            var observation = marbles.observation(mark)
            let now = Double(index) * marbles.step
            if sound == "s" { intervals.append(now...now + marbles.step) }
            observation.speech = RecentSpeech(intervals: intervals, end: now - lag)
            if !machine.advance(observation, at: Double(index) * marbles.step).isEmpty { fired.append(index) }
            reasons += machine.nearMisses.map(\.reason)
        }
        return (fired, reasons, machine.status)
    }

    private static let held = "uuuuuuuuuuuuuuuuuuuuuuuuu-----------"
    private static let spoken = "ssssssssssssssssssssssssssssssssssss"
    private static let silent = "                                    "

    @Test(arguments: SpeechPolicy.allCases)
    func silenceChangesNothing(_ policy: SpeechPolicy) {
        #expect(run(policy, Self.held, Self.silent).fired == [10])
    }

    @Test func speechIsAllowedByDefault() {
        #expect(GestureStateMachine.Configuration().speechPolicy == .allow)
        #expect(run(.allow, Self.held, Self.spoken).fired == [10])
    }

    @Test func speechDoublesTheHold() {
        #expect(run(.holdLonger, Self.held, Self.spoken).fired == [20])
        let short = run(.holdLonger, "uuuuuuuuuuuuuuu-----------", Self.spoken)
        #expect(short.fired.isEmpty && short.reasons == [.speaking])
    }

    @Test func speechPreventsGestures() {
        let spoken = run(.ignore, Self.held, Self.spoken)
        #expect(spoken.fired.isEmpty && spoken.reasons == [.speaking])
        let held = String(Self.held.prefix(15))
        #expect(run(.ignore, held, Self.spoken).status == .waitingForSilence(.thumbsUp))
    }

    /// A hand that stays raised fires once most of its hold was silent: after 1.6 s if the first 0.8 s were
    /// spoken.
    @Test func theHoldContinuesInSilence() {
        #expect([[16], [17]].contains(run(.ignore, Self.held, "ssssssss                            ").fired))
        #expect([[16], [17]].contains(run(.holdLonger, Self.held, "ssssssss                            ").fired))
    }

    /// A single word does not matter, nor does a pause between two words.
    @Test func halfOfTheHoldDecides() {
        #expect(run(.ignore, Self.held, "    sss                             ").fired == [10])
        #expect(run(.ignore, Self.held, "ssss  ssss ssss sss sssss  sss ss   ").fired.isEmpty)
    }

    /// The sound of a stream arrives after its pictures.
    @Test func lateSoundCounts() {
        #expect(run(.ignore, Self.held, Self.spoken, lag: 0.7).fired.isEmpty)
        #expect(run(.ignore, Self.held, Self.silent, lag: 0.7).fired == [10])
    }

    /// Holds that are too short for another reason keep that reason.
    @Test func shortHoldsAreReportedAsShort() {
        #expect(run(.ignore, "uuuuuuu----------", Self.spoken).reasons == [.heldTooBriefly])
    }

    /// The frame that completes the longer hold is announced, so that it is analysed.
    @Test func theNextCompletionConsidersSpeech() throws {
        var rules = GestureStateMachine.Configuration()
        rules.speechPolicy = .holdLonger
        var machine = GestureStateMachine(configuration: rules)
        for index in 0..<8 {
            var observation = Marbles().observation("u")
            observation.speech = RecentSpeech(intervals: [-1...5], end: 5)
            _ = machine.advance(observation, at: Double(index) / 10)
        }
        #expect(abs(try #require(machine.nextCompletion) - 2) < 1e-9)
    }
}
