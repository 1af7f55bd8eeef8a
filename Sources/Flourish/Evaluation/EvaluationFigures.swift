import FoundationEssentials
package import Uncertainty

/// The counts and rates of an evaluation. They name no recording, and can be passed on.
package struct EvaluationFigures: Encodable, Sendable {
    /// The counts of one gesture.
    package struct GestureCount: Encodable, Sendable, Hashable {
        package var fired = 0
        package var meant = 0
        package var unmeant = 0
        package var unjudged: Int { fired - meant - unmeant }

        private enum Key: String, CodingKey { case fired, meant, unmeant = "false", unjudged = "notJudged" }

        package func encode(to encoder: any Encoder) throws {
            var fields = encoder.container(keyedBy: Key.self)
            try fields.encode(fired, forKey: .fired)
            try fields.encode(meant, forKey: .meant)
            try fields.encode(unmeant, forKey: .unmeant)
            try fields.encode(unjudged, forKey: .unjudged)
        }
    }

    package let version = FlourishVersion.number
    /// The hold and the sensitivity with which the gestures fired.
    package let hold: Double
    package let sensitivity: String
    package let recordings: Int
    package let damaged: Int
    package let failed: Int
    package let hours: Double
    /// All gestures that fired.
    package let fired: EventRate
    package let meant: Int
    /// Those that were not meant. While some are not judged, there may be more.
    package let unmeant: EventRate
    package let unjudged: Int
    package let gestures: [String: GestureCount]

    package init(_ evaluation: Evaluation, _ answers: TriggerAnswers, _ configuration: Configuration) {
        hold = configuration.hold
        sensitivity = configuration.sensitivity.rawValue
        (recordings, damaged, failed) = (evaluation.recordings, evaluation.damaged, evaluation.failed)
        hours = (evaluation.hours * 1e5).rounded() / 1e5
        var gestures: [String: GestureCount] = [:]
        for trigger in evaluation.triggers {
            gestures[trigger.gesture, default: GestureCount()].fired += 1
            switch answers[trigger] {
            case true?: gestures[trigger.gesture]?.meant += 1
            case false?: gestures[trigger.gesture]?.unmeant += 1
            case nil: break
            }
        }
        self.gestures = gestures
        meant = gestures.values.reduce(0) { $0 + $1.meant }
        unjudged = gestures.values.reduce(0) { $0 + $1.unjudged }
        fired = EventRate(events: evaluation.triggers.count, hours: evaluation.hours)
        unmeant = EventRate(events: gestures.values.reduce(0) { $0 + $1.unmeant }, hours: evaluation.hours)
    }

    private enum CodingKeys: String, CodingKey {
        case version, hold, sensitivity, recordings, damaged, failed, hours, fired, meant, unmeant = "false"
        case unjudged = "notJudged", gestures
    }

    /// The figures as JSON, with a newline at the end.
    package var json: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
        }
    }

    /// The figures as lines of text.
    package var text: String {
        var notes: [String] = []
        if damaged > 0 { notes.append("\(damaged) damaged") }
        if failed > 0 { notes.append("\(failed) failed, not counted") }
        let isJudged = unjudged < fired.events
        // With triggers that are not judged, there may be more false ones.
        let least = unjudged > 0 ? "at least " : ""
        var rows: [(String, String, String)] = [
            ("recordings", "\(recordings)", notes.joined(separator: ", ")), ("hours", fired.hoursText, ""),
            ("fired", "\(fired.events)", hours > 0 ? "\(fired.text) an hour" : ""),
        ]
        if isJudged {
            rows.append(("meant", "\(meant)", ""))
            rows.append(("false", "\(unmeant.events)", "\(least)\(unmeant.text) an hour"))
        }
        if unjudged > 0 { rows.append(("not judged", "\(unjudged)", "--review shows each")) }
        for (name, count) in gestures.sorted(by: { $0.key < $1.key }) {
            rows.append(
                ("  " + name, "\(count.fired)", isJudged ? "\(count.meant) meant, \(count.unmeant) false" : ""))
        }
        let width = rows.map(\.0.count).max() ?? 0, figures = rows.map(\.1.count).max() ?? 0
        let lines = rows.map { row in
            let gap = String(repeating: " ", count: width - row.0.count + 2 + figures - row.1.count)
            return row.0 + gap + row.1 + (row.2.isEmpty ? "" : "  " + row.2)
        }
        return lines.joined(separator: "\n")
    }
}
