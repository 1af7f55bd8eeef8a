import Foundation
import TestSupport
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The time in which runs end after a signal, at random instants: `Scripts/fuzz signals` does it hundreds of times
/// and prints the longest.
@Suite("Signals at random instants") struct SignalTests {
    /// The number of signalled runs, of all kinds together, and their limit: two seconds, and more in the suite,
    /// where the steps of the clock count.
    private static let asked = ProcessInfo.processInfo.environment["FLOURISH_SIGNALS"].flatMap(Int.init)
    private static var longest: Duration { asked == nil ? .seconds(8) : .seconds(2) }

    private static let kinds = [
        ["filter", "calls/a.mp4", "out.mp4", "--overwrite", "--smart-render", "never", "--reaction", "heart@0.1"],
        ["filter", "calls/a.mp4", "out.mp4", "--overwrite", "--smart-render", "always", "--reaction", "heart@0.1"],
        ["filter", "calls", "--output-dir", "out", "--jobs", "2", "--reaction", "confetti@1"],
        ["detect", "calls/a.mp4"],
        ["plan", "calls/a.mp4", "--output", "plan.json", "--overwrite"],
        ["review", "calls/a.mp4"],
    ]

    @Test func runsEndInTime() async throws {
        try await Workbench.with { bench in
            try FileManager.default.createDirectory(at: bench.file("calls"), withIntermediateDirectories: true)
            for name in ["a", "b", "c"] {
                try await bench.makeClip(
                    "calls/\(name).mp4", size: "640x360", seconds: name == "a" ? 20 : 3,
                    Coding.h264 + ["-g", "25"] + Coding.aac)
            }
            var generator = SeededGenerator(seed: 13)
            var worst: (Duration, String) = (.zero, "")
            for number in 0..<(Self.asked ?? Self.kinds.count) {
                let arguments = Self.kinds[number % Self.kinds.count]
                try? FileManager.default.removeItem(at: bench.file("out"))
                let run = try Program.flourish.start(
                    arguments, environment: ["TMPDIR": bench.folder.path], in: bench.folder)
                // The system ends the process before its handler is installed.
                try await Task.sleep(for: .milliseconds(Double.random(in: 0...3000, using: &generator)))
                let isAsked = run.isRunning
                let (result, time) = try await run.result(after: SIGTERM)
                let what = "\(arguments.prefix(2).joined(separator: " ")), number \(number)"
                #expect(
                    result.signal == SIGTERM || result.exitCode == 143 || result.exitCode == 0,
                    "\(what): \(result.exitCode) \(result.standardError)")
                #expect(!bench.files.contains { $0.contains(".partial-") }, "\(what): \(bench.files)")
                #expect(time <= Self.longest, "\(what): \(time)")
                if isAsked, time > worst.0 { worst = (time, what) }
            }
            if Self.asked != nil { print("the longest to end: \(worst.0), \(worst.1)") }
        }
    }

    /// Ctrl-C works from the moment the address is printed: the handler is installed by then.
    @Test func signalsAreHandledFromTheFirstLineOn() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("a.mp4", seconds: 1, sound: false)
            for _ in 0..<5 {
                let run = try Program.flourish.start(["review", "a.mp4"], in: bench.folder)
                try await bench.waits { run.standardErrorSoFar.contains("/\n") }
                run.send(signal: SIGINT)
                let ended = Task { try await run.result() }
                try await Hang.wait(milliseconds: 200) { run.isRunning }
                #expect(!run.isRunning)
                run.send(signal: SIGKILL)
                #expect(try await ended.value.exitCode == 0)
            }
        }
    }
}
