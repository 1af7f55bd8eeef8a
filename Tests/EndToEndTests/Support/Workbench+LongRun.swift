import Foundation
import TestSupport
import Testing

extension Workbench {
    /// Starts to filter a video that takes far longer than a test waits for, to `out.mkv` and
    /// `events.jsonl`, and returns once frames were written.
    func startLongRun(_ options: [String]) async throws -> RunningProgram {
        try await ffmpeg(["-f", "lavfi", "-i", "testsrc2=s=160x120:r=25:d=2"] + Coding.h264 + ["short.mp4"])
        try await ffmpeg(["-stream_loop", "1999", "-i", "short.mp4", "-c", "copy", "in.mp4"])
        let run = try Program.flourish.start(
            [
                "filter", "in.mp4", "out.mkv", "--no-gestures", "--preset", "slow", "--progress", "json",
                "--events", "events.jsonl",
            ] + options, in: folder)
        try await waits { run.framesSoFar > 0 }
        return run
    }

    /// Waits until something holds; records an issue if it does not within two minutes.
    func waits(
        sourceLocation: SourceLocation = #_sourceLocation, for condition: () throws -> Bool
    ) async throws {
        for _ in 0..<2400 {
            if try condition() { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        Issue.record("waited in vain", sourceLocation: sourceLocation)
    }
}

extension RunningProgram {
    /// How many frames `--progress json` has told of.
    var framesSoFar: Int {
        let last = standardErrorSoFar.split(separator: "\n").last { $0.hasPrefix("{") && $0.hasSuffix("}") }
        return last.flatMap { try? JSONValue(parsing: String($0))["frames"]?.integer } ?? 0
    }
}
