import Foundation

/// The command line of the measurements of galleries.
struct GalleryOptions: Sendable {
    enum Task: Sendable, Equatable {
        /// Writes composites into a folder.
        case make(String)
    }

    var task: Task
    /// The folder with the footage.
    var folder = ""
    /// `Benchmarks/Labels/galleries.json`.
    var labels = ""
    var count = 66
    var seed: UInt64 = 1
    var jobs = ProcessInfo.processInfo.activeProcessorCount

    /// - Returns: nil where the arguments ask for another measurement.
    init?(arguments: [String]) throws {
        guard arguments.contains("--make-galleries") else { return nil }
        task = .make("")
        var rest = arguments[...]
        while let word = rest.popFirst() {
            guard word.hasPrefix("--") else {
                folder = word
                continue
            }
            guard let value = rest.popFirst() else { throw EvaluationError("\(word) needs a value") }
            switch word {
            case "--make-galleries": task = .make(value)
            case "--count": count = try Self.number(value, of: word)
            case "--seed": seed = UInt64(try Self.number(value, of: word))
            case "--jobs": jobs = try Self.number(value, of: word)
            case "--gallery-labels": labels = value
            case "--program", "--assets", "--labels": continue
            default: throw EvaluationError("unknown option '\(word)'")
            }
        }
        if folder.isEmpty || labels.isEmpty { throw EvaluationError("--gallery-labels and a folder are needed") }
    }

    private static func number(_ text: String, of option: String) throws -> Int {
        guard let number = Int(text), number > 0 else {
            throw EvaluationError("\(option) needs a whole number above 0, not '\(text)'")
        }
        return number
    }
}
