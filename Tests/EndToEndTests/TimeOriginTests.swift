import Foundation
import Testing
import TestSupport

/// Captures whose first pictures cannot be decoded: all times count from the first picture that is shown.
@Suite("The origin of times")
struct TimeOriginTests {
    /// A clip with key frames at 0, 2 and 4 s.
    private static let coding =
        Coding.h264 + ["-preset", "veryfast", "-g", "50", "-sc_threshold", "0", "-bf", "2"] + Coding.aac

    /// Makes a whole recording, and a capture of it that begins within its first group of pictures.
    private func makeCapture(_ bench: Workbench, _ kind: String, _ coding: [String]) async throws {
        let whole = kind == "h264" ? "whole.h264" : "whole.ts"
        try await bench.makeClip(whole, size: "160x120", seconds: 6, sound: kind != "h264", coding)
        let bytes = try bench.bytes(whole)
        // Transport streams have packets of 188 bytes.
        let start = bytes.count / 6 / 188 * 188
        try bench.write(bytes.dropFirst(start), as: kind == "h264" ? "cut.h264" : "cut.ts")
        if kind == "avi" || kind == "mkv" {
            // FFmpeg 9 writes AAC of transport streams to AVI only under the tag of AAC with ADTS headers.
            let tag = kind == "avi" ? ["-tag:a", "0x1600"] : []
            try await bench.ffmpeg(
                ["-i", "cut.ts", "-map", "0", "-c", "copy"] + tag + ["-copyinkf", "cut.\(kind)"])
        }
    }

    @Test(arguments: ["ts", "open.ts", "avi", "mkv", "h264"])
    func timesCountFromTheFirstShownPicture(_ name: String) async throws {
        try await Workbench.with { bench in
            let kind = String(name.split(separator: ".").last!), input = "cut.\(kind)"
            let open = name.hasPrefix("open") ? ["-x264-params", "open-gop=1"] : []
            try await makeCapture(bench, kind, (kind == "h264" ? Coding.h264 : Self.coding) + ["-g", "50"] + open)
            let first = try await bench.report(input).frameTimes.first ?? 0

            // Events of a run that decodes all, and of one that copies all.
            let reaction = ["--no-gestures", "--reaction", "heart@1"]
            let detected = try EventLines(try await bench.flourish(["detect", input] + reaction).standardOutput)
            let copied = try await bench.smart(input, "copy.mkv")
            for events in [detected, copied] {
                #expect(abs((events.of("streamStarted").first?["time"]?.number ?? -1) - first) < 0.0011)
            }
            #expect(detected.ended["framesOut"]?.integer == 100)
            let start = detected.of("effectStarted").first?["time"]?.number ?? 0
            #expect(abs(start - first - 1) < 0.021)

            // Plans.
            let made = try await bench.flourish(["plan", input, "--output", "plan.json"] + reaction)
            #expect(made.exitCode == 0, "\(made.standardError)")
            let plan = try JSONValue(parsing: String(decoding: bench.bytes("plan.json"), as: UTF8.self))
            #expect(abs((plan["source"]?["startTime"]?.number ?? -1) - first) < 0.0011)

            // Parts.
            let part = try await bench.filter(input, "part.mkv", ["--start", "1", "--smart-render", "never"])
            #expect(part.ended["framesOut"]?.integer == 75)
            #expect(part.of("streamStarted").first?["time"]?.number == 0)
        }
    }

    /// The photograph of an instant shows the frame at as many seconds after the first one.
    @Test(arguments: ["ts", "mkv", "h264"])
    func photographTimesCountFromTheFirstShownPicture(_ kind: String) async throws {
        try await Workbench.with { bench in
            try await makeCapture(bench, kind, kind == "h264" ? Coding.h264 + ["-g", "50"] : Self.coding)
            // The capture's first picture is the second key frame.
            let whole = kind == "h264" ? "whole.h264" : "whole.ts"
            for (input, time, output) in [("cut.\(kind)", "0.52", "cut.png"), (whole, "2.52", "whole.png")] {
                let result = try await bench.flourish(
                    ["photo", input, "--at", time, "--output", output, "--photo-quality", "speed"])
                #expect(result.exitCode == 0, "\(result.standardError)")
            }
            let cut = try await bench.checksums("cut.png")
            #expect(try await cut == bench.checksums("whole.png") && cut.count == 1)
        }
    }
}
