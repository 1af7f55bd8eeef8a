import Foundation
import Reactions
import Testing
@testable import Vision

/// The two hands of a heart, with their joints placed as in one: index fingers
/// arched to a meeting point on top, thumbs to one below.
struct SyntheticHeart {
    /// Half of the distance between the index fingers' tips, and the thumbs', in palm lengths.
    var indexGap = 0.05
    var thumbGap = 0.05
    /// The outward arch of the index fingers' joints, in palm lengths; 0 for a roof.
    var arch = 0.35
    /// The height of the index tips over the thumbs', in palm lengths.
    var height = 0.9
    var turn = 0.0
    var palm = 0.15
    var aspect = 16.0 / 9
    /// The landmarks' noise, in palm lengths.
    var noise = 0.0

    /// The joints of the hand on the right; the other one mirrors them. y up.
    private var joints: [SIMD2<Double>] {
        let top = SIMD2(indexGap, height / 2)
        let bottom = SIMD2(thumbGap, -height / 2)
        let knuckle = SIMD2(0.85, height / 2 + 0.05)
        let wrist = SIMD2(1.35, -0.45)
        func along(_ a: SIMD2<Double>, _ b: SIMD2<Double>, _ t: Double, _ lift: Double)
            -> SIMD2<Double>
        { a + (b - a) * t + SIMD2(0, lift) }
        var points = [wrist]
        points += [SIMD2(1.0, -0.55), SIMD2(0.7, -0.6), SIMD2(0.35, -0.58), bottom]
        for finger in 0..<4 {
            let offset = SIMD2(0.06, 0.05) * Double(finger)
            let base = knuckle + SIMD2(0.12, -0.05) * Double(finger)
            points += [
                base, along(base, top + offset, 0.4, arch),
                along(base, top + offset, 0.75, arch * 0.8), top + offset,
            ]
        }
        return points
    }

    var hands: [HandLandmarks] {
        [1.0, -1].map { side in
            var state = side > 0 ? UInt64(7) : 11
            func jitter() -> Double {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return (Double(state >> 33) / Double(1 << 30) - 1) * noise
            }
            let radians = turn * .pi / 180
            let points = joints.map { joint -> Landmark in
                let x = joint.x * side + jitter()
                let y = joint.y + jitter()
                return Landmark(
                    x: 0.5 + (x * cos(radians) + y * sin(radians)) * palm / aspect,
                    y: 0.5 - (y * cos(radians) - x * sin(radians)) * palm, z: 0)
            }
            return HandLandmarks(
                points: points, handedness: side > 0 ? .left : .right,
                handednessConfidence: 0.9, presence: 0.9, trackID: side > 0 ? 1 : 2,
                pictureAspectRatio: aspect)
        }
    }
}

@Suite("The heart of two hands")
struct HeartDetectorTests {
    let recognizer = GestureRecognizer()

    private func gesture(_ change: (inout SyntheticHeart) -> Void) -> FrameGesture? {
        var heart = SyntheticHeart()
        change(&heart)
        return recognizer.observe(heart.hands).gesture
    }

    @Test("A heart, large and small, slim and wide, a little turned, with poor landmarks")
    func hearts() {
        #expect(gesture { _ in } == .heart)
        #expect(gesture { $0.palm = 0.05 } == .heart)
        #expect(gesture { $0.aspect = 9.0 / 16 } == .heart)
        #expect(gesture { $0.height = 0.6 } == .heart)
        #expect(gesture { $0.height = 1.4 } == .heart)
        #expect(gesture { $0.turn = 15 } == .heart)
        #expect(gesture { $0.turn = -15 } == .heart)
        #expect(gesture { $0.indexGap = 0.2 } == .heart)
        #expect(gesture { $0.noise = 0.06 } == .heart)
    }

    @Test("Its place is between the hands")
    func origin() throws {
        let origin = try #require(recognizer.observe(SyntheticHeart().hands).origin)
        #expect(abs(origin.x - 0.5) < 0.02)
        #expect(abs(origin.y - 0.5) < 0.1)
    }

    @Test("Hands that do not meet, hang down, lie flat or fold are no heart")
    func noHearts() {
        #expect(gesture { $0.indexGap = 0.6 } == nil)
        #expect(gesture { $0.thumbGap = 0.6 } == nil)
        #expect(gesture { $0.turn = 180 } == nil)
        #expect(gesture { $0.turn = 90 } == nil)
        #expect(gesture { $0.height = 0 } == nil)
    }

    @Test("One hand makes no heart")
    func oneHand() {
        #expect(recognizer.observe([SyntheticHeart().hands[0]]).gesture == nil)
    }

    @Test("A rejected heart has a reason")
    func reason() throws {
        var heart = SyntheticHeart()
        heart.thumbGap = 0.35
        let reason = try #require(recognizer.observe(heart.hands).reason)
        #expect(reason.hasPrefix("heart: ") || reason == "fingers half bent")
    }

    @Test("Two open hands side by side, and two fists together, are no heart")
    func others() {
        for pose in [SyntheticHand.openHand, .fist, .relaxed, .ok] {
            for x in [0.52, 0.55, 0.6, 0.7] {
                let left = pose.with { $0.place.x = x }
                let hands = [left.landmarks, left.mirrored.landmarks]
                #expect(recognizer.observe(hands).gesture == nil, "\(x) \(pose)")
            }
        }
    }
}

/// Hands that enclose a gap, with unreliable landmarks.
@Suite struct EnclosedGapTests {
    /// Two hands whose landmarks make no heart.
    private func hands(partners: (Int?, Int?)) -> [HandLandmarks] {
        var hands = SyntheticHeart(indexGap: 0.9, thumbGap: 0.9).hands
        for index in hands.indices {
            hands[index].trackID = index + 3
            hands[index].presence = 0.6
        }
        (hands[0].heartPartner, hands[1].heartPartner) = partners
        return hands
    }

    @Test func handsAroundAGapMakeAHeart() {
        let observation = GestureRecognizer().observe(hands(partners: (4, 3)))
        #expect(observation.gesture == .heart)
        #expect(observation.candidates.first?.tracks == [3, 4])
        #expect(abs(observation.confidence - 0.8) < 1e-9)
    }

    @Test func aMismatchedPairMakesNoHeart() {
        #expect(GestureRecognizer().observe(hands(partners: (nil, nil))).gesture != .heart)
        #expect(GestureRecognizer().observe(hands(partners: (4, nil))).gesture != .heart)
        #expect(GestureRecognizer().observe(hands(partners: (9, 3))).gesture != .heart)
    }
}
