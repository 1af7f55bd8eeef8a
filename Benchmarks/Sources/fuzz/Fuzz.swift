import Foundation
import Fuzzing

/// Runs many thousands of mutated inputs through the program's fuzz targets, each in a process that it may crash.
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
