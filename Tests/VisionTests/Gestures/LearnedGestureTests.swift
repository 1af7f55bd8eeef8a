import Reactions
import Testing
@testable import Vision

@Suite("Learned gestures")
struct LearnedGestureTests {
    private let network = LearnedClassifier.network

    private func learned(_ name: String, _ pose: SyntheticHand, hands: Int = 1) -> LearnedGesture {
        let turns = [-8.0, -3, 0, 4, 9]
        let examples = turns.map { turn in
            HandExample(
                pose.with {
                    $0.turn += turn; $0.yaw += turn
                }.landmarks)
        }
        return LearnedGesture(
            gesture: .learned(ReactionGesture(rawValue: name)!, hands: hands), examples: examples, network: network)
    }

    @Test func handsLikeTheExamplesMatch() {
        let classifier = GestureClassifier(
            network: network, learned: [learned("three", .three), learned("okay", .ok)])
        for turn in [-10.0, 0, 10] {
            for (pose, name) in [(SyntheticHand.three, "three"), (.ok, "okay")] {
                let view = pose.with {
                    $0.turn += turn; $0.size = 0.3; $0.aspect = 0.75
                }
                for hand in [view, view.mirrored] {
                    let reading = classifier.classify(hand.landmarks)
                    #expect(reading.sign == name)
                    #expect(reading.gesture == nil && reading.reason == nil)
                    #expect((0.5...1).contains(reading.confidence))
                }
            }
        }
    }

    @Test func otherHandsDoNotMatch() {
        let classifier = GestureClassifier(network: network, learned: [learned("three", .three)])
        for pose in [SyntheticHand.fist, .openHand, .stop, .one, .twoTogether, .four, .ok, .call, .iLoveYou, .relaxed] {
            #expect(classifier.classify(pose.landmarks).sign == nil)
        }
        for turn in [-90.0, 90, 180] {
            #expect(classifier.classify(SyntheticHand.three.with { $0.turn = turn }.landmarks).sign == nil)
        }
    }

    /// A learned gesture never overrides a thumb up.
    @Test func builtInGesturesTakePrecedence() {
        let classifier = GestureClassifier(network: network, learned: [learned("great", .thumbsUp)])
        #expect(classifier.classify(SyntheticHand.thumbsUp.landmarks).sign == "thumbsUp")
    }

    @Test func handCountFollowsTheExamples() {
        func observe(_ hands: Int, _ shown: [SyntheticHand]) -> FrameObservation {
            let classifier = GestureClassifier(network: network, learned: [learned("three", .three, hands: hands)])
            return GestureRecognizer(classifier: classifier).observe(shown.map(\.landmarks))
        }
        let left = SyntheticHand.three.with { $0.place = (0.7, 0.5) }
        let right = left.mirrored.with { $0.place = (0.3, 0.5) }
        #expect(observe(1, [left]).gesture == .learned(.three, hands: 1))
        #expect(Set(observe(1, [left, right]).candidates.map(\.gesture.rawValue)) == ["three"])
        #expect(observe(2, [left]).gesture == nil)
        #expect(observe(2, [left]).reason == "three with one hand: needs both")
        #expect(observe(2, [left, right]).gesture == .learned(.three, hands: 2))
    }

    @Test func learnedGesturesAreHeldLikeOthers() {
        let gesture = FrameGesture.learned(.three, hands: 1)
        var rules = GestureStateMachine.Configuration()
        rules.learned = [gesture]
        let place = PicturePoint(x: 0.5, y: 0.5)
        let seen = FrameObservation(candidates: [GestureCandidate(gesture: gesture, confidence: 0.9, origin: place)])
        func fired(_ rules: GestureStateMachine.Configuration) -> [Double] {
            var machine = GestureStateMachine(configuration: rules)
            return stride(from: 0.0, to: 3, by: 0.1).filter { !machine.advance(seen, at: $0).isEmpty }
        }
        #expect(fired(rules).count == 1)
        rules.disabled = [gesture]
        #expect(fired(rules).isEmpty)
    }

    @Test func outliersAreFound() {
        let hands = [
            SyntheticHand.three, .three.with { $0.turn = 5 }, .fist, .three.with { $0.yaw = 8 }, .three.mirrored,
        ]
        let alike = HandExample.areAlike(hands.map { HandExample($0.landmarks) }, network: network)
        #expect(alike == [true, true, false, true, true])
    }
}
