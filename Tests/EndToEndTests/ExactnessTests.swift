import Foundation
import Testing
import TestSupport

@Suite("The same input and settings give the same bytes")
struct ExactnessTests {
    private static let reactions = ["--reaction", "confetti", "--reaction", "lasers@0.4", "--crf", "0"]

    @Test func framesDoNotDependOnTheNumberOfCores() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4", size: "160x90", seconds: 1)
            _ = try await bench.filter("in.mp4", "a.mp4", Self.reactions)
            _ = try await bench.filter("in.mp4", "b.mp4", Self.reactions)
            #expect(try bench.bytes("a.mp4") == bench.bytes("b.mp4"))
            for name in ["a.mkv", "b.mkv"] { _ = try await bench.filter("in.mp4", name, Self.reactions) }
            #expect(try bench.bytes("a.mkv") == bench.bytes("b.mkv"))
            guard let taskset = try? Program.onPath("taskset") else { return }
            try await taskset.succeed(
                [
                    "-c", "0", Program.flourish.executable.path, "filter", "in.mp4", "c.mp4", "--no-gestures",
                    "--preset", "ultrafast",
                ]
                    + Self.reactions, in: bench.folder)
            // The encoder cuts its work by the number of cores; the pictures are the same.
            #expect(try await bench.checksums("a.mp4") == bench.checksums("c.mp4"))
        }
    }

    /// x264's output may depend on uninitialized memory where the width is no multiple of eight macroblocks.
    @Test func uninitializedMemoryChangesNothing() async throws {
        try await Workbench.with { bench in
            try await bench.ffmpeg(
                ["-f", "lavfi", "-i", "testsrc2=s=440x240:r=25:d=1,noise=alls=20:allf=t"] + Coding.h264 + ["in.mp4"])
            var outputs: Set<Data> = []
            for filling in ["85", "165", "1"] {
                // glibc fills allocated memory with this byte.
                let result = try await bench.flourish(
                    [
                        "in.mp4", "out.mp4", "-y", "--no-gestures", "--preset", "veryfast", "--crf", "20", "--reaction",
                        "heart",
                    ], environment: ["MALLOC_PERTURB_": filling])
                #expect(result.exitCode == 0, "\(result.standardError)")
                outputs.insert(try bench.bytes("out.mp4"))
            }
            #expect(outputs.count == 1)
        }
    }

    @Test func everyFrameRateShowsTheSameMotion() async throws {
        try await Workbench.with { bench in
            var pictures: [Int: [String]] = [:]
            for rate in [25, 30, 50, 60] {
                try await bench.ffmpeg(
                    ["-f", "lavfi", "-i", "color=gray:s=160x90:r=\(rate):d=1.01"] + Coding.h264 + [
                        "-crf", "0", "\(rate).mp4",
                    ])
                _ = try await bench.filter("\(rate).mp4", "out\(rate).mp4", Self.reactions)
                let frames = try await bench.checksums("out\(rate).mp4")
                pictures[rate] = (0..<5).map { frames[$0 * rate / 5] }
            }
            #expect(Set(pictures.values).count == 1)
        }
    }

    /// Luma codes of diffuse white: 58.07 % and 75 % of the range.
    @Test(arguments: [("smpte2084", 572.7), ("arib-std-b67", 721.0)])
    func whiteIsDiffuseWhiteOnHighDynamicRange(transfer: String, code: Double) async throws {
        try await Workbench.with { bench in
            try FileManager.default.createDirectory(at: bench.file("own"), withIntermediateDirectories: true)
            try bench.write(
                ##"{"type": "white", "emitters": [{"count": 1, "shape": "disc", "size": 4, "colours": ["#ffffff"]}]}"##,
                as: "own/white.json")
            try await bench.ffmpeg(
                [
                    "-f", "lavfi", "-i", "color=gray:s=64x48:r=10:d=0.4,format=yuv420p10", "-vf",
                    FFmpegTool.wideColours(transfer),
                ] + Coding.hevc + ["in.mp4"])
            _ = try await bench.filter(
                "in.mp4", "out.mp4",
                ["--codec", "hevc", "--preset", "ultrafast", "--effects", "own", "--reaction", "white"])
            try await bench.ffmpeg(["-i", "out.mp4", "-f", "rawvideo", "-frames:v", "3", "out.raw"])
            let raw = try bench.bytes("out.raw")
            // The middle of the third picture: 4:2:0, two bytes a sample, the low one first.
            let at = 2 * 64 * 48 * 3 + (24 * 64 + 32) * 2
            let luma = Int(raw[at]) + 256 * Int(raw[at + 1])
            #expect(abs(Double(luma) - code) <= 4)
        }
    }
}
