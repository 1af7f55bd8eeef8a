import Foundation
import Testing
import TestSupport

@Suite("Plans: analyse, edit, render")
struct PlanTests {
    private let schema = Repository.root.appending(path: "docs/plan.schema.json")

    /// Returns the plan that the program makes of a clip.
    private func plan(_ bench: Workbench, _ input: String, _ options: [String]) async throws -> JSONValue {
        let result = try await bench.flourish(["plan", input, "--output", "-"] + options)
        try #require(result.exitCode == 0, "\(result.standardError)")
        let plan = try JSONValue(parsing: result.standardOutput)
        #expect(try JSONSchema(contentsOf: schema).faults(in: plan).isEmpty)
        try bench.write(result.standardOutput, as: "plan.json")
        return plan
    }

    /// Changes a plan as a text editor would.
    private func edit(_ bench: Workbench, _ old: String, _ new: String) throws {
        let text = String(decoding: try bench.bytes("plan.json"), as: UTF8.self)
        try #require(text.contains(old), "\(old) stands in the plan")
        try bench.write(text.replacing(old, with: new, maxReplacements: 1), as: "plan.json")
    }

    // MARK: The same video

    /// Also with fewer frames while effects run, and with an adapted encoder.
    @Test(arguments: [[], ["--effects-fps", "5"], ["--effect-bits", "1.2"]])
    func aPlanRendersAsFilterDoes(_ options: [String]) async throws {
        try await Workbench.with { bench in
            try await bench.draw(PuppetClip(pose: "victory", hands: "left"), as: "in.mp4")
            let made = try await plan(bench, "in.mp4", ["--reaction", "confetti@1.9"])
            #expect(made["reactions"]?.array?.map { $0["reactionType"]?.string } == ["balloons", "confetti"])
            let common = ["--events", "-", "--preset", "ultrafast"] + options
            let filtered = try await bench.flourish(
                ["filter", "in.mp4", "a.mp4", "--reaction", "confetti@1.9"] + common)
            let rendered = try await bench.flourish(["filter", "in.mp4", "b.mp4", "--plan", "plan.json"] + common)
            #expect(try bench.bytes("a.mp4") == bench.bytes("b.mp4"))
            // Rendering recognises no gestures, and so emits none.
            func lines(_ result: ProgramResult) throws -> [JSONValue] {
                try EventLines(result.standardOutput).all.filter {
                    !["gesture", "streamStarted"].contains($0["event"]?.string)
                }
            }
            #expect(try lines(filtered) == lines(rendered))
        }
    }

    @Test func keptReactionsRenderTheSame() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mkv", size: "160x120", seconds: 3)
            _ = try await plan(
                bench, "in.mkv", ["--no-gestures", "--reaction", "rain@0.2", "--reaction", "confetti@1"])
            try await bench.filter("in.mkv", "both.mkv", ["--plan", "plan.json", "--crf", "0"])
            try edit(bench, #""enabled": true"#, #""enabled": false"#)
            try await bench.filter("in.mkv", "one.mkv", ["--plan", "plan.json", "--crf", "0"])
            try await bench.filter("in.mkv", "other.mkv", ["--reaction", "confetti@1", "--seed", "9", "--crf", "0"])
            try edit(bench, #""enabled": true"#, #""enabled": false"#)
            try await bench.filter("in.mkv", "none.mkv", ["--plan", "plan.json", "--crf", "0"])
            let (both, one) = (try await bench.checksums("both.mkv"), try await bench.checksums("one.mkv"))
            #expect(one != both)
            #expect(try await bench.checksums("other.mkv") != one)
            let plain = try await bench.checksums("none.mkv")
            #expect(Array(one.prefix(25)) == Array(plain.prefix(25)))
            #expect(Array(both.prefix(25)) != Array(plain.prefix(25)))
        }
    }

    // MARK: Edited

    @Test func customEndsAreKept() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mkv", seconds: 8, sound: false)
            _ = try await plan(bench, "in.mkv", ["--no-gestures"])
            try edit(
                bench, #""reactions": []"#,
                """
                "reactions": [{"reactionType": "heart", "startTime": 0.4, "endTime": 1},
                {"reactionType": "confetti", "startTime": 1, "endTime": 7.4, "trigger": "schedule"}]
                """)
            let events = try await bench.filter("in.mkv", "out.mkv", ["--plan", "plan.json"])
            #expect(events.of("effectEnded").map { $0["endTime"]?.number } == [1, 7.4])
            #expect(events.of("effectStarted").map { $0["startTime"]?.number } == [0.4, 1])
        }
    }

    @Test func onlyOptionsOverrideThePlansStyle() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mkv", size: "160x120", seconds: 2)
            _ = try await plan(bench, "in.mkv", ["--no-gestures", "--reaction", "confetti@0.5", "--palette", "mono"])
            try bench.write("[effects]\npalette = \"neon\"\n", as: "c.toml")
            let crf = ["--crf", "0"]
            try await bench.filter("in.mkv", "mono.mkv", ["--reaction", "confetti@0.5", "--palette", "mono"] + crf)
            try await bench.filter("in.mkv", "plan.mkv", ["--plan", "plan.json", "--config", "c.toml"] + crf)
            try await bench.filter("in.mkv", "neon.mkv", ["--plan", "plan.json", "--palette", "neon"] + crf)
            let mono = try await bench.checksums("mono.mkv")
            #expect(try await bench.checksums("plan.mkv") == mono)
            #expect(try await bench.checksums("neon.mkv") != mono)
        }
    }

    /// A recording is analysed in parts, by as many threads as there are cores.
    @Test func gesturesAtSegmentBoundariesAreFound() async throws {
        try await Workbench.with { bench in
            try await bench.draw(PuppetClip(pose: "thumbUp", hands: "left", start: 9.4, seconds: 22), as: "drawn.mp4")
            try await FFmpegTool.ffmpeg(
                ["-i", bench.file("drawn.mp4").path, "-c:v", "libx264", "-g", "12", bench.file("in.mp4").path])
            let made = try await plan(bench, "in.mp4", [])
            let reactions = try #require(made["reactions"]?.array)
            #expect(reactions.map { $0["reactionType"]?.string } == ["thumbsUp"])
            let start = try #require(reactions.first?["startTime"]?.number)
            #expect(abs(start - 10.4) < 0.25)
            guard let taskset = try? Program.onPath("taskset") else { return }
            let program = Program.flourish.executable.path
            let alone = try await taskset.succeed(["1", program, "plan", "in.mp4", "--output", "-"], in: bench.folder)
            #expect(try JSONValue(parsing: alone.standardOutput) == made)
        }
    }

    // MARK: Near misses

    @Test func nearMissesCanBeEnabled() async throws {
        try await Workbench.with { bench in
            try await bench.draw(PuppetClip(pose: "thumbUp", hands: "left", hold: 0.5), as: "in.mp4")
            let made = try await plan(bench, "in.mp4", [])
            let candidate = try #require(made["reactions"]?.array?.first)
            #expect(candidate["enabled"] == .flag(false))
            #expect(candidate["reason"]?.string == "heldTooBriefly")
            try edit(bench, #""enabled": false"#, #""enabled": true"#)
            let events = try await bench.filter("in.mp4", "out.mp4", ["--plan", "plan.json"])
            #expect(events.effects == ["thumbsUp"])
            #expect(events.of("effectStarted").first?["trigger"]?.string == "gesture")
        }
    }

    @Test func changedCustomEffectsAreReported() async throws {
        try await Workbench.with { bench in
            let snow = """
                {"type": "snow", "duration": 2, "emitters": [{"rate": 60, "life": 2, "anchor": "frame",
                 "x": [0, 1], "y": [0, 1], "shape": "disc", "size": 0.05, "colours": ["#ffffff"]}]}
                """
            try FileManager.default.createDirectory(at: bench.file("own"), withIntermediateDirectories: true)
            try bench.write(snow, as: "own/snow.json")
            try await bench.makeClip("in.mkv")
            let own = ["--effects", "own"]
            _ = try await plan(bench, "in.mkv", ["--no-gestures", "--reaction", "snow@0.2"] + own)
            #expect(try await bench.filter("in.mkv", "a.mkv", ["--plan", "plan.json"] + own).warnings.isEmpty)
            try bench.write(snow.replacing("60", with: "70"), as: "own/snow.json")
            #expect(
                try await bench.filter("in.mkv", "b.mkv", ["--plan", "plan.json"] + own).warnings == ["effectChanged"])
        }
    }

    // MARK: Refused

    @Test(arguments: [
        (
            #""reactionType": "rain""#, #""reactionType": "snow""#,
            "plan.json: reactions[0].reactionType: unknown reaction snow"
        ),
        (#""startTime": 0.2"#, #""startTime": 20"#, "plan.json: reactions[0].startTime: 20 s is outside the video"),
        (
            #""schema": 1"#, #""schema": 1, "schema": 1"#,
            "plan.json: line 2: the key \"schema\" is a duplicate"
        ),
        (#""reactions": ["#, #""reactions": [}"#, "plan.json: line"),
        (
            "murmur3:", "murmur3:0",
            "in.mkv: has changed since plan.json was made; make a new plan with: flourish plan in.mkv"
        ),
    ])
    func invalidPlansAreReportedAndWriteNothing(_ old: String, _ new: String, _ message: String) async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mkv", sound: false)
            _ = try await plan(bench, "in.mkv", ["--no-gestures", "--reaction", "rain@0.2"])
            try edit(bench, old, new)
            let result = try await bench.flourish(["filter", "in.mkv", "out.mkv", "--plan", "plan.json", "--quiet"])
            #expect(result.exitCode == 65)
            #expect(result.errorLines.count == 1 && result.standardError.contains(message), "\(result.standardError)")
            #expect(bench.files == ["in.mkv", "plan.json"])
        }
    }

    /// As from `--plan <(…)`.
    @Test func plansMayComeThroughAPipe() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mkv", sound: false)
            _ = try await plan(bench, "in.mkv", ["--no-gestures", "--reaction", "rain@0.2"])
            try await bench.filter("in.mkv", "file.mkv", ["--plan", "plan.json", "--preset", "ultrafast"])
            let result = try await bench.shell(
                "mkfifo pipe; cat plan.json > pipe & flourish in.mkv piped.mkv --plan pipe --preset ultrafast")
            #expect(result.exitCode == 0, "\(result.standardError)")
            #expect(try await bench.checksums("piped.mkv") == bench.checksums("file.mkv"))
        }
    }

    @Test func anotherRecordingIsRefusedButAMovedOneIsNot() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mkv")
            try await bench.makeClip("other.mkv", seconds: 0.8)
            _ = try await plan(bench, "in.mkv", ["--no-gestures"])
            let result = try await bench.flourish(["filter", "other.mkv", "out.mkv", "--plan", "plan.json"])
            #expect(result.exitCode == 65)
            #expect(result.standardError.contains("other.mkv: plan.json is for another recording, in.mkv"))
            try bench.write(try bench.bytes("in.mkv"), as: "moved.mkv")
            try await bench.filter("moved.mkv", "out.mkv", ["--plan", "plan.json"])
        }
    }

    @Test(arguments: [
        ["--hold", "0.5"], ["--reaction", "rain@1"], ["--disable", "victory"], ["--bind", "victory=rain"], ["--live"],
        ["--candidates"], ["--sensitivity", "low"],
    ])
    func optionsWithoutEffectOnAPlanAreRefused(_ options: [String]) async throws {
        try await Workbench.with { bench in
            let result = try await bench.flourish(["filter", "in.mkv", "out.mkv", "--plan", "plan.json"] + options)
            #expect(result.exitCode == 64)
            #expect(result.standardError.contains("\(options[0]) and --plan cannot be combined"))
        }
    }

    /// A locked calm style applies to every run, whatever plan it gets.
    @Test func locksOverrideThePlan() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mkv", seconds: 3, sound: false)
            _ = try await plan(bench, "in.mkv", ["--no-gestures", "--reaction", "fireworks@0.5"])
            try bench.write("locked = [\"effects.calm\"]\n[effects]\ncalm = true\n", as: "system.toml")
            for (name, options, lock) in [("locked", [], "system.toml"), ("calm", ["--calm"], nil), ("wild", [], nil)] {
                let result = try await bench.flourish(
                    ["filter", "in.mkv", name + ".mkv", "--plan", "plan.json", "--preset", "ultrafast"] + options,
                    environment: lock.map { ["FLOURISH_SYSTEM_CONFIG": bench.file($0).path] } ?? [:])
                #expect(result.exitCode == 0, "\(result.standardError)")
            }
            let locked = try await bench.checksums("locked.mkv")
            #expect(try await bench.checksums("calm.mkv") == locked)
            #expect(try await bench.checksums("wild.mkv") != locked)
        }
    }

    @Test func plansNeedAFileAndReplaceNone() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mkv")
            let first = try await bench.flourish(["plan", "in.mkv", "--no-gestures"])
            #expect(first.exitCode == 0)
            #expect(bench.files == ["in.mkv", "in.plan.json"])
            let second = try await bench.flourish(["plan", "in.mkv", "--no-gestures"])
            #expect(second.exitCode == 73)
            #expect(second.standardError.contains("in.plan.json: exists already; use --overwrite to replace it"))
            let piped = try await bench.flourish(["plan", "-", "--no-gestures"])
            #expect(piped.exitCode == 64)
            #expect(piped.standardError.contains("can be read again; save it to a file first"))
            let itself = try await bench.flourish(["plan", "in.mkv", "--output", "in.mkv", "--overwrite"])
            #expect(itself.exitCode == 64)
        }
    }

    @Test(arguments: ["filter", "plan"])
    func unknownReactionsAreReportedBeforeAnalysis(_ command: String) async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mkv")
            func run(_ reaction: String) async throws -> ProgramResult {
                let output = command == "plan" ? ["--output", "out.json"] : ["out.mkv"]
                let all = [command, "in.mkv"] + output + ["--reaction", "\(reaction)@0.2", "--progress", "json"]
                return try await bench.flourish(all)
            }
            let unknown = try await run("hearts")
            #expect(unknown.exitCode == 64 && bench.files == ["in.mkv"])
            #expect(unknown.standardError.contains("unknown reaction hearts; did you mean heart? use one of thumbsUp"))
            #expect(!unknown.standardError.contains("\"fraction\""))
            #expect(try await run("heart").standardError.contains("\"fraction\""))
        }
    }
}
