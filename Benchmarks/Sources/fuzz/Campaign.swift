import Foundation
import Fuzzing
import Platform

/// Starts processes that run inputs, monitors them, keeps failing inputs, and prints a summary.
struct Campaign {
    private let options: Options
    /// The time limit of one input, in seconds, on a machine that may be busy.
    private static let timeout = 30.0
    /// The number of inputs after which a process is replaced.
    private static let shift: UInt64 = 500

    init(_ options: Options) { self.options = options }

    /// - Returns: a Boolean value that indicates whether no input failed.
    func run() throws -> Bool {
        defer { try? FileManager.default.removeItem(atPath: options.scratch) }
        if let corpus = options.corpus { return try replay(corpus) }
        var tallies = options.targets.map { Tally(target: $0) }
        let end = options.minutes.map { Date.now + $0 * 60 }
        var first = options.seed &* 1_000_003
        var isOver = false
        while !isOver {
            // With a time limit all targets take turns.
            let share = end == nil ? options.runs : 200
            for index in tallies.indices where !isOver {
                try admit(share, from: first, &tallies[index], until: end)
                if let end, .now >= end { isOver = true }
            }
            first &+= share
            if end == nil { isOver = true }
        }
        for tally in tallies { print(tally.text) }
        return tallies.allSatisfy { $0.faults == 0 }
    }

    private func admit(_ count: UInt64, from first: UInt64, _ tally: inout Tally, until end: Date?) throws {
        var next = first
        while next < first + count {
            if let end, .now >= end { return }
            let maximum = min(Self.shift, first + count - next)
            let result = try work(["--job", tally.target, "\(next)", "\(maximum)"], &tally)
            next = (result.last ?? next) + 1
            guard let harm = result.harm else { continue }
            tally.faults += 1
            try keep(result.last ?? next, harm, tally.target)
            print("\(tally.target) \(result.last ?? next): \(harm.prefix(300))")
            if tally.faults >= 50 { return }
        }
    }

    /// Runs the inputs that failed before.
    private func replay(_ corpus: String) throws -> Bool {
        var isGood = true
        for target in options.targets {
            let folder = corpus + "/" + target
            var tally = Tally(target: target)
            for name in ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted() {
                guard let harm = try work(["--file", target, folder + "/" + name], &tally).harm else { continue }
                tally.faults += 1
                print("\(target)/\(name): \(harm)")
            }
            if tally.runs > 0 { print(tally.text) }
            isGood = isGood && tally.faults == 0
        }
        return isGood
    }

    /// Runs a process to its end, or to the first failure.
    ///
    /// - Returns: the number of the last input, and its failure.
    private func work(_ job: [String], _ tally: inout Tally) throws -> (last: UInt64?, harm: String?) {
        let process = Process(), pipe = Pipe()
        process.executableURL = URL(filePath: CommandLine.arguments[0])
        process.arguments =
            job + ["--assets", options.assets, "--seeds", options.seeds, "--scratch", options.scratch]
        process.standardOutput = pipe
        process.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
        let complaints = options.scratch + ".log"
        _ = FileManager.default.createFile(atPath: complaints, contents: nil)
        process.standardError = try FileHandle(forWritingTo: URL(filePath: complaints))
        let began = Date.now
        try process.run()
        let watch = Watch(process, timeout: Self.timeout)
        var (last, harm): (UInt64?, String?)
        var rest: [UInt8] = []
        while true {
            let data = pipe.fileHandleForReading.availableData
            if data.isEmpty { break }
            watch.note()
            rest += data
            while let end = rest.firstIndex(of: 0x0A) {
                let line = String(decoding: rest[..<end], as: UTF8.self)
                rest.removeFirst(end + 1)
                let content = String(line.dropFirst(2))
                switch line.first {
                case "b": last = UInt64(content)
                case "e": tally.count(content)
                case "f":
                    tally.count("wrong")
                    harm = harm ?? content
                    process.terminate()
                case "m": tally.peak = max(tally.peak, Int(content) ?? 0)
                default: break
                }
            }
        }
        process.waitUntilExit()
        watch.end()
        tally.seconds += Date.now.timeIntervalSince(began)
        if harm != nil { return (last, harm) }
        if watch.hasKilled {
            tally.count("too long")
            return (last, "it took more than \(Int(Self.timeout)) s")
        }
        if process.terminationReason == .exit, process.terminationStatus == 64 {
            throw UsageError(
                description: (try? String(contentsOfFile: complaints, encoding: .utf8)) ?? "it did not begin")
        }
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            tally.count("crash")
            let words = (try? String(contentsOfFile: complaints, encoding: .utf8)) ?? ""
            return (last, "ended by \(process.terminationStatus): \(words.prefix(500))")
        }
        return (last, nil)
    }

    private func keep(_ number: UInt64, _ harm: String, _ target: String) throws {
        try FileManager.default.createDirectory(atPath: options.findings, withIntermediateDirectories: true)
        let file = options.findings + "/\(target)-\(number)"
        try Data((harm + "\n").utf8).write(to: URL(filePath: file + ".txt"))
        // Reproduced in a process of its own: this one must outlive it.
        let process = Process()
        process.executableURL = URL(filePath: CommandLine.arguments[0])
        process.arguments = [
            "--write", target, "\(number)", file, "--assets", options.assets, "--seeds", options.seeds, "--scratch",
            options.scratch,
        ]
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
    }
}

/// The results of a target's inputs.
struct Tally {
    let target: String
    var runs = 0
    var faults = 0
    /// In bytes.
    var peak = 0
    var seconds = 0.0
    private var words: [String: Int] = [:]

    init(target: String) { self.target = target }

    mutating func count(_ word: String) {
        runs += 1
        words[word, default: 0] += 1
    }

    var text: String {
        let parts = words.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.key) \($0.value)" }
        let speed = seconds > 0 ? Double(runs) / seconds : 0
        return "\(target): \(runs) runs, \(faults) wrong, peak \(peak >> 20) MB, \(Int(speed)) a second ("
            + parts.joined(separator: ", ") + ")"
    }
}

/// Kills a process that prints nothing for too long.
final class Watch: @unchecked Sendable {
    private let lock = NSLock()
    private var last = Date.now
    private var isOver = false
    private var killed = false

    init(_ process: Process, timeout: Double) {
        let id = process.processIdentifier
        Thread { [self] in
            while true {
                Thread.sleep(forTimeInterval: 0.2)
                let (silence, isOver) = lock.withLock { (Date.now.timeIntervalSince(last), self.isOver) }
                if isOver { return }
                if silence > timeout {
                    lock.withLock { killed = true }
                    kill(id, SIGKILL)
                    return
                }
            }
        }.start()
    }

    func note() { lock.withLock { last = .now } }
    func end() { lock.withLock { isOver = true } }
    var hasKilled: Bool { lock.withLock { killed } }
}
