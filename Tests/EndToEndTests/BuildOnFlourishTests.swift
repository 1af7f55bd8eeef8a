import FlourishControl
import Foundation
import Testing
import TestSupport

/// The examples of `docs/build-on-flourish.md`, run as they stand there.
@Suite("Build on Flourish")
struct BuildOnFlourishTests {
    private static let page: String? = try? String(
        contentsOf: Repository.root.appending(path: "docs/build-on-flourish.md"), encoding: .utf8)

    /// The code blocks below a heading.
    private static func blocks(below heading: String) -> [String] {
        let section = page?.components(separatedBy: "\n## ").first { $0.hasPrefix(heading + "\n") } ?? ""
        return section.components(separatedBy: "```").enumerated()
            .filter { !$0.offset.isMultiple(of: 2) }
            .map { String($0.element.drop { $0 != "\n" }.dropFirst()) }
    }

    @Test(.enabled(if: (try? Program.onPath("jq")) != nil, "jq is not installed (apt-get install jq)"))
    func eventsAndPlansAreReadWithJq() async throws {
        try await Workbench.with { bench in
            try await bench.draw(PuppetClip(pose: "victory", hands: "left"), as: "call.mp4")
            let events = try await bench.shell("set -o pipefail; " + #require(Self.blocks(below: "Read events").first))
            #expect(events.exitCode == 0, "\(events.standardError)")
            #expect(events.standardOutput.contains("\tconfetti") || events.standardOutput.contains("\tballoons"))
            let plan = try await bench.shell("set -e; " + #require(Self.blocks(below: "Change a plan").first))
            #expect(plan.exitCode == 0, "\(plan.standardError)")
            #expect(bench.files.contains("reacted.mp4"))
        }
    }

    @Test func aScriptSteersARun() async throws {
        try await Workbench.with { bench in
            let run = try await bench.startLongRun(["--control", "c.sock"])
            #expect(run.standardErrorSoFar.contains("flourish: control: c.sock\n"))
            let lines =
                Self.blocks(below: "Steer a run from a script").last?.split(separator: "\n")
                .filter { !$0.hasPrefix("export") && !$0.contains("watch") } ?? []
            #expect(lines.count == 5)
            let result = try await bench.shell(
                "set -e; export FLOURISH_CONTROL=c.sock\n" + lines.joined(separator: "\n"))
            #expect(result.exitCode == 0, "\(result.standardError)")
            #expect(try bench.bytes("now.png").starts(with: [0x89, 0x50, 0x4E, 0x47]))
            #expect(try await run.result().exitCode == 0)
        }
    }

    private static let hasPython = (try? Program.onPath("python3")) != nil
    private static let client = Repository.root.appending(path: "docs/examples/control-client.py").path

    @Test(.enabled(if: hasPython, "needs python3"), arguments: [["--control", "c.sock"], ["--panel"]])
    func thePythonClientShowsAReaction(_ options: [String]) async throws {
        try await Workbench.with { bench in
            let run = try await bench.startLongRun(options)
            let panel = run.standardErrorSoFar.firstMatch(of: /panel: (http:\S+)/).map { String($0.1) }
            let python = try Program.onPath("python3")
            let result = try await python.run([Self.client, panel ?? "c.sock", "confetti"], in: bench.folder)
            #expect(result.exitCode == 0, "\(result.standardError)")
            #expect(result.standardOutput.contains("\neffect 1\nconfetti lasted "), "\(result.standardOutput)")
            run.send(signal: 15)
            _ = try await run.result()
        }
    }

    @Test func theCameraQueueDrawsConfetti() async throws {
        let folder = Program.flourish.executable.deletingLastPathComponent()
        let result = try await Program(executable: folder.appending(path: "camera-queue")).succeed(["2"])
        let events = try EventLines(result.standardOutput)
        #expect(events.of("effectStarted").map { $0["reactionType"]?.string } == ["confetti"])
        #expect(events.ended["framesOut"]?.integer == 60)
    }
}

/// Requests whose replies wait for a frame.
@Suite("Replies of perform")
struct PerformReplyTests {
    private func run(_ body: (ControlClient, Workbench) async throws -> Void) async throws {
        try await Workbench.with { bench in
            let run = try await bench.startLongRun(["--control", "c.sock"])
            let client = try ControlClient(path: bench.folder.path + "/c.sock")
            try await body(client, bench)
            try client.ask(["command": .text("quit")])
            #expect(try await run.result().exitCode == 0)
        }
    }

    private func perform(_ type: String) -> [String: JSONValue] {
        ["command": .text("perform"), "reactionType": .text(type)]
    }

    @Test func repliesHaveTheEffectsNumber() async throws {
        try await run { client, _ in
            let first = try client.ask(perform("balloons"))
            #expect(first["result"]?.plain == "started" && first["id"]?.plain == "1")
            let second = try client.ask(perform("rain"))
            #expect(second["result"]?.plain == "started" && second["id"]?.plain == "2")
            var again = try client.ask(perform("balloons"))
            #expect(["extended", "unchanged"].contains(again["result"]?.plain) && again["id"]?.plain == "1")
            let ended = try client.ask(["command": .text("cancel"), "reactionType": .text("balloons")])
            #expect(ended["ids"]?.plain == "[1]")
            again = try client.ask(perform("balloons"))
            #expect(again["id"]?.plain == "3", "the first one has ended")
        }
    }

    @Test func severalRequestsOfABatchGiveOneEffectAndAsManyReplies() async throws {
        try await run { client, _ in
            let requests = JSONValue.array((0..<5).map { _ in .object(perform("heart")) })
            let replies = try client.ask(["command": .text("batch"), "requests": requests])
            guard case .array(let list) = replies else { throw ControlError(.failed, "no list: \(replies.plain)") }
            #expect(list.count == 5)
            #expect(list.allSatisfy { $0["data"]?["id"]?.plain == "1" }, "\(replies.plain)")
            #expect(list.count { $0["data"]?["result"]?.plain == "started" } == 1, "\(replies.plain)")
        }
    }

    @Test func effectsStartAndEndAtATime() async throws {
        try await run { client, bench in
            let now = try client.ask(perform("rain"))["time"].flatMap { Double($0.plain) }
            let start = try #require(now) + 1
            var request = perform("confetti")
            request["time"] = .number(start)
            #expect(try client.ask(request)["result"]?.plain == "scheduled")
            let end: [String: JSONValue] = [
                "command": .text("cancel"), "reactionType": .text("confetti"), "time": .number(start + 0.5),
            ]
            #expect(try client.ask(end)["result"]?.plain == "scheduled")
            try await bench.waits {
                String(decoding: try bench.bytes("events.jsonl"), as: UTF8.self).split(separator: "\n")
                    .contains { $0.contains("effectEnded") && $0.contains("confetti") }
            }
            let lines = String(decoding: try bench.bytes("events.jsonl"), as: UTF8.self).split(separator: "\n")
            let events = try lines.map { try JSONValue(parsing: String($0)) }
                .filter { $0["reactionType"]?.string == "confetti" }
            let times = events.compactMap { $0["time"]?.number }
            #expect(times.count == 2 && (0...0.021).contains(times[0] - start), "\(times)")
            #expect((0...0.021).contains(times[1] - start - 0.5), "\(times)")
        }
    }
}
