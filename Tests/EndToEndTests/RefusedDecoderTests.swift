import Foundation
import Testing
import TestSupport

/// Files whose codecs are not on the list of decoders for files of unknown origin.
@Suite("Refused decoders")
struct RefusedDecoderTests {
    private static let line =
        "its video codec, magicyuv, is not on the list of decoders for files of unknown origin; if you trust the file, add --decoders all"

    @Test(arguments: [
        ["filter", "in.mkv", "out.mkv"], ["filter", "in.mkv", "out.mkv", "--no-gestures", "--reaction", "heart@0.1"],
        ["filter", "in.mkv", "out.mkv", "--no-gestures", "--smart-render", "never"], ["detect", "in.mkv"],
        ["plan", "in.mkv", "--output", "plan.json"], ["inspect", "in.mkv"],
        ["photo", "in.mkv", "--at", "0.1", "-o", "photo.png"],
    ])
    func everyCommandNamesTheCodecAndTheOption(_ arguments: [String]) async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mkv", ["-c:v", "magicyuv"] + Coding.aac)
            expectRefusal(try await bench.flourish(arguments), code: 65, naming: "in.mkv: ", saying: Self.line)
            #expect(bench.files == ["in.mkv"])
            let allowed = try await bench.flourish(arguments + ["--decoders", "all"])
            #expect(allowed.exitCode == 0, "\(allowed.command): \(allowed.standardError)")
        }
    }

    @Test func stillPicturesAreRefused() async throws {
        try await Workbench.with { bench in
            try await bench.ffmpeg(["-f", "lavfi", "-i", "color=red:s=64x48", "-frames:v", "1", "in.jp2"])
            expectRefusal(
                try await bench.flourish(["inspect", "in.jp2"]), code: 65, naming: "in.jp2: ",
                saying: "video codec, jpeg2000, is not on the list", "--decoders all")
            #expect(try await bench.flourish(["inspect", "in.jp2", "--decoders", "all"]).exitCode == 0)
        }
    }

    @Test func inAFolderTheyCountAsFailed() async throws {
        try await Workbench.with { bench in
            try bench.makeFolder("calls")
            try await bench.makeClip("calls/a.mp4")
            try await bench.makeClip("calls/b.mkv", ["-c:v", "magicyuv"] + Coding.aac)
            let result = try await bench.filterCalls()
            #expect(result.exitCode == 65, "\(result.standardError)")
            #expect(result.errorLines.contains { $0.contains("calls/b.mkv") && $0.contains(Self.line) })
            #expect(result.errorLines.last?.contains("1 done, 1 failed") == true, "\(result.standardError)")
            #expect(bench.tree("out") == ["a.mp4"])
            let allowed = try await bench.filterCalls("--decoders", "all")
            #expect(allowed.exitCode == 0, "\(allowed.standardError)")
            #expect(bench.tree("out") == ["a.mp4", "b.mkv"])
        }
    }

    @Test func theConfigurationAllowsThem() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mkv", ["-c:v", "magicyuv"] + Coding.aac)
            try bench.write("[input]\ndecoders = \"all\"\n", as: "own.toml")
            let result = try await bench.flourish(["detect", "in.mkv", "--config", "own.toml"])
            #expect(result.exitCode == 0, "\(result.standardError)")
        }
    }

    /// A stream that is only copied needs no decoder.
    @Test func copiedStreamsAreKept() async throws {
        try await Workbench.with { bench in
            try await bench.ffmpeg(
                [
                    "-f", "lavfi", "-i", "testsrc2=s=96x64:d=0.6", "-f", "lavfi", "-i", "testsrc2=s=64x48:d=0.6", "-f",
                    "lavfi", "-i", "sine=d=0.6", "-map", "0", "-map", "1", "-map", "2", "-c:v:0", "libx264",
                    "-preset", "ultrafast", "-c:v:1", "magicyuv", "-c:a", "tta", "in.mkv",
                ])
            for options in [[], ["--reaction", "heart@0.1"], ["--smart-render", "never"]] {
                try await bench.filter("in.mkv", "out.mkv", ["-y"] + options)
                let (source, result) = (try await bench.report("in.mkv"), try await bench.report("out.mkv"))
                #expect(result.streams.map { $0["codec_name"]?.string } == ["h264", "magicyuv", "tta"])
                #expect(source.digests(of: "video")[1] == result.digests(of: "video")[1])
                #expect(source.digests(of: "audio") == result.digests(of: "audio"))
            }
        }
    }

    @Test func doctorNamesTheKnownHoles() async throws {
        try await Workbench.with { bench in
            let result = try await bench.flourish(["doctor"])
            let lines = result.standardOutput.split(separator: "\n").filter { $0.contains("known holes in FFmpeg") }
            #expect(lines.count == 1)
        }
    }
}
