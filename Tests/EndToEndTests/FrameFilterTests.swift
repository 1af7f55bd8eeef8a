import Foundation
import Testing
import TestSupport

/// The example of `docs/processor.md`, built and run.
@Suite("Caller-supplied frames")
struct FrameFilterTests {
    private var example: Program {
        Program(executable: Program.flourish.executable.deletingLastPathComponent().appending(path: "frame-filter"))
    }

    /// Pixels and events are those of `filter`, which read the same frames from a file.
    @Test func callerSuppliedFramesEqualTheOutputOfFilter() async throws {
        try await Workbench.with { bench in
            try await bench.draw(PuppetClip(pose: "victory", hands: "left"), as: "in.mp4")
            try await bench.ffmpeg(["-i", "in.mp4", "-f", "rawvideo", "-pix_fmt", "yuv420p", "in.raw"])
            let result = try await example.succeed(["480", "270", "12", "bt709"], input: try bench.bytes("in.raw"))
            let lossless = ["--crf", "0", "--preset", "ultrafast", "--events", "-"]
            let filtered = try await bench.flourish(["filter", "in.mp4", "out.mkv"] + lossless)
            try await bench.ffmpeg(["-i", "out.mkv", "-f", "rawvideo", "-pix_fmt", "yuv420p", "out.raw"])
            #expect(try bench.bytes("out.raw") == result.standardOutputData)
            #expect(try bench.bytes("in.raw") != result.standardOutputData)
            func effects(_ text: String) throws -> [JSONValue] {
                try EventLines(text).withoutEncoder.filter {
                    ["gesture", "effectStarted", "effectExtended", "effectsInProgress"].contains($0["event"]?.string)
                }
            }
            #expect(try effects(result.standardError) == effects(filtered.standardOutput))
            #expect(try EventLines(result.standardError).gestures == ["victory"])
        }
    }
}
