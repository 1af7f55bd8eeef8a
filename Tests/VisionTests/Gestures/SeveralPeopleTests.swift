import Reactions
import Testing
@testable import Vision

/// Draws several people: a string for each, one character a frame, in the marks of ``Marbles``. Each person has a
/// position and hands with numbers of their own.
private struct People {
    struct Person {
        var line: String
        /// The positions of the hands in the first and in the last frame.
        var from: Double
        var to: Double
        /// The numbers of the hand that makes the gesture, and of the other one.
        var tracks: [Int]
        /// The frame from which on the hands are larger, and farther apart, by a factor.
        var jump: Jump?

        struct Jump {
            var frame: Int
            var growth = 1.0
            var spread = 0.0
        }

        init(
            _ line: String, at from: Double, to: Double? = nil, tracks: [Int],
            jump: Jump? = nil
        ) {
            self.jump = jump
            self.line = line
            self.from = from
            self.to = to ?? from
            self.tracks = tracks
        }
    }

    var people: [Person]
    /// Alternates the more confident person from frame to frame, so that neither always leads.
    var alternates = false
    var step = 0.1

    /// The gestures that fire, `.` for nothing, in the machine's sequence of events.
    func fired() -> String {
        var machine = GestureStateMachine()
        let count = people.map(\.line.count).max() ?? 0
        return String(
            (0..<count).map { index in
                let events = machine.advance(observation(index, of: count), at: Double(index) * step)
                return events.first.map { letter($0.gesture) } ?? "."
            })
    }

    private func observation(_ index: Int, of count: Int) -> FrameObservation {
        var candidates: [GestureCandidate] = []
        var hands: [HandReading] = []
        for (number, person) in people.enumerated() {
            let line = Array(person.line)
            guard index < line.count, line[index] != "-" else { continue }
            let part = Double(index) / Double(max(1, count - 1))
            let shown = Marbles().observation(line[index])
            hands += shown.hands
            for var candidate in shown.candidates {
                candidate.origin.x = person.from + (person.to - person.from) * part
                let jump = person.jump.flatMap { index >= $0.frame ? $0 : nil }
                let size = jump?.growth ?? 1
                candidate.palmLength = PicturePoint(x: 0.05 * size, y: 0.1 * size)
                let reach = candidate.gesture.hands == 1 ? 0 : 0.1 + (jump?.spread ?? 0)
                candidate.spots = (reach == 0 ? [0] : [-reach, reach]).map { side in
                    HandSpot(
                        centre: PicturePoint(x: candidate.origin.x + side, y: candidate.origin.y),
                        palmLength: candidate.palmLength)
                }
                candidate.tracks = Array(person.tracks.prefix(candidate.gesture.hands))
                candidate.confidence = alternates && index % 2 == number ? 0.9 : 0.8
                candidates.append(candidate)
            }
        }
        let ordered = candidates.enumerated().sorted {
            ($1.element.confidence, $0.offset) < ($0.element.confidence, $1.offset)
        }.map(\.element)
        return FrameObservation(hands: hands, candidates: ordered)
    }

    private func letter(_ gesture: FrameGesture) -> Character {
        switch gesture {
        case .thumbsUp: "u"
        case .victory: "v"
        case .twoThumbsUp: "U"
        default: "?"
        }
    }
}

@Suite("Several people, and hands that leave")
struct SeveralPeopleTests {
    @Test("A thumb that another person takes over was not held")
    func takenOver() {
        let people = People(people: [
            .init("uuuuuu--------", at: 0.3, tracks: [0]),
            .init("------uuuuuuuu", at: 0.36, tracks: [1]),
        ])
        #expect(people.fired() == "..............")
    }

    @Test("A hand that was lost and found beside is the same")
    func renumbered() {
        let people = People(people: [
            .init("uuuuuu--------", at: 0.3, tracks: [0]),
            .init("------uuuuuuuu", at: 0.31, tracks: [1]),
        ])
        #expect(people.fired() == "..........u...")
    }

    @Test("Two people's thumbs do not disturb each other at any confidence")
    func bothAtOnce() {
        let people = People(
            people: [
                .init("uuuuuuuuuuuuuu", at: 0.2, tracks: [0]),
                .init("uuuuuuuuuuuuuu", at: 0.8, tracks: [1]),
            ], alternates: true)
        // Another hand is in view, so it waits a moment.
        #expect(people.fired() == "............u.")
    }

    @Test("One person's hold goes on when another person's thumb comes and goes")
    func passers() {
        let people = People(
            people: [
                .init("uuuuuuuuuuuuuu", at: 0.2, tracks: [0]),
                .init("---uuuu-------", at: 0.8, tracks: [1]),
            ], alternates: true)
        #expect(people.fired() == "..........u...")
    }

    @Test("A person who walks holds nothing; one who sways does")
    func walking() {
        let walks = People(people: [.init("uuuuuuuuuuuuuu", at: 0.1, to: 0.9, tracks: [0])])
        #expect(walks.fired() == "..............")
        let sways = People(people: [.init("uuuuuuuuuuuuuu", at: 0.3, to: 0.36, tracks: [0])])
        #expect(sways.fired() == "..........u...")
    }

    @Test("A hand that is suddenly larger is another one's, and so are two", arguments: ["u", "U"])
    func suddenlyLarger(mark: String) {
        let line = String(repeating: mark, count: 18)
        func fired(_ factor: Double, at frame: Int) -> String {
            People(people: [.init(line, at: 0.3, tracks: [0, 1], jump: .init(frame: frame, growth: factor))]).fired()
        }
        #expect(fired(1.4, at: 6) == "..........\(mark).......")
        #expect(fired(2, at: 6) == "................\(mark).")
        #expect(fired(0.5, at: 6) == "................\(mark).")
        #expect(fired(2, at: 9) == "..................")
    }

    @Test("Both hands that are suddenly elsewhere are others, though the middle between them is the same")
    func suddenlyElsewhere() {
        func fired(_ spread: Double) -> String {
            let line = String(repeating: "U", count: 18)
            return People(people: [.init(line, at: 0.4, tracks: [0, 1], jump: .init(frame: 6, spread: spread))]).fired()
        }
        #expect(fired(0.03) == "..........U.......")
        // A moving hand holds a little longer.
        #expect(fired(0.05) == "...........U......")
        #expect(fired(0.09) == "................U.")
    }

    @Test("Hands that cross keep their holds")
    func crossing() {
        let people = People(people: [
            .init("uuuuuuuuuuuuuu", at: 0.31, to: 0.36, tracks: [0]),
            .init("vvvvvvvvvvvvvv", at: 0.36, to: 0.31, tracks: [1]),
        ])
        #expect(people.fired() == "............u.")
    }

    @Test("Both thumbs of which one is often lost are still both")
    func flicker() {
        let events = Marbles().events("UUuUuuUUuUuuUUuUuu")
        #expect(events.map(\.gesture) == [.twoThumbsUp])
    }

    @Test("A hand that leaves the picture ends its hold; it does not resume where it comes back")
    func leaving() {
        #expect(Marbles().fired("uuuuuuu-----uuuuuuu") == "...................")
    }

    @Test("A hand that passes from one gesture to another fires neither too early")
    func passing() {
        #expect(Marbles().events("uuuuuuvvvvvvuuuuuuvvvvvv").isEmpty)
        #expect(Marbles().events("uuuuuuoovvvvvvvvvvvvv").map(\.gesture) == [.victory])
    }

    @Test(
        "A mirrored recording fires what the recording fires",
        arguments: HandGesture.allCases.map(SyntheticHand.making))
    func mirrored(pose: SyntheticHand) {
        let recognizer = GestureRecognizer()
        let left = pose.with { $0.place = (0.65, 0.5) }
        // A mirrored hand resembles the other one and is on the other side.
        let pair = recognizer.observe([left.landmarks, left.mirrored.landmarks])
        let mirror = recognizer.observe([left.mirrored.landmarks, left.landmarks])
        #expect(pair.gesture?.hands == 2)
        #expect(pair.gesture == mirror.gesture)
        #expect(
            recognizer.observe([left.landmarks]).gesture
                == recognizer.observe([left.mirrored.landmarks]).gesture)
    }
}
