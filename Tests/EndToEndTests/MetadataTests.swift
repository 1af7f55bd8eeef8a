import Foundation
import Testing
import TestSupport

@Suite("Metadata beside the picture")
struct MetadataTests {
    @Test(arguments: [
        ("out.mp4", "h264"), ("out.ts", "h264"), ("out.mkv", "hevc"), ("out.nut", "h264"), ("out.mp4", "hevc"),
        ("out.avi", "h264"),
    ])
    func embeddedMetadataIsReadBack(_ output: String, _ codec: String) async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mkv", seconds: 4)
            let reported = try await bench.filter(
                "in.mkv", output,
                ["--reaction", "thumbsUp@0.4", "--embed-metadata", "--codec", codec, "--preset", "ultrafast"])
            let result = try await bench.flourish(["control", "watch", output])
            #expect(result.exitCode == 0, "\(result.standardError)")
            let read = try result.jsonLines().map { $0["effects"]?.array?.count }
            #expect(read == reported.of("effectsInProgress").map { $0["effects"]?.array?.count })
            #expect(read == [1, 0])
        }
    }

    /// Copying resumes with the first picture without the effect.
    @Test func theEndOfAnEffectIsMarkedAtASeam() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4", seconds: 6, ["-g", "25"] + Coding.h264)
            try await bench.shortPlan("in.mp4", "plan.json", [("heart", 1.4, 1.6)])
            let events = try await bench.smart("in.mp4", "out.mp4", ["--plan", "plan.json", "--embed-metadata"])
            #expect(events.all.first?["wholeReason"] == nil)
            let read = try await bench.flourish(["control", "watch", "out.mp4"]).jsonLines()
            #expect(read.map { $0["effects"]?.array?.count } == [1, 0])
            #expect(read.last?["time"]?.number == events.of("effectsInProgress").last?["time"]?.number)
        }
    }

    @Test func withoutTheOptionNothingIsEmbedded() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mkv")
            try await bench.filter("in.mkv", "out.mp4", ["--reaction", "heart"])
            let result = try await bench.flourish(["control", "watch", "out.mp4"])
            #expect(result.exitCode == 0)
            #expect(result.standardOutput == "")
        }
    }

    @Test func codecsWithoutMetadataAreReported() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.webm", sound: false, Coding.vp8)
            let watched = try await bench.flourish(["control", "watch", "in.webm"])
            #expect(watched.exitCode == 65)
            let embedded = try await bench.flourish(
                ["in.webm", "out.webm", "--no-gestures", "--codec", "vp9", "--embed-metadata"])
            #expect(embedded.exitCode == 64)
            #expect(embedded.errorLines.count == 1)
        }
    }

    @Test func cuesNameTheRunningEffects() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mkv", seconds: 3)
            let events = try await bench.filter(
                "in.mkv", "out.mp4", ["--reaction", "thumbsUp@0.4", "--sidecar", "out.vtt"])
            let lines = String(decoding: try bench.bytes("out.vtt"), as: UTF8.self).split(
                separator: "\n", omittingEmptySubsequences: false)
            #expect(lines.first == "WEBVTT")
            let end = try #require(events.of("effectEnded").first?["endTime"]?.number)
            let timing = try #require(lines.first { $0.contains("-->") })
            #expect(timing.hasPrefix("00:00:00.40") && timing.contains("--> 00:00:0\(Int(end))"))
            let text = try JSONValue(parsing: String(try #require(lines.first { $0.hasPrefix("{") })))
            #expect(text["effects"]?.array?.first?["reactionType"]?.string == "thumbsUp")
        }
    }
}
