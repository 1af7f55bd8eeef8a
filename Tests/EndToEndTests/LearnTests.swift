import Foundation
import Testing
import TestSupport

@Suite("Learned gestures, from clip to reaction")
struct LearnTests {
    /// Runs the program with a configuration folder of the test's own.
    @discardableResult
    private func flourish(_ bench: Workbench, _ arguments: [String]) async throws -> ProgramResult {
        try await bench.flourish(arguments, environment: ["XDG_CONFIG_HOME": bench.file("xdg").path])
    }

    @discardableResult
    private func succeed(_ bench: Workbench, _ arguments: [String]) async throws -> ProgramResult {
        let result = try await flourish(bench, arguments)
        try #require(result.exitCode == 0, "\(result.command): \(result.standardError)")
        return result
    }

    private func expectError(_ result: ProgramResult, _ code: Int32, _ words: String) {
        #expect(result.exitCode == code, "\(result.command)")
        #expect(result.standardError.contains(words), "\(result.standardError)")
        #expect(result.standardError.split(separator: "\n").count == 1)
    }

    /// One hand is learned, the other recognised; other poses match no gesture.
    @Test func aLearnedGestureTriggersItsReaction() async throws {
        try await Workbench.with { bench in
            try await bench.draw(PuppetClip(pose: "three", hands: "left"), as: "lesson.mp4")
            try await bench.draw(PuppetClip(pose: "three", hands: "right"), as: "in.mp4")
            try await bench.draw(PuppetClip(pose: "four", hands: "left"), as: "other.mp4")
            let said = try await succeed(bench, ["learn", "three", "--from", "lesson.mp4", "--reaction", "confetti"])
            #expect(said.standardOutput.hasPrefix("three → confetti"))
            let list = try JSONValue(parsing: try await succeed(bench, ["gestures", "--json"]).standardOutput)
            #expect(list.array?.first?["gesture"]?.string == "three")
            #expect(list.array?.first?["hands"]?.integer == 1)
            let reactions = try await succeed(bench, ["reactions"]).standardOutput
            #expect(reactions.contains("twoVictories, three"), "\(reactions)")
            // As the completion scripts run it.
            let offered = try await flourish(
                bench, ["---completion", "detect", "--", "--disable", "3", "0", "flourish", "detect", "--disable", ""])
            #expect(offered.standardOutput.split(separator: "\n").contains("three"), "\(offered.standardOutput)")

            let filtered = try await succeed(
                bench, ["in.mp4", "out.mp4", "--events", "-", "--preset", "ultrafast"])
            let events = try EventLines(filtered.standardOutput)
            #expect(events.gestures == ["three"])
            #expect(events.effects == ["confetti"])
            #expect(events.of("gesture").first?["hands"]?.integer == 1)
            #expect(events.of("effectStarted").first?["gesture"]?.string == "three")

            for arguments in [["other.mp4"], ["in.mp4", "--disable", "three"]] {
                let nothing = try EventLines(try await succeed(bench, ["detect"] + arguments).standardOutput)
                #expect(nothing.gestures.isEmpty)
            }
            let bound = try EventLines(
                try await succeed(bench, ["detect", "in.mp4", "--bind", "three=rain"]).standardOutput)
            #expect(bound.effects == ["rain"])
            let seen = try await succeed(bench, ["inspect", "in.mp4", "--json"]).jsonLines()
            let fired = try #require(seen.first { $0["reason"]?.string == "fired" })
            #expect(fired["gesture"]?.string == "three")
            #expect(fired["reactionType"]?.string == "confetti")
            #expect(fired["hands"]?.array?.first?["gesture"]?.string == "three")

            try await succeed(bench, ["gestures", "--remove", "three"])
            let after = try EventLines(try await succeed(bench, ["detect", "in.mp4"]).standardOutput)
            #expect(after.gestures.isEmpty)
        }
    }

    /// A picture that is given again, by its name or as a copy, is no further example.
    @Test func repeatedPicturesAreRefused() async throws {
        try await Workbench.with { bench in
            try await bench.draw(PuppetClip(pose: "three", hands: "left"), as: "lesson.mp4")
            try await bench.ffmpeg(["-ss", "1.5", "-i", "lesson.mp4", "-frames:v", "1", "a.png"])
            try bench.write(Data(bench.bytes("a.png")), as: "b.png")
            let learn = ["learn", "three", "--reaction", "confetti", "--from", "a.png"]
            expectError(
                try await flourish(bench, learn + ["a.png", "a.png"]), 64, "a.png: is given twice; give different")
            expectError(
                try await flourish(bench, learn + ["b.png"]), 64,
                "b.png: shows the same picture as a.png; give different ones: at least 3 hands are required")
        }
    }

    @Test func aGestureIsExtendedOrReplaced() async throws {
        try await Workbench.with { bench in
            for hand in ["left", "right"] {
                try await bench.draw(PuppetClip(pose: "three", hands: hand), as: "\(hand).mp4")
            }
            func count() async throws -> Int {
                let list = try await succeed(bench, ["gestures", "--json"]).standardOutput
                let row = try #require(try JSONValue(parsing: list)[0])
                #expect(row["reactionType"]?.string == "confetti")
                return row["examples"]?.integer ?? 0
            }
            let learn = ["learn", "three", "--from"]
            expectError(
                try await flourish(bench, learn + ["left.mp4"]), 64, "three is a new gesture; name its reaction")
            try await succeed(bench, learn + ["left.mp4", "--reaction", "confetti"])
            let first = try await count()
            expectError(
                try await flourish(bench, learn + ["right.mp4", "--reaction", "rain"]), 64,
                "use --add or --replace")
            try await succeed(bench, learn + ["right.mp4", "--add"])
            let both = try await count()
            #expect(both > first)
            try await succeed(bench, learn + ["right.mp4", "--replace"])
            #expect(try await count() == both - first)
            expectError(
                try await flourish(bench, learn + ["left.mp4", "--add", "--hands", "2"]), 64,
                "three was learned with one hand")
            expectError(
                try await flourish(bench, learn + ["left.mp4", "--add", "--replace"]), 64, "cannot be combined")
        }
    }

    /// The paths of gestures and effects in a configuration file apply to `learn` as well.
    @Test func learnUsesTheConfiguration() async throws {
        try await Workbench.with { bench in
            try await bench.draw(PuppetClip(pose: "three", hands: "left"), as: "in.mp4")
            for folder in ["effects", "xdg/flourish"] {
                try FileManager.default.createDirectory(at: bench.file(folder), withIntermediateDirectories: true)
            }
            try bench.write(
                #"{"type": "bubbles", "duration": 1, "emitters": [{"name": "a", "count": 9, "life": [0.5, 0.9]}]}"#,
                as: "effects/bubbles.json")
            try bench.write(
                """
                [recognition]
                gestures-file = "mine.json"
                [effects]
                folders = ["\(bench.file("effects").path)"]
                [bindings]
                three = "rain"
                """, as: "xdg/flourish/config.toml")
            try await succeed(bench, ["learn", "three", "--from", "in.mp4", "--reaction", "bubbles"])
            #expect(bench.names(in: "xdg/flourish") == ["config.toml", "mine.json"])
            let list = try await succeed(bench, ["gestures"])
            #expect(list.standardOutput.hasPrefix("three → bubbles"))
            #expect(
                try EventLines(try await succeed(bench, ["detect", "in.mp4"]).standardOutput).gestures == ["three"])
            // Names on the command line take precedence.
            try await succeed(
                bench, ["learn", "three", "--from", "in.mp4", "--reaction", "rain", "--gestures", "other.json"])
            let other = try await succeed(bench, ["gestures", "--gestures", "other.json"])
            #expect(other.standardOutput.hasPrefix("three → rain"))
            try await succeed(bench, ["gestures", "--remove", "three"])
            #expect(try await succeed(bench, ["gestures"]).standardOutput.hasPrefix("no custom gestures"))
            // A set that is named and empty replaces the user's set.
            try bench.write("[recognition]\ngestures-file = \"mine.json\"\n", as: "xdg/flourish/config.toml")
            try bench.write(try bench.bytes("other.json"), as: "xdg/flourish/gestures.json")
            #expect(try EventLines(try await succeed(bench, ["detect", "in.mp4"]).standardOutput).gestures.isEmpty)
            try bench.write("", as: "xdg/flourish/config.toml")
            #expect(
                try EventLines(try await succeed(bench, ["detect", "in.mp4"]).standardOutput).gestures == ["three"])
        }
    }

    /// Files disable and bind learned gestures by name, and a system's file may lock that.
    @Test func filesNameLearnedGestures() async throws {
        try await Workbench.with { bench in
            try await bench.draw(PuppetClip(pose: "three", hands: "left"), as: "in.mp4")
            try await succeed(bench, ["learn", "three", "--from", "in.mp4", "--reaction", "confetti"])
            func effects(_ config: String) async throws -> [String] {
                try bench.write(config, as: "config.toml")
                return try EventLines(
                    try await succeed(bench, ["detect", "in.mp4", "--config", "config.toml"]).standardOutput
                ).effects
            }
            #expect(try await effects("[bindings]\nthree = \"rain\"") == ["rain"])
            #expect(try await effects("[recognition]\ndisabled = [\"three\"]") == [])
            expectError(
                try await flourish(bench, ["detect", "in.mp4", "--bind", "four=rain"]), 64,
                "there is no gesture four to bind; use one of thumbsUp")
        }
    }

    /// With `--hands 2` a single hand does not match.
    @Test func learnedGesturesMayNeedBothHands() async throws {
        try await Workbench.with { bench in
            try await bench.draw(PuppetClip(pose: "openPalm", hands: "both"), as: "both.mp4")
            try await bench.draw(PuppetClip(pose: "openPalm", hands: "left"), as: "one.mp4")
            try await succeed(
                bench,
                [
                    "learn", "stop", "--from", "both.mp4", "--reaction", "rain", "--hands", "2", "--gestures",
                    "set.json",
                ])
            func gestures(_ name: String) async throws -> EventLines {
                try EventLines(try await succeed(bench, ["detect", name, "--gestures", "set.json"]).standardOutput)
            }
            let both = try await gestures("both.mp4")
            #expect(both.gestures == ["stop"])
            #expect(both.effects == ["rain"])
            #expect(both.of("gesture").first?["hands"]?.integer == 2)
            #expect(try await gestures("one.mp4").gestures.isEmpty)
            // A separate set: the user's is empty.
            let users = try EventLines(try await succeed(bench, ["detect", "both.mp4"]).standardOutput)
            #expect(users.gestures.isEmpty)
        }
    }

    @Test func photosAreLearnedFrom() async throws {
        try await Workbench.with { bench in
            try await bench.draw(PuppetClip(pose: "ok", hands: "left", width: 640, height: 360), as: "ok.mp4")
            try await bench.ffmpeg(["-ss", "0.8", "-i", "ok.mp4", "-frames:v", "4", "ok-%d.png"])
            let photos = (1...4).map { "ok-\($0).png" }
            try await bench.makeClip("empty.mp4", sound: false)
            try await bench.ffmpeg(["-i", "empty.mp4", "-frames:v", "1", "empty.png"])
            let learn = ["learn", "fine", "--reaction", "heart", "--from"]
            expectError(try await flourish(bench, learn + photos + ["empty.png"]), 65, "empty.png: no hand was found")
            expectError(try await flourish(bench, learn + photos.prefix(2)), 64, "too few examples of fine: 2;")
            expectError(
                try await flourish(bench, learn + ["empty.mp4"]), 65, "empty.mp4: no hand was found that is held still")
            let said = try await succeed(bench, learn + photos)
            #expect(said.standardOutput.hasPrefix("fine → heart, from 4 hands"))
        }
    }

    @Test func invalidExamplesAreRefused() async throws {
        try await Workbench.with { bench in
            try await bench.draw(PuppetClip(pose: "thumbUp", hands: "left"), as: "thumb.mp4")
            try await bench.draw(PuppetClip(pose: "three", hands: "left"), as: "three.mp4")
            func learn(_ name: String, _ input: String, _ reaction: String) async throws -> ProgramResult {
                try await flourish(bench, ["learn", name, "--from", input, "--reaction", reaction])
            }
            expectError(
                try await learn("great", "thumb.mp4", "heart"), 64, "are detected as thumbsUp, an existing gesture"
            )
            expectError(try await learn("victory", "three.mp4", "heart"), 64, "victory is a built-in gesture")
            expectError(try await learn("th ree", "three.mp4", "heart"), 64, "cannot name a gesture")
            expectError(try await learn("three", "three.mp4", "snow"), 64, "unknown reaction snow")
            expectError(try await learn("three", "gone.mp4", "heart"), 66, "gone.mp4")
            try #require(try await learn("three", "three.mp4", "heart").exitCode == 0)
            expectError(try await learn("three", "three.mp4", "heart"), 64, "the gesture three exists already")
            expectError(try await learn("drei", "three.mp4", "heart"), 64, "are detected as three")
            expectError(
                try await flourish(bench, ["gestures", "--remove", "four"]), 64,
                "there is no gesture four; there are: three")
            expectError(
                try await flourish(bench, ["detect", "three.mp4", "--disable", "four"]), 64,
                "there is no gesture four to disable")
        }
    }

    @Test func aDamagedSetIsNamed() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4", sound: false)
            func detect() async throws -> ProgramResult {
                try await flourish(bench, ["detect", "in.mp4", "--gestures", "set.json"])
            }
            expectError(try await detect(), 66, "set.json: no such file")
            let point = "[0,0,0]", hand = Array(repeating: point, count: 21).joined(separator: ",")
            for (text, reason) in [
                ("{", "it is not a file of gestures"), ("{ \"format\": 2, \"gestures\": [] }", "its format is 2"),
                (
                    "{ \"format\": 1, \"gestures\": [{ \"name\": \"a\", \"reaction\": \"heart\", \"hands\": 1, \"examples\": [[\(hand)]] }] }",
                    "is not a hand"
                ),
                (
                    "{ \"format\": 1, \"gestures\": [{ \"name\": \"a\", \"reaction\": \"heart\", \"hands\": 1, \"examples\": [] }] }",
                    "is not a hand"
                ),
            ] {
                try bench.write(text, as: "set.json")
                expectError(try await detect(), 65, "set.json: damaged: ")
                #expect(try await detect().standardError.contains(reason))
            }
            // Without gestures the set is not read.
            try bench.write("{ \"format\": 1, \"gestures\": [] }", as: "set.json")
            #expect(try await detect().exitCode == 0)
        }
    }
}
