import Testing
import TestSupport

@Suite("Trimmed parts of a recording")
struct TrimTests {
    private static let coding = Coding.h264 + ["-g", "50", "-bf", "2"] + Coding.aac

    @Test(arguments: ["mp4", "mkv", "ts"], [["--start", "6", "--end", "8"], ["--start", "0:06", "--duration", "2"]])
    func partsStartAtZeroWithTheirSound(_ kind: String, _ part: [String]) async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.\(kind)", size: "160x120", seconds: 10, Self.coding)
            let events = try await bench.filter(
                "in.\(kind)", "out.mkv",
                part + ["--reaction", "heart@7", "--reaction", "rain@1", "--reaction", "rain@9"])
            // The request is on the recording's clock, the event on the output's.
            #expect(events.effects == ["heart"])
            #expect(abs((events.of("effectStarted").first?["time"]?.number ?? 0) - 1) < 0.001)
            #expect(events.warnings == ["reactionNotShown", "reactionNotShown"])
            #expect(events.ended["seconds"]?.number == 2)

            let (source, result) = (try await bench.report("in.\(kind)"), try await bench.report("out.mkv"))
            #expect(isSameTimes(result.frameTimes, (0..<50).map { Double($0) / 25 }))
            let first = source.frameTimes.first ?? 0
            let wanted = zip(source.digests(of: "audio")[0], source.times(of: "audio")[0])
                .filter { $0.1 >= first + 6 - 0.0001 && $0.1 < first + 8 - 0.0001 }
            // A transport stream frames its sound differently.
            if kind != "ts" { #expect(result.digests(of: "audio")[0] == wanted.map(\.0)) }
            #expect(isSameTimes(result.times(of: "audio")[0], wanted.map { $0.1 - first - 6 }))
        }
    }

    /// Everything is copied except the effect and the ends, which refer to removed pictures.
    @Test(arguments: ["mp4", "mkv", "ts"])
    func partsAreCopiedBetweenTheirEnds(_ kind: String) async throws {
        try await Workbench.with { bench in
            try await bench.makeClip(
                "in.\(kind)", size: "160x120", seconds: 16,
                ["-g", "25", "-pix_fmt", "yuv420p"] + Coding.h264 + ["-bf", "2", "-b_strategy", "0"] + Coding.aac)
            let events = try await bench.smart(
                "in.\(kind)", "out.\(kind)",
                ["--start", "2.5", "--end", "15.41", "--reaction", "heart@7.02", "--reaction", "rain@1"])
            #expect(events.effects == ["heart"] && events.warnings == ["reactionNotShown"])
            let video = try await SplicedVideo(bench, "in.\(kind)", "out.\(kind)", events, part: 2.5...15.41)
            #expect(video.spans.count == 3)
            #expect(video.spans.first?.start == 0 && abs((video.spans.first?.end ?? 0) - 0.5) < 0.05)
            #expect((video.framesCopied ?? 0) >= 140)
            try await video.expectUntouchedOutsideOfSpans()
            try await video.expectSeamsCanBeSought()
        }
    }

    @Test func gesturesAreFoundInPartsOnEveryRoute() async throws {
        try await Workbench.with { bench in
            try await bench.draw(PuppetClip(pose: "victory", hands: "left", seconds: 14), as: "drawn.mp4")
            try await bench.ffmpeg(["-i", "drawn.mp4"] + Coding.h264 + ["-g", "12", "in.mp4"])
            var starts: [[Double?]] = []
            for way in ["never", "always"] {
                let run = try await bench.flourish([
                    "in.mp4", "\(way).mp4", "--start", "0.5", "--end", "13", "--smart-render", way, "--events", "-",
                ])
                let events = try EventLines(run.standardOutput)
                #expect(events.effects == ["balloons"])
                #expect((events.ended["smartRender"] != nil) == (way == "always"))
                starts.append(events.of("effectStarted").map { $0["time"]?.number })
            }
            #expect(starts[0] == starts[1])
        }
    }

    @Test(arguments: ["mp4", "mkv"])
    func partsShowTheRecordingsFrames(_ kind: String) async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.\(kind)", size: "160x120", seconds: 10, Self.coding)
            try await bench.ffmpeg(
                ["-i", "in.\(kind)", "-vf", "trim=6:8,setpts=PTS-STARTPTS", "-an"] + Coding.h264 + [
                    "-qp", "0", "then.mkv",
                ])
            try await bench.filter("in.\(kind)", "out.mkv", ["--start", "6", "--end", "8", "--crf", "8"])
            #expect(try await bench.likeness("out.mkv", "then.mkv") > 35)
        }
    }

    /// The frame that is on the screen at the start of the part is its first one.
    @Test func partsMayStartBetweenTwoFrames() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mkv", seconds: 4, Self.coding)
            try await bench.filter("in.mkv", "out.mkv", ["--start", "1.01", "--end", "1.13"])
            #expect(isSameTimes(try await bench.report("out.mkv").frameTimes, [0, 0.03, 0.07, 0.11]))
        }
    }

    @Test func onlyThePartIsAnalysed() async throws {
        try await Workbench.with { bench in
            try await bench.draw(PuppetClip(pose: "victory", hands: "left", seconds: 4), as: "in.mp4")
            #expect(try await bench.detect("in.mp4", ["--start", "0.8"]).effects == ["balloons"])
            #expect(try await bench.detect("in.mp4", ["--start", "2.4"]).effects == [])
            #expect(try await bench.detect("in.mp4", ["--end", "1"]).effects == [])
        }
    }

    /// A pipe's first fragment does not state the recording's duration, and MP4 stores the pause after a subtitle as
    /// a sample.
    @Test func partsComeFromFragmentsWithTheirSubtitles() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4", seconds: 6, Self.coding)
            try await bench.ffmpeg(["-i", "in.mp4", "-c", "copy", "-movflags", "frag_keyframe+empty_moov", "parts.mp4"])
            let piped = try await bench.shell(
                "cat parts.mp4 | flourish - out.mkv --no-gestures --start 4 --preset ultrafast")
            #expect(piped.exitCode == 0, "\(piped.standardError)")
            #expect(try await bench.report("out.mkv").frameTimes.count == 50)

            try bench.write(
                "1\n00:00:00,500 --> 00:00:02,000\nHello\n\n2\n00:00:05,500 --> 00:00:06,000\nYou\n", as: "a.srt")
            try await bench.ffmpeg(["-i", "in.mp4", "-i", "a.srt", "-c", "copy", "-c:s", "mov_text", "subtitled.mp4"])
            try await bench.filter("subtitled.mp4", "part.mp4", ["--start", "1", "--end", "3"])
            let streams = try await FFmpegTool.streams(of: bench.file("part.mp4"))
            let length = streams.last?["duration"]?.string.flatMap { Double($0) } ?? 0
            #expect(streams.last?["codec_name"]?.string == "mov_text" && abs(length - 2) < 0.1)
        }
    }

    /// Each fragment has three seconds of pictures and then their sound.
    @Test func soundFarBehindThePicturesIsKeptUpToTheEnd() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4", seconds: 6, Self.coding)
            try await bench.ffmpeg([
                "-i", "in.mp4", "-c", "copy", "-frag_duration", "3000000", "-movflags", "empty_moov+default_base_moof",
                "parts.mp4",
            ])
            let piped = try await bench.shell(
                "cat parts.mp4 | flourish - out.mkv --no-gestures --end 1.5 --preset ultrafast")
            #expect(piped.exitCode == 0, "\(piped.standardError)")
            let times = try #require(try await bench.report("out.mkv").times(of: "audio").first)
            #expect(times.first.map { $0 < 0.1 } == true && times.last.map { $0 > 1.4 && $0 < 1.5 } == true)
        }
    }

    /// Without a time it appears from the first picture that is read.
    @Test func reactionsWithoutATimeStartWithThePart() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4", seconds: 2, sound: false)
            let asked = try await bench.smart("in.mp4", "a.mp4", ["--reaction", "heart", "--start", "1"])
            #expect(asked.warnings == [])
            #expect(asked.of("effectStarted").count == 1)
            let early = try await bench.smart("in.mp4", "b.mp4", ["--reaction", "heart@0", "--start", "1"])
            #expect(early.warnings == ["reactionNotShown"])
        }
    }

    @Test(arguments: [
        (["--start", "30"], "in.mp4: the start, 30.0 s, is after the end of the video, 1.0 s"),
        (["--start", "0.5", "--end", "0.2"], "the end, 0.2 s, must be after the start, 0.5 s"),
        (["--end", "0"], "must be after the start"), (["--start", "-1"], "the start must be 0 or more seconds"),
        (["--end", "1", "--duration", "1"], "--end and --duration cannot be combined"),
        (["--start", "0.5", "--live"], "a live run has no start and end"),
        (["--start", "0.5", "--plan", "plan.json"], "--start and --plan cannot be combined"),
        (["--start", "soon"], "'soon' is invalid for '--start <time>'"),
        (["--start", "inf"], "'inf' is invalid"), (["--end", "nan"], "'nan' is invalid"),
        (["--duration", "1e300"], "'1e300' is invalid"), (["--end", "99999999999:00"], "is invalid"),
    ])
    func invalidPartsAreRefused(_ options: [String], _ words: String) async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4", seconds: 1, sound: false)
            let result = try await bench.flourish(["in.mp4", "out.mp4", "--no-gestures"] + options)
            expectRefusal(result, code: 64, naming: "", saying: words)
            #expect(bench.files == ["in.mp4"])
        }
    }
}
