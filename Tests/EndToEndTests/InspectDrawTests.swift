import Foundation
import Testing
import TestSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

@Suite("flourish inspect --draw")
struct InspectDrawTests {
    /// The mean luma of a part of the first picture, as players show it.
    private func luma(_ bench: Workbench, _ name: String, _ crop: String) async throws -> Double {
        try await bench.ffmpeg(
            ["-i", name, "-frames:v", "1", "-vf", "crop=\(crop)", "-f", "rawvideo", "-pix_fmt", "gray", "part.raw"])
        let bytes = try bench.bytes("part.raw")
        return Double(bytes.reduce(0) { $0 + Int($1) }) / Double(bytes.count)
    }

    @Test func aVideoKeepsAllItsFramesAndSound() async throws {
        try await Workbench.with { bench in
            try await bench.draw(PuppetClip(pose: "victory", hands: "both"), as: "in.mp4")
            let plain = try await bench.flourish(["inspect", "in.mp4", "--json"])
            let drawn = try await bench.flourish(
                ["inspect", "in.mp4", "--draw", "seen.mkv", "--json", "--preset", "ultrafast"])
            #expect(drawn.exitCode == 0 && drawn.standardError.isEmpty)
            #expect(drawn.standardOutput == plain.standardOutput, "the lines are the same")
            let before = try await bench.report("in.mp4"), after = try await bench.report("seen.mkv")
            #expect(isSameTimes(after.frameTimes, before.frameTimes))
            #expect(after.digests(of: "audio") == before.digests(of: "audio"))
            #expect(after.videoSize == before.videoSize)
            // The corner's panel is dark.
            let wall = try await luma(bench, "in.mp4", "60:20:10:10")
            #expect(try await luma(bench, "seen.mkv", "60:20:10:10") < wall - 30)
            #expect(bench.files.filter { $0.hasPrefix("seen") } == ["seen.mkv"])
        }
    }

    @Test func anImageBecomesAPNG() async throws {
        try await Workbench.with { bench in
            try await bench.ffmpeg(["-f", "lavfi", "-i", "color=white:s=320x180", "-frames:v", "1", "still.jpg"])
            let result = try await bench.flourish(["inspect", "still.jpg", "--draw", "seen.png"])
            #expect(result.exitCode == 0 && result.standardOutput.isEmpty && result.standardError.isEmpty)
            let report = try await bench.report("seen.png")
            #expect(report.videoSize == (320, 180) && report.video["codec_name"]?.string == "png")
            #expect(try await luma(bench, "seen.png", "60:20:10:10") < 140)
            #expect(try await luma(bench, "seen.png", "100:100:200:60") > 250)

            let wrong = try await bench.flourish(["inspect", "still.jpg", "--draw", "seen.mp4"])
            expectRefusal(wrong, code: 64, naming: "seen.mp4", saying: ".png")
        }
    }

    /// Phones store rotated frames: labels stand upright where players show the picture upright.
    @Test(arguments: ["turned.mov", "turned.avi"])
    func labelsStandUpright(_ output: String) async throws {
        try await Workbench.with { bench in
            try await bench.ffmpeg(
                ["-f", "lavfi", "-i", "color=white:s=320x180:r=10:d=0.5"] + Coding.h264 + ["stored.mp4"])
            try await bench.ffmpeg(FFmpegTool.rotating("stored.mp4", by: 90, to: "in.mov"))
            let result = try await bench.flourish(["inspect", "in.mov", "--draw", output])
            #expect(result.exitCode == 0, "\(result.standardError)")
            #expect(try await luma(bench, output, "60:20:10:10") < 140)
            #expect(try await luma(bench, output, "60:20:10:280") > 220)
            try await bench.ffmpeg(["-i", output, "-frames:v", "1", "upright.png"])
            #expect(try await bench.report("upright.png").videoSize == (180, 320))
        }
    }

    @Test func droppedStreamsAreReported() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mkv", Coding.h264 + ["-c:a", "adpcm_ms"])
            let result = try await bench.flourish(["inspect", "in.mkv", "--draw", "seen.mp4"])
            #expect(result.exitCode == 0 && result.errorLines.count == 1)
            #expect(result.standardError.hasPrefix("flourish: warning: stream 1 (audio, adpcm_ms) was omitted"))
            let quiet = try await bench.flourish(["inspect", "in.mkv", "--draw", "seen.mp4", "-y", "--quiet"])
            #expect(quiet.exitCode == 0 && quiet.standardError.isEmpty)
        }
    }

    @Test func aClosedReaderLosesNoPicture() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4")
            let result = try await bench.shell("flourish inspect in.mp4 --draw seen.mp4 --json | true")
            #expect(result.exitCode == 0 && result.standardError.isEmpty, "\(result.standardError)")
            #expect(try await bench.report("seen.mp4").frameTimes.count == 15)
            #expect(bench.files == ["in.mp4", "seen.mp4"])
        }
    }

    @Test func outputsAreTreatedAsByFilter() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4")
            try bench.write("precious", as: "seen.mp4")
            let refused = try await bench.flourish(["inspect", "in.mp4", "--draw", "seen.mp4"])
            expectRefusal(refused, code: 73, naming: "seen.mp4", saying: "--overwrite")
            #expect(try bench.bytes("seen.mp4") == Data("precious".utf8))
            let same = try await bench.flourish(["inspect", "in.mp4", "--draw", "in.mp4", "--overwrite"])
            expectRefusal(same, code: 64, naming: "in.mp4", saying: "same file")
            let ending = try await bench.flourish(["inspect", "in.mp4", "--draw", "seen.xyz"])
            expectRefusal(ending, code: 64, naming: "seen.xyz")
            let several = try await bench.flourish(["inspect", "in.mp4", "in.mp4", "--draw", "two.mp4"])
            #expect(several.exitCode == 64 && several.standardError.contains("one input"))

            let replaced = try await bench.flourish(["inspect", "in.mp4", "--draw", "seen.mp4", "--overwrite"])
            #expect(replaced.exitCode == 0)
            #expect(try await bench.report("seen.mp4").frameTimes.count == 15)
            #expect(bench.files == ["in.mp4", "seen.mp4"])
        }
    }

    /// The number of a process that has exited.
    private static let gone = 4_194_305

    @Test(arguments: [SIGINT, SIGTERM])
    func stoppedRunsLeaveAPartialFile(_ signal: Int32) async throws {
        try await Workbench.with { bench in
            try await bench.ffmpeg(
                ["-f", "lavfi", "-i", "testsrc2=s=160x120:r=25:d=2"] + Coding.h264 + ["short.mp4"])
            try await bench.ffmpeg(["-stream_loop", "599", "-i", "short.mp4", "-c", "copy", "in.mp4"])
            try bench.write("precious", as: "seen.mp4")
            for isJSON in [true, false] {
                let run = try Program.flourish.start(
                    ["inspect", "in.mp4", "--draw", "seen.mp4", "-y", "--json"]
                        + (isJSON ? ["--progress", "json"] : []), in: bench.folder)
                try await bench.waits { run.standardOutputSoFar.contains("\"time\"") }
                run.send(signal: signal)
                let result = try await run.result()
                #expect(result.exitCode == 128 + signal)
                #expect(bench.files == ["in.mp4", "seen.mp4", "seen.partial.mp4", "short.mp4"])
                #expect(try bench.bytes("seen.mp4") == Data("precious".utf8))
                let line = try #require(result.standardError.split(separator: "\n").last.map(String.init))
                if isJSON {
                    let record = try JSONValue(parsing: line)
                    #expect(record["done"]?.boolean == true && record["interrupted"]?.boolean == true)
                    #expect(record["output"]?.string == "seen.partial.mp4")
                } else {
                    #expect(line.hasPrefix("flourish: stopped after 0:"), "\(line)")
                    #expect(line.contains(" → seen.partial.mp4 ("), "\(line)")
                }
                #expect(try await bench.report("seen.partial.mp4").frameTimes.count < 30_000)
            }
        }
    }

    @Test func filesOfKilledRunsAreRemoved() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4")
            let left = ".seen.mp4.partial-\(Self.gone)"
            try bench.write("half", as: left)
            let result = try await bench.flourish(["inspect", "in.mp4", "--draw", "seen.mp4"])
            #expect(result.exitCode == 0 && result.standardError.contains("\(left): removed"))
            let old = ".heart.mp4.partial-\(Self.gone)"
            try bench.write("half", as: old)
            let preview = try await bench.flourish(["preview", "heart", "heart.mp4", "--size", "64x48", "--rate", "5"])
            #expect(preview.exitCode == 0, "\(preview.standardError)")
            #expect(bench.files == ["heart.mp4", "in.mp4", "seen.mp4"])
        }
    }
}
