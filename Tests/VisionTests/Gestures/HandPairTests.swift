import Foundation
import Testing
@testable import Vision

@Suite("One person's hands, or two people's")
struct HandPairTests {
    /// Two hands, the first in the middle of a wide picture.
    ///
    /// - Parameters:
    ///   - across: the offset of the second one to the right, in palm lengths.
    ///   - down: its offset downward.
    ///   - ratio: its relative size.
    private func arePair(
        _ pose: SyntheticHand = .victory, _ isRight: (Bool, Bool) = (true, false), across: Double, down: Double = 0,
        ratio: Double = 1, yaw: Double = 0, confidence: Double = 0.98
    ) -> Bool {
        func hand(_ isRight: Bool) -> SyntheticHand {
            let hand = isRight ? pose.mirrored : pose
            return hand.with { $0.size = 0.05 }.with { $0.handednessConfidence = confidence }
        }
        let first = hand(isRight.0).with { $0.place = (0.2, 0.5) }
        let unit = 0.05 * (1 + ratio) / 2
        let second = hand(isRight.1).with {
            $0.place = (0.2 + across * unit / $0.aspect, 0.5 + down * unit)
            $0.size *= ratio
            $0.yaw += yaw
        }
        return HandPair(first.landmarks, second.landmarks).mayBeOnePerson
    }

    @Test(
        "A right and a left hand on their own sides are a pair as far as arms reach", arguments: [2.0, 6, 9, 11, 13.5])
    func outstretched(across: Double) {
        for pose in HandGesture.allCases.map(SyntheticHand.making) {
            #expect(arePair(pose, across: across))
            #expect(arePair(pose, across: across, down: 2))
            #expect(arePair(pose, across: across, ratio: 0.65))
        }
        #expect(!arePair(across: 19))
    }

    @Test("Two right hands, or two left ones, are two people's", arguments: [4.0, 7, 10, 14])
    func alike(across: Double) {
        #expect(!arePair(.thumbsUp, (true, true), across: across))
        #expect(!arePair(.thumbsUp, (false, false), across: across))
    }

    @Test("The near hands of neighbours are two people's", arguments: [3.0, 6, 10])
    func neighbours(across: Double) {
        #expect(!arePair(.thumbsUp, (false, true), across: across))
    }

    @Test("Handedness is ignored for a hand seen from the side")
    func halfTurned() {
        #expect(!arePair((true, true), across: 6))
        #expect(arePair((true, true), across: 6, yaw: 88))
    }

    @Test("Evidence against one person adds up")
    func sum() {
        // Each alone is possible.
        #expect(arePair(across: 13))
        #expect(arePair(across: 6, down: 4.5))
        #expect(arePair(across: 6, ratio: 0.55))
        #expect(!arePair(across: 13, down: 4.5, ratio: 0.5))
    }
}

extension HandPairTests {
    private func arePair(_ isRight: (Bool, Bool), across: Double, yaw: Double = 0) -> Bool {
        arePair(.victory, isRight, across: across, yaw: yaw)
    }
}
