import Reactions
import Testing
@testable import Vision

/// A time line and, below it, the gestures that fire: one character a frame.
struct TimeLine: CustomTestStringConvertible, Sendable {
    var name: String
    var frames: String
    var fires: String
    var step: Double

    init(_ name: String, _ frames: String, _ fires: String, step: Double = 0.1) {
        self.name = name
        self.frames = frames
        self.fires = fires
        self.step = step
    }

    var testDescription: String { name }

    static let holds = [
        TimeLine(
            "fires once the gesture was held for a second",
            "--uuuuuuuuuuuu--",
            "............u..."),
        TimeLine(
            "does not fire when the gesture is too short",
            "--uuuuuuuuuu----",
            "................"),
        TimeLine(
            "a hand without gesture never fires",
            "oooooooooooooooo",
            "................"),
        TimeLine(
            "a lone sign of the horns never fires",
            "hhhhhhhhhhhhhhhh",
            "................"),
        TimeLine("a thumb down", "dddddddddddd", "..........d."),
        TimeLine("a victory", "vvvvvvvvvvvv", "..........v."),
        TimeLine("a heart", "♥♥♥♥♥♥♥♥♥♥♥♥", "..........♥."),
        TimeLine("both signs of the horns", "HHHHHHHHHHHH", "..........H."),
        TimeLine("both thumbs down", "DDDDDDDDDDDD", "..........D."),
        TimeLine("both victories", "VVVVVVVVVVVV", "..........V."),
        TimeLine(
            "one gesture after another needs a hold of its own",
            "uuuuuuvvvvvvvvvvvvvv",
            "................v..."),
        TimeLine("at 5 frames a second", "--uuuuuuu--", ".......u...", step: 0.2),
        TimeLine(
            "at 30 frames a second",
            "uuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuu",
            "..............................u...", step: 1.0 / 30),
    ]

    static let misses = [
        TimeLine(
            "one missed frame does not break a hold",
            "uuuuu-uuuuuu",
            "..........u."),
        TimeLine(
            "one misread frame does not break a hold",
            "uuuuuvuuuuuu",
            "..........u."),
        TimeLine(
            "one lost hand does not break a hold at 4 frames a second",
            "uu-uuu",
            "....u.", step: 0.25),
        TimeLine(
            "three missed frames do",
            "uuuuu---uuuuuuuuuuuu",
            "..................u."),
        TimeLine(
            "three missed frames at 15 a second do not",
            "uuuuuuuu---uuuuuuuu",
            "...............u...", step: 1.0 / 15),
        TimeLine(
            "two missed frames at 4 a second do",
            "uuu--uuuuuu",
            ".........u.", step: 0.25),
        TimeLine(
            "a gesture seen in half of the frames is not held",
            "u--u-u-u--u-u--u-u-u--u-",
            "........................"),
        TimeLine(
            "it never fires in a frame that does not show the gesture",
            "uuuuuuuuuu-uuu",
            "...........u.."),
    ]

    static let secondHand = [
        TimeLine(
            "two thumbs raised slightly apart fire as two",
            "--uuUUUUUUUUUUUU-",
            "............U...."),
        TimeLine(
            "a thumb that joins just before the end: the first one counts for half",
            "uuuuuuuuuUUUUUUUUU",
            "..............U..."),
        TimeLine(
            "a second hand in view makes the first one wait a moment",
            "++++++++++++++",
            "............u."),
        TimeLine(
            "the second thumb joins while the first one waits",
            "+++++++++++UUUUUUUU",
            "................U.."),
        TimeLine(
            "two thumbs lowered unevenly fire nothing",
            "UUUUUUUUUuuuuu----",
            ".................."),
        TimeLine(
            "after two thumbs the one that stays fires nothing",
            "UUUUUUUUUUUUuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuu",
            "..........U........................................."),
        TimeLine(
            "a second thumb lost for a frame is still two",
            "UUUUUuUUUUUUU",
            "..........U.."),
        TimeLine(
            "a second thumb seen by mistake in one frame costs nothing",
            "uuuuuUuuuuuuu",
            "..........u.."),
        TimeLine(
            "a second thumb raised after the first one fired is a gesture of its own",
            "uuuuuuuuuuuuUUUUUUUUUUUUU",
            "..........u...........U.."),
        TimeLine(
            "a thumb whose partner is lowered early has to be held anew",
            "UUUUUuuuuuuuuuuuuu",
            "..............u..."),
    ]
}

@Suite("Hold, second hand, release, cooldown")
struct GestureStateMachineTests {
    @Test("Holds", arguments: TimeLine.holds)
    func hold(_ line: TimeLine) {
        #expect(Marbles(step: line.step).fired(line.frames) == line.fires)
    }

    @Test("Missed frames", arguments: TimeLine.misses)
    func miss(_ line: TimeLine) {
        // Frames without the gesture count against a hold, so that the others must be surer.
        #expect(Marbles(step: line.step, confidence: 0.95).fired(line.frames) == line.fires)
    }

    @Test("The second hand", arguments: TimeLine.secondHand)
    func secondHand(_ line: TimeLine) {
        #expect(Marbles(step: line.step).fired(line.frames) == line.fires)
    }

    @Test("A very short hold still gives the second hand its moment")
    func shortHold() {
        var marbles = Marbles(step: 0.05)
        marbles.configuration.hold = 0.1
        #expect(marbles.fired("uuuUUUUU") == "....U...")
        #expect(marbles.fired("uuuuuuuu") == ".....u..")
    }

    @Test("With a hold of zero two hands fire at once, one after the wait")
    func noHold() {
        var marbles = Marbles()
        marbles.configuration.hold = 0
        #expect(marbles.fired("-UUU") == ".U..")
        #expect(marbles.fired("-uuu") == "...u")
    }

    @Test("A thumb held for twenty seconds fires once, even if lost now and then")
    func longHold() {
        let line = String(repeating: "uuuuuuuuuuuuuuu---", count: 11)
        #expect(Marbles().events(line).count == 1)
    }

    @Test("After a release the same gesture fires again")
    func release() {
        let pause = String(repeating: "-", count: 39)
        #expect(Marbles().events("uuuuuuuuuuu" + pause + "uuuuuuuuuuu").count == 2)
    }

    @Test("A gesture that returns counts as released without a frame just before")
    func releaseBetweenFrames() {
        // Seen until 1.2 s, and again from 2.1 s on; analysed at 1.5 and 1.8 s.
        var marbles = Marbles(step: 0.3)
        marbles.configuration.cooldown = 0
        #expect(marbles.events("uuuuu--uuuuu").count == 2)
        // A hand that is missing in one analysed frame is not lowered.
        #expect(marbles.events("uuuuu-uuuuu").count == 1)
    }

    @Test("A hold that completes during the cooldown fires when that ends")
    func cooldown() throws {
        let line = "uuuuuuuuuuu" + "---------" + String(repeating: "u", count: 25)
        let events = Marbles().events(line)
        try #require(events.count == 2)
        #expect(abs(events[1].time - 4.0) < 1e-6)
        #expect(abs(events[1].heldSince - 1.95) < 1e-6)
    }

    @Test("Each gesture has a cooldown of its own")
    func cooldowns() {
        var marbles = Marbles()
        marbles.configuration.cooldowns[.thumbsUp] = 0
        #expect(marbles.events("uuuuuuuuuuu---------uuuuuuuuuuuu").count == 2)
        #expect(
            Marbles().events("uuuuuuuuuuuvvvvvvvvvvvv").map(\.gesture)
                == [.thumbsUp, .victory])
    }

    @Test("A disabled gesture never fires, and two of a hand do not mean one")
    func disabled() {
        var marbles = Marbles()
        marbles.configuration.disabled = [.twoThumbsUp]
        #expect(marbles.events("UUUUUUUUUUUUUUUUUUUU").isEmpty)
        #expect(marbles.events("uuuuuuuuuuuuuuuuuuuu").count == 1)
        #expect(marbles.status("UUU").description == "disabled")
    }

    @Test("Two people's gestures are held independently")
    func twoPeople() {
        #expect(Marbles().fired("uuuuuxxxxxxxxxxxxxx") == "............u...v..")
    }

    @Test("A gap of more than two seconds breaks a hold")
    func gap() {
        let gap = String(repeating: ">", count: 22)
        #expect(Marbles().events("uuuuuuu" + gap + "uuuuu").isEmpty)
        #expect(Marbles(step: 1).fired("-uuu") == "..u.", "at one frame a second it is a hold")
    }

    @Test("A step back in time resets the machine")
    func stepBack() {
        var machine = GestureStateMachine()
        let thumb = Marbles().observation("u")
        for index in 0..<9 { _ = machine.advance(thumb, at: 100 + Double(index) * 0.1) }
        let again = (0..<11).flatMap { machine.advance(thumb, at: Double($0) * 0.1) }
        #expect(again.count == 1)
    }

    @Test("A hand that moves on does not hold; one that trembles does")
    func stillness() {
        func fires(speed: Double) -> Bool {
            var machine = GestureStateMachine()
            return (0..<12).contains { index in
                let moved = speed * Double(index) * 0.1
                let thumb = GestureCandidate(
                    gesture: .thumbsUp, confidence: 1, origin: PicturePoint(x: 0.5, y: 0.9 - moved),
                    palmLength: PicturePoint(x: 0.05, y: 0.1))
                let frame = FrameObservation(
                    hands: [HandReading(gesture: .thumbsUp, confidence: 1)], candidates: [thumb])
                return !machine.advance(frame, at: Double(index) * 0.1).isEmpty
            }
        }
        #expect(fires(speed: 0))
        #expect(fires(speed: 0.07))
        #expect(!fires(speed: 0.2))
    }

    @Test("At irregular intervals the time counts, not the frames")
    func irregular() {
        var machine = GestureStateMachine()
        let thumb = Marbles().observation("u")
        let times = [0.0, 0.25, 0.31, 0.4, 0.7, 0.72, 0.95, 1.08, 1.3]
        let fired = times.filter { !machine.advance(thumb, at: $0).isEmpty }
        #expect(fired == [1.08])
    }

    @Test(
        "The latency from the first detection to the event is the hold and 0.2 s at most",
        arguments: [12.0, 15, 25, 30])
    func latency(rate: Double) throws {
        for mark in ["u", "+"] {
            let line = String(repeating: mark, count: 60)
            let event = try #require(Marbles(step: 1 / rate).events(line).first)
            #expect(event.time - event.heldSince <= 1.2)
        }
    }

    @Test("A hold counts from halfway between the last frame without and the first with it")
    func backdated() throws {
        func start(step: Double) throws -> Double {
            try #require(Marbles(step: step).events("--" + String(repeating: "u", count: 40)).first)
                .heldSince
        }
        #expect(abs(try start(step: 0.2) - 0.3) < 1e-9)
        #expect(abs(try start(step: 0.08) - 0.12) < 1e-9)
        // …but no more than an eighth of the hold before it.
        #expect(abs(try start(step: 0.5) - 0.875) < 1e-9)
        #expect(try #require(Marbles().events("uuuuuuuuuuuu").first).heldSince == 0)
    }

    @Test("The machine predicts the next completion")
    func nextCompletion() throws {
        var machine = GestureStateMachine()
        let marbles = Marbles()
        _ = machine.advance(marbles.observation("o"), at: 0.9)
        #expect(machine.nextCompletion == nil)
        _ = machine.advance(marbles.observation("u"), at: 1)
        #expect(abs(try #require(machine.nextCompletion) - 1.95) < 1e-9)
        _ = machine.advance(marbles.observation("+"), at: 1.96)
        #expect(abs(try #require(machine.nextCompletion) - 2.07) < 1e-9)
        machine.configuration.disabled = [.thumbsUp]
        #expect(machine.nextCompletion == nil)
    }

    @Test("The event has the gesture, place, confidence and start")
    func event() throws {
        let event = try #require(Marbles().events("--UUUUUUUUUUUU").first)
        #expect(event.gesture == .twoThumbsUp)
        #expect(event.hands == 2)
        #expect(event.origin == PicturePoint(x: 0.5, y: 0.5))
        #expect(abs(event.confidence - 0.8) < 1e-9)
        #expect(abs(event.heldSince - 0.15) < 1e-9)
        #expect(abs(event.time - 1.2) < 1e-9)
    }

    @Test("The same input gives the same result")
    func repeatable() {
        let line = "--uuUUUUU-UUUUUUooo----vvvvvvvvvvvvxxxxxxx♥♥♥♥♥♥♥♥♥♥♥♥♥"
        #expect(Marbles().events(line) == Marbles().events(line))
    }

    @Test(
        "The status explains the state",
        arguments: [
            ("--", "no gesture"),
            ("uuuuuuu", "held 0.6 of 1.0 s"),
            ("++++++++++++", "waiting for the second hand"),
            ("uuuuuuuuuuu", "fired"),
            ("uuuuuuuuuuuu", "already triggered; lower the hand to repeat it"),
            ("uuuuuuuuuuu---------uuuuuuuuuuuuu", "cooldown 0.8 s"),
        ])
    func status(line: String, expected: String) {
        #expect(Marbles().status(line).description == expected)
    }

    @Test("The status reports a moving hand")
    func movingHand() {
        /// The status of the hold of a thumb that moves `moves` times, 0.5 s at each place.
        func status(moves: Int, tracks: (Int) -> [Int] = { _ in [1] }) -> String {
            var machine = GestureStateMachine()
            for index in 0..<5 * (moves + 1) {
                let thumb = GestureCandidate(
                    gesture: .thumbsUp, confidence: 1, origin: PicturePoint(x: 0.5, y: index / 5 % 2 == 0 ? 0.2 : 0.6),
                    palmLength: PicturePoint(x: 0.05, y: 0.1), tracks: tracks(index))
                _ = machine.advance(FrameObservation(candidates: [thumb]), at: Double(index) / 10)
            }
            return machine.status.description
        }
        #expect(status(moves: 0) == "held 0.4 of 1.0 s")
        #expect(status(moves: 1) == "held 0.4 of 1.0 s since the hand moved")
        #expect(status(moves: 3) == "held 0.4 of 1.0 s; the hand keeps moving")
        // Other people's hands, one after the other.
        #expect(status(moves: 3) { [$0 / 5] } == "held 0.4 of 1.0 s")
    }
}
