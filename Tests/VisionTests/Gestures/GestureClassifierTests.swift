import Testing
@testable import Vision

@Suite("Gestures of one hand")
struct GestureClassifierTests {
    let classifier = LearnedClassifier.shared

    /// A pose in many views: either hand, turned and tilted, near and far, in wide and in
    /// tall pictures.
    private func views(of pose: SyntheticHand, turns: [Double] = [-15, 0, 15]) -> [SyntheticHand] {
        var views: [SyntheticHand] = []
        for turn in turns {
            for (yaw, pitch) in [(0.0, 0.0), (12, 0), (-20, 0), (20, 10), (0, -15)] {
                for (aspect, size) in [(16.0 / 9, 0.12), (9.0 / 16, 0.06), (1, 0.4)] {
                    let view = pose.with {
                        $0.turn += turn
                        $0.yaw += yaw
                        $0.pitch += pitch
                        $0.aspect = aspect
                        $0.size = size
                    }
                    views += [view, view.mirrored]
                }
            }
        }
        return views
    }

    @Test(
        "Each gesture is classified in every view",
        arguments: HandGesture.allCases.map { (SyntheticHand.making($0), $0) } + [
            (SyntheticHand.victory.with { $0.yaw = 180 }, .victory),
            (SyntheticHand.horns.with { $0.yaw = 180 }, .horns),
        ])
    func gestures(pose: SyntheticHand, gesture: HandGesture) {
        for view in views(of: pose) {
            let reading = classifier.classify(view.landmarks)
            #expect(reading.gesture == gesture, "\(view): \(reading)")
            #expect((0.5...1).contains(reading.confidence))
            #expect(reading.reason == nil)
        }
    }

    @Test(
        "A near miss is rejected with a reason",
        arguments: [
            ("fist", SyntheticHand.fist, "fist"),
            ("fist from the side", .fist.with { $0.turn = 90 }, "fist"),
            ("open hand", .openHand, "open hand"),
            ("stop", .stop, "four fingers extended"),
            ("one", .one, "one finger extended"),
            ("middle finger", .middleFinger, "one finger extended"),
            ("middle finger, index half bent", .middleFinger.with { $0.curl[0] = 0.5 }, "fingers half bent"),
            ("two held together", .twoTogether, "two fingers held together"),
            ("three", .three, "three fingers extended"),
            ("three with the thumb", .threeWithThumb, "thumb is out: three fingers extended"),
            ("four", .four, "four fingers extended"),
            ("OK", .ok, "OK sign or three fingers extended"),
            ("call me", .call, "little finger is out: the call-me sign"),
            ("call me, thumb up", .call.with { $0.turn = 60 }, "little finger is out: the call-me sign"),
            ("I love you", .iLoveYou, "thumb is out: the I-love-you sign"),
            ("relaxed", .relaxed, "fingers half bent"),
        ])
    func nearMisses(name: String, pose: SyntheticHand, reason: String) {
        let reading = classifier.classify(pose.landmarks)
        #expect(reading.gesture == nil)
        #expect(reading.reason == reason)
        for view in views(of: pose) {
            #expect(classifier.classify(view.landmarks).gesture == nil, "\(view)")
        }
    }

    @Test("A thumb counts within a cone around the vertical")
    func cone() throws {
        for mirrored in [false, true] {
            func read(_ off: Double) -> HandReading {
                let pose = SyntheticHand.thumbsUp.with { $0.turn += off }
                return classifier.classify((mirrored ? pose.mirrored : pose).landmarks)
            }
            for off in [-30.0, -15, 15, 30] { #expect(read(off).gesture == .thumbsUp) }
            for off in [-75.0, -60, 60, 75, 90] {
                #expect(read(off).gesture == nil)
                #expect(try #require(read(off).reason).hasSuffix("off vertical"))
            }
        }
        #expect(classifier.classify(SyntheticHand.thumbSideways.landmarks).gesture == nil)
    }

    @Test("Victory and horns need fingers up")
    func fingersUp() throws {
        for turn in [-90.0, 90, 180] {
            let victory = classifier.classify(SyntheticHand.victory.with { $0.turn = turn }.landmarks)
            #expect(victory.gesture == nil)
            #expect(try #require(victory.reason).hasSuffix("off vertical"))
            let horns = classifier.classify(SyntheticHand.horns.with { $0.turn = turn }.landmarks)
            #expect(horns.gesture == nil)
        }
    }

    @Test("Confidence falls smoothly as a gesture turns away")
    func confidence() {
        let confidences = stride(from: 0.0, through: 90, by: 1).map { off in
            classifier.classify(SyntheticHand.thumbsUp.with { $0.turn += off }.landmarks).confidence
        }
        #expect(confidences.first! > 0.9)
        #expect(confidences.last! < 0.1)
        #expect(zip(confidences, confidences.dropFirst()).allSatisfy { abs($0 - $1) < 0.1 })
    }

    @Test("A hand without extent is nothing")
    func degenerate() {
        let point = Landmark(x: 0.5, y: 0.5, z: 0)
        let hand = HandLandmarks(
            points: [Landmark](repeating: point, count: 21), handedness: .left,
            handednessConfidence: 0.5, presence: 0.5, trackID: 0, pictureAspectRatio: 1)
        #expect(classifier.classify(hand).gesture == nil)
    }
}
