import Foundation
import Testing
import TestSupport

@Suite("Chapters of reactions")
struct ChapterTests {
    private static let reactions: [(String, Double, Double)] = [
        ("heart", 0.8, 0.3), ("thumbsUp", 2, 0.3), ("confetti", 3.2, 0.3),
    ]

    /// A clip with chapters from 0 and from 1.5 s.
    private static func makeChapteredClip(_ bench: Workbench, _ name: String) async throws {
        try await bench.makeClip("plain.mkv", seconds: 5, sound: false, ["-g", "25"] + Coding.h264)
        try Data(
            ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=1500\ntitle=Intro\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=1500\nEND=5000\ntitle=Talk\n"
                .utf8
        ).write(to: bench.file("chapters.txt"))
        try await FFmpegTool.ffmpeg([
            "-i", bench.file("plain.mkv").path, "-i", bench.file("chapters.txt").path, "-map_chapters", "1", "-c",
            "copy",
            bench.file(name).path,
        ])
    }

    /// The time of the second chapter is below zero by nearly all that a number holds.
    @Test func damagedTimesOfChaptersAreNoFailure() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("plain.mkv", seconds: 3, sound: false)
            try bench.write(
                ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1\nSTART=0\nEND=1\n[CHAPTER]\nTIMEBASE=1/1\nSTART=4611686018\nEND=4611686020\n",
                as: "chapters.txt")
            try await bench.ffmpeg([
                "-i", "plain.mkv", "-i", "chapters.txt", "-map_chapters", "1", "-c", "copy", "in.mkv",
            ])
            var bytes = try bench.bytes("in.mkv")
            // ChapterTimeStart, of eight bytes.
            let place = try #require(bytes.indices.dropLast(10).last { bytes[$0] == 0x91 && bytes[$0 + 1] == 0x88 })
            bytes.replaceSubrange(place + 2..<place + 10, with: [0x80, 0, 0, 0, 0, 0, 0, 1])
            try Data(bytes).write(to: bench.file("in.mkv"))
            let result = try await bench.flourish(["filter", "in.mkv", "out.mkv", "--start", "1", "--no-gestures"])
            #expect(result.exitCode == 0, "\(result.standardError)")
        }
    }

    private static func chapters(_ bench: Workbench, _ name: String) async throws -> [String] {
        try await FFmpegTool.chapters(of: bench.file(name)).map { chapter in
            let start = Double(chapter["start_time"]?.string ?? "") ?? -1
            return "\((start * 100).rounded() / 100) \(chapter["tags"]?["title"]?.string ?? "")"
        }
    }

    @Test(
        arguments: [
            ("in.mp4", "out.mp4", "never"), ("in.mp4", "out.mp4", "always"), ("in.mkv", "out.mkv", "always"),
            ("in.mkv", "out.mkv", "never"), ("in.mov", "out.mov", "always"), ("in.mkv", "out.mp4", "never"),
        ])
    func reactionsAreMergedWithChapters(_ input: String, _ output: String, _ smart: String) async throws {
        try await Workbench.with { bench in
            try await Self.makeChapteredClip(bench, input)
            try await bench.shortPlan(
                input, "plan.json", Self.reactions.map { (type: $0.0, time: $0.1, seconds: $0.2) })
            let result = try await bench.flourish([
                "filter", input, output, "--no-gestures", "--events", "-", "--plan", "plan.json", "--chapters",
                "--smart-render", smart,
            ])
            try #require(result.exitCode == 0, "\(result.standardError)")
            let events = try EventLines(result.standardOutput)
            #expect(
                try await Self.chapters(bench, output)
                    == ["0.0 Intro", "0.8 heart", "1.5 Talk", "2.0 thumbs up", "3.2 confetti"])
            #expect(events.of("warning").isEmpty)
            let shown = try await FFmpegTool.chapters(of: bench.file(output)).map { $0["id"]?.integer }
            #expect(Set(shown).count == 5)
        }
    }

    @Test func withoutTheOptionOnlyTheInputsChaptersAreWritten() async throws {
        try await Workbench.with { bench in
            try await Self.makeChapteredClip(bench, "in.mp4")
            try await bench.filter("in.mp4", "out.mp4", ["--reaction", "heart@1"])
            #expect(try await Self.chapters(bench, "out.mp4") == ["0.0 Intro", "1.5 Talk"])
        }
    }

    @Test(arguments: ["mp4", "mkv", "mov", "webm"])
    func aPlanWritesChapters(_ kind: String) async throws {
        try await Workbench.with { bench in
            let coding = kind == "webm" ? Coding.vp8 : ["-g", "25"] + Coding.h264
            try await bench.makeClip("in.\(kind)", seconds: 4, sound: false, coding)
            try await bench.shortPlan("in.\(kind)", "plan.json", [("rain", 1.2, 0.4), ("heart", 2.8, 0.4)])
            let preset = kind == "webm" ? ["--preset", "8"] : []
            try await bench.filter("in.\(kind)", "out.\(kind)", ["--plan", "plan.json", "--chapters"] + preset)
            // The first chapter of MP4 and QuickTime is always at 0.
            let opening = ["mp4", "mov"].contains(kind) ? ["0.0 start"] : []
            #expect(try await Self.chapters(bench, "out.\(kind)") == opening + ["1.2 rain", "2.8 heart"])
            let end = try await FFmpegTool.chapters(of: bench.file("out.\(kind)")).last?["end_time"]?.string
            #expect(abs((end.flatMap(Double.init) ?? 0) - 4) < 0.1)
        }
    }

    @Test func aTrimRangeHasItsOwnClock() async throws {
        try await Workbench.with { bench in
            try await Self.makeChapteredClip(bench, "in.mkv")
            try await bench.filter(
                "in.mkv", "out.mkv", ["--reaction", "heart@3", "--chapters", "--start", "1"])
            #expect(try await Self.chapters(bench, "out.mkv") == ["0.0 Intro", "0.5 Talk", "2.0 heart"])
        }
    }

    @Test func aLiveRunWritesChaptersIntoMatroska() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mkv", seconds: 3)
            try await bench.filter(
                "in.mkv", "out.mkv", ["--live", "--reaction", "heart@1", "--chapters"])
            #expect(try await Self.chapters(bench, "out.mkv") == ["1.0 heart"])
        }
    }

    @Test(arguments: ["out.ts", "out.nut"])
    func otherContainersAreReportedOnce(_ output: String) async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mkv", seconds: 2)
            let events = try await bench.filter(
                "in.mkv", output, ["--reaction", "heart@1", "--chapters"])
            let messages = events.of("warning").compactMap { $0["message"]?.string }.filter { $0.contains("chapters") }
            #expect(messages.count == 1)
            #expect(messages.first?.contains(".mkv") == true)
        }
    }

    @Test func theConfigurationKeyHasTheSameEffect() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mkv", seconds: 2)
            try Data("[output]\nchapters = true\n".utf8).write(to: bench.file("flourish.toml"))
            let options = ["--reaction", "heart@1", "--config", bench.file("flourish.toml").path]
            try await bench.filter("in.mkv", "out.mkv", options)
            try await bench.filter("in.mkv", "none.mkv", options + ["--no-chapters"])
            #expect(try await Self.chapters(bench, "out.mkv") == ["1.0 heart"])
            #expect(try await Self.chapters(bench, "none.mkv") == [])
        }
    }
}
