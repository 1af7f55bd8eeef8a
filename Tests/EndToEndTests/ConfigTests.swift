import Foundation
import Testing
import TestSupport

@Suite("Configuration files")
struct ConfigTests {
    /// Runs the program with the user's file `user.toml` and the system's `system.toml`, if the
    /// folder has them.
    private func flourish(_ bench: Workbench, _ arguments: [String]) async throws -> ProgramResult {
        let folder = bench.file("xdg/flourish")
        try? FileManager.default.removeItem(at: bench.file("xdg"))
        if bench.files.contains("user.toml") {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try bench.bytes("user.toml").write(to: folder.appending(path: "config.toml"))
        }
        let environment = [
            "XDG_CONFIG_HOME": bench.file("xdg").path, "FLOURISH_SYSTEM_CONFIG": bench.file("system.toml").path,
        ]
        return try await bench.flourish(arguments, environment: environment)
    }

    private func rows(_ result: ProgramResult) throws -> [String: JSONValue] {
        let report = try JSONValue(parsing: result.standardOutput)
        let rows = try #require(report["settings"]?.array)
        return Dictionary(uniqueKeysWithValues: rows.map { ($0["key"]?.string ?? "", $0) })
    }

    @Test func everythingWorksWithoutFiles() async throws {
        try await Workbench.with { bench in
            let text = try await flourish(bench, ["config"])
            #expect(text.exitCode == 0 && text.standardError.isEmpty)
            #expect(text.outputLines.allSatisfy { $0.hasSuffix("built in") })
            #expect(text.outputLines.contains { $0.hasPrefix("recognition.hold ") })
            let rows = try rows(try await flourish(bench, ["config", "--json"]))
            #expect(rows["encoding.codec"]?["value"]?.string == "h264")
            #expect(rows["encoding.crf"]?["value"] == .null)
            #expect(rows["recognition.hold"]?["source"]?.string == "builtIn")
            let check = try await flourish(bench, ["config", "--check"])
            #expect(check.exitCode == 0)
            let path = try await flourish(bench, ["config", "--path"])
            #expect(path.outputLines == [bench.file("xdg/flourish/config.toml").path])
        }
    }

    /// The help text of an option is that of its setting's declaration.
    @Test func theHelpHasEverySetting() async throws {
        try await Workbench.with { bench in
            let help = try await bench.flourish(["filter", "--help-all"]).standardOutput
                .split(whereSeparator: \.isWhitespace).joined(separator: " ")
            let rows = try rows(try await flourish(bench, ["config", "--json"]))
            var count = 0
            for (key, row) in rows {
                guard let option = row["option"]?.string, let text = row["documentation"]?.string else { continue }
                // One option binds all gestures, and one is a switch with words of its own.
                let name = String(option.prefix { $0 != " " })
                #expect(help.contains(name + " ") || help.contains(name + "/--no-"), "\(key)")
                if option.contains(" ") || option == "--no-gestures" { continue }
                #expect(help.contains(text), "\(key)")
                count += 1
            }
            #expect(count > 25)
        }
    }

    @Test func strongerPlacesOverrideWeakerOnes() async throws {
        try await Workbench.with { bench in
            try bench.write(
                "[recognition]\nhold = 2\ncooldown = 8\n[encoding]\ncodec = \"hevc\"\ncrf = 30\n", as: "system.toml")
            try bench.write("[recognition]\n\n  hold = 0.5 # quick\n", as: "user.toml")
            let rows = try rows(try await flourish(bench, ["config", "--json"]))
            #expect(rows["recognition.hold"]?["value"]?.number == 0.5)
            #expect(rows["recognition.hold"]?["line"]?.integer == 3)
            #expect(rows["recognition.hold"]?["source"]?.string == "userFile")
            #expect(rows["recognition.cooldown"]?["value"]?.number == 8)
            #expect(rows["recognition.cooldown"]?["source"]?.string == "systemFile")

            try bench.write("[encoding]\ncodec = \"vp9\"\n", as: "other.toml")
            try await bench.makeClip("in.mp4")
            for (options, codec) in [
                ([], "hevc"), (["--codec", "h264"], "h264"), (["--no-config"], "h264"),
                (["--config", "other.toml"], "vp9"),
            ] {
                let result = try await flourish(
                    bench, ["in.mp4", "out.mkv", "--no-gestures", "--overwrite"] + options)
                #expect(result.exitCode == 0, "\(result.standardError)")
                #expect(try await bench.report("out.mkv").video["codec_name"]?.string == codec)
            }
            let missing = try await flourish(bench, ["detect", "in.mp4", "--config", "none.toml"])
            expectRefusal(missing, code: 66, naming: "none.toml")
        }
    }

    @Test func aContainerWithoutH264GetsVP9UnlessACodecIsNamed() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4", sound: false)
            // A preset and a quality belong to the codec that they were set with.
            try bench.write("[encoding]\npreset = \"veryfast\"\ncrf = 20\n", as: "user.toml")
            for output in ["out.webm", "out.mkv"] {
                let result = try await flourish(bench, ["in.mp4", output, "--no-gestures"])
                #expect(result.exitCode == 0 && result.complaints.isEmpty, "\(result.standardError)")
                let codec = try await bench.report(output).video["codec_name"]?.string
                #expect(codec == (output == "out.webm" ? "vp9" : "h264"))
            }
            let preview = try await flourish(
                bench, ["preview", "heart", "heart.webm", "--size", "96x64", "--rate", "5"])
            #expect(preview.exitCode == 0, "\(preview.standardError)")
            let option = try await flourish(bench, ["in.mp4", "no.webm", "--no-gestures", "--codec", "h264"])
            expectRefusal(option, code: 64, naming: "no.webm", saying: "WebM does not support h264")
            try bench.write("[encoding]\ncodec = \"h264\"\n", as: "user.toml")
            let file = try await flourish(bench, ["in.mp4", "no.webm", "--no-gestures"])
            expectRefusal(file, code: 64, naming: "no.webm", saying: "WebM does not support h264")
        }
    }

    @Test func lockedSettingsCannotBeOverridden() async throws {
        try await Workbench.with { bench in
            try bench.write(
                "locked = [\"recognition.gestures\", \"encoding\"]\n[recognition]\ngestures = false\n",
                as: "system.toml")
            try bench.write("[recognition]\ngestures = true\nhold = 0.5\n", as: "user.toml")
            try await bench.makeClip("in.mp4")
            let system = bench.file("system.toml").path
            let config = try await flourish(bench, ["config", "--json"])
            #expect(
                config.errorLines.count == 1
                    && config.standardError.contains("config.toml:2: recognition.gestures is locked by \(system)"))
            let rows = try rows(config)
            #expect(rows["recognition.gestures"]?["value"]?.boolean == false)
            #expect(rows["recognition.gestures"]?["lockedBy"]?.string == system)
            #expect(rows["recognition.hold"]?["value"]?.number == 0.5)
            for options in [[], ["--no-config"], ["--config", "user.toml"]] {
                let result = try await flourish(
                    bench, ["in.mp4", "out.mp4", "--overwrite", "--events", "-", "--quiet"] + options)
                #expect(result.exitCode == 0)
                #expect(try EventLines(result.standardOutput).all.first?["gesturesEnabled"]?.boolean == false)
            }
            // Commands that only analyse hands refuse the setting.
            for command in [
                ["inspect", "in.mp4"], ["inspect", "in.mp4", "--no-config"],
                ["learn", "three", "--from", "in.mp4", "--reaction", "rain", "--gestures", "set.json"],
            ] {
                let refused = try await flourish(bench, command)
                // A warning may come before it: the user's file sets another value.
                let line = refused.errorLines.last ?? ""
                #expect(refused.exitCode == 64 && line.contains("recognition.gestures is false for all users"))
                #expect(line.contains(system))
                #expect(refused.standardOutput.isEmpty && !bench.files.contains("set.json"))
            }
            let refused = try await flourish(bench, ["in.mp4", "new.mp4", "--codec", "hevc"])
            expectRefusal(refused, code: 64, naming: "--codec", saying: system, "encoding.codec", "\"h264\"")
            // An option that equals the locked value is no contradiction.
            let same = try await flourish(
                bench, ["in.mp4", "out.mp4", "-y", "--quiet", "--codec", "h264", "--no-gestures"])
            #expect(same.exitCode == 0, "\(same.standardError)")
        }
    }

    @Test(arguments: [
        (
            "[recognition]\nhold = \"long\"",
            "user.toml:2: recognition.hold must be a number from 0 to 10 s, not \"long\""
        ),
        ("[recognition]\nhold = nan", ":2: recognition.hold"), ("[recognition]\nhold = -0.1", ":2: recognition.hold"),
        ("[recognition]\nhold = 11", ":2: recognition.hold"),
        ("[recognition]\ncooldown = inf", ":2: recognition.cooldown"),
        ("recognition = 3", "[recognition] is a table of settings"),
        (
            "[recognition]\ndisabled = [\"wave\"]",
            "user.toml:2: there is no gesture wave to disable; use one of thumbsUp"
        ),
        ("[recognition]\ndisabled = [\"a wave\"]", ":2: recognition.disabled must be a list of thumbsUp"),
        ("[bindings]\nwave = \"heart\"", "user.toml:2: there is no gesture wave to bind; use one of thumbsUp"),
        (
            "[recognition]\nsensitivity = \"medium\"",
            ":2: recognition.sensitivity must be low, normal or high, not \"medium\""
        ),
        ("[sensitivity]\nheart = 3", ":2: sensitivity.heart must be low, normal or high, not 3"),
        (
            "[sensitivity]\nwave = \"high\"",
            "user.toml:2: there is no gesture wave to set the sensitivity of; use one of thumbsUp"
        ),
        ("[recognition]\ngestures = 2026-01-01", "not a date or time"),
        ("[encoding]\ncodec = \"h266\"", "h264, hevc, vp9 or av1"),
        ("[encoding]\ncrf = 60", "between 0 and 51 for h264"),
        (
            "[encoding]\npreset = \"fastest\"",
            "user.toml:2: unknown preset fastest of h264; did you mean faster? use one of ultrafast"
        ),
        (
            "[encoding]\npreset = \"fast\"\ncodec = \"vp9\"",
            "user.toml:2: unknown preset fast of vp9; use one of 0"
        ),
        (
            "[encoding]\npixel-format = \"yuv421p\"",
            "user.toml:2: unknown pixel format yuv421p; use one such as yuv420p"
        ),
        ("[encoding]\npixel-format = \"bgr24\"", "user.toml:2: the pixel format bgr24"),
        ("[encoding]\ncrf = 20\nbitrate = \"2M\"", "cannot be combined"),
        ("[encoding]\nbitrate = \"fast\"", "bits per second"), ("[effects]\nseed = -1", "a whole number, 0 or more"),
        ("[encoding]\nmax-bitrate = \"2M\"", "user.toml:2: max-bitrate requires bitrate"),
        ("[effects]\ncalm = true\npalette = \"beige\"", "user.toml:3: unknown palette 'beige'"),
        ("[bindings]\nvictory = \"ballons\"", "user.toml:2: unknown reaction ballons"),
        ("[recognition\nhold = 1", "user.toml:1: is not valid TOML"), ("hold = \u{0}", "not a text file"),
        ("[output]\nquite = true", "user.toml:2: unknown setting output.quite; did you mean output.quiet?"),
        ("[recognition]\nlocked = [\"recognition.hold\"]", "put locked before the first table"),
        ("[recogniton]\nhold = 1", "did you mean recognition.hold?"), ("xyzzy = 1", "flourish config --example"),
    ])
    func faultsAreNamed(_ text: String, _ words: String) async throws {
        try await Workbench.with { bench in
            try bench.write(text, as: "user.toml")
            let result = try await flourish(bench, ["config", "--check", "--config", "user.toml"])
            expectRefusal(result, code: 64, naming: "user.toml", saying: words)
            let run = try await flourish(bench, ["config", "--config", "user.toml"])
            #expect(run.errorLines.count == 1 && run.standardError.contains(words))
            // A reaction may exist elsewhere, and is skipped with a warning; other faults are errors.
            #expect(run.exitCode == (run.standardError.contains("warning") ? 0 : 64))
        }
    }

    @Test func allMistakesAreReportedAtOnce() async throws {
        try await Workbench.with { bench in
            try bench.write("locked = [\"encoding.crf\"]\n[encoding]\ncrf = 18\n", as: "system.toml")
            try bench.write(
                """
                [recognition]
                hold = 99
                disabled = ["victroy", "heart"]
                [bindings]
                wave = "heart"
                victory = "ballons"
                [encoding]
                crf = 20
                max-bitrate = "2M"
                max-frame-qp = 30
                [output]
                quite = true
                """, as: "user.toml")
            let result = try await bench.flourish(
                ["config", "--check", "--config", "user.toml"],
                environment: ["FLOURISH_SYSTEM_CONFIG": bench.file("system.toml").path])
            #expect(result.exitCode == 64)
            for words in [
                "user.toml:2: recognition.hold must be", "user.toml:3: there is no gesture victroy to disable",
                "user.toml:5: there is no gesture wave to bind", "user.toml:6: unknown reaction ballons",
                "user.toml:8: encoding.crf is locked by ", "user.toml:9: max-bitrate requires bitrate",
                "user.toml:10: max-frame-qp requires bitrate", "user.toml:12: unknown setting output.quite",
            ] {
                #expect(result.standardError.contains(words), "\(words)")
            }
            #expect(result.errorLines.count == 8, "\(result.standardError)")
            let all = try await bench.flourish(
                ["config", "--check"],
                environment: [
                    "FLOURISH_SYSTEM_CONFIG": bench.file("system.toml").path, "XDG_CONFIG_HOME": bench.file("xdg").path,
                ])
            #expect(all.exitCode == 0 && all.standardOutput.hasSuffix("system.toml: no errors\n"))
        }
    }

    @Test func missingFoldersAreNamed() async throws {
        try await Workbench.with { bench in
            try bench.write("[effects]\ncalm = true\nfolders = [\".\", \"none\"]\n", as: "some.toml")
            let check = try await flourish(bench, ["config", "--check", "--config", "some.toml"])
            expectRefusal(check, code: 64, naming: "some.toml:3: none: the folder of effects cannot be read")
            let run = try await flourish(bench, ["filter", "in.mp4", "out.mp4", "--config", "some.toml"])
            expectRefusal(run, code: 66, naming: "some.toml:3: none: the folder of effects cannot be read")
        }
    }

    @Test func reactionsDisabledByAFileAreReported() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4", seconds: 1, sound: false)
            try bench.write("[effects]\nreactions = false\n", as: "off.toml")
            let result = try await flourish(
                bench,
                [
                    "in.mp4", "out.mp4", "--no-gestures", "--config", "off.toml", "--events", "-", "--reaction",
                    "confetti@0.4",
                    "--bitrate", "100k",
                ])
            #expect(result.exitCode == 0)
            #expect(
                result.complaints == [
                    "flourish: warning: confetti at 0.4 s was not shown: reactions are switched off (effects.reactions)"
                ])
            let events = try EventLines(result.standardOutput)
            #expect(events.warnings == ["reactionNotShown"] && events.effects.isEmpty)
            #expect(events.of("encoderAdjusted").isEmpty, "the encoder waits for nothing")
        }
    }

    @Test func theDoctorChecksTheFiles() async throws {
        try await Workbench.with { bench in
            try bench.write("[recognition]\nhold = 1\n", as: "user.toml")
            let good = try await flourish(bench, ["doctor"])
            #expect(good.outputLines.contains { $0.hasPrefix("ok       configuration: ") })
            try bench.write("[recognition]\nhold = 100\n", as: "user.toml")
            let bad = try await flourish(bench, ["doctor"])
            #expect(bad.exitCode == 69 && bad.standardOutput.contains("config.toml:2: recognition.hold must be"))
        }
    }

    @Test func theExampleChangesNothing() async throws {
        try await Workbench.with { bench in
            let example = try await flourish(bench, ["config", "--example"])
            try bench.write(example.standardOutput, as: "example.toml")
            #expect(try await flourish(bench, ["config", "--check", "--config", "example.toml"]).exitCode == 0)
            // Uncommented, the example contains every setting.
            let settings = example.outputLines.map { line -> String in
                let isSetting = line.hasPrefix("# ") && line.contains(" = ") && !line.contains("locked")
                return isSetting ? String(line.dropFirst(2)) : line
            }
            // Except for a file that does not exist, settings that exclude a bit rate, and a short form of another one.
            let missing = ["gestures-file = ", "crf = ", "effect-bits = ", "portrait = "]
            let usable = settings.filter { line in !missing.contains { line.hasPrefix($0) } }
            try bench.write(usable.joined(separator: "\n"), as: "user.toml")
            let report = try await flourish(bench, ["config", "--json", "--config", "user.toml"])
            let keys = try JSONValue(
                parsing: try await flourish(bench, ["config", "--json", "--no-config"]).standardOutput)
            #expect(keys["settings"]?.array?.count ?? 0 > 10)
            for key in keys["settings"]?.array ?? [] {
                let name = key["key"]?.string?.split(separator: ".").last.map(String.init) ?? "?"
                #expect(settings.contains { $0.hasPrefix("\(name) = ") }, "\(name)")
            }
            #expect(report.exitCode == 0 && report.standardError.isEmpty, "\(report.standardError)")
        }
    }
}
