import Reactions
import Testing
@testable import Vision

@Suite("All hands of a frame")
struct GestureRecognizerTests {
    let recognizer = GestureRecognizer()

    private func observe(_ hands: SyntheticHand...) -> FrameObservation {
        recognizer.observe(hands.map(\.landmarks))
    }

    /// `pose` on the picture's right, as a person's left hand.
    private func left(_ pose: SyntheticHand, x: Double = 0.65) -> SyntheticHand {
        pose.with { $0.place = (x, 0.5) }
    }

    /// `pose` on the picture's left, as a person's right hand.
    private func right(_ pose: SyntheticHand, x: Double = 0.35) -> SyntheticHand {
        left(pose, x: 1 - x).mirrored
    }

    @Test("A gesture of one hand goes with one of two")
    func counterparts() {
        #expect(FrameGesture.allCases.count == ReactionGesture.allCases.count)
        #expect(
            FrameGesture.thumbsUp.counterpart == .twoThumbsUp && FrameGesture.twoThumbsDown.counterpart == .thumbsDown)
        #expect(FrameGesture.victory.counterpart == .twoVictories && FrameGesture.twoVictories.hands == 2)
        #expect(FrameGesture.twoHorns.counterpart == nil && FrameGesture(oneHand: .horns) == nil)
        #expect(FrameGesture.heart.handGesture == nil && FrameGesture.heart.counterpart == nil)
    }

    @Test(
        "Both hands with one gesture are one gesture of two hands",
        arguments: FrameGesture.allCases.filter { $0.hands == 2 && $0.handGesture != nil })
    func both(gesture: FrameGesture) throws {
        let pose = SyntheticHand.making(try #require(gesture.handGesture))
        let observation = observe(right(pose), left(pose))
        #expect(observation.candidates.map(\.gesture) == [gesture])
        #expect(observation.hands.count == 2)
        let origin = try #require(observation.origin)
        #expect(abs(origin.x - 0.5) < 0.01)
        #expect(observation.reason == nil)
    }

    @Test("One hand has its origin at the hand")
    func one() throws {
        let observation = observe(left(.victory))
        #expect(observation.gesture == .victory)
        #expect(abs(try #require(observation.origin).x - 0.65) < 0.05)
    }

    @Test("A lone sign of the horns is nothing")
    func loneHorns() throws {
        let observation = observe(left(.horns))
        #expect(observation.gesture == nil)
        #expect(observation.hands[0].gesture == .horns)
        #expect(try #require(observation.reason).contains("horns"))
    }

    @Test("Two people with a thumb each are not one person with two")
    func twoPeople() {
        // Neighbours' near hands: a left one on the left of a right one.
        #expect(observe(left(.thumbsUp, x: 0.45), right(.thumbsUp, x: 0.6)).gesture == .thumbsUp)
        // Two right hands.
        #expect(
            observe(right(.thumbsUp, x: 0.35), right(.thumbsUp, x: 0.6)).gesture == .thumbsUp)
        // Too far apart for one pair of arms.
        let small = SyntheticHand.thumbsUp.with { $0.size = 0.04 }
        #expect(observe(right(small, x: 0.1), left(small, x: 0.9)).gesture == .thumbsUp)
        // One near, one far.
        let far = left(.thumbsUp).with { $0.size = 0.05 }
        #expect(observe(right(.thumbsUp), far).gesture == .thumbsUp)
        // One high, one low.
        let low = left(.thumbsUp.with { $0.size = 0.06 }).with { $0.place.y = 0.9 }
        let high = right(.thumbsUp.with { $0.size = 0.06 }).with { $0.place.y = 0.2 }
        #expect(observe(high, low).gesture == .thumbsUp)
    }

    @Test("Four thumbs are paired by plausibility", arguments: [0.0, 15])
    func fourThumbs(turn: Double) {
        // Above a person's thumbs two drawn ones, with either pair more confident.
        let small = SyntheticHand.thumbsUp.with { $0.size = 0.06 }
        let low = [right(small), left(small)].map { hand in hand.with { $0.place.y = 0.6 } }
        let high = [right(small), left(small)].map { hand in
            hand.with {
                $0.place.y = 0.35
                $0.turn += turn
            }
        }
        let pairs = recognizer.observe((low + high.reversed()).map(\.landmarks)).candidates
        #expect(pairs.map(\.gesture) == [.twoThumbsUp, .twoThumbsUp])
        #expect(pairs.allSatisfy { abs($0.origin.x - 0.5) < 0.05 && abs($0.origin.y - 0.475) > 0.05 })
    }

    @Test("An uncertain handedness is ignored")
    func uncertainHandedness() {
        let other = right(.thumbsUp, x: 0.6).with { $0.handednessConfidence = 0.55 }
        #expect(observe(right(.thumbsUp), other).gesture == .twoThumbsUp)
    }

    @Test("One hand found twice is one hand")
    func duplicate() {
        let twice = left(.thumbsUp).with {
            $0.place.x += 0.01
            $0.handednessConfidence = 0.6
        }
        #expect(observe(left(.thumbsUp), twice).candidates.map(\.gesture) == [.thumbsUp])
    }

    @Test("A thumb up counts less beside the same person's other hand, raised as high and without a gesture")
    func besideTheOther() throws {
        let alone = try #require(observe(left(.thumbsUp)).candidates.first).confidence
        func confidence(_ other: SyntheticHand) -> Double? {
            observe(left(.thumbsUp), other).candidates.first?.confidence
        }
        let beside = try #require(confidence(right(.relaxed)))
        #expect(beside < 0.75 * alone && beside >= 0.5)
        // One that hangs down, one that makes a gesture, one of another person.
        #expect(confidence(right(.relaxed).with { $0.place.y = 0.85 }) == alone)
        #expect(observe(left(.thumbsUp), right(.thumbsUp)).gesture == .twoThumbsUp)
        #expect(confidence(left(.relaxed, x: 0.35)) == alone)
        // A gesture below the threshold does not count beside the other hand.
        let slanted = left(.thumbsUp).with { $0.turn += 35 }
        #expect(observe(slanted).gesture == .thumbsUp && observe(slanted, right(.relaxed)).candidates.isEmpty)
        // Other gestures are not reduced.
        let victory = observe(left(.victory)).candidates
        #expect(observe(left(.victory), right(.relaxed)).candidates.map(\.confidence) == victory.map(\.confidence))
    }

    @Test("The more confident of a person's two gestures counts")
    func different() {
        let slanted = right(.thumbsUp).with { $0.turn += 35 }
        #expect(observe(slanted, left(.victory)).candidates.map(\.gesture) == [.victory])
    }

    @Test("Different gestures of two people are both reported, the more confident first")
    func differentPeople() {
        let observation = observe(right(.thumbsUp, x: 0.2), right(.victory, x: 0.8))
        #expect(Set(observation.candidates.map(\.gesture)) == [.thumbsUp, .victory])
    }

    @Test("A gesture beside a hand without one counts")
    func besideOther() {
        #expect(observe(right(.fist), left(.thumbsUp)).gesture == .thumbsUp)
    }

    @Test("No hand, and hands without gesture, have a reason")
    func nothing() {
        #expect(observe().reason == "no hand in view")
        #expect(observe(left(.fist)).reason == "fist")
        #expect(observe(left(.fist)).candidates.isEmpty)
    }

    @Test("The order of the hands does not matter")
    func order() {
        #expect(
            observe(right(.victory), left(.victory)).candidates
                == observe(left(.victory), right(.victory)).candidates)
    }
}
