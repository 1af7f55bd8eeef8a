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
