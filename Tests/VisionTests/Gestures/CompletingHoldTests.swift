import Reactions
import Testing
@testable import Vision

/// Selection of hands for careful detection, because their hold is about to complete.
@Suite struct CompletingHoldTests {
    private func frame(_ gesture: FrameGesture, tracks: [Int]) -> FrameObservation {
        FrameObservation(
            hands: [HandReading(gesture: gesture.handGesture, confidence: 1)],
            candidates: [
                GestureCandidate(
                    gesture: gesture, confidence: 1, origin: PicturePoint(x: 0.5, y: 0.5), tracks: tracks)
            ])
    }

    /// A machine that has seen a second of a gesture except its last tenth.
    private func almostHeld(
        _ gesture: FrameGesture = .thumbsUp, tracks: [Int] = [3],
        _ configuration: GestureStateMachine.Configuration = .init()
    ) -> GestureStateMachine {
        var machine = GestureStateMachine(configuration: configuration)
        for index in 0..<10 {
            _ = machine.advance(frame(gesture, tracks: tracks), at: Double(index) * 0.1)
        }
        return machine
    }

    @Test func onlyCompletingFramesRequestCarefulDetection() {
        let machine = almostHeld()
        #expect(machine.handsCompleting(at: 0.99).isEmpty)
        #expect(machine.handsCompleting(at: 1) == [3])
        #expect(almostHeld(.twoVictories, tracks: [1, 4]).handsCompleting(at: 1) == [1, 4])
    }

    /// A gesture in half of the frames cannot fire, and would request careful detection in every frame.
    @Test func rarelySeenHoldsRequestNone() {
        var machine = GestureStateMachine()
        for index in 0..<30 {
            let shows = frame(.thumbsUp, tracks: [3])
            _ = machine.advance(index % 2 == 0 ? shows : FrameObservation(), at: Double(index) * 0.1)
            #expect(machine.handsCompleting(at: Double(index + 1) * 0.1).isEmpty)
        }
    }

    @Test func holdsThatCannotFireRequestNone() {
        var configuration = GestureStateMachine.Configuration()
        configuration.disabled = [.thumbsUp]
        #expect(almostHeld(.thumbsUp, tracks: [3], configuration).handsCompleting(at: 1).isEmpty)

        var fired = almostHeld()
        _ = fired.advance(frame(.thumbsUp, tracks: [3]), at: 1)
        #expect(fired.handsCompleting(at: 1.1).isEmpty)
        // Lowered and shown again within the cooldown.
        for tenth in 11..<20 { _ = fired.advance(FrameObservation(), at: Double(tenth) / 10) }
        for tenth in 20..<32 { _ = fired.advance(frame(.thumbsUp, tracks: [3]), at: Double(tenth) / 10) }
        #expect(fired.handsCompleting(at: 3.2).isEmpty)
        #expect(fired.handsCompleting(at: 4) == [3])
    }

    @Test func unconfirmedHoldsFireWithTheNextConfirmedFrame() {
        var machine = almostHeld()
        #expect(machine.advance(FrameObservation(), at: 1).isEmpty)
        #expect(machine.handsCompleting(at: 1.1) == [3])
        #expect(machine.advance(frame(.thumbsUp, tracks: [3]), at: 1.1).count == 1)
    }
}
