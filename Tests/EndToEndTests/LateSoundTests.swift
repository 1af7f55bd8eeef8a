import Foundation
import Testing
import TestSupport

/// Sound that is announced at the beginning of a transport stream and comes much later: a microphone that was muted.
@Suite("Late sound")
struct LateSoundTests {
    private static let quick = "--no-gestures --preset ultrafast"

    private func makeInput(_ bench: Workbench, _ coding: [String] = Coding.aac) async throws {
        try await bench.ffmpeg(
            ["-f", "lavfi", "-i", "testsrc2=s=64x64:r=10:d=12", "-itsoffset", "9", "-f", "lavfi", "-i", "sine=d=2"]
                + ["-map", "0", "-map", "1"] + Coding.h264 + coding + ["in.ts"])
    }

    /// The times of the sound in a file.
    private func times(_ bench: Workbench, _ name: String) async throws -> [Double] {
        try await bench.report(name).times(of: "audio").first ?? []
    }

    @Test(arguments: ["out.ts", "out.mkv", "out.mp4", "out.mov"], [Coding.aac, ["-c:a", "mp2"]])
    func lateSoundFromAPipeIsKeptInFiles(_ output: String, _ coding: [String]) async throws {
        try await Workbench.with { bench in
            try await makeInput(bench, coding)
            let result = try await bench.shell("cat in.ts | flourish filter - \(output) \(Self.quick)")
            #expect(result.exitCode == 0 && !result.standardError.contains("warning"), "\(result.standardError)")
            // FFmpeg's tools do not probe that far by default.
            let remux = "ffmpeg -analyzeduration 60M -probesize 50M -i"
            let copies = try await bench.shell("\(remux) in.ts -c copy in.mkv; \(remux) \(output) -c copy out.nut.mkv")
            #expect(copies.exitCode == 0, "\(copies.standardError)")
            let (before, after) = (try await times(bench, "in.mkv"), try await times(bench, "out.nut.mkv"))
            try #require(before.count > 50 && after.count == before.count)
            #expect(zip(before, after).allSatisfy { abs($0 - $1) < 0.002 })
        }
    }

    /// A header that cannot be rewritten later must describe the sound; that of MPEG-TS need not.
    @Test(arguments: ["matroska", "mp4", "nut"])
    func lateSoundIntoAPipeIsDroppedWithTheReason(_ format: String) async throws {
        try await Workbench.with { bench in
            try await makeInput(bench)
            let run = "flourish filter - - --output-format"
            let result = try await bench.shell(
                "cat in.ts | \(run) \(format) \(Self.quick) > out; cat in.ts | \(run) mpegts \(Self.quick) > out.ts")
            #expect(result.exitCode == 0, "\(result.standardError)")
            #expect(result.standardError.contains("(audio, aac) was omitted: no packet of it arrived within 5.0 s"))
            #expect(result.standardError.components(separatedBy: "was omitted").count == 2)
            #expect(try await bench.report("out").frameTimes.count == 120)
            let copy = try await bench.shell("ffmpeg -analyzeduration 60M -probesize 50M -i out.ts -c copy out.mkv")
            #expect(copy.exitCode == 0, "\(copy.standardError)")
            #expect(try await times(bench, "out.mkv").count > 80)
        }
    }

    /// The stream is announced, and no packet follows.
    @Test(arguments: ["out.ts", "out.mkv", "out.mp4"], ["cat in.ts | flourish filter -", "flourish filter in.ts"])
    func missingSoundIsDropped(_ output: String, _ run: String) async throws {
        try await Workbench.with { bench in
            try await makeInput(bench)
            let whole = try bench.bytes("in.ts")
            try bench.write(whole.prefix(whole.count / 188 / 2 * 188), as: "in.ts")
            let result = try await bench.shell("\(run) \(output) \(Self.quick)")
            #expect(result.exitCode == 0, "\(result.standardError)")
            #expect(try await bench.report(output).frameTimes.count > 40)
            let isReported = result.standardError.contains("(audio, aac) was omitted: no packet of it arrived within")
            #expect(isReported == (output != "out.ts"), "\(result.standardError)")
        }
    }
}
