import Foundation
import Testing
import TestSupport

@Suite("An overlay")
struct OverlayTests {
    private static let clip = ["-g", "25", "-bf", "2"]

    /// The similarity, in dB, of a recording with an overlay and the recording with reactions drawn in.
    private func likeness(_ overlay: String, decoder: [String] = [], _ bench: Workbench) async throws -> Double {
        try await bench.ffmpeg(
            ["-i", "in.mp4"] + decoder + [
                "-i", overlay, "-filter_complex", "[0:v][1:v]overlay", "-an", "-c:v", "ffv1",
                "over.mkv",
            ])
        return try await bench.likeness("over.mkv", "drawn.mkv")
    }

    @Test(arguments: [
        ("out.mov", "prores", 42.0, []), ("out.mkv", "ffv1", 42.0, []),
        ("out.webm", "vp9", 36.0, ["-c:v", "libvpx-vp9"]),
    ])
    func compositingMatchesDirectDrawing(
        _ name: String, _ codec: String, _ minimum: Double, _ decoder: [String]
    ) async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4", size: "256x144", seconds: 4, sound: false, Coding.h264 + Self.clip)
            let reaction = ["--reaction", "balloons@1"]
            try await bench.filter(
                "in.mp4", "drawn.mkv", reaction + ["--preset", "ultrafast", "--crf", "0", "--smart-render", "never"])
            let events = try await bench.overlay("in.mp4", name, reaction)
            #expect(events.effects == ["balloons"] && events.warnings.isEmpty)
            let (source, result) = (try await bench.report("in.mp4"), try await bench.report(name))
            #expect(result.streams.map { $0["codec_name"]?.string } == [codec])
            #expect(result.streams.map { $0["width"]?.integer } == [256])
            // Each frame has the time of a video frame, including the first and the last one; empty ones are
            // extended.
            let times = result.frameTimes
            #expect(times.count < source.frameTimes.count - 20 && times.count > 40)
            #expect(times.allSatisfy { time in source.frameTimes.contains { abs($0 - time) < 0.0011 } })
            #expect(abs(times.last! - source.frameTimes.last!) < 0.0011)
            #expect(try await likeness(name, decoder: decoder, bench) > minimum)
        }
    }

    @Test func pipesGetEveryFrame() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4", seconds: 2, sound: false)
            let result = try await bench.shell(
                """
                flourish in.mp4 - --overlay --no-gestures --reaction heart@1 --output-format rawvideo > out.rgba
                flourish in.mp4 - --overlay --no-gestures --reaction heart@1 > out.nut
                ffmpeg -i out.nut -f rawvideo -pix_fmt rgba again.rgba
                """)
            #expect(result.exitCode == 0, "\(result.standardError)")
            let bytes = try bench.bytes("out.rgba")
            let frame = 96 * 64 * 4
            #expect(bytes.count == 50 * frame)
            func alphas(_ index: Int) -> [UInt8] {
                stride(from: index * frame + 3, to: (index + 1) * frame, by: 4).map { bytes[$0] }
            }
            #expect(alphas(10).allSatisfy { $0 == 0 })
            #expect(alphas(40).contains { $0 > 200 } && alphas(40).contains(0))
            #expect(try bench.bytes("again.rgba") == bytes)
        }
    }

    @Test func pictureSequencesHaveATimeList() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4", size: "128x72", seconds: 3, sound: false)
            try await bench.overlay("in.mp4", "out.mkv", ["--reaction", "thumbsUp@1"])
            try await bench.overlay("in.mp4", "it's-%03d.png", ["--reaction", "thumbsUp@1"])
            let names = bench.files.filter { $0.hasSuffix(".png") }
            #expect(names.first == "it's-000.png" && names.count == 51)
            try await bench.ffmpeg(
                [
                    "-safe", "0", "-i", "it's.ffconcat", "-fps_mode", "passthrough", "-c:v", "ffv1", "-pix_fmt", "bgra",
                    "pictures.mkv",
                ])
            let (video, pictures) = (try await bench.report("out.mkv"), try await bench.report("pictures.mkv"))
            // The list needs no last frame to state the duration of the one before.
            let times = zip(pictures.frameTimes, video.frameTimes)
            #expect(pictures.frameTimes.count >= video.frameTimes.count - 1)
            #expect(times.allSatisfy { abs($0 - $1) < 0.002 })
            let refused = try await bench.flourish(["in.mp4", "it's-%03d.png", "--overlay", "--no-gestures"])
            expectRefusal(refused, code: 73, naming: "it's.ffconcat", saying: "exists already")

            // A killed run leaves pictures without a list.
            try FileManager.default.removeItem(at: bench.file("it's.ffconcat"))
            let left = try await bench.flourish(["in.mp4", "it's-%03d.png", "--overlay", "--no-gestures"])
            expectRefusal(left, code: 73, naming: "it's-000.png", saying: "exists already")

            // A shorter run that overwrites it leaves no picture of the longer one.
            try await bench.overlay("in.mp4", "it's-%03d.png", ["--reaction", "thumbsUp@2.5", "-y"])
            let list = String(decoding: try bench.bytes("it's.ffconcat"), as: UTF8.self)
            let listed = Set(list.split(separator: "\n").filter { $0.hasPrefix("file ") })
            #expect(bench.files.count { $0.hasSuffix(".png") } == listed.count && listed.count < 20)
        }
    }

    /// A phone's picture is stored on its side; editors need the overlay upright.
    @Test func overlaysAreUpright() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("lying.mp4", size: "128x64", seconds: 1, Coding.h264 + Coding.aac)
            try await bench.ffmpeg(FFmpegTool.rotating("lying.mp4", by: 90, to: "in.mp4"))
            try await bench.overlay("in.mp4", "out.mkv", ["--reaction", "thumbsUp"])
            let streams = try await bench.report("out.mkv").streams
            #expect(streams.count == 1, "the sound is left out")
            let video = streams.first
            #expect(video?["width"]?.integer == 64 && video?["height"]?.integer == 128)
        }
    }

    @Test func photographsOmitTheOverlay() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4", seconds: 1, sound: false)
            let result = try await bench.flourish(
                [
                    "in.mp4", "out.mkv", "--overlay", "--reaction", "heart@0", "--photos", "moments",
                    "--photo-with-effects",
                ])
            #expect(result.exitCode == 64 && result.standardError.contains("set the content of photographs to clean"))
        }
    }

    @Test func overlaysFollowGesturesAndPlans() async throws {
        try await Workbench.with { bench in
            try await bench.draw(PuppetClip(pose: "thumbUp", hands: "left"), as: "in.mp4")
            let found = try await bench.flourish(["in.mp4", "out.mkv", "--overlay", "--events", "-"])
            #expect(found.exitCode == 0 && found.standardError.contains("1 reaction: thumbs up at 0:01 → out.mkv ("))
            #expect(!found.standardError.contains("encoded"))
            #expect(try EventLines(found.standardOutput).effects == ["thumbsUp"])
            #expect(try await bench.flourish(["plan", "in.mp4"]).exitCode == 0)
            #expect(
                try await bench.flourish(["filter", "in.mp4", "planned.mkv", "--overlay", "--plan", "in.plan.json"])
                    .exitCode == 0)
            #expect(try await bench.checksums("planned.mkv") == (try await bench.checksums("out.mkv")))
        }
    }

    @Test(arguments: [
        (["out.mp4"], 64, "MP4 does not support transparency; write an overlay to .webm"),
        (["out.png"], 64, "out.png: unknown overlay format; write an overlay to .webm"),
        (["out.mkv", "--crf", "20"], 64, "--crf and --overlay cannot be combined"),
        (["out.mkv", "--codec", "hevc"], 64, "--codec and --overlay cannot be combined"),
        (["out.mkv", "--smart-render", "always"], 64, "--smart-render and --overlay cannot be combined"),
        (["out.mkv", "--embed-metadata"], 64, "--embed-metadata and --overlay cannot be combined"),
    ])
    func invalidOverlaysAreRefused(_ options: [String], _ code: Int32, _ words: String) async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4", seconds: 1, sound: false)
            let result = try await bench.flourish(["in.mp4"] + options + ["--no-gestures", "--overlay"])
            expectRefusal(result, code: code, naming: "", saying: words)
            #expect(bench.files == ["in.mp4"])
        }
    }
}

extension Workbench {
    /// Writes an overlay without gesture recognition, and expects success.
    @discardableResult
    fileprivate func overlay(_ input: String, _ output: String, _ options: [String]) async throws -> EventLines {
        let result = try await flourish(
            ["filter", input, output, "--overlay", "--no-gestures", "--events", "-"] + options)
        try #require(result.exitCode == 0, "\(result.command): \(result.standardError)")
        return try EventLines(result.standardOutput)
    }
}
