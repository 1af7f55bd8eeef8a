import Foundation
import Synchronization

/// Runs programs, several at once.
struct Program: Sendable {
    /// A path, or a name to be found on the `PATH`.
    let path: String
    /// A folder for temporary outputs.
    let scratch: URL
    /// Additions to its environment.
    var environment: [String: String] = [:]

    /// Runs it to its end and returns its standard output; its errors are passed on.
    ///
    /// - Throws: ``EvaluationError`` if it does not start or fails.
    func output(_ arguments: [String]) throws -> Data {
        // A file, not a pipe: it needs no concurrent reader.
        let file = scratch.appending(path: UUID().uuidString)
        try Data().write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        process.executableURL = URL(filePath: path.contains("/") ? path : "/usr/bin/env")
        process.arguments = path.contains("/") ? arguments : [path] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: file)
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            let command = ([path] + arguments.prefix(8)).joined(separator: " ")
            throw EvaluationError("exit code \(process.terminationStatus) from: \(command) …")
        }
        return try Data(contentsOf: file)
    }

    /// Runs it and decodes each line that it prints.
    func lines<Line: Decodable>(_ arguments: [String], as type: Line.Type) throws -> [Line] {
        let decoder = JSONDecoder()
        return try output(arguments).split(separator: UInt8(ascii: "\n")).map {
            try decoder.decode(type, from: Data($0))
        }
    }
}

/// Does `work` for each item, several at once; the results come in the order of the items.
func inParallel<Item: Sendable, Value: Sendable>(
    _ items: [Item], jobs: Int, _ work: @Sendable (Item) throws -> Value
) throws -> [Value] {
    let next = Mutex(0)
    let results = Mutex([Result<Value, any Error>?](repeating: nil, count: items.count))
    DispatchQueue.concurrentPerform(iterations: min(jobs, items.count)) { _ in
        while true {
            let index = next.withLock { next in
                defer { next += 1 }
                return next
            }
            guard index < items.count else { return }
            let result = Result { try work(items[index]) }
            results.withLock { $0[index] = result }
        }
    }
    return try results.withLock { $0 }.map { try $0!.get() }
}
