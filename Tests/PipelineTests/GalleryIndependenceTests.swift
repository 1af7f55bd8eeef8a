import Raster
import Reactions
import TestSupport
import Testing
@testable import Vision

@testable import Pipeline

/// A gesture's delay is that of the person alone, whatever the other people of a gallery do.
///
/// The people and their gestures are drawn at random. The schedules, the intervals and the holds are those of a
/// recording; the detector is a table of the pictures in which it sees a hand.
@Suite("People in a gallery") struct GalleryIndependenceTests {
    private static let rate = 30.0, frames = 600, places = 9

    /// The detections in the pictures of one tile.
    private struct Person {
        var states: [AnalysisSchedule.DetectionState]
        var changes: [SceneChangeDetector.Change]

        /// Draws gestures of 0.5 to 3 s, with a hand around each of them. The detector misses the hand in a few pictures.
        init(_ random: inout SeededGenerator, gestures: ClosedRange<Int>) {
            states = [AnalysisSchedule.DetectionState](repeating: .nothing, count: frames)
            let kinds: [SceneChangeDetector.Change] = [.none, .none, .usual, .moving, .arrival]
            changes = states.map { _ in kinds.randomElement(using: &random)! }
            for _ in 0..<Int.random(in: gestures, using: &random) {
                let start = Int.random(in: 0..<frames, using: &random)
                let length = Int.random(in: 15...90, using: &random)
                for frame in max(0, start - 15)..<min(frames, start + length + 15) where states[frame] != .gesture {
                    states[frame] = (start..<start + length).contains(frame) ? .gesture : .hands
                }
            }
            for frame in states.indices where Int.random(in: 0..<8, using: &random) == 0 { states[frame] = .nothing }
        }
    }

    private func time(_ frame: Int) -> Double { Double(frame) / Self.rate }

    private func tile(_ index: Int) -> Rectangle {
        let (x, y) = (Double(index % 3) / 3, Double(index / 3) / 3)
        return Rectangle(left: x, top: y, right: x + 1.0 / 3, bottom: y + 1.0 / 3)
    }

    /// The part of the picture that stands for a person: the tile, or the hand while the tiles are not known yet.
    private func area(_ index: Int, at time: Double) -> Rectangle {
        var area = tile(index)
        guard time.truncatingRemainder(dividingBy: 7) < 0.6 else { return area }
        area.left += 0.05
        area.top += 0.2
        area.right = area.left + 0.1
        area.bottom = area.top + 0.15
        return area
    }

    /// Scans the people of some tiles, each with a schedule of its own.
    private func scan(_ people: [Int: Person]) -> CandidateIntervals {
        var found = CandidateIntervals()
        for (index, person) in people {
            var schedule = AnalysisSchedule(purpose: .scanning)
            for frame in 0..<Self.frames where schedule.isDue(at: time(frame)) {
                let time = time(frame), state = person.states[frame], change = person.changes[frame]
                if schedule.isCalm(at: time), !schedule.recordCheck(at: time, change: change) { continue }
                schedule.recordAnalysis(at: time, state: state)
                guard state == .gesture else { continue }
                let hand = HandRegion(centreX: Double(index), centreY: 0, side: 10, rotation: 0)
                found.add(time, places: [hand], in: area(index, at: time))
            }
        }
        return found
    }

    /// The frames of a person that are analysed closely, the times at which the gesture fires, and the hands expected.
    private struct Outcome: Equatable {
        var frames: [Int] = []
        var fired: [Double] = []
        var expected: [[HandRegion]] = []
    }

    private func analysed(_ person: Person, in intervals: CandidateIntervals) -> Outcome {
        var schedule = AnalysisSchedule(purpose: .closeAnalysis, intervals: intervals)
        var machine = GestureStateMachine()
        var outcome = Outcome()
        for frame in 0..<Self.frames where schedule.isDue(at: time(frame)) {
            let time = time(frame), state = person.states[frame]
            var observation = FrameObservation()
            if state == .hands { observation = FrameObservation(hands: [HandReading(gesture: nil, confidence: 0)]) }
            if state == .gesture {
                observation = FrameObservation(
                    hands: [HandReading(gesture: .victory, confidence: 1)],
                    candidates: [
                        GestureCandidate(
                            gesture: .victory, confidence: 1, origin: PicturePoint(x: 0.5, y: 0.5), tracks: [1])
                    ])
            }
            outcome.frames.append(frame)
            outcome.expected.append(intervals.places(at: time))
            outcome.fired += machine.advance(observation, at: time).map(\.time)
            schedule.recordAnalysis(at: time, state: state, nextDue: machine.nextCompletion)
        }
        return outcome
    }

    @Test("A person's pictures, holds and expected hands are those of the person alone")
    func othersDoNotMatter() throws {
        var random = SeededGenerator(seed: 17)
        var fired = 0, shared = 0
        for _ in 0..<40 {
            let index = Int.random(in: 0..<Self.places, using: &random)
            let person = Person(&random, gestures: 1...3)
            let alone = analysed(person, in: scan([index: person]).within(tile(index), origin: (0, 0)))
            var people = [index: person]
            for other in 0..<Self.places where other != index {
                people[other] = Person(&random, gestures: 0...3)
            }
            let all = scan(people)
            #expect(analysed(person, in: all.within(tile(index), origin: (0, 0))) == alone)
            fired += alone.fired.count
            shared += analysed(person, in: all).frames == alone.frames ? 0 : 1
        }
        // The draws make gestures fire, and would show that intervals are shared.
        #expect(fired >= 20 && shared >= 20, "\(fired) gestures, \(shared) draws")
    }
}
