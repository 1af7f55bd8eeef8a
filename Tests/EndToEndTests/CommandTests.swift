import Foundation
import Testing
import TestSupport

@Suite("The command line")
struct CommandTests {
    private static let types = DeclaredNames.reactions

    @Test func everyCommandHasHelpWithExamples() async throws {
        try await Workbench.with { bench in
            let top = try await bench.flourish(["--help"])
            #expect(top.exitCode == 0)
            for word in [
                "EXAMPLES", "EXIT CODES", "filter", "detect", "inspect", "reactions", "preview", "puppet", "doctor",
                "config",
            ] {
                #expect(top.standardOutput.contains(word), "\(word)")
            }
            for code in ["0", "64", "65", "66", "69", "70", "73", "74", "130", "143"] {
                #expect(top.outputLines.contains { $0.hasPrefix("  \(code) ") }, "exit code \(code)")
            }
            for command in ["filter", "detect", "control", "inspect", "preview", "packs", "puppet"] {
                let help = try await bench.flourish([command, "--help"])
                #expect(help.exitCode == 0 && help.standardOutput.contains("flourish \(command) "), "\(command)")
                #expect(help.standardOutput.contains("EXAMPLES"), "\(command)")
            }
            for command in ["reactions", "doctor", "config"] {
                #expect(try await bench.flourish([command, "--help"]).exitCode == 0)
            }
            #expect(try await bench.flourish(["--version"]).standardOutput.contains("."))
        }
    }

    /// A value that is nearly a known one gets the list, and the known one if the list is long.
    @Test(arguments: [
        ["--reaction", "confeti@1", "did you mean confetti? use one of"],
        ["--bind", "victory=baloons", "did you mean balloons? use one of"],
        ["--bind", "victry=rain", "did you mean victory? use one of"],
        ["--palette", "ocaen", "did you mean ocean? use one of"],
        ["--preset", "vefast", "did you mean veryfast? use one of"],
        ["--sensitivity", "hihg", "Please provide one of 'low', 'normal' or 'high'; see"],
        ["--codec", "hvc", "'h264', 'hevc', 'vp9' or 'av1'; see"],
    ])
    func misspeltValuesGetTheNearestKnownOne(_ arguments: [String]) async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4")
            let result = try await bench.flourish(["filter", "in.mp4", "out.mp4"] + arguments.dropLast())
            #expect(result.exitCode == 64)
            #expect(result.standardError.contains(arguments[2]), "\(result.standardError)")
        }
    }

    @Test func theReactionsAreListed() async throws {
        try await Workbench.with { bench in
            let result = try await bench.flourish(["reactions", "--json"])
            let rows = try #require(try JSONValue(parsing: result.standardOutput).array)
            #expect(rows.map { $0["reactionType"]?.string } == Self.types)
            #expect(rows.map { $0["gesture"]?.string } == DeclaredNames.gesturesOfReactions)
            #expect(rows.allSatisfy { $0["systemImageName"]?.string?.isEmpty == false })
            let text = try await bench.flourish(["reactions"])
            for type in Self.types { #expect(text.standardOutput.contains(type)) }
        }
    }

    @Test(arguments: types)
    func eachReactionCanBePreviewed(_ type: String) async throws {
        try await Workbench.with { bench in
            let result = try await bench.flourish(["preview", type, "sheet.png", "--size", "160x90", "--rate", "5"])
            #expect(result.exitCode == 0 && result.standardOutput.isEmpty && result.standardError.isEmpty)
            #expect(bench.files == ["sheet.png"])
            let sheet = try await bench.report("sheet.png")
            #expect((sheet.videoSize.width ?? 0) >= 160 * 3)
            // Something colourful was drawn on the plain background.
            try await bench.ffmpeg(["-i", "sheet.png", "-f", "rawvideo", "-pix_fmt", "rgb24", "sheet.raw"])
            #expect(Set(try bench.bytes("sheet.raw")).count > 64)
        }
    }

    @Test func thePuppetFollowsItsScript() async throws {
        try await Workbench.with { bench in
            let clip = PuppetClip(pose: "thumbUp", hands: "left", seconds: 1.5, width: 160, height: 90)
            try bench.write(clip.script, as: "in.json")
            try await Program.flourish.succeed(["puppet", "in.json", "in.mp4"], in: bench.folder)
            let report = try await bench.report("in.mp4")
            #expect(report.videoSize == (160, 90))
            #expect(report.frameTimes.count == 18)
            #expect(report.streams(of: "audio").count == 1)
            let truth = try JSONValue(
                parsing: String(decoding: bench.bytes("in.truth.json"), as: UTF8.self))
            #expect(truth["frameCount"]?.integer == 18)
            #expect(truth["cues"]?[0]?["reactionType"]?.string == "thumbsUp")

            try bench.write("{ \"width\": 160 }", as: "bad.json")
            let bad = try await bench.flourish(["puppet", "bad.json", "bad.mp4"])
            expectRefusal(bad, code: 65, naming: "bad.json", saying: "height")
            try bench.write("precious", as: "truth.json")
            let kept = try await bench.flourish(["puppet", "in.json", "new.mp4", "--truth", "truth.json"])
            expectRefusal(kept, code: 73, naming: "truth.json", saying: "--overwrite")
            #expect(try bench.bytes("truth.json") == Data("precious".utf8) && !bench.files.contains("new.mp4"))
            let missing = try await bench.flourish(["puppet", "none.json", "bad.mp4"])
            expectRefusal(missing, code: 66, naming: "none.json")
            #expect(!bench.files.contains { $0.contains("bad.mp4") })
        }
    }

    @Test(
        arguments: [
            (["filter", "in.mp4", "out.mp4", "--hodl", "1"], "unknown option '--hodl'", "filter"),
            (["in.mp4"], "missing expected argument '<output>'", "filter"),
            (["filter", "in.mp4", "out.mp4", "--codec", "mpeg2"], "'h264', 'hevc', 'vp9' or 'av1'", "filter"),
            (["filter", "in.mp4", "out.mp4", "--hold", "soon"], "'soon' is invalid for '--hold <s>'", "filter"),
            (["detect", "in.mp4", "--hold", "1,5"], "it must be a number from 0 to 10 s", "detect"),
            (["filter", "in.mp4", "out.mp4", "--seed", "1.5"], "it must be a whole number, 0 or more", "filter"),
            (
                ["filter", "in.mp4", "out.mp4", "--reaction", "heart@-5"], "give the start time in seconds after the @",
                "filter"
            ),
            (["filter", "in.mp4", "out.mp4", "--reaction", "heart@1,2,3"], "such as heart@1,0.5,0.4", "filter"),
            (["filter", "in.mp4", "out.mp4", "--reaction", "@2"], "such as heart@2.5", "filter"),
            (["detect", "in.mp4", "more.mp4"], "unexpected argument 'more.mp4'", "detect"),
            (["inspect"], "missing expected argument '<inputs> ...'", "inspect"),
            (["inspect", "in.mp4", "--crf", "20"], "--crf sets how --draw encodes a video", "inspect"),
            (["preview", "heart", "heart.png", "--rate", "0"], "--rate must be between 1 and 240", "preview"),
            (["puppet", "call.json"], "missing expected argument '<output>'", "puppet"),
            (["reactions", "--yaml"], "unknown option '--yaml'", "reactions"),
            (["doctor", "now"], "unexpected argument 'now'", "doctor"),
            (["config", "--check", "b"], "unexpected argument 'b'", "config"),
        ] as [([String], String, String)])
    func badOptionsHaveOneLine(_ arguments: [String], _ words: String, _ command: String) async throws {
        try await Workbench.with { bench in
            let result = try await bench.flourish(arguments)
            expectRefusal(result, code: 64, naming: "", saying: words, "; see flourish \(command) --help")
            #expect(bench.files.isEmpty)
        }
    }

    @Test(arguments: [("0:01.2", 1.2), ("0:00:01.5", 1.5), ("00:1", 1), ("1.25", 1.25)])
    func timesAcceptCommonNotations(_ text: String, _ seconds: Double) async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4", seconds: 2, sound: false)
            let result = try await bench.flourish([
                "filter", "in.mp4", "out.mp4", "--events", "-", "--preset", "ultrafast", "--reaction", "heart@\(text)",
                "--hold", text, "--cooldown", "1:00",
            ])
            try #require(result.exitCode == 0, "\(result.standardError)")
            let events = try EventLines(result.standardOutput)
            let start = try #require(events.of("effectStarted").first?["time"]?.number)
            #expect(abs(start - seconds) < 0.041, "\(start)")
        }
    }

    @Test(arguments: ["1:", ":1", "1:60", "1:2:3:4", "1:61:00", "-1:00", "1.5:00", "1:-2", "1:2e1:3"])
    func invalidTimesAreRefused(_ text: String) async throws {
        try await Workbench.with { bench in
            let result = try await bench.flourish(["in.mp4", "out.mp4", "--reaction", "heart@\(text)"])
            expectRefusal(
                result, code: 64, naming: "", saying: "give the start time in seconds after the @, such as heart@2.5")
        }
    }

    @Test func severalGesturesAreDisabledAtOnce() async throws {
        try await Workbench.with { bench in
            try await bench.draw(PuppetClip(pose: "victory", hands: "left"), as: "in.mp4")
            #expect(try await bench.detect("in.mp4", ["--disable", "heart,victory"]).effects == [])
            #expect(try await bench.detect("in.mp4", ["--disable", "heart,thumbsUp"]).effects == ["balloons"])
        }
    }

    /// Commands do not offer options that only `filter` supports.
    @Test func eachCommandListsItsOwnOptions() async throws {
        try await Workbench.with { bench in
            let rate = ["--bitrate", "--max-frame-qp", "--effect-bits", "--smart-render", "--protect-face"]
            for command in ["filter", "preview", "inspect"] {
                let help = try await bench.flourish([command, "--help-all"]).standardOutput
                #expect(help.contains("--codec") && help.contains("--preset"))
                for option in rate { #expect(help.contains(option) == (command == "filter"), "\(command) \(option)") }
            }
        }
    }

    @Test(arguments: [
        (["nope"], "unknown command 'nope'; see"), (["filtre"], "Did you mean 'filter'?; see"),
        (["plan", "convrt"], "unknown command 'convrt'. Did you mean 'convert'?; see"),
        (["filter", "in.mp4"], "unknown command 'in.mp4'; see"),
    ])
    func helpRefusesUnknownCommands(_ words: [String], _ message: String) async throws {
        try await Workbench.with { bench in
            let result = try await bench.flourish(["help"] + words)
            expectRefusal(result, code: 64, naming: "unknown command", saying: message)
            let good = try await bench.flourish(["help", "plan", "convert"])
            #expect(good.exitCode == 0 && good.standardOutput.contains("flourish plan convert"))
        }
    }

    @Test(arguments: ["late.mkv", "late.mp4", "late.ts"])
    func lateStreamsAreReported(_ input: String) async throws {
        try await Workbench.with { bench in
            try await bench.ffmpeg(
                ["-f", "lavfi", "-i", "testsrc2=s=96x64:r=25:d=2"] + Coding.h264
                    + ["-output_ts_offset", "3", input])
            let result = try await bench.flourish(
                ["filter", input, "out.mkv", "--no-gestures", "--events", "-", "--progress", "json"])
            #expect(result.exitCode == 0)
            let first = try #require(try await bench.report(input).frameTimes.first)
            #expect(first > 2.5)
            let events = try EventLines(result.standardOutput)
            #expect(abs((events.all.first?["time"]?.number ?? -1) - first) < 0.001)
            let fractions = try JSONValue.lines(of: result.standardError).compactMap { $0["fraction"]?.number }
            #expect((0.9...1).contains(fractions.last ?? 0), "\(fractions)")
        }
    }

    @Test func theDoctorFindsEverythingThatSetupInstalls() async throws {
        try await Workbench.with { bench in
            let result = try await bench.flourish(["doctor"])
            #expect(result.exitCode == 0)
            let findings = try #require(
                try JSONValue(parsing: try await bench.flourish(["doctor", "--json"]).standardOutput).array)
            // A remedy is an indented line of its own.
            #expect(findings.count == result.outputLines.count { !$0.hasPrefix(" ") })
            // The kernel's parts have tests of their own (SandboxTests, LoopbackTests).
            let kernel = ["sandbox", "camera in /dev"]
            let missing = findings.filter {
                $0["isGood"]?.boolean != true && !kernel.contains($0["name"]?.string ?? "")
            }
            #expect(missing.isEmpty, "\(result.standardOutput)")

            let lost = try await bench.flourish(["doctor"], environment: ["FLOURISH_HOME": bench.folder.path])
            #expect(lost.standardOutput.contains("MISSING"))
        }
    }

    @Test func inputAndOutputAloneRunFilter() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4")
            let result = try await bench.flourish(["in.mp4", "out.mp4"])
            #expect(result.exitCode == 0)
            // A pipe gets no progress line, and only the run's report if there is no warning.
            #expect(result.complaints.isEmpty && result.report != nil && result.standardOutput.isEmpty)
            #expect(try await bench.report("out.mp4").frameTimes.count == 15)
        }
    }

    /// `script` runs a command on a terminal of its own.
    @Test(
        .enabled(if: (try? Program.onPath("script")) != nil, "needs script"),
        .enabled(
            if: FileManager.default.fileExists(atPath: "/dev/pts/ptmx"), "needs terminals (/dev/pts)"))
    func aTerminalGetsAnUpdatingLine() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4", size: "640x360", seconds: 16)
            let command = "\(Program.flourish.executable.path) in.mp4 out.mp4 --no-gestures --reaction heart --crf 20"
            let result = try await Program.onPath("script").run(
                ["-q", "-e", "-c", command, "/dev/null"], in: bench.folder)
            #expect(result.exitCode == 0)
            let line = try #require(result.standardOutput.split(separator: "\r").last { $0.contains("frames") })
            for word in ["in.mp4  ", " %", "fps", "0:0", "1 effect"] { #expect(line.contains(word), "\(line)") }
            // At the end the progress line is erased and the run's report printed.
            let end = try #require(result.standardOutput.split(separator: "\r\u{1B}[K").last)
            #expect(end.hasPrefix("flourish: 1 reaction: heart at 0:00 → out.mp4 ("), "\(end)")
            let quiet = try await Program.onPath("script").run(
                ["-q", "-e", "-c", command + " --quiet --overwrite", "/dev/null"], in: bench.folder)
            #expect(quiet.exitCode == 0 && quiet.standardOutput.isEmpty)
        }
    }

    @Test func progressForProgramsIsJSON() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4", seconds: 2)
            let result = try await bench.flourish(
                ["in.mp4", "out.mp4", "--no-gestures", "--reaction", "heart", "--progress", "json"])
            #expect(result.exitCode == 0)
            let records = try JSONValue.lines(of: result.standardError)
            #expect(!records.isEmpty)
            for record in records {
                #expect((1...50).contains(record["frames"]?.integer ?? 0))
                #expect((0...1).contains(record["fraction"]?.number ?? -1))
                #expect(record["framesPerSecond"]?.number ?? -1 >= 0)
                #expect(record["effects"]?.integer == 1 || record["effects"]?.integer == 0)
            }
            let frames = records.compactMap { $0["frames"]?.integer }
            #expect(frames == frames.sorted())
        }
    }

    @Test func quietPrintsOnlyErrors() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mkv", seconds: 1, ["-g", "10"] + Coding.h264 + ["-c:a", "adpcm_ms"])
            // MP4 cannot hold the sound: a warning.
            let loud = try await bench.flourish(["in.mkv", "one.mp4", "--no-gestures"])
            #expect(loud.exitCode == 0)
            #expect(loud.complaints.count == 1)
            #expect(loud.standardError.hasPrefix("flourish: warning: stream 1"))
            let named = try await bench.flourish(
                ["in.mkv", "one.mp4", "--no-gestures", "--overwrite", "--log-prefix", "--effects-fps", "500"])
            #expect(named.exitCode == 0 && named.errorLines.count == 2)
            #expect(named.standardError.hasPrefix("flourish: in.mkv: warning: stream 1"))
            #expect(named.errorLines.allSatisfy { $0.hasPrefix("flourish: in.mkv: ") })
            let quiet = try await bench.flourish(["in.mkv", "two.mp4", "--no-gestures", "--quiet"])
            #expect(quiet.exitCode == 0)
            #expect(quiet.standardError.isEmpty && quiet.standardOutput.isEmpty)
            let errors = try await bench.flourish(["in.mkv", "three.mp4", "--no-gestures", "--log-level", "error"])
            #expect(errors.exitCode == 0 && errors.standardError.isEmpty)
            let debug = try await bench.flourish(["in.mkv", "four.mp4", "--no-gestures", "--log-level", "debug"])
            #expect(debug.standardError.contains("streamEnded"))
        }
    }

    /// SVT-AV1 and x265 have logs of their own.
    @Test(arguments: ["hevc", "vp9", "av1"])
    func encodersLogNothing(_ codec: String) async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mkv", sound: false)
            let result = try await bench.flourish(
                ["in.mkv", "out.mkv", "--no-gestures", "--quiet", "--codec", codec], environment: ["SVT_LOG": nil])
            #expect(result.exitCode == 0 && result.standardError.isEmpty, "\(result.standardError)")
        }
    }

    @Test(arguments: [
        ["--events", "one", "--sidecar", "one"], ["--events", "one.json", "--report", "one.json"],
        ["--sidecar", "out.mp4"], ["--report", "out.mp4"], ["--events", "one", "--sidecar", "./one"],
        ["--events", "./out.mp4"], ["--report", "/dev/null"],
    ])
    func outputsBesideTheVideoAreKeptApart(_ options: [String]) async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4", sound: false)
            let result = try await bench.flourish(["in.mp4", "out.mp4", "--no-gestures"] + options)
            #expect(result.exitCode == 64)
            #expect(
                result.errorLines.count == 1
                    && result.standardError.contains("choose another \(options[options.count - 2]) path"))
            #expect(bench.files == ["in.mp4"])
        }
    }

    /// Files beside the video are truncated only when the first event is emitted.
    @Test func aRunThatFailsDestroysNothing() async throws {
        try await Workbench.with { bench in
            for name in ["events.jsonl", "cues.vtt"] { try bench.write("precious", as: name) }
            try bench.write("no video", as: "in.mp4")
            let result = try await bench.flourish(
                ["in.mp4", "out.mp4", "--events", "events.jsonl", "--sidecar", "cues.vtt", "--no-gestures"])
            #expect(result.exitCode == 65)
            for name in ["events.jsonl", "cues.vtt"] { #expect(try bench.bytes(name) == Data("precious".utf8)) }
        }
    }

    @Test func scheduledReactionsMayOverlapOrExceedTheRecording() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4", seconds: 2, sound: false)
            let events = try await bench.filter(
                "in.mp4", "out.mp4",
                [
                    "--reaction", "heart@0.2,0.1,0.9", "--reaction", "lasers@0.6", "--reaction", "heart@1",
                    "--reaction",
                    "rain@30",
                ])
            #expect(events.effects == ["heart", "lasers"])
            #expect(events.of("effectExtended").count == 1)
            #expect(events.of("effectStarted").first?["origin"] == .object(["x": .number(0.1), "y": .number(0.9)]))
            #expect(events.of("effectStarted").map { $0["id"]?.integer } == [1, 2])
            #expect(events.warnings == ["reactionNotShown"])
            #expect(events.of("effectEnded").count == 2)
            let maximum = events.of("effectsInProgress").map { $0["effects"]?.array?.count ?? 0 }.max()
            #expect(maximum == 2)
            let ended = events.ended["effectCounts"]
            #expect(ended == .object(["heart": .integer(1), "lasers": .integer(1)]))
        }
    }
}
