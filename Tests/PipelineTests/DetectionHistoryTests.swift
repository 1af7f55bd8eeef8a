import MediaIO
@testable import Pipeline
import Raster
import Reactions
import Testing
@testable import Vision

/// A hand that is found late is searched for in earlier pictures.
@Suite struct DetectionHistoryTests {
    private let hand = Self.hand(7, x: 0.5)

    private static func hand(_ number: Int, x: Double) -> HandLandmarks {
        HandLandmarks(
            points: (0..<21).map { Landmark(x: x + 0.01 * Double($0 % 5), y: 0.5 + 0.01 * Double($0 / 5), z: 0) },
            handedness: .right, handednessConfidence: 1, presence: 1, trackID: number, pictureAspectRatio: 1)
    }

    /// The gestures that fire in a drawn time line of five detections a second: the start of the hold, and the time
    /// of the event.
    ///
    /// - Parameter line: `#` the detector sees a victory, `o` it is there and not seen, `f` a fist is seen, `-`
    ///   nothing is there. `=` the victory is seen as a fist, with another number; `/` a fist is seen elsewhere, and
    ///   the victory is not.
    private func fired(_ line: String, hold: Double = 1) throws -> [[Double]] {
        let pool = FramePool(), signs = Array(line)
        func observe(_ hands: [HandLandmarks], isFist: Bool) -> FrameObservation {
            if hands.isEmpty { return FrameObservation() }
            if isFist || hands.map(\.trackID) == [8] {
                return FrameObservation(hands: [HandReading(gesture: nil, confidence: 0)])
            }
            return FrameObservation(
                hands: [HandReading(gesture: .victory, confidence: 1)],
                candidates: [
                    GestureCandidate(
                        gesture: .victory, confidence: 1, origin: PicturePoint(x: 0.5, y: 0.5), tracks: [hand.trackID])
                ])
        }
        var recent = DetectionHistory(), configuration = GestureStateMachine.Configuration()
        configuration.hold = hold
        var machine = GestureStateMachine(configuration: configuration)
        var events: [[Double]] = []
        for (index, sign) in signs.enumerated() {
            let ticks = MediaTime(value: Int64(index), timeBase: Rational(1, 5)), time = ticks.seconds
            let frame = try VideoFrame(format: PictureFormat(width: 16, height: 16), time: ticks, pool: pool)
            let hands =
                switch sign {
                case "#", "f": [hand]
                case "=": [Self.hand(8, x: 0.51)]
                case "/": [Self.hand(8, x: 0.2)]
                default: [HandLandmarks]()
                }
            let recalled = recent.recall(hands, at: time, configuration: configuration) { frame, numbers in
                numbers == [hand.trackID] && "o=/".contains(signs[Int(frame.time.value)]) ? [hand] : []
            } observe: { hands, _ in
                observe(hands, isFist: sign == "f")
            }
            if let recalled { machine = recalled }
            let before = machine
            let new = machine.advance(observe(hands, isFist: sign == "f"), at: time)
            try recent.note(frame, at: time, hands: hands, before: before, hasFired: !new.isEmpty)
            events += new.map { [$0.heldSince, $0.time] }
        }
        return events
    }

    @Test func holdsStartWithTheUndetectedHand() throws {
        let seen = try fired("---########"), late = try fired("---oo######")
        #expect(seen.count == 1)
        #expect(late == seen)
    }

    @Test func lateHandsFireLate() throws {
        #expect(try fired("---oo-######") == fired("------######"))
        #expect(try fired("---oo-####").isEmpty)
    }

    @Test func handsDetectedAtTheEndFireAtOnce() throws {
        let events = try fired("-oooooo#")
        #expect(events.count == 1)
        #expect(events.first?.last == 1.4)
    }

    @Test func handsWithoutGestureAreNotSearched() throws {
        #expect(try fired("-ooof####").isEmpty)
    }

    @Test func misreadHandsWereNotMissed() throws {
        #expect(try fired("---==######") == fired("-----######"))
        #expect(try fired("---//######") == fired("---oo######"))
    }

    @Test func firedGesturesDoNotRepeat() throws {
        #expect(try fired("-#######oo####oo####").count == 1)
    }

    @Test func oldPicturesExpire() throws {
        // Six pictures are kept.
        #expect(try fired("ooooooooo#", hold: 1.5).isEmpty)
        #expect(try fired("ooooooooo###", hold: 1.5).count == 1)
    }
}
