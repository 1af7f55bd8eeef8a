import FoundationEssentials
import Platform

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
