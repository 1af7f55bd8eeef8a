import Testing
import TestSupport

@Suite("Fewer frames while effects run")
struct EffectsFrameRateTests {
    @Test(arguments: ["out.mp4", "out.mkv", "out.ts"])
    func halfOfSixtyFramesKeepTheirTimes(_ output: String) async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mkv", seconds: 6, rate: 60, Coding.h264 + Coding.aac)
            let all = try await bench.filter("in.mkv", "all-\(output)", ["--reaction", "thumbsUp@1"])
            let events = try await bench.filter(
                "in.mkv", output, ["--reaction", "thumbsUp@1", "--effects-fps", "30"])
            let (whole, thinned) = (try await bench.report("all-\(output)"), try await bench.report(output))

            let start = try #require(events.of("effectStarted").first?["startTime"]?.number)
            let end = try #require(events.of("effectEnded").first?["endTime"]?.number)
            let expected = Set(thinned.frameTimes)
            let outside = whole.frameTimes.filter { $0 < start || $0 >= end }
            #expect(outside.allSatisfy(expected.contains), "outside of effects all frames stay where they were")
            #expect(expected.isSubset(of: whole.frameTimes), "no frame was moved")
            let during = thinned.frameTimes.filter { $0 >= start && $0 < end }
            #expect(abs(Double(during.count) - (end - start) * 30) <= 1.5)
            #expect(thinned.digests(of: "audio") == whole.digests(of: "audio"))

            let dropped = whole.frameTimes.count - thinned.frameTimes.count
            #expect(dropped > 30)
            #expect(events.ended["framesDropped"]?.integer == dropped)
            #expect(events.ended["framesOut"]?.integer == thinned.frameTimes.count)
            #expect(events.of("effectEnded").first?["encoder"]?["framesDropped"]?.integer == dropped)
            #expect(events.of("frameRateChanged").map { $0["to"]?.number } == [30, 60])
            #expect(events.all.first?["frameRateDuringEffects"]?.number == 30)
            #expect(all.of("frameRateChanged").isEmpty)
        }
    }

    /// A segment of three frames, of which the last is dropped. Its quality is decided nevertheless.
    @Test func theLastFrameOfAShortSegmentMayBeDropped() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mkv", seconds: 2, rate: 60, sound: false, Coding.h264 + ["-g", "1"])
            let events = try await bench.smart(
                "in.mkv", "out.mkv", ["--reaction", "thumbsUp@1.95", "--effects-fps", "30"])
            let dropped = try #require(events.ended["framesDropped"]?.integer)
            #expect(dropped > 0)
            #expect(try await bench.report("out.mkv").frameTimes.count == 120 - dropped)
        }
    }

    @Test(arguments: [(60, 30.0), (50, 25)])
    func autoHalvesAHighRate(_ rate: Int, _ half: Double) async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4", seconds: 2, rate: rate)
            let events = try await bench.filter(
                "in.mp4", "out.mp4", ["--reaction", "thumbsUp@1", "--effects-fps", "auto"])
            #expect(events.all.first?["frameRateDuringEffects"]?.number == half)
            #expect(events.ended["framesDropped"]?.integer.map { $0 >= rate / 2 - 1 } == true)
        }
    }

    @Test func autoKeepsACommonRate() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4", seconds: 2, rate: 30)
            let events = try await bench.filter(
                "in.mp4", "out.mp4", ["--reaction", "thumbsUp@1", "--effects-fps", "auto"])
            #expect(events.ended["framesDropped"]?.integer == 0)
        }
    }

    @Test func unknownValuesAreRefused() async throws {
        try await Workbench.with { bench in
            let result = try await bench.flourish(["filter", "in.mp4", "out.mp4", "--effects-fps", "slow"])
            #expect(result.exitCode == 64)
            #expect(result.standardError.contains("--effects-fps must be a number from 1 to 1000 or auto"))
        }
    }

    @Test func aSlowerInputLosesNoFrames() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4", seconds: 2, rate: 25)
            let events = try await bench.filter(
                "in.mp4", "out.mp4", ["--reaction", "thumbsUp@0.5", "--effects-fps", "30"])
            #expect(events.ended["framesDropped"]?.integer == 0)
            #expect(events.of("frameRateChanged").isEmpty)
            #expect(events.all.first?["frameRateDuringEffects"] == .null)
        }
    }
}
