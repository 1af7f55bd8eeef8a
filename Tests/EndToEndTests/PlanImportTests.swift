import Foundation
import Testing
import TestSupport

@Suite("Logs of meetings")
struct PlanImportTests {
    private static let plan = """
        {"schema": 1, "source": {"path": "call.mp4", "size": 100, "fingerprint": "murmur3:00", "codec": "h264", "width": 64,
          "height": 48, "frameRate": 30, "timeBase": "1/30000", "startTime": 0, "duration": 40, "frames": 1200},
         "reactions": [{"id": 1, "reactionType": "thumbsUp", "startTime": 5, "mine": true}]}
        """

    private func reactions(_ bench: Workbench) throws -> [JSONValue] {
        try JSONValue(parsing: String(decoding: try bench.bytes("p.json"), as: UTF8.self))["reactions"]?.array ?? []
    }

    @Test func reactionsAreAddedToThePlan() async throws {
        try await Workbench.with { bench in
            try bench.write(Self.plan, as: "p.json")
            try bench.write("time,reaction,name\n1,👍,Jane\n2,👏,Bob\n3,🎉,Bob\n50,👍,Bob\n4,👏,Bob\n", as: "log.csv")
            let result = try await bench.flourish(["plan", "import", "log.csv", "p.json"])
            #expect(result.exitCode == 0)
            #expect(
                result.errorLines == [
                    "flourish: warning: log.csv: no reaction is known for 👏 (2); add one with --map '👏=TYPE'",
                    "flourish: 2 reactions added, 1 outside the recording → p.json",
                ])
            let found = try reactions(bench)
            #expect(found.count == 3 && found[2]["mine"] == .flag(true))
            #expect(found[0]["note"]?.string == "Jane: 👍" && found[0]["trigger"]?.string == "request")
            let more = try await bench.flourish(
                ["plan", "import", "log.csv", "p.json", "--map", "👏=text:Bravo", "--quiet"])
            #expect(more.exitCode == 0 && more.standardError.isEmpty)
            #expect(
                try reactions(bench).map { $0["reactionType"]?.string } == [
                    "thumbsUp", "text:Bravo", "confetti", "text:Bravo", "thumbsUp",
                ])
        }
    }

    /// From a recording to its video, with a log in between.
    @Test func importedReactionsAreRendered() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4", seconds: 1)
            #expect(try await bench.flourish(["plan", "in.mp4", "--no-gestures", "-o", "p.json"]).exitCode == 0)
            try bench.write("00:00:00\tJane:\tReacted to \"Hi\" with ❤️\n", as: "chat.txt")
            #expect(try await bench.flourish(["plan", "import", "chat.txt", "p.json"]).exitCode == 0)
            let events = try await bench.flourish(
                ["filter", "in.mp4", "out.mp4", "--plan", "p.json", "--events", "-", "--preset", "ultrafast"])
            #expect(events.exitCode == 0, "\(events.standardError)")
            #expect(try EventLines(events.standardOutput).effects == ["heart"])
        }
    }

    @Test(arguments: [
        (["log.xml", "p.json"], 65, "log.xml: line 1: the file begins with <a>"),
        (["none.xml", "p.json"], 66, "none.xml: no such file"),
        (["log.csv", "none.json"], 66, "none.json: no such file"),
        (["log.csv", "p.json", "--map", "x=hart"], 64, "unknown reaction hart; did you mean heart?"),
        (["log.csv", "p.json", "--start", "noon"], 64, "--start must be seconds"),
        (["log.csv", "p.json", "--tiles", "names.txt"], 64, "names.txt: names tile 2, but p.json has no tiles"),
        (["zoom.txt", "p.json"], 64, "--start 14:00:00"),
    ])
    func faultsLeaveThePlanAsItIs(_ arguments: [String], code: Int32, message: String) async throws {
        try await Workbench.with { bench in
            try bench.write(Self.plan, as: "p.json")
            try bench.write("<a/>", as: "log.xml")
            try bench.write("time,reaction\n1,👍\n", as: "log.csv")
            try bench.write("Jane=2\n", as: "names.txt")
            try bench.write("14:00:01 From Jane to Everyone:\n\t👍\n", as: "zoom.txt")
            let result = try await bench.flourish(["plan", "import"] + arguments)
            #expect(result.exitCode == code && result.errorLines.count == 1, "\(result.standardError)")
            #expect(result.standardError.contains(message), "\(result.standardError)")
            #expect(try bench.bytes("p.json") == Data(Self.plan.utf8))
        }
    }
}
