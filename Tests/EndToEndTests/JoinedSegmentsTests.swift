import Foundation
import Testing
import TestSupport

/// Transport streams that were joined from parts, each with packet counters and a clock of its own.
@Suite("Joined transport streams")
struct JoinedSegmentsTests {
    private static let coding = Coding.h264 + ["-g", "25", "-bf", "2", "-pix_fmt", "yuv420p"]

    /// Makes three segments of two seconds, as an HLS packager does.
    private func segments(_ bench: Workbench, _ coding: [String] = coding) async throws -> [TransportStream] {
        try await bench.makeClip("whole.mp4", size: "160x120", seconds: 6, coding + Coding.aac)
        try await bench.ffmpeg(
            [
                "-i", "whole.mp4", "-c", "copy", "-f", "segment", "-segment_time", "2", "-segment_format", "mpegts",
                "s%d.ts",
            ])
        return try (0..<3).map { TransportStream(try bench.bytes("s\($0).ts")) }
    }

    private func join(_ bench: Workbench, _ segments: [TransportStream], as name: String) throws {
        try bench.write(segments.map(\.data).reduce(Data(), +), as: name)
    }

    @Test(
        arguments: [JoinedSegmentsTests.coding, Coding.hevc + ["-g", "25", "-pix_fmt", "yuv420p"]],
        ["out.ts", "out.mp4"])
    func jointsAreNotReportedAsDamage(_ coding: [String], _ output: String) async throws {
        try await Workbench.with { bench in
            try join(bench, try await segments(bench, coding), as: "in.ts")
            try await bench.shortPlan("in.ts", "plan.json", [("heart", 2.4, 0.3)])
            let events = try await bench.smart("in.ts", output, ["--plan", "plan.json"])
            #expect(events.all.first?["wholeReason"] == nil)
            #expect(events.warnings.isEmpty)
            let video = try await SplicedVideo(bench, "in.ts", output, events)
            #expect(video.spans.count == 1 && video.framesCopied ?? 0 > 70)
            let decoded = try await bench.smart("in.ts", "whole.\(output)", ["--smart-render", "never"])
            #expect(decoded.warnings.isEmpty)
            let piped = try await bench.shell(
                "cat in.ts | flourish filter - piped.mkv --no-gestures --preset ultrafast")
            #expect(piped.exitCode == 0 && !piped.standardError.contains("warning"), "\(piped.standardError)")
        }
    }

    /// Packets within a picture are lost, or a whole picture, also next to a joint.
    @Test(arguments: [(0, 20, 1..<2), (1, -1, 1..<2), (1, -1, 0..<1), (2, 0, 1..<3), (2, 0, 0..<2), (1, -2, 0..<1)])
    func jointsDoNotHideDamage(_ segment: Int, _ picture: Int, _ packets: Range<Int>) async throws {
        try await Workbench.with { bench in
            var parts = try await segments(bench, Coding.h264 + ["-g", "25", "-bf", "0", "-crf", "10"])
            try parts[segment].remove(packets, ofPicture: picture)
            try join(bench, parts, as: "in.ts")
            let events = try await bench.smart("in.ts", "out.ts", ["--reaction", "heart@0.9"])
            #expect(events.all.first?["wholeReason"]?.string?.contains("damaged") == true)
            #expect(events.warnings.contains("damagedInput"))
        }
    }

    @Test func aGapBetweenPartsIsClosedInFiles() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("whole.mp4", seconds: 4, Self.coding + Coding.aac)
            try await bench.ffmpeg(["-t", "2", "-i", "whole.mp4", "-c", "copy", "-output_ts_offset", "100", "a.ts"])
            try await bench.ffmpeg(["-ss", "2", "-i", "whole.mp4", "-c", "copy", "-output_ts_offset", "160", "b.ts"])
            try bench.write(try bench.bytes("a.ts") + bench.bytes("b.ts"), as: "in.ts")
            let count = try await bench.report("a.ts").frameTimes.count + bench.report("b.ts").frameTimes.count
            for options in [[], ["--smart-render", "never"]] {
                let events = try await bench.smart("in.ts", "out.mp4", options + ["-y"])
                #expect(events.warnings == ["timestampGap"])
                let message = events.of("warning").first?["message"]?.string
                #expect(message?.contains("a gap of 5") == true, "\(message ?? "")")
                let times = try await bench.report("out.mp4").frameTimes
                #expect(times.count == count && (times.last ?? 0) - times[0] < 4.4)
            }
            // A stream from a pipe may have paused in fact.
            let piped = try await bench.shell("cat in.ts | flourish filter - piped.mkv --no-gestures --events events")
            try #require(piped.exitCode == 0, "\(piped.standardError)")
            let times = try await bench.report("piped.mkv").frameTimes
            #expect((times.last ?? 0) - times[0] > 55)
            let events = try EventLines(String(decoding: bench.bytes("events"), as: UTF8.self))
            #expect(events.warnings.isEmpty)
        }
    }
}
