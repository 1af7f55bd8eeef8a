import Foundation
import Testing
import TestSupport

@Suite("Custom effects and settings, on the command line")
struct CustomEffectCommandTests {
    private static let snow = """
        {"type": "snow", "duration": 2, "emitters": [{"rate": 60, "life": 2, "anchor": "frame",
         "x": [0, 1], "y": [0, 1], "shape": "disc", "size": 0.05, "colours": ["#ffffff"]}]}
        """

    @Test func customEffectsArePreviewedListedAndShown() async throws {
        try await Workbench.with { bench in
            try FileManager.default.createDirectory(
                at: bench.file("config/flourish/effects"), withIntermediateDirectories: true)
            try bench.write(Self.snow, as: "config/flourish/effects/snow.json")
            let own: [String: String?] = ["XDG_CONFIG_HOME": bench.file("config").path]

            let preview = try await bench.flourish([
                "preview", "--effect", "config/flourish/effects/snow.json", "snow.gif", "--size", "96x64",
                "--rate", "10",
            ])
            #expect(preview.exitCode == 0, "\(preview.standardError)")
            #expect(try await bench.report("snow.gif").videoSize == (96, 64))

            let list = try await bench.flourish(["reactions", "--bind", "victory=snow"], environment: own)
            #expect(list.outputLines.last?.hasPrefix("snow        victory") == true)

            try await bench.makeClip("in.mp4", seconds: 1)
            let shown = try await bench.flourish(
                ["filter", "in.mp4", "out.mp4", "--no-gestures", "--reaction", "snow", "--events", "-"],
                environment: own)
            #expect(shown.exitCode == 0, "\(shown.standardError)")
            #expect(shown.standardOutput.contains("\"reactionType\":\"snow\""))
            let unknown = try await bench.flourish(["filter", "in.mp4", "no.mp4", "--reaction", "snow"])
            expectRefusal(unknown, code: 64, naming: "unknown reaction snow", saying: "use one of")

            try bench.write(Self.snow.replacing("60", with: "1e9"), as: "config/flourish/effects/snow.json")
            for command in [["reactions"], ["filter", "in.mp4", "no.mp4", "--no-gestures"]] {
                let bad = try await bench.flourish(command, environment: own)
                expectRefusal(
                    bad, code: 65, naming: bench.file("config/flourish/effects/snow.json").path,
                    saying: "emitters[0].rate")
            }
            let missing = try await bench.flourish(["reactions", "--effects", "nowhere"])
            expectRefusal(missing, code: 66, naming: "nowhere")
        }
    }

    /// An animated picture becomes an effect, and moves in its preview.
    @Test func anAnimatedPictureBecomesAnEffect() async throws {
        try await Workbench.with { bench in
            try await Program.onPath("ffmpeg").succeed(
                [
                    "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=48x24:r=5:d=1", "-plays", "0", "-f", "apng",
                    "dance.png",
                ], in: bench.file("."))
            let made = try await bench.flourish([
                "effects", "new", "dance", "--sprite", "dance.png", "--like", "thumbsUp", "--folder", "effects",
            ])
            #expect(made.exitCode == 0 && made.outputLines == ["effects/dance.json"], "\(made.standardError)")
            // The commands that it names work as they are.
            try await bench.makeClip("call.mp4", seconds: 1)
            let named = made.errorLines.compactMap { $0.split(separator: " flourish ").last?.split(separator: " ") }
            #expect(named.map(\.first) == ["preview", "filter", "filter", "effects"])
            for command in named where command.first != "effects" {
                let quick = command.first == "preview" ? ["--size", "96x64", "--rate", "5"] : ["-y"]
                let used = try await bench.flourish(command.map(String.init) + quick)
                #expect(used.exitCode == 0, "\(command): \(used.standardError)")
            }
            let preview = try await bench.flourish([
                "preview", "--effect", "effects/dance.json", "dance.mp4", "--size", "160x90", "--rate", "5",
            ])
            #expect(preview.exitCode == 0, "\(preview.standardError)")
            #expect(Set(try await bench.checksums("dance.mp4")).count > 8)
            let plural = ["effects", "new", "gold", "--sprite", "dance.png", "--like", "hearts", "--folder", "effects"]
            #expect(try await bench.flourish(plural).outputLines == ["effects/gold.json"])
            let both = try await bench.flourish(["effects", "new", "dance", "--sprite", "dance.png", "--text", "a"])
            expectRefusal(both, code: 64, naming: "give either --sprite or --text")
        }
    }

    @Test func wordsAreShownAtATimeAndByAPlan() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4", seconds: 2)
            let words = ["--no-gestures", "--reaction", "text:\"Well done @all\"@0.5,0.3,0.4", "--events", "-"]
            let shown = try await bench.flourish(["filter", "in.mp4", "out.mp4"] + words)
            guard shown.exitCode == 0 else {
                // Without HarfBuzz, one line names it.
                expectRefusal(shown, code: 69, naming: "HarfBuzz")
                return
            }
            #expect(shown.standardOutput.contains("\"reactionType\":\"text:Well done @all\""))
            let plan = try await bench.flourish(["plan", "in.mp4"] + words.dropLast(2))
            #expect(plan.exitCode == 0, "\(plan.standardError)")
            let planned = try await bench.flourish(["filter", "in.mp4", "planned.mp4", "--plan", "in.plan.json"])
            #expect(planned.exitCode == 0, "\(planned.standardError)")
            #expect(try await bench.checksums("planned.mp4") == bench.checksums("out.mp4"))

            for (argument, name, message) in [
                ("text:", "text:", "empty"), ("text:" + String(repeating: "a", count: 61), "text:", "the limit is 60"),
                ("text:a\u{1B}[2J", "text:", "U+001B"), ("text:a@1x", "the value 'text:a@1x'", "start time"),
            ] {
                let bad = try await bench.flourish(["filter", "in.mp4", "no.mp4", "--reaction", argument])
                expectRefusal(bad, code: 64, naming: name, saying: message)
            }
        }
    }

    @Test func gesturesTriggerTheirBoundReaction() async throws {
        try await Workbench.with { bench in
            try await bench.draw(PuppetClip(pose: "victory", hands: "right", seconds: 3), as: "in.mp4")
            #expect(try await bench.detect("in.mp4", ["--bind", "victory=rain"]).effects == ["rain"])
            let bad = try await bench.flourish(["detect", "in.mp4", "--bind", "victory=wave"])
            expectRefusal(bad, code: 64, naming: "unknown reaction wave")
        }
    }

    @Test func settingsChangeOnlyThePictures() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4", seconds: 1)
            var pictures: Set<String> = []
            let styles = [
                [], ["--intensity", "0.3"], ["--calm"], ["--palette", "neon"], ["--palette", "#112233,#445566"],
                ["--seed", "2"],
            ]
            for (index, style) in styles.enumerated() {
                _ = try await bench.filter(
                    "in.mp4", "out\(index).mp4", ["--reaction", "confetti", "--crf", "0"] + style)
                pictures.insert(try await bench.checksums("out\(index).mp4").joined())
            }
            #expect(pictures.count == styles.count)
            for (option, value) in [("--intensity", "1.5"), ("--palette", "beige"), ("--bind", "victory")] {
                let bad = try await bench.flourish(["filter", "in.mp4", "no.mp4", option, value])
                #expect(bad.exitCode == 64, "\(option)")
            }
        }
    }
}
