import Foundation

/// What the command line asks for.
struct Options: Sendable {
    /// The built `flourish`.
    var program = ""
    /// The file that says which folder shows what.
    var labels = ""
    /// The folder with labelled images and videos.
    var folder = ""
    /// Where the report is written as JSON, if anywhere.
    var json: String?
    /// The folder for the pictures of what went wrong, if any.
    var sheets: String?
    /// Takes one picture of each so many, for a quick look.
    var every = 1
    /// Whether footage without gestures is made of what there is, too.
    var derived = false
    /// How many programs run at once.
    var jobs = ProcessInfo.processInfo.activeProcessorCount

    init(arguments: [String]) throws {
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
            guard let value = rest.popFirst() else { throw EvaluationError("\(word) needs a value") }
            switch word {
            case "--program": program = value
            case "--labels": labels = value
            case "--json": json = value
            case "--sheets": sheets = value
            case "--every": every = try Self.count(value, of: word)
            case "--jobs": jobs = try Self.count(value, of: word)
            default: throw EvaluationError("unknown option '\(word)'")
            }
        }
        if program.isEmpty || labels.isEmpty || folder.isEmpty {
            throw EvaluationError("--program, --labels and a folder are needed")
        }
    }

    private static func count(_ text: String, of option: String) throws -> Int {
        guard let number = Int(text), number > 0 else {
            throw EvaluationError("\(option) needs a whole number above 0, not '\(text)'")
        }
        return number
    }
}
