import Foundation

/// The command line of the measurements of galleries.
struct GalleryOptions: Sendable {
    enum Task: Sendable, Equatable {
        /// Writes composites into a folder.
        case make(String)
        /// Runs the program over composites.
        case measure
        /// Runs the program over videos of one camera.
        case singles
    }

    var task: Task
    /// The folder with the footage.
    var folder = ""
    /// `Benchmarks/Labels/galleries.json`.
    var labels = ""
    /// The built `flourish`.
    var program = ""
    /// The folder in which composites are kept.
    var keep: String?
    /// The file for the figures as JSON.
    var json: String?
    var count = 66
    var seed: UInt64 = 1
    var jobs = ProcessInfo.processInfo.activeProcessorCount

    /// - Returns: nil where the arguments ask for another measurement.
    init?(arguments: [String]) throws {
        let names = ["--make-galleries", "--galleries", "--singles"]
        guard let name = arguments.first(where: names.contains) else { return nil }
        task = name == "--singles" ? .singles : .measure
        var cache = ""
        var rest = arguments[...]
        while let word = rest.popFirst() {
            guard word.hasPrefix("--") else {
                folder = word
                continue
            }
            if word == "--galleries" || word == "--singles" { continue }
            guard let value = rest.popFirst() else { throw EvaluationError("\(word) needs a value") }
            switch word {
            case "--make-galleries": task = .make(value)
            case "--count": count = try Self.number(value, of: word)
            case "--seed": seed = UInt64(try Self.number(value, of: word))
            case "--jobs": jobs = try Self.number(value, of: word)
            case "--gallery-labels": labels = value
            case "--program": program = value
            case "--keep": keep = value
            case "--cache": cache = value
            case "--json": json = value
            case "--assets", "--labels": continue
            default: throw EvaluationError("unknown option '\(word)'")
            }
        }
        if keep == nil, !cache.isEmpty { keep = "\(cache)/\(GalleryMaker.version)-seed-\(seed)-count-\(count)" }
        if folder.isEmpty || labels.isEmpty { throw EvaluationError("--gallery-labels and a folder are needed") }
        if case .make = task { return }
        if program.isEmpty { throw EvaluationError("--program is needed") }
        if task == .measure, keep == nil { throw EvaluationError("--keep or --cache is needed") }
    }

    private static func number(_ text: String, of option: String) throws -> Int {
        guard let number = Int(text), number > 0 else {
            throw EvaluationError("\(option) needs a whole number above 0, not '\(text)'")
        }
        return number
    }
}
