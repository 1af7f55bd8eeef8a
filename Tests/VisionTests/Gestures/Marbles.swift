import Reactions
@testable import Vision

/// Draws a time line in text: each character is one analysed frame.
///
/// | character | the frame shows |
/// | --- | --- |
/// | `-` | nothing, no hand |
/// | `o` | one hand without gesture |
/// | `u` `d` `v` `h` | one thumb up, one thumb down, one victory, a lone horn |
/// | `U` `D` `V` `H` | both of them |
/// | `+` | a thumb up, and another hand without gesture |
/// | `♥` | a heart |
/// | `x` | a thumb up and another person's victory |
/// | `>` | nothing is analysed for this step: a gap |
struct Marbles {
    /// Seconds from one frame to the next.
    var step = 0.1
    /// The confidence of each gesture.
    var confidence = 0.8
    var configuration = GestureStateMachine.Configuration()

    /// The gestures that `line` fires, drawn below it: `.` for nothing, else the gesture's letter.
    func fired(_ line: String) -> String {
        var machine = GestureStateMachine(configuration: configuration)
        return String(
            line.enumerated().map { index, mark -> Character in
                guard mark != ">" else { return "." }
                let events = machine.advance(observation(mark), at: Double(index) * step)
                guard let event = events.first else { return "." }
                return events.count > 1 ? "2" : letter(event.gesture)
            })
    }

    /// The events that `line` makes.
    func events(_ line: String) -> [GestureEvent] {
        var machine = GestureStateMachine(configuration: configuration)
        return line.enumerated().flatMap { index, mark -> [GestureEvent] in
            guard mark != ">" else { return [] }
            return machine.advance(observation(mark), at: Double(index) * step)
        }
    }

    /// The holds of `line` that ended without firing.
    func unfired(_ line: String) -> [NearMiss] {
        var machine = GestureStateMachine(configuration: configuration)
        return line.enumerated().flatMap { index, mark -> [NearMiss] in
            guard mark != ">" else { return [] }
            _ = machine.advance(observation(mark), at: Double(index) * step)
            return machine.nearMisses
        }
    }

    /// The status after the last frame of `line`.
    func status(_ line: String) -> GestureStatus {
        var machine = GestureStateMachine(configuration: configuration)
        for (index, mark) in line.enumerated() where mark != ">" {
            _ = machine.advance(observation(mark), at: Double(index) * step)
        }
        return machine.status
    }

    func observation(_ mark: Character) -> FrameObservation {
        let none = HandReading(gesture: nil, confidence: 0, reason: "fist")
        func shows(_ gestures: FrameGesture..., hands: Int) -> FrameObservation {
            FrameObservation(
                hands: [HandReading](repeating: none, count: hands),
                candidates: gestures.map {
                    GestureCandidate(
                        gesture: $0, confidence: confidence, origin: PicturePoint(x: 0.5, y: 0.5))
                })
        }
        switch mark {
        case "-": return FrameObservation(reason: "no hand in view")
        case "o": return FrameObservation(hands: [none], reason: "fist")
        case "u": return shows(.thumbsUp, hands: 1)
        case "d": return shows(.thumbsDown, hands: 1)
        case "v": return shows(.victory, hands: 1)
        case "h": return FrameObservation(hands: [none], reason: "one hand only")
        case "U": return shows(.twoThumbsUp, hands: 2)
        case "D": return shows(.twoThumbsDown, hands: 2)
        case "V": return shows(.twoVictories, hands: 2)
        case "H": return shows(.twoHorns, hands: 2)
        case "+": return shows(.thumbsUp, hands: 2)
        case "♥": return shows(.heart, hands: 2)
        case "x": return shows(.thumbsUp, .victory, hands: 2)
        default: fatalError("no such marble: \(mark)")
        }
    }

    private func letter(_ gesture: FrameGesture) -> Character {
        switch gesture {
        case .thumbsUp: "u"
        case .thumbsDown: "d"
        case .victory: "v"
        case .heart: "♥"
        case .twoThumbsUp: "U"
        case .twoThumbsDown: "D"
        case .twoVictories: "V"
        case .twoHorns: "H"
        default: gesture.rawValue.first ?? "?"
        }
    }
}
