import Foundation
import TestSupport
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A smart rendering that is stopped while a span is encoded that takes far longer than the test.
@Suite("Smart rendering, stopped") struct SmartStopTests {
    /// Starts to render a recording of five minutes, of which two are confetti, and returns once the confetti is encoded.
    ///
    /// - Parameter time: when the confetti begins, in seconds.
    private func start(_ bench: Workbench, _ output: String, confettiFrom time: Double) async throws -> RunningProgram {
        try await bench.ffmpeg(
            ["-f", "lavfi", "-i", "testsrc2=s=1280x720:r=25:d=2"] + Coding.h264
                + ["-crf", "40", "-pix_fmt", "yuv420p", "-g", "50", "short.mp4"])
        try await bench.ffmpeg(["-stream_loop", "149", "-i", "short.mp4", "-c", "copy", "in.mp4"])
        let reactions = (0..<40).flatMap { ["--reaction", "confetti@\(time + Double($0) * 3)"] }
        let run = try Program.flourish.start(
            ["filter", "in.mp4", output, "--no-gestures", "--smart-render", "always", "--events", "events.jsonl"]
                + reactions,
            in: bench.folder)
        try await bench.waits { bench.files.contains { $0.contains(".partial-") } }
        // The whole recording is read meanwhile.
        try await Task.sleep(for: .seconds(3))
        return run
    }

    @Test func stoppedOutputsEndBeforeTheUnfinishedSpan() async throws {
        try await Workbench.with { bench in
            let run = try await start(bench, "out.mp4", confettiFrom: 60)
            let (result, time) = try await run.result(after: SIGTERM)
            #expect(result.exitCode == 143, "\(result.standardError)")
            #expect(time < .seconds(6) * Sanitizer.timeoutFactor, "\(time)")
            #expect(bench.files == ["events.jsonl", "in.mp4", "out.partial.mp4", "short.mp4"])
            let times = try await bench.report("out.partial.mp4").frameTimes
            #expect(times.count > 0 && (times.last ?? 0) < 61)
            let events = try EventLines(String(decoding: bench.bytes("events.jsonl"), as: UTF8.self))
            #expect(events.ended["framesOut"]?.integer == times.count)
            // Spans that were not written are not reported as written.
            let spans = try #require(events.ended["smartRender"]?["spans"]?.array)
            #expect(spans.allSatisfy { ($0["startTime"]?.number ?? 99) < (times.last ?? 0) }, "\(spans)")
        }
    }

    @Test(arguments: ["out.mp4", "out.mkv"])
    func stoppedRunsWithoutFinishedSpansWriteNothing(_ output: String) async throws {
        try await Workbench.with { bench in
            let run = try await start(bench, output, confettiFrom: 0)
            let (result, time) = try await run.result(after: SIGTERM)
            #expect(result.exitCode == 143)
            #expect(
                result.standardError.contains("in.mp4: stopped before the first frame; nothing was written"),
                "\(result.standardError)")
            #expect(time < .seconds(6) * Sanitizer.timeoutFactor, "\(time)")
            #expect(bench.files.filter { $0 != "events.jsonl" } == ["in.mp4", "short.mp4"])
        }
    }
}
