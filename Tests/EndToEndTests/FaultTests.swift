import Foundation
import TestSupport
import Testing

/// System calls that fail, one in each run, at any place: `Scripts/fuzz faults` tries all of them.
@Suite("Injected faults") struct FaultTests {
    /// The stride between failing calls of a kind, so that the tests take seconds; 1 for each call.
    private static let step = ProcessInfo.processInfo.environment["FLOURISH_FAULTS_EVERY"].flatMap(Int.init)
    /// The number of calls of a kind that fail in a quick test.
    private static let sample = 5

    private static let kinds = [
        "write", "short", "rename", "open", "map", "memory", "thread", "clock", "leap", "abort", "fault",
    ]

    /// Runs the program with one failing call, and returns the number of calls.
    private func run(
        _ bench: Workbench, _ library: String, _ arguments: [String], kind: String, at number: Int,
        environment: [String: String?] = [:]
    ) async throws -> (result: ProgramResult, calls: Int) {
        let counter = bench.file("counter")
        let result = try await bench.flourish(
            arguments,
            environment: [
                "LD_PRELOAD": library, "FAULT_KIND": kind, "FAULT_AT": "\(number)", "FAULT_COUNT": counter.path,
            ].merging(environment) { $1 })
        let bytes = try Data(contentsOf: counter)
        return (result, bytes.reversed().reduce(0) { $0 << 8 | Int($1) })
    }

    private func places(of calls: Int, seed: UInt64) -> [Int] {
        if let step = Self.step { return Array(stride(from: 1, through: calls, by: step)) }
        var generator = SeededGenerator(seed: seed)
        return (0..<Self.sample).map { _ in Int.random(in: 1...max(1, calls), using: &generator) }
    }

    private static let arguments = [
        "filter", "in.mp4", "out.mp4", "--no-gestures", "--reaction", "heart@0.1", "--preset", "ultrafast",
        "--overwrite",
    ]

    @Test(arguments: kinds) func noFaultLosesExistingFiles(_ kind: String) async throws {
        #if os(Linux)
        // A sanitizer reports the signal that ends the process itself.
        let endsProcess = kind == "abort" || kind == "fault"
        if endsProcess, Sanitizer.current != nil { return }
        try await Workbench.with { bench in
            guard let library = await bench.preloadedLibrary("faults") else { return }
            try await bench.makeClip("in.mp4", Coding.h264 + ["-g", "5"] + Coding.aac)
            let (good, calls) = try await run(bench, library, Self.arguments, kind: kind, at: 0)
            try #require(good.exitCode == 0, "\(good.standardError)")
            let whole = try bench.bytes("out.mp4")
            let expected = bench.files
            for number in places(of: calls, seed: 5) {
                try bench.write("precious", as: "out.mp4")
                let (result, _) = try await run(bench, library, Self.arguments, kind: kind, at: number)
                let what = Comment(
                    rawValue: "\(kind) \(number) of \(calls): \(result.exitCode) \(result.standardError)")
                let now = try bench.bytes("out.mp4")
                // FFmpeg asserts that allocations succeed; LiteRT crashes if it cannot read the processor's
                // description.
                let mayEndProcess = endsProcess || kind == "memory" || kind == "open"
                #expect(result.signal == nil, what)
                #expect(mayEndProcess || !result.standardError.contains("a fault in"), what)
                // x264 reports a thread that does not start like an invalid setting. A clock has no influence on a
                // recording.
                let isClock = kind == "clock" || kind == "leap"
                let codes: [Int32] = isClock ? [0] : [0, 65, 66, 69, 70, 73, 74] + (kind == "thread" ? [64] : [])
                #expect(endsProcess ? result.exitCode == 70 : codes.contains(result.exitCode), what)
                #expect(bench.files == expected, what)
                if result.exitCode == 0 {
                    // The fault was compensated or reported: a run goes on without its models.
                    let isReported = kind == "open" || kind == "map" || kind == "thread"
                    #expect(now == whole || isReported && result.standardError.contains("warning"), what)
                    #expect(now != Data("precious".utf8), what)
                } else {
                    // The last write of all comes once the output has its name.
                    #expect(now == Data("precious".utf8) || endsProcess && now == whole, what)
                    #expect(result.errorLines.last?.hasPrefix("flourish: ") == true, what)
                }
            }
        }
        #endif
    }

    /// Debugging needs the signal, and the core dump that the system keeps.
    @Test(.enabled(if: Sanitizer.current == nil, "a sanitizer ends the process in its own way"))
    func theSignalEndsTheProcessOnRequest() async throws {
        #if os(Linux)
        try await Workbench.with { bench in
            guard let library = await bench.preloadedLibrary("faults") else { return }
            try await bench.makeClip("in.mp4")
            try bench.write("precious", as: "out.mp4")
            let (result, _) = try await run(
                bench, library, Self.arguments, kind: "abort", at: 1, environment: ["FLOURISH_CORE": "1"])
            #expect(result.signal == SIGABRT)
            #expect(try bench.bytes("out.mp4") == Data("precious".utf8))
        }
        #endif
    }
}
