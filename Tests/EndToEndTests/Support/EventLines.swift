import Foundation
import Testing
import TestSupport

/// The events of a run as JSON Lines; every line was checked against the schema.
struct EventLines: Sendable {
    let text: String
    let all: [JSONValue]

    /// Reads the lines and records an issue for each that breaks the contract.
    init(_ text: String, startsWith first: String = "streamStarted", sourceLocation: SourceLocation = #_sourceLocation)
        throws
    {
        self.text = text
        let schema = try JSONSchema.events()
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.last == "", "the last line ends with a newline", sourceLocation: sourceLocation)
        all = try lines.dropLast().map { line in
            let value = try JSONValue(parsing: String(line))
            let faults = schema.faults(in: value)
            #expect(faults.isEmpty, "\(line): \(faults)", sourceLocation: sourceLocation)
            return value
        }
        #expect(all.first?["event"]?.string == first, sourceLocation: sourceLocation)
        #expect(all.last?["event"]?.string == "streamEnded", sourceLocation: sourceLocation)
        let frames = all.compactMap { $0["frame"]?.integer }
        #expect(frames == frames.sorted(), "events are in order", sourceLocation: sourceLocation)
    }

    /// The events of a kind.
    func of(_ event: String) -> [JSONValue] { all.filter { $0["event"]?.string == event } }

    /// The types of the effects in the order in which they started.
    var effects: [String] { of("effectStarted").compactMap { $0["reactionType"]?.string } }

    /// The gestures in the order in which they were held long enough.
    var gestures: [String] { of("gesture").compactMap { $0["gesture"]?.string } }

    /// The codes of the warnings.
    var warnings: [String] { of("warning").compactMap { $0["code"]?.string } }

    var ended: JSONValue { all.last ?? .null }

    /// The lines without the fields that only a run with an encoder can provide.
    var withoutEncoder: [JSONValue] {
        all.map { line in
            guard var members = line.object else { return line }
            members["encoder"] = nil
            members["wholeReason"] = nil
            members["smartRender"] = nil
            return .object(members)
        }
    }
}
