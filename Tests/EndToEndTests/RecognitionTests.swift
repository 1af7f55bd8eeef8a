import Foundation
import Testing
import TestSupport

/// A gesture of the table and its reaction.
struct GestureCase: Sendable, CustomTestStringConvertible {
    var clip: PuppetClip
    var gesture: String
    var reaction: String
    var hands = 1
    /// The position of the hand, or of the middle of both, in the picture.
    var place: (x: ClosedRange<Double>, y: ClosedRange<Double>)

    var testDescription: String { gesture }
}

private let atRight = (x: 0.6...0.95, y: 0.3...0.8)
private let atLeft = (x: 0.05...0.4, y: 0.3...0.8)
private let inTheMiddle = (x: 0.4...0.6, y: 0.3...0.8)

private let gestures: [GestureCase] = [
    GestureCase(
        clip: PuppetClip(pose: "thumbUp", hands: "left"), gesture: "thumbsUp", reaction: "thumbsUp", place: atRight),
    GestureCase(
        clip: PuppetClip(pose: "thumbDown", hands: "right"), gesture: "thumbsDown", reaction: "thumbsDown",
        place: atLeft),
    GestureCase(
        clip: PuppetClip(pose: "victory", hands: "left"), gesture: "victory", reaction: "balloons", place: atRight),
    GestureCase(
        clip: PuppetClip(pose: "heart", hands: "both"), gesture: "heart", reaction: "heart", hands: 2,
        place: inTheMiddle),
    GestureCase(
        clip: PuppetClip(pose: "thumbUp", hands: "both"), gesture: "twoThumbsUp", reaction: "fireworks", hands: 2,
        place: inTheMiddle),
    GestureCase(
        clip: PuppetClip(pose: "thumbDown", hands: "both"), gesture: "twoThumbsDown", reaction: "rain", hands: 2,
        place: inTheMiddle),
    GestureCase(
        clip: PuppetClip(pose: "victory", hands: "both"), gesture: "twoVictories", reaction: "confetti", hands: 2,
        place: inTheMiddle),
    GestureCase(
        clip: PuppetClip(pose: "horns", hands: "both"), gesture: "twoHorns", reaction: "lasers", hands: 2,
        place: inTheMiddle),
]

private let nearMisses: [PuppetClip] = [
    PuppetClip(pose: "openPalm", hands: "left"), PuppetClip(pose: "fist", hands: "right"),
    PuppetClip(pose: "pointing", hands: "left"), PuppetClip(pose: "three", hands: "right"),
    PuppetClip(pose: "iLoveYou", hands: "left"), PuppetClip(pose: "horns", hands: "right"),
    PuppetClip(pose: "thumbSideways", hands: "left"), PuppetClip(pose: "ok", hands: "right"),
    // Too short.
    PuppetClip(pose: "thumbUp", hands: "left", hold: 0.4),
]

@Suite("Recognition, from video to events")
struct RecognitionTests {
    @Test(arguments: gestures)
    func eachGestureHasItsReaction(_ item: GestureCase) async throws {
        try await Workbench.with { bench in
            try await bench.draw(item.clip, as: "in.mp4")
            let events = try await bench.detect("in.mp4")
            #expect(events.gestures == [item.gesture])
            #expect(events.effects == [item.reaction])
            let gesture = try #require(events.of("gesture").first)
            let effect = try #require(events.of("effectStarted").first)
            #expect(gesture["hands"]?.integer == item.hands)
            #expect(abs(try #require(gesture["heldSince"]?.number) - item.clip.start) < 0.3)
            for (event, place) in [(gesture, item.place), (effect, item.place)] {
                #expect(place.x.contains(event["origin"]?["x"]?.number ?? -1), "\(event)")
                #expect(place.y.contains(event["origin"]?["y"]?.number ?? -1), "\(event)")
            }
            // The hold of a second, which starts halfway before the first detection, and at most half a second for
            // detecting the hand.
            let time = try #require(effect["startTime"]?.number)
            #expect((0.85...1.5).contains(time - item.clip.start))
            #expect(effect["trigger"]?.string == "gesture")
            #expect(effect["gesture"]?.string == item.gesture)
        }
    }

    /// In the demonstration, hands stay in view from one gesture to the next, other signs between them.
    @Test func theDemonstrationShowsEveryReaction() async throws {
        try await Workbench.with { bench in
            let file = Repository.root.appending(path: "Assets/Puppet/call.json")
            let script = try String(contentsOf: file, encoding: .utf8)
                .replacing("1280", with: "640").replacing("720", with: "360")
                .replacing("\"rate\": 30", with: "\"rate\": 15")
            try await bench.draw(script: script, as: "in.mp4")
            let events = try await bench.detect("in.mp4")
            #expect(
                events.gestures == [
                    "thumbsUp", "victory", "thumbsDown", "heart", "twoVictories", "twoThumbsUp", "twoThumbsDown",
                    "twoHorns",
                ])
        }
    }

    @Test(arguments: nearMisses)
    func nearMissesHaveNoReaction(_ clip: PuppetClip) async throws {
        try await Workbench.with { bench in
            try await bench.draw(clip, as: "in.mp4")
            let seen = try await bench.flourish(["inspect", "in.mp4", "--json"]).jsonLines()
            #expect(!seen.contains { $0["reason"]?.string == "fired" })
            // The hand was detected nevertheless.
            #expect(seen.contains { $0["hands"]?.array?.isEmpty == false })
        }
    }

    /// A phone stores the sensor's picture and the rotation.
    @Test(arguments: [(90, "transpose=clock"), (180, "hflip,vflip"), (270, "transpose=cclock")])
    func rotatedRecordingsAreAnalysedUpright(_ degrees: Int, _ turnBack: String) async throws {
        try await Workbench.with { bench in
            try await bench.draw(PuppetClip(pose: "thumbUp", hands: "left"), as: "upright.mp4")
            try await bench.ffmpeg(["-i", "upright.mp4", "-vf", turnBack] + Coding.h264 + ["stored.mp4"])
            try await bench.ffmpeg(FFmpegTool.rotating("stored.mp4", by: degrees, to: "in.mp4"))
            let upright = try await bench.detect("upright.mp4"), turned = try await bench.detect("in.mp4")
            #expect(turned.effects == ["thumbsUp"])
            #expect(turned.all.first?["width"]?.integer == 480)
            #expect(turned.all.first?["height"]?.integer == 270)
            for axis in ["x", "y"] {
                let a = try #require(upright.of("gesture").first?["origin"]?[axis]?.number)
                let b = try #require(turned.of("gesture").first?["origin"]?[axis]?.number)
                #expect(abs(a - b) < 0.05)
            }
        }
    }

    @Test func recognitionOptionsAreApplied() async throws {
        try await Workbench.with { bench in
            let clip = PuppetClip(pose: "thumbUp", hands: "left", seconds: 3)
            try await bench.draw(clip, as: "in.mp4")
            func start(_ options: [String]) async throws -> Double? {
                try await bench.detect("in.mp4", options).of("effectStarted").first?["startTime"]?.number
            }
            let usual = try #require(try await start([]))
            let quick = try #require(try await start(["--hold", "0.5"]))
            #expect((0.4...0.6).contains(usual - quick))
            #expect(try await start(["--hold", "2.5"]) == nil)
            #expect(try await start(["--disable", "thumbsUp"]) == nil)
            #expect(try await start(["--disable", "victory", "--disable", "twoThumbsUp"]) == usual)
        }
    }

    /// `filter` and `plan` have options that `detect`, which prints their events, has as well.
    @Test func analysisCanBeDisabled() async throws {
        try await Workbench.with { bench in
            try await bench.draw(PuppetClip(pose: "thumbUp", hands: "left"), as: "in.mp4")
            let events = try await bench.detect("in.mp4", ["--no-gestures", "--reaction", "rain@0.5"])
            #expect(events.gestures.isEmpty && events.effects == ["rain"])
            #expect(events.all.first?["gesturesEnabled"]?.boolean == false)
        }
    }

    /// A thumb that is lowered early is reported with `--candidates`; all other events are unchanged.
    @Test func candidatesAreEmittedOnRequest() async throws {
        try await Workbench.with { bench in
            try await bench.draw(PuppetClip(pose: "thumbUp", hands: "left", hold: 0.6), as: "in.mp4")
            let usual = try await bench.detect("in.mp4"), reported = try await bench.detect("in.mp4", ["--candidates"])
            #expect(usual.of("candidate").isEmpty && usual.gestures.isEmpty)
            let lines = reported.text.split(separator: "\n")
            #expect(lines.filter { !$0.contains(#""event":"candidate""#) } == usual.text.split(separator: "\n"))
            try #require(reported.of("candidate").count == 1)
            let candidate = reported.of("candidate")[0]
            #expect(candidate["gesture"]?.string == "thumbsUp" && candidate["hands"]?.integer == 1)
            #expect(candidate["reason"]?.string == "heldTooBriefly")
            let held = try #require(candidate["held"]?.number)
            #expect((0.5...0.95).contains(held) && candidate["hold"]?.number == 1)
            let since = try #require(candidate["heldSince"]?.number)
            let until = try #require(candidate["heldUntil"]?.number)
            #expect(abs(until - since - held) < 1e-5 && abs(since - 0.5) < 0.3)
            #expect((0.6...1).contains(try #require(candidate["confidence"]?.number)))

            let disabled = try await bench.detect("in.mp4", ["--candidates", "--disable", "thumbsUp"])
            #expect(disabled.of("candidate").map { $0["reason"]?.string } == ["disabled"])
            // With a shorter hold it is a gesture and no candidate; filter emits the same events as detect.
            let short = ["--candidates", "--hold", "0.4"]
            let fired = try await bench.detect("in.mp4", short)
            #expect(fired.gestures == ["thumbsUp"] && fired.of("candidate").isEmpty)
            let filtered = try await bench.flourish(
                ["in.mp4", "out.mp4", "--candidates", "--events", "-", "--preset", "ultrafast"])
            #expect(try EventLines(filtered.standardOutput).of("candidate") == reported.of("candidate"))
            let refused = try await bench.flourish(["in.mp4", "other.mp4", "--candidates"])
            #expect(refused.exitCode == 64 && refused.standardError.contains("--candidates requires --events"))
        }
    }

    /// The same hand goes up twice.
    @Test func theCooldownIsKept() async throws {
        try await Workbench.with { bench in
            let script = """
                { "width": 480, "height": 270, "rate": 12, "duration": 5.2, "scene": { "skin": "tan", "seed": 3 },
                  "cues": [
                    { "time": 0.4, "pose": "thumbUp", "hands": "left", "hold": 1.4, "rise": 0.3, "fall": 0.3 },
                    { "time": 3.2, "pose": "thumbUp", "hands": "left", "hold": 1.6, "rise": 0.3, "fall": 0.3 } ] }
                """
            try await bench.draw(script: script, as: "in.mp4")
            let short = try await bench.detect("in.mp4", ["--cooldown", "1"])
            #expect(short.gestures == ["thumbsUp", "thumbsUp"])
            let long = try await bench.detect("in.mp4", ["--cooldown", "20"])
            #expect(long.gestures == ["thumbsUp"])
        }
    }

    @Test func detectEmitsTheEventsOfFilter() async throws {
        try await Workbench.with { bench in
            try await bench.draw(PuppetClip(pose: "victory", hands: "left"), as: "in.mp4")
            let detected = try await bench.detect("in.mp4")
            let filtered = try await bench.flourish(
                ["in.mp4", "out.mp4", "--events", "-", "--preset", "ultrafast"])
            let events = try EventLines(filtered.standardOutput)
            #expect(events.effects == ["balloons"])
            #expect(events.withoutEncoder == detected.withoutEncoder)
            let cost = try #require(events.of("effectEnded").first?["encoder"])
            #expect(cost["bits"]?.integer ?? 0 > 1000)
            #expect((1...51).contains(cost["meanQP"]?.number ?? 0))
            #expect(detected.of("effectEnded").first?["encoder"] == nil)
        }
    }

    /// Emitted once, whether all is encoded, after an analysis of the recording, or only spans are.
    @Test(arguments: [("out.mp4", ["--crf", "30"], 0), ("out.webm", [], 0), ("out.mp4", [], 0), ("out.mp4", [], 1)])
    func reactionsAfterTheEndAreReported(_ output: String, _ options: [String], _ shown: Int) async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4", seconds: 2, sound: false)
            let requests = ["--reaction", "rain@30"] + (shown > 0 ? ["--reaction", "heart@1.5"] : [])
            let result = try await bench.flourish(["in.mp4", output, "--events", "events.jsonl"] + requests + options)
            #expect(result.exitCode == 0, "\(result.standardError)")
            let events = try EventLines(String(decoding: bench.bytes("events.jsonl"), as: UTF8.self))
            #expect(events.warnings == ["reactionNotShown"] && events.effects.count == shown)
        }
    }

    /// With gestures off no model is loaded, and hands have no effect.
    @Test func gesturesCanBeDisabled() async throws {
        try await Workbench.with { bench in
            try await bench.draw(PuppetClip(pose: "thumbUp", hands: "left"), as: "in.mp4")
            let result = try await bench.flourish(
                ["in.mp4", "out.mp4", "--no-gestures", "--events", "events.jsonl", "--preset", "ultrafast"],
                environment: ["FLOURISH_HOME": bench.file("nothing").path])
            #expect(result.exitCode == 0)
            let events = try EventLines(String(decoding: bench.bytes("events.jsonl"), as: UTF8.self))
            #expect(events.all.count == 2)
            #expect(events.all.first?["gesturesEnabled"]?.boolean == false)
        }
    }
}
