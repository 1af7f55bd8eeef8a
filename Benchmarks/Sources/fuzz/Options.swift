import Foundation
import Fuzzing

struct UsageError: Error, CustomStringConvertible {
    let description: String
}

/// The command line: `Scripts/fuzz` explains it.
struct Options {
    /// The job of a process that the campaign starts.
    enum Job {
        case inputs(target: String, first: UInt64, count: UInt64)
        /// One file, repeated for all further parameters.
        case file(target: String, path: String)
        /// Writes an input into a file, with its kind as the name's extension.
        case write(target: String, number: UInt64, path: String)
    }

    var targets = FuzzTargets.names
    /// Inputs for each target.
    var runs: UInt64 = 1000
    /// For all targets together; then `runs` is no limit.
    var minutes: Double?
    var seed: UInt64 = 1
    var assets = ""
    var seeds = ""
    /// The folder for failing inputs.
    var findings = "findings"
    var scratch = NSTemporaryDirectory() + "flourish-fuzz"
    /// A folder for each target, with files to run instead of mutated inputs.
    var corpus: String?
    var job: Job?

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        var named: [String] = []
        func value(_ name: String) throws -> String {
            guard let value = rest.popFirst() else { throw UsageError(description: "\(name) needs a value") }
            return value
        }
        func number(_ name: String) throws -> UInt64 {
            guard let number = UInt64(try value(name)) else { throw UsageError(description: "\(name) needs a number") }
            return number
        }
        while let word = rest.popFirst() {
            switch word {
            case "--runs": runs = try number(word)
            case "--minutes":
                guard let number = Double(try value(word)), number > 0 else {
                    throw UsageError(description: "--minutes needs a number above 0")
                }
                minutes = number
            case "--seed": seed = try number(word)
            case "--assets": assets = try value(word)
            case "--seeds": seeds = try value(word)
            case "--findings": findings = try value(word)
            case "--scratch": scratch = try value(word)
            case "--corpus": corpus = try value(word)
            case "--job": job = .inputs(target: try value(word), first: try number(word), count: try number(word))
            case "--write": job = .write(target: try value(word), number: try number(word), path: try value(word))
            case "--file": job = .file(target: try value(word), path: try value(word))
            default:
                guard FuzzTargets.names.contains(word) else {
                    throw UsageError(
                        description:
                            "there is no target '\(word)'; choose of \(FuzzTargets.names.joined(separator: ", "))")
                }
                named.append(word)
            }
        }
        if !named.isEmpty { targets = named }
    }
}
