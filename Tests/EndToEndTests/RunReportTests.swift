import Foundation
import Testing
import TestSupport

@Suite("Run reports")
struct RunReportTests {
    private static let groups = Coding.h264 + ["-g", "10"] + Coding.aac

    private func size(_ bench: Workbench, _ name: String) throws -> Int { try bench.bytes(name).count }

    @Test func reactionsAndEncodedSpansAreReported() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4", seconds: 12, Self.groups)
            let result = try await bench.flourish([
                "in.mp4", "out.mp4", "--no-gestures", "--reaction", "thumbsUp@1", "--reaction", "heart@2.5",
                "--events", "events.jsonl",
            ])
            #expect(result.exitCode == 0)
            let events = try EventLines(String(decoding: bench.bytes("events.jsonl"), as: UTF8.self))
            let spans = try #require(events.ended["smartRender"]?["spans"]?.array)
            let encoded = spans.reduce(0) { $0 + ($1["endTime"]?.number ?? 0) - ($1["startTime"]?.number ?? 0) }
            #expect(encoded > 1 && encoded < 10)
            let line = try #require(result.report)
            let kilobytes = Double(try size(bench, "out.mp4")) / 1000
            #expect(
                line.hasPrefix(
                    "flourish: 2 reactions: thumbs up at 0:01, heart at 0:02 → out.mp4 (\(Int(kilobytes.rounded())) kB, "
                ),
                "\(line)")
            let said = try #require(line.split(separator: " ").dropLast(4).last.flatMap { Double($0) })
            #expect(line.hasSuffix(" of 12 s re-encoded)") && abs(said - encoded) <= 0.051, "\(line)")
            #expect(result.complaints.isEmpty && result.standardOutput.isEmpty)
        }
    }

    @Test func batchesAreCounted() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4", sound: false)
            let types = ["thumbsUp", "heart", "rain", "lasers", "confetti"]
            let result = try await bench.flourish(
                ["in.mp4", "out.mp4", "--no-gestures"] + types.flatMap { ["--reaction", $0] })
            let line = try #require(result.report)
            #expect(
                line.hasPrefix(
                    "flourish: 5 reactions: 1 × confetti, 1 × heart, 1 × lasers, 1 × rain, 1 × thumbs up → out.mp4 ("),
                "\(line)")
            #expect(line.hasSuffix(", all 0.6 s encoded)"), "\(line)")
        }
    }

    @Test(arguments: [
        ([], "no gesture was held long enough; flourish inspect 'a clip.mp4' shows the detections (out.mp4: "),
        (["--no-gestures"], "no reaction: gesture detection is off, and no --reaction was given → out.mp4 ("),
        (["--no-gestures", "--reaction", "heart@99"], "no reaction was shown → out.mp4 ("),
    ])
    func runsWithoutEffectsReportTheReason(_ options: [String], _ words: String) async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("a clip.mp4", seconds: 1, Self.groups)
            let result = try await bench.flourish(["a clip.mp4", "out.mp4"] + options)
            #expect(result.exitCode == 0)
            let line = try #require(result.report)
            #expect(line.hasPrefix("flourish: " + words) && line.hasSuffix(" kB, no frame re-encoded)"), "\(line)")
        }
    }

    @Test func quietSuppressesTheReport() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4")
            for options in [["--quiet"], ["--log-level", "error"], ["--quiet", "--progress", "auto"]] {
                let result = try await bench.flourish(["in.mp4", "out.mp4", "--no-gestures", "--overwrite"] + options)
                #expect(result.exitCode == 0 && result.standardError.isEmpty)
            }
            // With events on the standard error, nothing else is written there.
            let events = try await bench.flourish(["in.mp4", "out.mkv", "--no-gestures", "--events", "/dev/stderr"])
            #expect(try EventLines(events.standardError).ended["framesOut"]?.integer == 15)
        }
    }

    /// `--progress json` works with `--quiet`, unless quiet is set in a stronger place.
    @Test func quietRunsKeepProgressForPrograms() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mkv", ["-c:a", "adpcm_ms"] + Coding.h264)
            try bench.write("[output]\nprogress = \"json\"", as: "user.toml")
            let start = ["in.mkv", "out.mp4", "--no-gestures", "--overwrite", "--quiet"]
            let both = try await bench.flourish(start + ["--progress", "json"])
            #expect(both.exitCode == 0)
            let lines = try JSONValue.lines(of: both.standardError)
            #expect(lines.last?["done"] == .flag(true) && lines.allSatisfy { $0["fraction"] != nil })
            let stronger = try await bench.flourish(start + ["--config", "user.toml"])
            #expect(stronger.exitCode == 0 && stronger.standardError.isEmpty)
        }
    }

    /// An option that cannot have an effect is refused.
    @Test(arguments: [
        (["--no-gestures", "--hold", "2"], "--hold has no effect with --no-gestures; remove one"),
        (["--no-gestures", "--disable", "heart"], "--disable has no effect with --no-gestures"),
        (["--no-gestures", "--bind", "heart=rain"], "has no effect with --no-gestures"),
        (["--no-gestures", "--candidates", "--events", "-"], "--candidates has no effect with --no-gestures"),
        (["--quiet", "--log-level", "debug"], "--log-level has no effect with --quiet"),
    ])
    func optionsWithoutEffectAreRefused(_ options: [String], _ words: String) async throws {
        try await Workbench.with { bench in
            let result = try await bench.flourish(["in.mkv", "out.mkv"] + options)
            #expect(result.exitCode == 64 && result.errorLines.count == 1)
            #expect(result.standardError.contains(words), "\(result.standardError)")
        }
    }

    /// A script's options must not fail on a machine whose configuration disables gestures.
    @Test func configurationFilesMayMakeOptionsIneffective() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mkv")
            try bench.write("[recognition]\ngestures = false\nhold = 0.5", as: "user.toml")
            let result = try await bench.flourish(["in.mkv", "out.mkv", "--config", "user.toml", "--hold", "2"])
            #expect(result.exitCode == 0, "\(result.standardError)")
        }
    }

    @Test func pipesHaveNoSize() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mkv")
            let result = try await bench.shell(
                "cat in.mkv | flourish - - --no-gestures --preset ultrafast --reaction heart | cat > out.nut")
            #expect(
                result.standardError
                    == "flourish: 1 reaction: heart at 0:00 → standard output (all 0.6 s encoded)\n")
        }
    }

    /// A file behind a descriptor is replaced; the file that the descriptor refers to is then unlinked.
    @Test func filesReplacedThroughADescriptorHaveTheirSize() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4", seconds: 4, Self.groups)
            let result = try await bench.shell(
                "flourish in.mp4 /dev/stdout --output-format mp4 --overwrite --no-gestures > out.mp4")
            #expect(result.exitCode == 0, "\(result.standardError)")
            let kilobytes = Double(try size(bench, "out.mp4")) / 1000
            #expect(
                result.standardError.contains("out.mp4 (\(Int(kilobytes.rounded())) kB, no frame re-encoded)"),
                "\(result.standardError)")
            #expect(try await bench.report("out.mp4").frameTimes.count == 100)
        }
    }

    @Test func programsGetTheReportAsFields() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4", seconds: 8, Self.groups)
            let result = try await bench.flourish([
                "in.mp4", "out.mp4", "--no-gestures", "--reaction", "heart@1", "--progress", "json",
            ])
            let records = try JSONValue.lines(of: result.standardError)
            let (last, done) = (try #require(records.dropLast().last), try #require(records.last))
            #expect(last["fraction"]?.number == 1 && last["done"] == nil)
            #expect(done["done"]?.boolean == true && done["fraction"]?.number == 1)
            #expect(done["input"]?.string == "in.mp4" && done["output"]?.string == "out.mp4")
            #expect(done["interrupted"]?.boolean == false)
            #expect(done["bytes"]?.integer == (try size(bench, "out.mp4")))
            #expect(done["frames"]?.integer == 200 && done["seconds"]?.number == 8)
            #expect((1..<200).contains(done["framesEncoded"]?.integer ?? 0))
            #expect((0.1..<8).contains(done["secondsEncoded"]?.number ?? 0))
            let shown = try #require(done["reactions"]?.array)
            #expect(shown.map { $0["reactionType"]?.string } == ["heart"])
            #expect(abs((shown.first?["time"]?.number ?? 0) - 1) < 0.001)
        }
    }

    /// Both analysis passes, and rendering, share one scale.
    @Test(arguments: ["filter", "plan"])
    func progressIsMonotonic(_ command: String) async throws {
        try await Workbench.with { bench in
            try await bench.draw(PuppetClip(pose: "victory", hands: "left", seconds: 6), as: "in.mp4")
            let output = command == "filter" ? ["out.mp4"] : ["--output", "plan.json"]
            let result = try await bench.flourish([command, "in.mp4"] + output + ["--progress", "json"])
            #expect(result.exitCode == 0)
            let records = try JSONValue.lines(
                of: result.standardError.split(separator: "\n")
                    .filter { $0.hasPrefix("{") }.joined(separator: "\n"))
            let fractions = records.compactMap { $0["fraction"]?.number }
            #expect(fractions.count == records.count && fractions.count > 2)
            #expect(fractions == fractions.sorted() && fractions.last == 1, "\(fractions)")
        }
    }
}
