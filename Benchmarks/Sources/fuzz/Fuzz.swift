import Foundation
import Fuzzing

/// Lets changed inputs in by the program's doors, many thousands of them, each in a process that may die of it.
@main
struct Fuzz {
    static func main() async {
        do {
            let options = try Options(Array(CommandLine.arguments.dropFirst()))
            if let job = options.job { return try await Worker(options).run(job) }
            exit(try Campaign(options).run() ? 0 : 1)
        } catch {
            FileHandle.standardError.write(Data("fuzz: \(error)\n".utf8))
            exit(64)
        }
    }
}
