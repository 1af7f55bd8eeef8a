import Reactions
import Testing
@testable import Vision

@Suite("Naming")
struct GestureNamingTests {
    private var rules = GestureStateMachine.Configuration()

    private func candidate(_ gesture: FrameGesture, _ confidence: Double) -> GestureCandidate {
        GestureCandidate(gesture: gesture, confidence: confidence, origin: PicturePoint(x: 0.5, y: 0.5))
    }

    private func hand(_ gesture: HandGesture, _ confidence: Double) -> HandReading {
        HandReading(gesture: gesture, confidence: confidence)
    }

    @Test(
        arguments: [
            (FrameGesture.victory, 0.6, nil), (.victory, 0.599, "perhaps victory, 0.59"),
            (.thumbsUp, 0.7, nil), (.thumbsUp, 0.69, "perhaps thumbsUp, 0.69"),
            (.twoHorns, 0.56, "perhaps twoHorns, 0.56"), (.heart, 0.5, nil),
        ] as [(FrameGesture, Double, String?)])
    func aGestureHasItsNameFromTheConfidenceThatMayFire(
        _ gesture: FrameGesture, _ confidence: Double, _ reason: String?
    ) {
        let hands = (0..<gesture.hands).compactMap { _ in gesture.handGesture.map { hand($0, confidence) } }
        let seen = FrameObservation(hands: hands, candidates: [candidate(gesture, confidence)])
        let shown = rules.named(seen)
        #expect(shown.gesture == (reason == nil ? gesture : nil) && shown.reason == reason)
        #expect(shown.hands.allSatisfy { ($0.sign == nil) == (reason != nil) && ($0.reason == nil) == (reason == nil) })
        #expect(shown.hands.map(\.confidence) == hands.map(\.confidence))
        #expect(rules.names(candidate(gesture, confidence)) == (reason == nil))
    }

    /// The sign of "I love you" resembles horns, which need both hands.
    @Test func aDoubtfulSignHasNoOtherReason() {
        let reason = "sign of the horns with one hand: needs both"
        func reasons(_ confidence: Double) -> [String?] {
            let shown = rules.named(FrameObservation(hands: [hand(.horns, confidence)], reason: reason))
            return [shown.reason] + shown.hands.map(\.reason)
        }
        #expect(reasons(0.56) == ["perhaps horns, 0.56", "perhaps horns, 0.56"])
        #expect(reasons(0.98) == [reason, nil])
    }

    @Test func namesFollowTheSensitivity() {
        let seen = FrameObservation(hands: [hand(.horns, 0.56)], candidates: [candidate(.twoHorns, 0.56)])
        var rules = rules
        rules.sensitivity = .high
        #expect(rules.named(seen) == seen)
        // A sign may fire with the other hand.
        (rules.sensitivity, rules.sensitivities) = (.normal, [.victory: .low, .twoVictories: .high])
        #expect(rules.named(FrameObservation(hands: [hand(.victory, 0.56)])).hands[0].sign == "victory")
        let three = FrameGesture.learned(ReactionGesture(rawValue: "three")!, hands: 1)
        rules.sensitivity = .low
        let own = HandReading(gesture: nil, confidence: 0.64, learned: three)
        #expect(rules.named(FrameObservation(hands: [own])).hands[0].reason == "perhaps three, 0.64")
    }

    @Test func theLeadingGestureDecides() {
        let (sure, doubtful) = (candidate(.victory, 0.9), candidate(.thumbsUp, 0.6))
        #expect(rules.named(FrameObservation(candidates: [sure, doubtful])).candidates == [sure])
        let both = rules.named(FrameObservation(candidates: [candidate(.twoThumbsUp, 0.6), sure]))
        #expect(both.gesture == nil && both.reason == "perhaps twoThumbsUp, 0.60")
    }

    @Test func otherHandsKeepTheirReason() {
        let fist = HandReading(gesture: nil, confidence: 0.1, reason: "looks more like a fist")
        let seen = FrameObservation(hands: [fist], reason: "looks more like a fist")
        #expect(rules.named(seen) == seen)
        #expect(rules.named(FrameObservation(reason: "no hand in view")).reason == "no hand in view")
    }

    /// A hold counts the detections that have no name, too.
    @Test func aHoldOfDoubtfulAndSureDetectionsFires() {
        var machine = GestureStateMachine(configuration: rules)
        let events = (0...12).flatMap { index in
            let confidence = index % 3 == 0 ? 0.55 : 0.8
            return machine.advance(
                FrameObservation(hands: [hand(.victory, confidence)], candidates: [candidate(.victory, confidence)]),
                at: Double(index) / 10)
        }
        #expect(events.map(\.gesture) == [.victory])
    }
}
