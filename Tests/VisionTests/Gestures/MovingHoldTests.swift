import Foundation
import Reactions
import Testing
@testable import Vision

/// A hand whose place is drawn over time, in palm lengths to the right and down from its first place.
private struct DrawnHand {
    var gesture = FrameGesture.thumbsUp
    var rate = 10.0
    var confidence: (Double) -> Double = { _ in 0.95 }
    var track: (Double) -> Int = { _ in 1 }
    var place: (Double) -> (x: Double, y: Double)

    private func candidate(at time: Double) -> GestureCandidate {
        let palm = PicturePoint(x: 0.05, y: 0.08)
        let (x, y) = place(time)
        let origin = PicturePoint(x: 0.5 + x * palm.x, y: 0.5 + y * palm.y)
        let sides = gesture.hands == 1 ? [0.0] : [-0.1, 0.1]
        let spots = sides.map { HandSpot(centre: PicturePoint(x: origin.x + $0, y: origin.y), palmLength: palm) }
        let first = track(time)
        return GestureCandidate(
            gesture: gesture, confidence: confidence(time), origin: origin, palmLength: palm,
            tracks: gesture.hands == 1 ? [first] : [first, first + 100], spots: spots)
    }

    /// The events until a time, in seconds.
    func events(until end: Double) -> [GestureEvent] {
        var machine = GestureStateMachine()
        return stride(from: 0, through: end + 1e-9, by: 1 / rate).flatMap { time in
            let hand = HandReading(gesture: nil, confidence: 0)
            return machine.advance(
                FrameObservation(
                    hands: [HandReading](repeating: hand, count: gesture.hands),
                    candidates: [candidate(at: time)]),
                at: time)
        }
    }

    /// The times of the events until a time, in tenths of a second.
    func fires(until end: Double) -> [Int] { events(until: end).map { Int(($0.time * 10).rounded()) } }
}

/// Returns a swing up and down.
private func pump(by amplitude: Double, every period: Double) -> (Double) -> (x: Double, y: Double) {
    { time in (0, amplitude / 2 * (1 - cos(2 * .pi * time / period))) }
}

@Suite("Holds of hands that move")
struct MovingHoldTests {
    @Test func pumpedThumbsFireAfterMoreTimeTheFartherTheyMove() {
        let delays = stride(from: 0.0, through: 3, by: 0.25).map { amplitude in
            DrawnHand(rate: 20, place: pump(by: amplitude, every: 1)).events(until: 2).first?.time ?? .infinity
        }
        #expect(delays.first == 1)
        #expect(delays == delays.sorted())
        #expect(delays.allSatisfy { $0 <= 1.35 })
        // No step of the amplitude makes a jump of the delay.
        #expect(zip(delays, delays.dropFirst()).allSatisfy { $1 - $0 <= 0.15 })
        // Each hold fires once.
        #expect(DrawnHand(place: pump(by: 2, every: 0.8)).fires(until: 6).count == 1)
    }

    @Test func bothHandsMayMove() {
        for gesture in [FrameGesture.twoThumbsUp, .twoThumbsDown, .twoVictories, .twoHorns] {
            let events = DrawnHand(gesture: gesture, place: pump(by: 2, every: 1)).events(until: 2)
            #expect(events.map(\.gesture) == [gesture])
        }
    }

    @Test func driftingHandsFireWithinTheLimit() {
        #expect(DrawnHand { (0.5 * $0, 0) }.fires(until: 2) == [10])
        #expect(DrawnHand { (2 * $0, 0) }.fires(until: 2) == [13])
        #expect(DrawnHand { (6 * $0, 0) }.fires(until: 4).isEmpty)
    }

    /// Shaking is sudden: each step is longer than a hand moves that shows a gesture.
    @Test func shakenHandsDoNotFire() {
        #expect(DrawnHand { (Int(($0 * 10).rounded()) % 2 == 0 ? 0 : 2, 0) }.fires(until: 4).isEmpty)
        #expect(DrawnHand { (Int(($0 * 10).rounded()) % 2 == 0 ? 0 : 0.5, 0) }.fires(until: 2) == [10])
    }

    @Test func movingHoldsNeedMoreEvidence() {
        func moving(_ confidence: Double) -> [Int] {
            DrawnHand(confidence: { _ in confidence }, place: pump(by: 2.5, every: 1)).fires(until: 1.9)
        }
        #expect(moving(0.95) == [13])
        #expect(moving(0.75).isEmpty)
        // The same hand at rest fires.
        #expect(DrawnHand(confidence: { _ in 0.75 }, place: { _ in (0, 0) }).fires(until: 2) == [10])
    }

    /// From the moment at which a hand rests, nothing but the time since then counts.
    @Test func handsThatComeToRestFireAsIfTheyHadNotMoved() {
        let raised = DrawnHand(confidence: { _ in 0.75 }) { time in (0, time < 0.6 ? -4 * time : -2.4) }
        let fired = raised.events(until: 3)
        #expect(fired.count == 1)
        #expect(fired.allSatisfy { (1.2...1.7).contains($0.time) && $0.heldSince > 0.1 })
    }

    @Test func anotherHandBeginsAnotherHold() {
        // Another person's thumb, two palm lengths away, takes over.
        let handover = DrawnHand(track: { $0 < 0.7 ? 1 : 2 }) { ($0 < 0.7 ? 0 : 2, 0) }
        #expect(handover.fires(until: 1.6).isEmpty)
        // A hand that is lost in a swing is found again where it was, under another number.
        let lost = DrawnHand(track: { $0 < 0.7 ? 1 : 2 }, place: pump(by: 1.5, every: 2))
        #expect(lost.fires(until: 2).count == 1)
    }

    /// Hands of two people that cross keep their holds, and none of them takes the other's time.
    @Test func crossingHandsHoldIndependently() {
        var machine = GestureStateMachine()
        let palm = PicturePoint(x: 0.05, y: 0.08)
        var events: [GestureEvent] = []
        for index in 0..<16 {
            let time = Double(index) / 10
            let hands = [(FrameGesture.thumbsUp, 1, time), (.victory, 2, 1.5 - time)].map { gesture, track, way in
                let origin = PicturePoint(x: 0.4 + 0.1 * way, y: 0.5)
                return GestureCandidate(
                    gesture: gesture, confidence: 0.95, origin: origin, palmLength: palm, tracks: [track],
                    spots: [HandSpot(centre: origin, palmLength: palm)])
            }
            events += machine.advance(FrameObservation(candidates: hands), at: time)
        }
        #expect(Set(events.map(\.gesture)) == [.thumbsUp, .victory])
        #expect(events.allSatisfy { $0.time >= 1.2 })
    }

    /// After a cut, a hand of another size or far away is another one.
    @Test func cutsBeginAnotherHold() {
        let cut = DrawnHand(track: { $0 < 0.8 ? 1 : 2 }) { ($0 < 0.8 ? 0 : 5, 0) }
        #expect(cut.fires(until: 1.7).isEmpty)
        #expect(cut.fires(until: 2.5) == [18])
    }

    /// The analyses of the past, replayed with a hand that was found late, count like others, and complete nothing.
    @Test func replayedFramesCompleteNoHoldAndKeepIt() {
        var machine = GestureStateMachine()
        let thumb = Marbles(confidence: 0.95).observation("u")
        for index in 0..<15 {
            #expect(machine.advance(thumb, at: Double(index) / 10, mayFire: false).isEmpty)
            #expect(machine.nearMisses.isEmpty)
            #expect(machine.status.gesture == .thumbsUp)
        }
        #expect(machine.advance(thumb, at: 1.5).map(\.gesture) == [.thumbsUp])
    }
}
