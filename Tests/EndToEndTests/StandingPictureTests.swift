import Foundation
import Testing
import TestSupport

/// Recordings of screens, in which one picture stands for long.
@Suite("Pictures that stand")
struct StandingPictureTests {
    /// Makes twelve seconds of which one picture lasts from 2 s to 9 s, at ten pictures a second otherwise.
    private func makeScreen(_ bench: Workbench, _ name: String, _ coding: [String]) async throws {
        try await bench.ffmpeg(
            [
                "-f", "lavfi", "-i", "testsrc2=s=160x120:r=10:d=12,select='lte(t,2)+gte(t,9)'", "-fps_mode",
                "passthrough",
            ]
                + coding + [name])
    }

    private static let reason = "one picture stands from 2.0 s to 9.0 s"

    private func messages(_ events: EventLines) -> [String] {
        events.of("warning").compactMap { $0["message"]?.string }
    }

    /// Smart rendering, whole encodes, overlays and plans treat an effect alike.
    @Test(
        arguments: [
            ("in.mp4", "out.mp4", Coding.h264 + ["-g", "5"], []),
            ("in.webm", "out.webm", Coding.vp8 + ["-g", "9999"], []),
            ("in.mp4", "out.mp4", Coding.h264 + ["-g", "5"], ["--smart-render", "never"]),
            ("in.mp4", "out.mov", Coding.h264 + ["-g", "5"], ["--overlay"]),
        ] as [(String, String, [String], [String])])
    func effectsEndBeforeThePicture(_ input: String, _ output: String, _ coding: [String], _ options: [String])
        async throws
    {
        try await Workbench.with { bench in
            try await makeScreen(bench, input, coding)
            let events = try await bench.smart(
                input, output, options + ["--reaction", "confetti@1.2", "--reaction", "heart@5"])
            #expect(events.effects == ["confetti"])
            #expect(events.of("effectEnded").compactMap { $0["endTime"]?.number } == [2])
            #expect(
                messages(events).sorted() == [
                    "confetti at 1.2 s was shown until 2.0 s only: \(Self.reason)",
                    "heart at 5.0 s was not shown: \(Self.reason)",
                ])
        }
    }

    @Test func plansSayIt() async throws {
        try await Workbench.with { bench in
            try await makeScreen(bench, "in.mp4", Coding.h264)
            let made = try await bench.flourish([
                "plan", "in.mp4", "--no-gestures", "--reaction", "confetti@1.2", "--reaction", "heart@5", "--output",
                "plan.json",
            ])
            #expect(made.exitCode == 0)
            #expect(
                made.standardError.contains("heart at 5.0 s was not shown: \(Self.reason)"), "\(made.standardError)")
            let events = try await bench.smart("in.mp4", "out.mp4", ["--plan", "plan.json"])
            #expect(events.effects == ["confetti"])
            #expect(events.of("effectEnded").compactMap { $0["endTime"]?.number } == [2])
        }
    }

    /// The picture on screen lasts beyond the part.
    @Test(arguments: ["auto", "never"])
    func theLastPictureIsNamed(_ mode: String) async throws {
        try await Workbench.with { bench in
            try await makeScreen(bench, "in.mp4", Coding.h264)
            let events = try await bench.smart(
                "in.mp4", "out.mp4",
                ["--start", "2", "--duration", "3", "--reaction", "confetti@2.5", "--smart-render", mode])
            #expect(events.effects.isEmpty)
            #expect(messages(events) == ["confetti at 2.5 s was not shown: one picture stands from 2.0 s to 5.0 s"])
        }
    }
}
