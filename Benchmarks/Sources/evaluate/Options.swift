import Foundation

/// The command line.
struct Options: Sendable {
    /// The built `flourish`.
    var program = ""
    /// The file with the labels.
    var labels = ""
    /// The folder with labelled images and videos.
    var folder = ""
    /// The JSON file for the report, if any.
    var json: String?
    /// The JSON report of an earlier run with which this one is compared, if any.
    var compare: String?
    /// The amount by which a share may be worse than in that report, 0…1.
    var tolerance = 0.005
    /// The folder for the pictures of errors, if any.
    var sheets: String?
    /// Uses every Nth picture only, for a quick run.
    var every = 1
    /// True if footage without gestures is derived, too.
    var derived = false
    /// A Python with MediaPipe, the script that runs its gesture recogniser, and the recogniser's models: nothing is
    /// compared without all of them.
    var peer: (python: String, helper: String, model: String)?
    /// The folder for the training data of `train`, which is written instead of a report.
    var lessons: String?
    /// The folder with the judges that were trained without one fold each, to evaluate people with a judge that has
    /// not seen them.
    var unseen: String?
    /// The program's assets.
    var assets = ""
    /// True if photos in difficult light are evaluated, too.
    var conditions = false
    /// True if videos are evaluated with shorter and longer holds, too.
    var allHolds = false
    /// True if rules of movement are compared, and nothing else is measured.
    var movement = false
    /// The number of concurrent programs.
    var jobs = ProcessInfo.processInfo.activeProcessorCount

    init(arguments: [String]) throws {
        var python: String?, helper: String?, model: String?
        var rest = arguments[...]
        while let word = rest.popFirst() {
            guard word.hasPrefix("--") else {
                guard folder.isEmpty else { throw EvaluationError("one folder, not also '\(word)'") }
                folder = word
                continue
            }
            if word == "--derived" {
                derived = true
                continue
            }
            if word == "--conditions" {
                conditions = true
                continue
            }
            if word == "--movement" {
                movement = true
                continue
            }
            if word == "--holds" {
                allHolds = true
                continue
            }
            guard let value = rest.popFirst() else { throw EvaluationError("\(word) needs a value") }
            switch word {
            case "--program": program = value
            case "--labels": labels = value
            case "--json": json = value
            case "--compare": compare = value
            case "--tolerance": tolerance = try Self.share(value, of: word)
            case "--sheets": sheets = value
            case "--lessons": lessons = value
            case "--unseen": unseen = value
            case "--assets": assets = value
            case "--every": every = try Self.count(value, of: word)
            case "--peer-python": python = value
            case "--peer-helper": helper = value
            case "--peer-model": model = value
            case "--jobs": jobs = try Self.count(value, of: word)
            default: throw EvaluationError("unknown option '\(word)'")
            }
        }
        if program.isEmpty || labels.isEmpty || folder.isEmpty {
            throw EvaluationError("--program, --labels and a folder are needed")
        }
        if let python, let helper, let model { peer = (python, helper, model) }
    }

    private static func count(_ text: String, of option: String) throws -> Int {
        guard let number = Int(text), number > 0 else {
            throw EvaluationError("\(option) needs a whole number above 0, not '\(text)'")
        }
        return number
    }

    private static func share(_ text: String, of option: String) throws -> Double {
        guard let number = Double(text), (0...1).contains(number) else {
            throw EvaluationError("\(option) needs a number from 0 to 1, not '\(text)'")
        }
        return number
    }
}
