import Foundation
import Testing
import TestSupport

/// Commands that run at events of the program's runs.
@Suite("Hooks")
struct HookTests {
    /// A hook that appends the reaction and its time to a file.
    private static let recording =
        #"sh -c 'echo "$FLOURISH_REACTION_TYPE $FLOURISH_TIME $FLOURISH_INPUT" >> reactions.txt'"#

    private func lines(_ bench: Workbench, _ name: String = "reactions.txt") -> [String] {
        let text = (try? bench.bytes(name)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        return text.split(separator: "\n").map(String.init).sorted()
    }

    private static let reactions = ["--no-gestures", "--reaction", "heart@0.2", "--reaction", "rain@0.4"]
    private static let expected = ["heart 0.2 in.mp4", "rain 0.4 in.mp4"]

    /// All ways of a run publish the same events: smart rendering, a full encode, and detection.
    @Test(arguments: [
        ["filter", "in.mp4", "out.mp4"], ["filter", "in.mp4", "out.mkv", "--smart-render", "never"],
        ["detect", "in.mp4"],
    ])
    func everyRunHasHooks(_ command: [String]) async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4")
            let result = try await bench.flourish(
                command + Self.reactions + ["--on-reaction", Self.recording, "--quiet"])
            #expect(result.exitCode == 0 && result.standardError.isEmpty, "\(result.standardError)")
            #expect(lines(bench) == Self.expected)
        }
    }

    /// The standard output of a command does not get into a video, nor its standard error into messages.
    @Test func outputsOfCommandsAreApart() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4")
            let plain = ["filter", "in.mp4", "-", "--quiet"] + Self.reactions
            let hooks = [
                "--on-reaction", "sh -c 'echo evil; echo evil >&2; cat'", "--on-event", "streamEnded=sh -c 'echo evil'",
            ]
            let without = try await bench.shell("flourish \(plain.joined(separator: " ")) > a.nut")
            #expect(without.exitCode == 0, "\(without.standardError)")
            let quoted = (plain + hooks).map { "'" + $0.replacing("'", with: #"'\''"#) + "'" }.joined(separator: " ")
            let with = try await bench.shell("flourish \(quoted) > b.nut")
            #expect(with.exitCode == 0 && with.standardError.isEmpty, "\(with.standardError)")
            #expect(try bench.bytes("a.nut") == bench.bytes("b.nut"))
        }
    }

    /// A pipe has one stream and no analysis before it.
    @Test func pipesHaveHooks() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.nut")
            try bench.write("#!/bin/sh\ncat >> events.jsonl\n", as: "hook.sh")
            let result = try await bench.shell(
                "cat in.nut | flourish filter - out.mp4 --live --quiet --no-gestures --reaction heart@0.2 --events all.jsonl "
                    + "--on-event 'effectStarted=sh hook.sh' --on-event 'streamEnded=sh hook.sh'")
            #expect(result.exitCode == 0, "\(result.standardError)")
            let events = try EventLines(String(decoding: try bench.bytes("all.jsonl"), as: UTF8.self))
            let hooked = lines(bench, "events.jsonl")
            let expected = events.text.split(separator: "\n").map(String.init)
                .filter { $0.contains("\"event\":\"effectStarted\"") || $0.contains("\"event\":\"streamEnded\"") }
            #expect(hooked == expected.sorted() && hooked.count == 2)
        }
    }

    @Test func manyRecordingsShareTheHooks() async throws {
        try await Workbench.with { bench in
            for name in ["a.mp4", "b.mp4"] { try await bench.makeClip(name) }
            let result = try await bench.flourish(
                [
                    "detect", "a.mp4", "b.mp4", "--events-dir", "events", "--no-gestures", "--reaction", "heart@0.2",
                    "--quiet",
                ]
                    + ["--on-reaction", Self.recording])
            #expect(result.exitCode == 0, "\(result.standardError)")
            #expect(lines(bench) == ["heart 0.2 a.mp4", "heart 0.2 b.mp4"])
            // Hooks are no reason to do the work again.
            let again = try await bench.flourish(
                ["detect", "a.mp4", "b.mp4", "--events-dir", "events", "--no-gestures", "--reaction", "heart@0.2"])
            #expect(again.standardError.contains("2 done before"), "\(again.standardError)")
        }
    }

    @Test func failuresAreWarningsOfTheStream() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4")
            let result = try await bench.flourish(
                [
                    "filter", "in.mp4", "out.mp4", "--smart-render", "never", "--events", "events.jsonl", "--progress",
                    "none",
                ]
                    + Self.reactions + [
                        "--on-event", "streamStarted=no-such-lamp secret", "--on-event", "streamEnded=false",
                    ])
            #expect(result.exitCode == 0)
            let complaints = result.errorLines.filter { $0.contains("warning") }
            #expect(
                complaints.contains {
                    $0.hasPrefix(
                        "flourish: warning: the hook no-such-lamp for streamStarted at 0 s: cannot be started (No such file"
                    )
                }, "\(result.standardError)")
            #expect(complaints.contains("flourish: warning: the hook false for streamEnded at 0.6 s: exit code 1"))
            #expect(complaints.last == "flourish: warning: hooks: 2 failed")
            #expect(!result.standardError.contains("secret"))
            #expect(bench.files.contains("out.mp4"))
            // The last event stays the last one. The first failure is an event, if the run has not ended before it.
            let events = try EventLines(String(decoding: try bench.bytes("events.jsonl"), as: UTF8.self))
            #expect(events.warnings.allSatisfy { $0 == "hookFailed" } && events.warnings.count <= 1)
        }
    }

    /// A command that hangs delays neither the video nor the end of the program.
    @Test func hangingCommandsAreEnded() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4")
            let result = try await bench.flourish(
                ["filter", "in.mp4", "out.mp4"] + Self.reactions
                    + ["--on-reaction", "sleep 600", "--hook-time-limit", "0.3", "--progress", "none"])
            // The run itself has a limit of a minute.
            #expect(result.exitCode == 0)
            #expect(
                result.errorLines.contains { $0.hasSuffix("hooks: 2 ended as too slow") }, "\(result.standardError)")
        }
    }

    // MARK: Settings

    private func environment(_ bench: Workbench) -> [String: String] {
        ["XDG_CONFIG_HOME": bench.file("xdg").path, "FLOURISH_SYSTEM_CONFIG": bench.file("system.toml").path]
    }

    @Test func filesHaveHooks() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4")
            try bench.write(
                "[hooks]\non-reaction = ['''\(Self.recording)''']\ntime-limit = 5\nparallel = 1\n", as: "user.toml")
            let run = ["filter", "in.mp4", "out.mp4", "-y", "--quiet", "--config", "user.toml"] + Self.reactions
            #expect(try await bench.flourish(run, environment: environment(bench)).exitCode == 0)
            #expect(lines(bench) == Self.expected)
            // An option replaces the list; a plan and a review run none.
            try FileManager.default.removeItem(at: bench.file("reactions.txt"))
            #expect(
                try await bench.flourish(run + ["--on-reaction", "true"], environment: environment(bench)).exitCode == 0
            )
            let plan = try await bench.flourish(
                ["plan", "in.mp4", "--config", "user.toml"] + Self.reactions, environment: environment(bench))
            #expect(plan.exitCode == 0 && lines(bench).isEmpty, "\(plan.standardError)")

            try bench.write("[hooks]\non-event = [\"reaction=true\"]\n", as: "user.toml")
            let refused = try await bench.flourish(run, environment: environment(bench))
            #expect(refused.exitCode == 64)
            #expect(refused.standardError.contains("user.toml:2: there is no event reaction for a hook"))
        }
    }

    @Test func lockedHooksRunForEveryone() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4")
            try bench.write(
                "locked = [\"hooks\"]\n[hooks]\non-reaction = ['''\(Self.recording)''']\n", as: "system.toml")
            try bench.write("[hooks]\non-reaction = [\"touch evil\"]\n", as: "user.toml")
            let run = ["filter", "in.mp4", "out.mp4", "-y", "--quiet"] + Self.reactions
            for options in [["--no-config"], ["--config", "user.toml"]] {
                let result = try await bench.flourish(run + options, environment: environment(bench))
                #expect(result.exitCode == 0 && lines(bench) == Self.expected, "\(result.standardError)")
                try FileManager.default.removeItem(at: bench.file("reactions.txt"))
            }
            for option in [["--on-reaction", "touch evil"], ["--on-event", "streamEnded=touch evil"]] {
                let refused = try await bench.flourish(run + option, environment: environment(bench))
                expectRefusal(refused, code: 64, naming: option[0], saying: "system.toml locks hooks.on-")
            }
            #expect(!bench.files.contains("evil") && lines(bench).isEmpty)
        }
    }

    @Test(arguments: [
        (["--on-reaction", "lamp | tee"], "has no meaning"),
        (["--on-event", "warnings=lamp"], "did you mean warning?"),
        (["--on-reaction", ""], "--on-reaction"), (["--on-event", "warning='x"], "is not closed"),
        (["--hook-time-limit", "0"], "--hook-time-limit"),
    ])
    func badHooksAreRefused(_ options: [String], reason: String) async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4")
            let result = try await bench.flourish(["filter", "in.mp4", "out.mp4", "--no-gestures"] + options)
            #expect(result.exitCode == 64 && result.standardError.contains(reason), "\(result.standardError)")
            #expect(bench.files == ["in.mp4"])
        }
    }
}
