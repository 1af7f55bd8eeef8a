import Reactions
import Testing
@testable import Vision

@Suite("Sensitivity")
struct GestureSensitivityTests {
    private func marbles(
        _ confidence: Double, _ general: Sensitivity, own: [FrameGesture: Sensitivity] = [:]
    ) -> Marbles {
        var marbles = Marbles(confidence: confidence)
        marbles.configuration.sensitivity = general
        marbles.configuration.sensitivities = own
        return marbles
    }

    /// A step above and a step below each threshold.
    @Test(arguments: Sensitivity.allCases)
    func holdsFireAboveTheThreshold(_ sensitivity: Sensitivity) {
        for (line, gesture) in [
            ("uuuuuuuuuuuuu", FrameGesture.thumbsUp), ("UUUUUUUUUUUUU", .twoThumbsUp), ("vvvvvvvvvvvvv", .victory),
            ("♥♥♥♥♥♥♥♥♥♥♥♥♥", .heart),
        ] {
            let minimum = sensitivity.minimumAgreement(of: gesture)
            #expect(marbles(minimum + 0.01, sensitivity).events(line).count == 1)
            #expect(marbles(minimum - 0.01, sensitivity).events(line).isEmpty)
        }
    }

    @Test(arguments: FrameGesture.allCases.filter { $0 != .heart })
    func higherSensitivityLowersTheThreshold(_ gesture: FrameGesture) {
        let asked = [Sensitivity.low, .normal, .high].map { $0.minimumAgreement(of: gesture) }
        #expect(asked == asked.sorted(by: >))
        #expect(GestureStateMachine.Configuration().minimumAgreement(of: gesture) == asked[1])
        // Below it no reading is a gesture.
        #expect(asked.allSatisfy { $0 > GestureClassifier.threshold })
    }

    /// Hands of people who talk are mostly misread as a thumb up.
    @Test func thumbsUpHasAHigherThreshold() {
        #expect(marbles(0.65, .normal).events("uuuuuuuuuuuuu").isEmpty)
        #expect(marbles(0.65, .normal).events("UUUUUUUUUUUUU").isEmpty)
        #expect(marbles(0.65, .normal).events("ddddddddddddd").count == 1)
        #expect(marbles(0.65, .normal).events("vvvvvvvvvvvvv").count == 1)
    }

    @Test func twoHandGesturesInheritTheSensitivityOfOneHand() {
        var rules = GestureStateMachine.Configuration()
        rules.sensitivities = [.thumbsUp: .high, .victory: .low, .twoVictories: .high, .twoThumbsDown: .low]
        func asked(_ gesture: FrameGesture) -> Sensitivity? {
            Sensitivity.allCases.first { $0.minimumAgreement(of: gesture) == rules.minimumAgreement(of: gesture) }
        }
        #expect(asked(.thumbsUp) == .high && asked(.twoThumbsUp) == .high)
        #expect(asked(.victory) == .low && asked(.twoVictories) == .high)
        #expect(asked(.thumbsDown) == .normal && asked(.twoThumbsDown) == .low)
        #expect(asked(.twoHorns) == .normal && asked(.heart) == .normal)
    }

    @Test func sensitivitiesAreIndependent() {
        let marbles = marbles(0.58, .normal, own: [.thumbsUp: .high])
        #expect(marbles.fired("uuuuuuuuuuuuuvvvvvvvvvvvvv").filter { $0 != "." } == "u")
        #expect(marbles.fired("UUUUUUUUUUUUU").filter { $0 != "." } == "U")
    }

    /// No picture judge covers learned gestures: they fire wherever they are seen, unless careful detection is
    /// requested.
    @Test func learnedGesturesNeedNoThreshold() {
        let gesture = FrameGesture.learned(.three, hands: 1)
        func fires(_ confidence: Double, _ general: Sensitivity?, own: Sensitivity? = nil) -> Bool {
            var rules = GestureStateMachine.Configuration()
            rules.learned = [gesture]
            if let general { rules.sensitivity = general }
            rules.sensitivities = own.map { [gesture: $0] } ?? [:]
            var machine = GestureStateMachine(configuration: rules)
            let place = PicturePoint(x: 0.5, y: 0.5)
            return (0..<20).contains { index in
                // One frame in five misses it.
                let seen = GestureCandidate(gesture: gesture, confidence: confidence, origin: place)
                let frame = FrameObservation(candidates: index % 5 == 3 ? [] : [seen])
                return !machine.advance(frame, at: Double(index) * 0.1).isEmpty
            }
        }
        #expect(fires(0.5, nil) && fires(0.5, .normal) && fires(0.5, .high))
        #expect(!fires(0.5, .low) && fires(0.7, .low))
        #expect(fires(0.5, .low, own: .normal) && !fires(0.5, .normal, own: .low))
    }

    @Test func theStatusReportsLowConfidence() {
        let frames = "--uuuuuuuuuuuu"
        #expect(
            Marbles(confidence: 0.62).status(frames).description
                == "held 1.2 of 1.0 s, but the confidence was too low: 0.62 of 0.70")
        // Values just below the threshold are never rounded up to it.
        #expect(Marbles(confidence: 0.6999).status(frames).description.hasSuffix("0.69 of 0.70"))
        #expect(Marbles(confidence: 0.62).status("--uuuuu").description == "held 0.5 of 1.0 s")
    }

    /// The detections of the hold were confident, the careful one at its end is not.
    @Test func theStatusReportsAFailedConfirmation() {
        var machine = GestureStateMachine()
        for index in 0..<11 {
            let marbles = Marbles(confidence: index == 10 ? 0.6 : 0.9)
            _ = machine.advance(marbles.observation("u"), at: Double(index) * 0.1)
        }
        #expect(machine.status.description == "held 1.0 of 1.0 s, but the confidence was too low: 0.60 of 0.70")
    }
}
