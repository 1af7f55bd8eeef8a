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
    /// A Python with MediaPipe, the script that runs its gesture recogniser, and the recogniser's models:
    /// all of them, or nothing is compared.
    var peer: (python: String, helper: String, model: String)?
    /// The folder into which lessons for `train` are written, instead of measuring.
    var lessons: String?
    /// The folder with the judges that learned without one fold each, if nobody is to be looked at by a judge that
    /// has seen them.
    var unseen: String?
    /// The program's assets.
    var assets = ""
    /// Whether photos are held in hard light, too.
    var conditions = false
    /// Whether videos are watched with shorter and longer holds, too.
    var allHolds = false
    /// How many programs run at once.
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
            if word == "--holds" {
                allHolds = true
                continue
            }
            guard let value = rest.popFirst() else { throw EvaluationError("\(word) needs a value") }
            switch word {
            case "--program": program = value
            case "--labels": labels = value
            case "--json": json = value
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
}
