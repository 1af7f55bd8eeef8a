import FoundationEssentials
import Platform

/// The gestures that fired in a batch of recordings, and the time in which they could: what `flourish evaluate` counts.
package struct Evaluation: Sendable {
    /// A gesture that fired.
    package struct Trigger: Sendable, Hashable {
        /// The recording.
        package let input: BatchPath
        /// The path of the recording's events, which is the same in the next run.
        package let events: BatchPath
        package let gesture: String
        /// The frame in which it fired, in seconds on the recording's clock.
        package let time: Double
        /// The start of the hold.
        package let heldSince: Double
    }

    /// A recording whose events are complete.
    private struct Recording {
        var seconds = 0.0
        var isDamaged = false
        var triggers: [Trigger] = []
    }

    /// The number of recordings that count.
    package private(set) var recordings = 0
    /// The number of those of which parts could not be read.
    package private(set) var damaged = 0
    /// The number of recordings that failed, and do not count.
    package let failed: Int
    /// The duration of the parts that were read.
    package private(set) var hours = 0.0
    /// All triggers, by recording and time.
    package private(set) var triggers: [Trigger] = []

    /// Reads the events that a batch wrote, or found finished.
    ///
    /// - Throws: ``FlourishError`` of the code ``FlourishError/Code/inputUnusable`` if a file of events is none.
    package init(_ report: BatchReport) throws(FlourishError) {
        failed = report.count(.failed)
        for result in report.results where result.state == .done || result.state == .skipped && result.isFromBefore {
            guard let events = result.output else { continue }
            let found = try Self.read(events, of: result.input)
            recordings += 1
            if found.isDamaged { damaged += 1 }
            hours += found.seconds / 3600
            triggers += found.triggers
        }
    }

    /// The fields of the events that count.
    private struct Line: Decodable {
        var event: String
        var time: Double?
        var gesture: String?
        var heldSince: Double?
        var seconds: Double?
        var code: String?
    }

    /// The limit for a file of events, in bytes: a year of triggers.
    private static let longest = 64 << 20

    private static func read(_ events: BatchPath, of input: BatchPath) throws(FlourishError) -> Recording {
        let unusable = FlourishError(
            .inputUnusable, "\(events): not the events of \(input); remove the file, and run the evaluation again")
        guard let descriptor = try? RawFile.open(events.bytes, O_RDONLY) else { throw unusable }
        defer { close(descriptor) }
        guard let bytes = DescriptorInput.readAll(descriptor, limit: longest) else { throw unusable }
        var recording = Recording(), isComplete = false
        for text in bytes.split(separator: UInt8(ascii: "\n")) {
            guard let line = try? JSONDecoder().decode(Line.self, from: Data(text)) else { throw unusable }
            switch line.event {
            case "gesture":
                guard let gesture = line.gesture, let time = line.time else { throw unusable }
                recording.triggers.append(
                    Trigger(
                        input: input, events: events, gesture: gesture, time: time, heldSince: line.heldSince ?? time))
            case "warning": if line.code == "damagedInput" { recording.isDamaged = true }
            case "streamEnded":
                recording.seconds = line.seconds ?? 0
                isComplete = true
            default: break
            }
        }
        guard isComplete else { throw unusable }
        return recording
    }
}

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

/// The answers to the triggers of an evaluation: whether a gesture was meant. Stored in a file beside the events, so
/// that a review can be continued.
package struct TriggerAnswers: Sendable {
    private struct Answer: Codable {
        /// The path of the events, in the encoding of `RawName`.
        var events: String
        var gesture: String
        var time: Double
        var isMeant: Bool
    }

    private struct Content: Codable {
        var version: Int
        var answers: [Answer]
    }

    /// Identifies a trigger between runs.
    private struct Key: Hashable {
        var events: String
        var gesture: String
        var time: Double

        init(_ trigger: Evaluation.Trigger) {
            (events, gesture, time) = (trigger.events.rawText, trigger.gesture, trigger.time)
        }

        init(_ answer: Answer) { (events, gesture, time) = (answer.events, answer.gesture, answer.time) }
    }

    private static let version = 1
    private static let longest = 64 << 20

    private let path: String
    private var answers: [Key: Bool] = [:]

    /// Reads the answers of an earlier review. A missing file has none.
    ///
    /// - Parameter folder: The folder of the evaluation's results.
    /// - Throws: ``FlourishError`` of the code ``FlourishError/Code/inputUnusable``.
    package init(in folder: String) throws(FlourishError) {
        path = folder + (folder.hasSuffix("/") ? "" : "/") + "answers.json"
        guard case .success = RawFile.status(RawName.bytes(path)) else { return }
        var content: Content?
        if let descriptor = try? RawFile.open(RawName.bytes(path), O_RDONLY) {
            defer { close(descriptor) }
            content = DescriptorInput.readAll(descriptor, limit: Self.longest).flatMap {
                try? JSONDecoder().decode(Content.self, from: Data($0))
            }
        }
        guard let content, content.version == Self.version else {
            throw FlourishError(
                .inputUnusable, "\(path): not the answers of a review; remove the file, or move it elsewhere")
        }
        for answer in content.answers {
            answers[Key(answer)] = answer.isMeant
        }
    }

    /// The answer to a trigger: `true` if it was meant, `nil` without an answer.
    package subscript(trigger: Evaluation.Trigger) -> Bool? {
        get { answers[Key(trigger)] }
        set { answers[Key(trigger)] = newValue }
    }

    /// Writes the file, completely or not at all.
    ///
    /// - Throws: ``FlourishError``.
    package func save() throws(FlourishError) {
        let sorted = answers.sorted { ($0.key.events, $0.key.time) < ($1.key.events, $1.key.time) }
        let content = Content(
            version: Self.version,
            answers: sorted.map {
                Answer(events: $0.key.events, gesture: $0.key.gesture, time: $0.key.time, isMeant: $0.value)
            })
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(content) else { return }
        do throws(FileError) { try TemporaryFile.write([UInt8](data), to: path, overwrite: true) } catch {
            throw FlourishError(error)
        }
    }
}
