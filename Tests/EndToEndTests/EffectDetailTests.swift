import Foundation
import Testing
import TestSupport

/// Where the rate may not rise by what an effect adds, it has fewer pieces.
@Suite("Effects that fit their rate")
struct EffectDetailTests {
    private static let common = ["--reaction", "confetti@3", "--preset", "veryfast", "--bitrate", "200k"]

    private func makeRoom(_ bench: Workbench) async throws {
        try await bench.ffmpeg(
            ["-f", "lavfi", "-i", "color=0x506070:s=320x180:r=25:d=6,noise=alls=2:allf=t"] + Coding.h264
                + ["-crf", "10", "in.mp4"])
    }

    /// The samples of a frame in the middle of the effect that are not the room's.
    private func coveredSamples(_ bench: Workbench, _ video: String) async throws -> Int {
        try await bench.ffmpeg(
            ["-ss", "5", "-i", video, "-frames:v", "1", "-pix_fmt", "gray", "-f", "rawvideo", "frame.raw"])
        let luma = try bench.bytes("frame.raw")
        let room = Int(luma.sorted()[luma.count / 2])
        return luma.count { abs(Int($0) - room) > 20 }
    }

    private func detail(_ events: EventLines) -> Double? { events.of("effectStarted").first?["detail"]?.number }

    @Test func aTightRateDrawsFewerPiecesAndReportsIt() async throws {
        try await Workbench.with { bench in
            try await makeRoom(bench)
            let tight = try await bench.filter("in.mp4", "tight.mp4", Self.common + ["--max-bitrate", "200k"])
            #expect(detail(tight) == 0.5)
            let roomy = try await bench.filter("in.mp4", "roomy.mp4", Self.common + ["--max-bitrate", "8M"])
            #expect(detail(roomy) == nil)
            let (few, all) = (
                try await coveredSamples(bench, "tight.mp4"), try await coveredSamples(bench, "roomy.mp4")
            )
            #expect(all > 500 && few < all * 3 / 4, "\(few) of \(all)")

            let again = try await bench.filter("in.mp4", "again.mp4", Self.common + ["--max-bitrate", "200k"])
            #expect(again.of("effectStarted") == tight.of("effectStarted"))
        }
    }

    @Test(arguments: [
        (["--effect-detail", "1"], nil), (["--effect-detail", "0.7"], 0.7), (["--effect-detail", "auto"], 0.5),
    ])
    func theOptionSetsTheDetail(_ options: [String], _ expected: Double?) async throws {
        try await Workbench.with { bench in
            try await makeRoom(bench)
            let events = try await bench.filter("in.mp4", "out.mp4", Self.common + ["--max-bitrate", "200k"] + options)
            #expect(detail(events) == expected)
        }
    }

    @Test(arguments: ["0", "1.5", "many"])
    func invalidDetailIsRefused(_ share: String) async throws {
        try await Workbench.with { bench in
            let result = try await bench.flourish(["filter", "in.mp4", "out.mp4", "--effect-detail", share])
            #expect(result.exitCode == 64)
            #expect(result.standardError.contains("--effect-detail must be a number from 0.1 to 1 or auto"))
        }
    }
}
