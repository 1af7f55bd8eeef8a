import Foundation
import TestSupport
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

@Suite("Ctrl-C")
struct InterruptTests {
    private static let frameCount = 30_000

    /// An input that takes far longer to filter than a test waits for.
    private func makeLongInput(_ bench: Workbench) async throws {
        let short = ["-f", "lavfi", "-i", "testsrc2=s=160x120:r=25:d=2", "-f", "lavfi", "-i", "sine=d=2"]
        try await MadeFiles.shared.copy(short, to: bench.file("in.mp4")) { file in
            let part = file.appendingPathExtension("mp4")
            try await FFmpegTool.make(short + Coding.h264 + Coding.aac, as: part)
            try await FFmpegTool.ffmpeg(["-stream_loop", "599", "-i", part.path, "-c", "copy", file.path])
        }
    }

    /// Starts to filter, and returns once some frames were written.
    ///
    /// - Parameter preset: the encoder's preset, from which its speed follows.
    private func start(
        _ bench: Workbench, _ output: String, preset: String, _ options: [String] = []
    ) async throws -> RunningProgram {
        let run = try Program.flourish.start(
            [
                "filter", "in.mp4", output, "--no-gestures", "--reaction", "confetti@0.5", "--preset", preset,
                "--progress", "json", "--events", "events.jsonl", "--overwrite",
            ] + options, in: bench.folder)
        // A progress record is printed once frames have been written.
        let sign = options.contains("none") ? "confetti" : "\"frames\""
        try await Hang.wait(milliseconds: 50) { run.isRunning && !run.standardErrorSoFar.contains(sign) }
        #expect(run.standardErrorSoFar.contains(sign))
        return run
    }

    @Test(arguments: ["out.mp4", "out.mkv"], [SIGINT, SIGTERM, SIGHUP])
    func interruptedOutputsArePlayable(_ output: String, _ signal: Int32) async throws {
        try await Workbench.with { bench in
            try await makeLongInput(bench)
            let run = try await start(bench, output, preset: "slow")
            run.send(signal: signal)
            let result = try await run.result()
            #expect(result.exitCode == 128 + signal)
            #expect(result.signal == nil)
            let part = output.replacing("out", with: "out.partial")
            #expect(bench.files == ["events.jsonl", "in.mp4", part].sorted())

            let events = try EventLines(String(decoding: bench.bytes("events.jsonl"), as: UTF8.self))
            #expect(events.warnings == ["interrupted"])
            let report = try await bench.report(part)
            let count = report.frameTimes.count
            #expect(count > 0 && count < Self.frameCount)
            let last = try #require(try JSONValue.lines(of: result.standardError).last)
            #expect(last["done"]?.boolean == true && last["interrupted"]?.boolean == true)
            #expect(last["output"]?.string == part && last["frames"]?.integer == count)
            #expect(last["fraction"]?.number ?? 1 < 1)
            #expect(events.ended["framesOut"]?.integer == count)
            #expect(events.of("effectStarted").count == events.of("effectEnded").count)
            // The sound ends with the pictures, within the read-ahead.
            let lastPicture = try #require(report.frameTimes.last)
            let lastSound = try #require(report.times(of: "audio").first?.last)
            #expect(abs(lastSound - lastPicture) < 3)
        }
    }

    /// `timeout` sends two signals: to the process, and to its group at once.
    @Test func twoSignalsTogetherAreOne() async throws {
        try await Workbench.with { bench in
            try await makeLongInput(bench)
            let run = try await start(bench, "out.mp4", preset: "slow")
            run.send(signal: SIGINT)
            run.send(signal: SIGTERM)
            #expect(try await run.result().exitCode >= 128)
            let count = try await bench.report("out.partial.mp4").frameTimes.count
            #expect(count > 0 && count < Self.frameCount)
        }
    }

    @Test func partialOutputsAreNotMistakenForWholeOnes() async throws {
        try await Workbench.with { bench in
            try await makeLongInput(bench)
            try bench.write("precious", as: "out.mp4")
            let run = try await start(bench, "out.mp4", preset: "slow", ["--progress", "none", "--log-level", "info"])
            run.send(signal: SIGINT)
            let result = try await run.result()
            #expect(result.exitCode == 130)
            #expect(try bench.bytes("out.mp4") == Data("precious".utf8))
            let line = try #require(result.report)
            #expect(line.hasPrefix("flourish: stopped after 0:") && line.contains(" of 20:1"), "\(line)")
            #expect(line.contains("; 1 reaction: confetti at 0:00 → out.partial.mp4 ("), "\(line)")
        }
    }

    /// A smart rendering is written once the analysis is complete.
    @Test func interruptedAnalysesReportTheirProgress() async throws {
        try await Workbench.with { bench in
            try await makeLongInput(bench)
            let run = try Program.flourish.start(
                ["filter", "in.mp4", "out.mp4", "--progress", "json"], in: bench.folder)
            try await bench.waits { run.standardErrorSoFar.contains("\"looking\"") }
            run.send(signal: SIGINT)
            let result = try await run.result()
            #expect(result.exitCode == 130)
            let line = try #require(result.standardError.split(separator: "\n").last)
            #expect(
                line.wholeMatch(
                    of: /flourish: in\.mp4: stopped when \d+ % of it was analysed; nothing was written, .*/)
                    != nil,
                "\(line)")
            #expect(bench.files == ["in.mp4"])
        }
    }

    @Test func interruptedPlansReportThatNoneWasWritten() async throws {
        try await Workbench.with { bench in
            try await makeLongInput(bench)
            let run = try Program.flourish.start(["plan", "in.mp4", "--progress", "json"], in: bench.folder)
            try await bench.waits { run.standardErrorSoFar.contains("fraction") }
            run.send(signal: SIGINT)
            let result = try await run.result()
            #expect(result.exitCode == 130)
            #expect(
                result.standardError.split(separator: "\n").last
                    == "flourish: in.mp4: stopped before its end; no plan was made")
            #expect(bench.files == ["in.mp4"])
        }
    }

    @Test func partialOutputsMayGetTheRequestedName() async throws {
        try await Workbench.with { bench in
            try await makeLongInput(bench)
            let run = try await start(bench, "out.mp4", preset: "slow", ["--keep-partial"])
            run.send(signal: SIGINT)
            #expect(try await run.result().exitCode == 130)
            #expect(bench.files == ["events.jsonl", "in.mp4", "out.mp4"])
            #expect(try await bench.report("out.mp4").frameTimes.count > 0)
        }
    }

    @Test func aSecondSignalStopsAtOnce() async throws {
        try await Workbench.with { bench in
            // Noise at this preset takes many seconds to finish: the encoder buffers 60 frames.
            try await bench.ffmpeg(
                ["-f", "lavfi", "-i", "testsrc2=s=320x180:r=25:d=15,noise=alls=40:allf=t"] + Coding.h264 + ["in.mp4"])
            try bench.write("precious", as: "out.mp4")
            let run = try await start(bench, "out.mp4", preset: "placebo")
            // On a busy machine signals in quick succession count as one: send until it is seen.
            for _ in Hang.rounds(milliseconds: 100) {
                guard run.isRunning else { break }
                run.send(signal: SIGINT)
                try await Task.sleep(for: .milliseconds(100))
            }
            let result = try await run.result()
            #expect(result.exitCode == 130)
            #expect(try bench.bytes("out.mp4") == Data("precious".utf8), "what was good stays")
        }
    }

    @Test func interruptedDrawingsArePlayable() async throws {
        try await Workbench.with { bench in
            try await makeLongInput(bench)
            let run = try Program.flourish.start(
                ["inspect", "in.mp4", "--draw", "seen.mp4", "--json", "--preset", "slow"], in: bench.folder)
            try await Hang.wait(milliseconds: 20) { run.isRunning && run.standardOutputSoFar.isEmpty }
            run.send(signal: SIGTERM)
            let result = try await run.result()
            #expect(result.exitCode == 143 && result.errorLines.count == 1)
            #expect(bench.files == ["in.mp4", "seen.partial.mp4"])
            let count = try await bench.report("seen.partial.mp4").frameTimes.count
            #expect(count > 0 && count < Self.frameCount)
        }
    }

    @Test func detectAndInspectEndQuietly() async throws {
        try await Workbench.with { bench in
            try await makeLongInput(bench)
            for arguments in [["detect", "in.mp4", "--stats"], ["inspect", "in.mp4", "--json"]] {
                let run = try Program.flourish.start(arguments, in: bench.folder)
                try await Hang.wait(milliseconds: 50) { run.isRunning && run.standardOutputSoFar.isEmpty }
                run.send(signal: SIGINT)
                let result = try await run.result()
                #expect(result.exitCode == 130, "\(result.command)")
                // Every printed line is complete.
                #expect(result.standardOutput.hasSuffix("}\n"))
                _ = try result.jsonLines()
            }
        }
    }

    @Test func interruptedAnalysesAreReportedAsUnfinished() async throws {
        try await Workbench.with { bench in
            try await makeLongInput(bench)
            let run = try Program.flourish.start(["detect", "in.mp4", "--progress", "json"], in: bench.folder)
            try await Hang.wait(milliseconds: 50) { run.isRunning && run.standardErrorSoFar.isEmpty }
            run.send(signal: SIGINT)
            let result = try await run.result()
            #expect(result.exitCode == 130 && result.standardOutput.isEmpty)
            #expect(
                result.standardError.contains(
                    "of it was analysed; events are emitted only after the whole recording is analysed"))
        }
    }

    /// FFmpeg states a duration of 0 for YUV4MPEG2 from a pipe.
    @Test func stopsOfPipesNameNoDuration() async throws {
        try await Workbench.with { bench in
            let result = try await bench.shell(
                """
                ffmpeg -f lavfi -i testsrc2=s=64x64:r=25:d=2 -pix_fmt yuv420p -f yuv4mpegpipe in.y4m
                mkfifo pipe
                flourish filter - out.mkv --no-gestures --control c.sock < pipe 2> messages &
                run=$!
                { head -c 200000 in.y4m; touch fed; exec sleep \(Hang.seconds); } > pipe &
                feeder=$!
                until [[ -e fed && -S c.sock ]]; do sleep 0.1; done
                flourish control quit --control c.sock
                wait $run; kill $feeder; cat messages
                """)
            #expect(result.exitCode == 0, "\(result.standardError)")
            let messages = result.standardOutput
            #expect(messages.contains("stopped after 0:0") && !messages.contains(" of 0:00"), "\(messages)")
        }
    }

    /// A run that cannot end gracefully exits within two seconds: here a process whose write blocks on its reader.
    @Test func blockedRunsExitWithinTwoSeconds() async throws {
        try await Workbench.with { bench in
            try await makeLongInput(bench)
            #expect(unsafe mkfifo(bench.file("out.nut").path, 0o600) == 0)
            // Something holds the pipe open, and never reads.
            let pipe = unsafe open(bench.file("out.nut").path, O_RDWR | O_NONBLOCK)
            defer { close(pipe) }
            let run = try Program.flourish.start(
                ["filter", "in.mp4", "out.nut", "--no-gestures", "--smart-render", "never"], in: bench.folder)
            try await Hang.wait(milliseconds: 50) { run.isRunning && Self.isWritable(pipe) }
            let (result, time) = try await run.result(after: SIGTERM)
            #expect(result.exitCode == 143 && result.standardError.contains("stopped while waiting"))
            #expect(time < .seconds(5) * Sanitizer.timeoutFactor, "\(time)")
        }
    }

    /// False for a full pipe, to which the next write waits.
    private static func isWritable(_ pipe: Int32) -> Bool {
        var state = pollfd(fd: pipe, events: Int16(POLLOUT), revents: 0)
        return unsafe poll(&state, 1, 0) > 0
    }
}
