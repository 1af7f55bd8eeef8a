import Foundation
import TestSupport
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

@Suite("Smart rendering")
struct SmartRenderTests {
    private static let groups = ["-g", "15", "-pix_fmt", "yuv420p"]

    @Test(arguments: ["mp4", "mkv", "mov", "ts", "avi", "flv"])
    func withoutReactionsEveryPacketIsCopied(_ kind: String) async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.\(kind)", seconds: 2, Coding.h264 + Self.groups + Coding.aac)
            let events = try await bench.smart("in.\(kind)", "out.\(kind)")
            let video = try await SplicedVideo(bench, "in.\(kind)", "out.\(kind)", events)
            #expect(video.framesCopied == 50)
            #expect(video.framesEncoded == 0)
            #expect(video.source.digests(of: "video") == video.result.digests(of: "video"))
            try await video.expectUntouchedOutsideOfSpans()
        }
    }

    /// H.264 whose groups of pictures begin with recovery points, except for the first.
    private static func openGroups(_ parameters: String) -> [String] {
        ["-c:v", "libx264", "-preset", "medium", "-x264-params", "open-gop=1:scenecut=0:b-adapt=0:\(parameters)"]
    }

    @Test(
        arguments: [
            ("in.mp4", "out.mp4", Coding.h264 + ["-bf", "3"]), ("in.mkv", "out.mkv", Coding.h264 + ["-bf", "0"]),
            ("in.ts", "out.ts", Coding.h264), ("in.mp4", "out.mkv", Coding.h264 + ["-preset", "medium"]),
            ("in.mov", "out.mov", ["-c:v", "mjpeg"]), ("in.avi", "out.avi", ["-c:v", "mjpeg"]),
            ("in.flv", "out.flv", Coding.h264), ("in.webm", "out.webm", Coding.vp9),
            ("in.webm", "out.webm", Coding.vp8), ("in.webm", "out.webm", Coding.av1),
            ("in.mp4", "out.mp4", ["-c:v", "libx265", "-preset", "fast", "-x265-params", "log-level=none:open-gop=0"]),
            (
                "in.mkv", "out.mp4",
                ["-c:v", "libx265", "-preset", "fast", "-x265-params", "log-level=none:open-gop=1:bframes=3"]
            ),
            ("in.mkv", "out.mkv", Coding.h264 + ["-pix_fmt", "yuv420p10le"]),
            ("in.mp4", "out.mp4", openGroups("bframes=3:b-pyramid=normal")),
            ("in.ts", "out.ts", openGroups("bframes=3:b-pyramid=normal:slices=4")),
            ("in.mkv", "out.mp4", openGroups("bframes=2:ref=1:cabac=0")),
        ] as [(String, String, [String])])
    func onlyTouchedSpansAreEncoded(_ input: String, _ output: String, _ coding: [String]) async throws {
        try await Workbench.with { bench in
            let sound = input.hasSuffix("webm") ? ["-c:a", "libopus"] : Coding.aac
            try await bench.makeClip(input, size: "160x120", seconds: 4, Self.groups + coding + sound)
            try await bench.shortPlan(input, "plan.json", [("heart", 1.1, 0.4), ("confetti", 2.9, 0.3)])
            let events = try await bench.smart(input, output, ["--plan", "plan.json"])
            #expect(events.effects == ["heart", "confetti"])
            #expect(events.of("effectEnded").allSatisfy { $0["encoder"]?["bits"]?.integer ?? 0 > 0 })
            let video = try await SplicedVideo(bench, input, output, events)
            #expect(video.spans.count == 2)
            #expect(video.framesEncoded ?? 100 < 60)
            #expect((video.framesCopied ?? 0) + (video.framesEncoded ?? 0) == 100)
            try await video.expectUntouchedOutsideOfSpans()
            try await video.expectSeamsCanBeSought()
            #expect(video.frames.result.messages.isEmpty, "\(video.frames.result.messages)")
            #expect(video.result.video["pix_fmt"] == video.source.video["pix_fmt"])
            #expect(video.result.video["codec_name"] == video.source.video["codec_name"])
        }
    }

    /// In AVI, and at such a time scale of QuickTime, a frame lasts one tick.
    @Test(
        arguments: [
            ("avi", ["-c:v", "mjpeg", "-q:v", "5", "-c:a", "pcm_s16le"]),
            ("mov", Coding.h264 + ["-g", "30", "-video_track_timescale", "30"] + Coding.aac),
        ] as [(String, [String])])
    func framesOfOneTickAreToldApart(_ kind: String, _ coding: [String]) async throws {
        try await Workbench.with { bench in
            try await bench.ffmpeg(
                ["-f", "lavfi", "-i", "testsrc2=s=160x120:r=30:d=8", "-f", "lavfi", "-i", "sine=d=8"] + coding
                    + ["in.\(kind)"])
            let events = try await bench.smart(
                "in.\(kind)", "out.\(kind)", ["--reaction", "confetti@1.5", "--smart-render", "always"])
            #expect(events.ended["smartRender"]?["framesCopied"]?.integer ?? 0 > 20)
        }
    }

    /// The container's best video need not be the one of the source.
    @Test(arguments: ["ts", "mp4", "mov"])
    func recordingsOfSeveralVideosAreCopied(_ kind: String) async throws {
        try await Workbench.with { bench in
            try await bench.ffmpeg(
                [
                    "-f", "lavfi", "-i", "testsrc2=s=160x120:r=25:d=2", "-f", "lavfi", "-i",
                    "testsrc2=s=160x120:r=25:d=4,hue=h=90", "-map", "0:v", "-map", "1:v",
                ] + Coding.h264 + Self.groups + ["in.\(kind)"])
            let events = try await bench.smart("in.\(kind)", "out.\(kind)", ["--smart-render", "always"])
            #expect(events.ended["smartRender"]?["framesEncoded"]?.integer == 0)
            #expect(events.warnings.contains("videoChosen"))
        }
    }

    /// A stream states its chroma format once.
    @Test(arguments: [Coding.h264 + ["-pix_fmt", "gray"], Coding.hevc + ["-pix_fmt", "gray"]])
    func recordingsWithoutColourAreEncodedAsAWhole(_ coding: [String]) async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mkv", seconds: 4, sound: false, coding + ["-g", "15"])
            let copied = try await bench.smart("in.mkv", "copy.mkv", ["--smart-render", "always"])
            #expect(copied.ended["smartRender"]?["framesEncoded"]?.integer == 0)
            try await bench.shortPlan("in.mkv", "plan.json", [("heart", 1.1, 0.4)])
            let events = try await bench.smart("in.mkv", "out.mkv", ["--plan", "plan.json"])
            #expect(events.all.first?["wholeReason"]?.string?.contains("no colour") == true)
        }
    }

    /// The finished file is checked with the limit of the input.
    @Test func picturesMayExceedTheUsualLimit() async throws {
        try await Workbench.with { bench in
            try await bench.ffmpeg([
                "-f", "lavfi", "-i", "color=gray:s=8200x8200:r=25:d=0.08", "-c:v", "mjpeg", "in.mkv",
            ])
            let events = try await bench.smart("in.mkv", "out.mkv", ["--max-pixels", "70000000"])
            #expect(events.ended["smartRender"]?["framesCopied"]?.integer == 2)
        }
    }

    /// A span of VP8 is as fine as its surroundings, where the rate control gives key frames and golden frames finer
    /// quantisers than all others, too.
    @Test(arguments: [["-b:v", "3M", "-crf", "30"], ["-b:v", "200k", "-deadline", "realtime", "-cpu-used", "8"]])
    func spansOfVP8MatchTheQualityOfTheirSurroundings(_ coding: [String]) async throws {
        try await Workbench.with { bench in
            // Noise that moves: each picture takes bits.
            let noise = "testsrc2=s=160x120:r=25:d=6,noise=alls=12:allf=t"
            try await bench.ffmpeg(
                ["-f", "lavfi", "-i", noise, "-c:v", "libvpx", "-threads", "1", "-g", "75", "-keyint_min", "75"]
                    + coding + ["in.webm"])
            // A part that begins within a group of pictures begins with a span without reactions.
            let events = try await bench.smart("in.webm", "out.webm", ["--start", "1", "--end", "5.9"])
            let video = try await SplicedVideo(bench, "in.webm", "out.webm", events, part: 1...5.9)
            #expect(video.framesEncoded == 50)
            func bytes(_ report: MediaReport, _ times: ClosedRange<Double>) -> Int {
                (report.packets[0] ?? []).reduce(0) { sum, packet in
                    let time = packet["pts_time"]?.string.flatMap(Double.init) ?? -1
                    return sum + (times.contains(time) ? packet["size"]?.string.flatMap(Int.init) ?? 0 : 0)
                }
            }
            let (before, after) = (bytes(video.source, 0.999...2.99), bytes(video.result, -0.001...1.99))
            #expect(after <= 2 * before && 2 * after >= before, "\(before) to \(after) bytes")
            let cut =
                "[0:v]trim=start_frame=25:end_frame=75,setpts=PTS-STARTPTS[a];[1:v]trim=end_frame=50[b];[a][b]psnr"
            let said = try await Program.onPath("ffmpeg").run(
                ["-nostdin", "-i", "in.webm", "-i", "out.webm", "-lavfi", cut, "-f", "null", "-"], in: bench.folder)
            let words = said.standardError.firstMatch(of: /average:([0-9.]+)/)?.1
            #expect(try #require(words.flatMap { Double($0) }) > 30)
        }
    }

    /// The drawn pixels equal those of a whole encode.
    @Test func effectsEqualThoseOfAWholeEncode() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4", size: "320x180", seconds: 4, Coding.h264 + ["-g", "20", "-crf", "10"])
            try await bench.shortPlan("in.mp4", "plan.json", [("balloons", 1.2, 0.8)])
            let smart = try await bench.smart("in.mp4", "smart.mp4", ["--plan", "plan.json"])
            let whole = try await bench.filter("in.mp4", "whole.mp4", ["--plan", "plan.json", "--crf", "10"])
            func shown(_ events: EventLines) -> [JSONValue] {
                events.withoutEncoder.filter { $0["event"]?.string != "encoderRecovered" }
            }
            #expect(shown(smart) == shown(whole))
            #expect(try await bench.likeness("smart.mp4", "whole.mp4") > 32)
        }
    }

    @Test func gestureReactionsAreSplicedIn() async throws {
        try await Workbench.with { bench in
            try await bench.draw(PuppetClip(pose: "victory", hands: "left"), as: "in.mp4")
            let detected = try await bench.detect("in.mp4")
            let filtered = try await bench.flourish(["in.mp4", "out.mp4", "--events", "-"])
            #expect(filtered.exitCode == 0)
            let events = try EventLines(filtered.standardOutput)
            #expect(events.withoutEncoder == detected.withoutEncoder)
        }
    }

    /// Spans may be encoded in any sequence. (Of pictures whose height is no multiple of 32 libx264 itself encodes
    /// nondeterministically: core 164 with B frames gives other bytes where its memory held other bytes before.)
    @Test func runsAreDeterministic() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4", size: "160x128", seconds: 6, Coding.h264 + Self.groups)
            try await bench.shortPlan(
                "in.mp4", "plan.json", [("heart", 0.9, 0.4), ("rain", 2.5, 0.4), ("lasers", 4.1, 0.4)])
            for name in ["a.mp4", "b.mp4"] {
                #expect(try await bench.smart("in.mp4", name, ["--plan", "plan.json"]).effects.count == 3)
            }
            #expect(try bench.bytes("a.mp4") == bench.bytes("b.mp4"))
        }
    }

    @Test func droppedFramesKeepTheTimesOfOthers() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4", seconds: 4, sound: false, Coding.h264 + Self.groups)
            try await bench.shortPlan("in.mp4", "plan.json", [("heart", 1.1, 0.8)])
            let events = try await bench.smart("in.mp4", "out.mp4", ["--plan", "plan.json", "--effects-fps", "5"])
            let video = try await SplicedVideo(bench, "in.mp4", "out.mp4", events)
            #expect(events.ended["framesDropped"]?.integer ?? 0 > 10)
            #expect(events.ended["framesOut"]?.integer == video.result.frameTimes.count)
            let times = video.source.frameTimes
            #expect(video.result.frameTimes.allSatisfy { time in times.contains { abs($0 - time) < 0.001 } })
        }
    }

    // MARK: Unavailable

    @Test(
        arguments: [
            ("in.mp4", Coding.h264, ["--crf", "30"], "--crf"),
            ("in.mp4", Coding.h264, ["--codec", "hevc"], "--codec"),
            ("in.mp4", ["-c:v", "mpeg1video"], ["--reaction", "heart@0.9"], "mpeg1video"),
            ("in.mp4", Coding.h264 + ["-g", "1000"], ["--reaction", "heart@0"], "most of it"),
            ("in.mp4", Coding.h264 + ["-qp", "0"], ["--reaction", "heart@0.9"], "lossless"),
            (
                "in.mp4", ["-c:v", "libx264rgb", "-preset", "ultrafast"], ["--reaction", "heart@0.9"],
                "resolution of colour"
            ),
        ] as [(String, [String], [String], String)])
    func wholeEncodesStateTheReason(
        _ input: String, _ coding: [String], _ options: [String], _ reason: String
    ) async throws {
        try await Workbench.with { bench in
            try await bench.makeClip(input, seconds: 1, coding)
            let events = try await bench.smart(input, "out.mp4", options)
            #expect(events.all.first?["wholeReason"]?.string?.contains(reason) == true)
            #expect(events.ended["smartRender"] == nil)
            let refused = try await bench.flourish(
                ["filter", input, "no.mp4", "--no-gestures", "--smart-render", "always"] + options)
            #expect(refused.exitCode == 65)
            #expect(refused.standardError.contains(reason))
            #expect(!bench.files.contains("no.mp4"))
        }
    }

    @Test(
        arguments: [
            ("mov", ["-c:v", "prores_ks", "-profile:v", "4444", "-pix_fmt", "yuva444p10le"], "without transparency"),
            ("mkv", Coding.vp9 + ["-pix_fmt", "yuva420p", "-auto-alt-ref", "0"], "alpha channel is stored separately"),
        ] as [(String, [String], String)])
    func transparentPicturesNeedAWholeEncode(_ container: String, _ coding: [String], _ reason: String) async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.\(container)", seconds: 1, sound: false, coding)
            let events = try await bench.smart("in.\(container)", "out.\(container)", ["--reaction", "heart@0.9"])
            #expect(events.all.first?["wholeReason"]?.string?.contains(reason) == true)
        }
    }

    /// From version 2 on its pictures can be read with the header's settings alone.
    @Test(arguments: [(1, nil), (3, "FFV1")] as [(Int, String?)])
    func recentVersionsOfFFV1NeedAWholeEncode(_ version: Int, _ reason: String?) async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mkv", seconds: 2, ["-c:v", "ffv1", "-level", "\(version)", "-g", "1"])
            let events = try await bench.smart("in.mkv", "out.mkv", ["--reaction", "heart@1.9"])
            let reported = events.all.first?["wholeReason"]?.string
            #expect(
                (reported == nil) == (reason == nil) && reported?.contains(reason ?? "") != false, "\(reported ?? "")")
        }
    }

    /// Each picture is independent, so that the ones before the cut may be dropped.
    @Test func unreferencedHiddenPicturesMayBeDropped() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("whole.mov", seconds: 4, ["-c:v", "mjpeg"])
            try await bench.ffmpeg(["-ss", "0.91", "-i", "whole.mov", "-c", "copy", "in.mov"])
            let events = try await bench.smart("in.mov", "out.mov")
            #expect(events.all.first?["wholeReason"] == nil)
            #expect(events.ended["smartRender"]?["framesEncoded"]?.integer == 0)
        }
    }

    /// The container states another aspect ratio of pixels than the codec, or the codec none.
    @Test(arguments: [("in.mp4", Coding.h264), ("in.mov", ["-c:v", "prores_ks"])] as [(String, [String])])
    func theSampleAspectRatioIsKept(_ input: String, _ coding: [String]) async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("made.mov", seconds: 1, ["-vf", "setsar=1"] + coding)
            try await bench.ffmpeg(["-i", "made.mov", "-c", "copy", "-aspect", "2.35", input])
            let events = try await bench.smart(input, "out.mov")
            #expect(events.all.first?["wholeReason"] == nil)
            var shapes: [String?] = []
            for name in [input, "out.mov"] {
                shapes.append(try await FFmpegTool.streams(of: bench.file(name))[0]["sample_aspect_ratio"]?.string)
            }
            #expect(shapes[0] == shapes[1] && shapes[0] != "1:1")
        }
    }

    @Test func repeatedRequestsExtendOneEffect() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4", seconds: 9, Coding.h264 + ["-g", "25"])
            let events = try await bench.smart(
                "in.mp4", "out.mp4", ["--reaction", "heart@2", "--reaction", "heart@2.4", "--reaction", "heart@2.8"])
            let spans = events.ended["smartRender"]?["spans"]?.array ?? []
            #expect(spans.count == 1)
            #expect(spans.first?["reactionTypes"]?.array?.compactMap(\.string) == ["heart"])
        }
    }

    @Test(
        arguments: [
            (
                [],
                """
                smart rendering: frames with effects are encoded, all others are copied
                  0.0 s to 0.6 s: copied
                """
            ),
            (["--crf", "20"], "analysis pass, then all frames are encoded, since --crf applies to the whole video"),
            (
                ["--crf", "20", "--no-gestures"],
                "single pass: all frames are encoded, since --crf applies to the whole video"
            ),
            (["--smart-render", "never"], "single pass: all frames are encoded"),
            (["--live"], "live: each frame is encoded as it arrives, since a live run processes frames as they arrive"),
        ] as [([String], String)])
    func theRouteIsExplained(_ options: [String], _ explanation: String) async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4")
            let result = try await bench.flourish(["filter", "in.mp4", "out.mp4", "--explain"] + options)
            #expect(result.exitCode == 0 && result.standardError.isEmpty, "\(result.standardError)")
            #expect(result.standardOutput == "in.mp4 → out.mp4: \(explanation)\n")
            #expect(bench.names(in: ".") == ["in.mp4"])
        }
    }

    /// The explanation names the segments that the run has.
    @Test func theSegmentsAreExplained() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4", seconds: 9, Coding.h264 + ["-g", "25"])
            let options = ["--reaction", "heart@1", "--no-gestures"]
            let lines = try await bench.flourish(["filter", "in.mp4", "out.mp4", "--explain"] + options)
                .standardOutput.split(separator: "\n")
            let span = try #require(
                try await bench.smart("in.mp4", "out.mp4", options).ended["smartRender"]?["spans"]?.array?.first)
            let (start, end) = (span["startTime"]?.number ?? 0, span["endTime"]?.number ?? 0)
            #expect(
                lines.dropFirst() == [
                    "  0.0 s to \(start) s: copied",
                    "  \(start) s to \(end) s: encoded for heart (\(span["frames"]?.integer ?? 0) frames)",
                    "  \(end) s to 9.0 s: copied",
                ])
        }
    }

    /// The explanation refuses the same requests as the run.
    @Test(
        arguments: [
            (["in.mp4", "effects-%04d.png", "--overlay"], 0, "overlay: only frames with effects are decoded"),
            (["in.mp4", "out.mp4", "--overlay"], 64, "out.mp4"),
            (["none.mp4", "out.mp4", "--crf", "20"], 66, "none.mp4"),
            (["in.mp4", "out.mp4", "--smart-render", "always", "--crf", "20"], 65, "--crf applies to the whole video"),
            (["in.mp4", "out.mp4", "--reaction", "nosuch@1"], 64, "nosuch"),
        ] as [([String], Int32, String)])
    func explanationsRefuseTheSameRequests(_ arguments: [String], _ code: Int32, _ words: String) async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4")
            let result = try await bench.flourish(["filter", "--explain"] + arguments)
            #expect(result.exitCode == code, "\(result.standardError)")
            #expect((code == 0 ? result.standardOutput : result.standardError).contains(words))
            #expect(bench.names(in: ".") == ["in.mp4"])
        }
    }

    @Test func neverDisablesTheReport() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4")
            let events = try await bench.smart("in.mp4", "out.mp4", ["--smart-render", "never"])
            #expect(events.all.first?["wholeReason"] == nil)
            #expect(events.ended["smartRender"] == nil)
        }
    }

    /// The stream is not decoded. The sizes of units in the first packets exceed the packets: MPEG-TS, which has
    /// start codes instead, refuses them.
    @Test func refusedPacketsNeedAWholeEncode() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("whole.mp4", seconds: 2, sound: false, Coding.h264 + ["-g", "10"])
            let noise = "noise=amount='if(eq(n,25),1,0)'"
            try await bench.ffmpeg(["-i", "whole.mp4", "-c", "copy", "-bsf:v", noise, "in.mp4"])
            let events = try await bench.smart("in.mp4", "out.ts")
            #expect(events.all.first?["wholeReason"]?.string?.contains("MPEG-TS does not accept a packet") == true)
            let refused = try await bench.flourish(
                ["filter", "in.mp4", "no.ts", "--no-gestures", "--smart-render", "always"])
            #expect(refused.exitCode == 65)
            #expect(refused.standardError.contains("MPEG-TS does not accept a packet"))
        }
    }

    @Test func damageInCopiedPacketsIsKept() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("whole.mkv", seconds: 4, sound: false, Coding.h264 + Self.groups)
            var bytes = try bench.bytes("whole.mkv")
            // Within the last second, far from the span.
            for index in bytes.count * 9 / 10..<bytes.count * 9 / 10 + 40 { bytes[index] ^= 0x55 }
            try bench.write(bytes, as: "in.mkv")
            try await bench.shortPlan("in.mkv", "plan.json", [("heart", 0.7, 0.3)])
            let events = try await bench.smart("in.mkv", "out.mkv", ["--plan", "plan.json"])
            let video = try await SplicedVideo(bench, "in.mkv", "out.mkv", events)
            #expect(video.spans.count == 1)
            let copied = zip(video.source.digests(of: "video")[0], video.result.digests(of: "video")[0])
            #expect(copied.count { $0 == $1 } == video.framesCopied)
        }
    }

    @Test func killedRunsKeepTheOlderFile() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4", size: "640x360", seconds: 10, Coding.h264 + ["-g", "30"])
            try bench.write("older", as: "out.mp4")
            for delay in [5, 40, 120, 300] {
                let run = try Program.flourish.start(
                    ["filter", "in.mp4", "out.mp4", "-y", "--no-gestures", "--reaction", "confetti@2"], in: bench.folder
                )
                try await Task.sleep(for: .milliseconds(delay))
                run.send(signal: SIGKILL)
                let result = try await run.result()
                if result.signal == nil { break }
                #expect(try bench.bytes("out.mp4") == Data("older".utf8))
            }
            // The next run removes the file, and reports it.
            let left = bench.files.count { $0.hasPrefix(".out.mp4.partial-") }
            let events = try await bench.filter("in.mp4", "out.mp4", ["-y"])
            #expect(events.warnings == Array(repeating: "leftoverRemoved", count: left))
            #expect(bench.files == ["in.mp4", "out.mp4"])
        }
    }

    @Test("A warning from before the analysis is emitted once", arguments: ["auto", "never"])
    func startupWarningsAreEmittedOnce(_ smart: String) async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4", size: "320x240", seconds: 2, Coding.h264)
            let gone = try await Program(executable: URL(filePath: "/bin/sh")).run(["-c", "echo $$"], in: bench.folder)
            let process = gone.standardOutput.trimmingCharacters(in: .newlines)
            try bench.write("unfinished", as: ".out.mp4.partial-\(process)")
            let result = try await bench.flourish([
                "filter", "in.mp4", "out.mp4", "--smart-render", smart, "--preset", "ultrafast", "--reaction",
                "heart@1",
                "--events", "-",
            ])
            #expect(result.exitCode == 0, "\(result.standardError)")
            #expect(try EventLines(result.standardOutput).warnings == ["leftoverRemoved"])
        }
    }

    /// More packets wait for a span here than the queue holds, before the last packet that the span needs is read.
    @Test func aSpanBesideLargePacketsIsFinished() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip(
                "small.mkv", size: "160x120", seconds: 6, sound: false,
                Coding.h264 + ["-g", "75", "-pix_fmt", "yuv420p"])
            try await bench.ffmpeg([
                "-i", "small.mkv", "-f", "lavfi", "-i", "color=s=1440x720:r=25:d=6,format=gray", "-map", "0:v", "-map",
                "1:v", "-c:v:0", "copy", "-c:v:1", "rawvideo", "in.mkv",
            ])
            try await bench.shortPlan("in.mkv", "plan.json", [("heart", 0.2, 0.3)])
            let reported = try await bench.smart("in.mkv", "out.mkv", ["--plan", "plan.json"])
            let summary = try #require(reported.ended["smartRender"])
            let (copied, encoded) = (summary["framesCopied"]?.integer ?? 0, summary["framesEncoded"]?.integer ?? 0)
            #expect(copied + encoded == 150 && copied >= 75 && encoded > 60)
        }
    }

    @Test func copiedVideoGetsNoEncoderSignature() async throws {
        try await Workbench.with { bench in
            // A source without an encoder signature, like those of cameras.
            try await bench.makeClip("made.mp4", seconds: 3, sound: false, Coding.h264 + Self.groups)
            try await bench.ffmpeg(["-i", "made.mp4", "-c", "copy", "-bsf:v", "filter_units=remove_types=6", "in.mp4"])
            try await bench.shortPlan("in.mp4", "plan.json", [("heart", 1.1, 0.3)])
            let events = try await bench.smart("in.mp4", "out.mp4", ["--plan", "plan.json"])
            #expect(events.ended["smartRender"]?["framesEncoded"]?.integer ?? 0 > 0)
            #expect(try bench.bytes("out.mp4").range(of: Data("x264".utf8)) == nil)
        }
    }
}
