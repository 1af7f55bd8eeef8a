import Foundation
import Testing
import TestSupport

@Suite("Streams and metadata beside the video")
struct CarriedStreamsTests {
    private func makeSideFiles(_ bench: Workbench) throws {
        try bench.write(
            "1\n00:00:00,100 --> 00:00:00,400\nHello\n\n2\n00:00:00,500 --> 00:00:00,900\nWorld\n\n", as: "words.srt")
        try bench.write("the agenda", as: "agenda.txt")
        try bench.write(
            """
            ;FFMETADATA1
            title=Standup
            comment=Tuesday
            [CHAPTER]
            TIMEBASE=1/1000
            START=0
            END=400
            title=Hello
            [CHAPTER]
            TIMEBASE=1/1000
            START=400
            END=1000
            title=Talk
            """, as: "tags.txt")
    }

    /// Two sound tracks, subtitles, chapters, tags, and an attachment if the container supports it.
    private func makeFullInput(_ bench: Workbench, _ name: String) async throws {
        try makeSideFiles(bench)
        let isMatroska = name.hasSuffix(".mkv")
        try await bench.ffmpeg(
            [
                "-f", "lavfi", "-i", "testsrc2=s=96x64:r=25:d=1", "-f", "lavfi", "-i", "sine=d=1", "-f", "lavfi",
                "-i", "sine=f=880:d=1", "-i", "words.srt", "-i", "tags.txt", "-map", "0", "-map", "1", "-map", "2",
                "-map", "3", "-map_metadata", "4", "-map_chapters", "4",
            ] + Coding.h264 + [
                "-c:a", "aac", "-c:s", isMatroska ? "srt" : "mov_text", "-metadata:s:v:0", "language=deu",
                "-metadata:s:a:0", "language=deu", "-metadata:s:a:1", "language=fra", "-disposition:a:1",
                "default+comment", "-disposition:a:0", "0",
            ] + (isMatroska ? ["-attach", "agenda.txt", "-metadata:s:t", "mimetype=text/plain"] : []) + [name])
    }

    @Test(arguments: ["mkv", "mp4", "mov"], [[], ["--reaction", "fireworks@0.2"]])
    func allStreamsAndTagsAreKept(_ container: String, _ options: [String]) async throws {
        try await Workbench.with { bench in
            let input = "in.\(container)", output = "out.\(container)"
            try await makeFullInput(bench, input)
            let events = try await bench.filter(input, output, options)
            #expect(events.warnings == [])
            let before = try await bench.report(input), after = try await bench.report(output)
            #expect(before.streams.count >= 4)
            #expect(before.streams.map { $0["codec_name"] } == after.streams.map { $0["codec_name"] })
            #expect(before.streams.map { $0["disposition"] } == after.streams.map { $0["disposition"] })
            let languages = before.streams.map { $0["tags"]?["language"] }
            #expect(languages == after.streams.map { $0["tags"]?["language"] })
            #expect(languages.contains(.text("fra")))
            for kind in ["audio", "subtitle"] {
                #expect(before.digests(of: kind) == after.digests(of: kind))
                #expect(before.digests(of: kind).first?.isEmpty == false)
                #expect(before.times(of: kind) == after.times(of: kind))
            }
            #expect(isSameTimes(before.frameTimes, after.frameTimes))
            #expect(after.chapters.count == 2)
            for key in ["start_time", "end_time"] {
                #expect(before.chapters.map { $0[key] } == after.chapters.map { $0[key] })
            }
            #expect(after.chapters.map { $0["tags"]?["title"]?.string } == ["Hello", "Talk"])
            for (key, value) in [("title", "Standup"), ("comment", "Tuesday")] {
                let tags = after.format["tags"]
                #expect((tags?[key] ?? tags?[key.uppercased()])?.string == value)
            }
        }
    }

    @Test("The encoder's name stays as long as every frame is copied", arguments: ["mkv", "mp4", "mov"])
    func encoder(_ container: String) async throws {
        try await Workbench.with { bench in
            let input = "in.\(container)", output = "out.\(container)"
            try await makeFullInput(bench, input)
            func encoder(_ file: String) async throws -> String? {
                let tags = try await bench.report(file).streams.first?["tags"]
                return (tags?["encoder"] ?? tags?["ENCODER"])?.string
            }
            let name = try #require(try await encoder(input))
            #expect(name.contains("libx264"))
            let copied = try await bench.flourish(["filter", input, output, "--no-gestures"])
            #expect(copied.exitCode == 0, "\(copied.standardError)")
            #expect(try await encoder(output) == name)
            try await bench.filter(input, output, ["-y", "--reaction", "fireworks@0.2"])
            #expect(try await encoder(output) == nil)
            try await bench.filter(input, output, ["-y", "--smart-render", "never"])
            #expect(try await encoder(output) == nil)
        }
    }

    @Test func attachmentsStayByteForByte() async throws {
        try await Workbench.with { bench in
            try await makeFullInput(bench, "in.mkv")
            try await bench.filter("in.mkv", "out.mkv")
            // FFmpeg writes the attachment and then fails because there is no stream to convert.
            _ = try await Program.onPath("ffmpeg").run(
                ["-nostdin", "-v", "error", "-dump_attachment:t:0", "kept.txt", "-i", "out.mkv"], in: bench.folder)
            #expect(try bench.bytes("kept.txt") == Data("the agenda".utf8))
        }
    }

    @Test func coverArtIsKept() async throws {
        try await Workbench.with { bench in
            try await bench.ffmpeg(
                [
                    "-f", "lavfi", "-i", "testsrc2=s=96x64:r=25:d=0.6", "-f", "lavfi", "-i", "color=red:s=64x64:d=0.04",
                    "-map", "0", "-map", "1",
                ] + Coding.h264 + [
                    "-c:v:1", "mjpeg", "-pix_fmt:v:1", "yuvj420p", "-disposition:v:1", "attached_pic", "in.mp4",
                ])
            try await bench.filter("in.mp4", "out.mp4", ["--reaction", "heart"])
            let before = try await bench.report("in.mp4"), after = try await bench.report("out.mp4")
            func cover(_ report: MediaReport) -> JSONValue? {
                report.streams.first { $0["disposition"]?["attached_pic"]?.integer == 1 }
            }
            let index = try #require(cover(after)?["index"]?.integer)
            #expect(cover(after)?["codec_name"]?.string == "mjpeg")
            #expect(
                after.packets[index]?.first?["data_hash"]
                    == before.packets[cover(before)?["index"]?.integer ?? -1]?.first?["data_hash"])
            #expect(after.frameTimes.count == 15)
        }
    }

    @Test func unsupportedStreamsAreDroppedWithAWarning() async throws {
        try await Workbench.with { bench in
            try await makeFullInput(bench, "in.mkv")
            let events = try await bench.filter("in.mkv", "out.avi")
            // The subtitles and the attachment; chapters, languages and marks.
            #expect(events.warnings == ["streamSkipped", "streamSkipped", "metadataLost"])
            let before = try await bench.report("in.mkv"), after = try await bench.report("out.avi")
            #expect(after.streams.map { $0["codec_type"]?.string } == ["video", "audio", "audio"])
            #expect(after.digests(of: "audio").map(\.count) == before.digests(of: "audio").map(\.count))
        }
    }

    /// AAC of transport streams has a header on every frame. AVI holds it with and without these headers.
    @Test(arguments: ["in.ts", "in.mp4"])
    func soundOfTransportStreamsFitsAVI(_ input: String) async throws {
        try await Workbench.with { bench in
            try await bench.makeClip(input, seconds: 2, Coding.h264 + Coding.aac)
            let events = try await bench.filter(input, "out.avi", ["--reaction", "heart"])
            #expect(!events.warnings.contains("streamSkipped"))
            let before = try await bench.report(input), after = try await bench.report("out.avi")
            #expect(after.digests(of: "audio") == before.digests(of: "audio"))
            #expect(after.digests(of: "audio").first?.isEmpty == false)
            try await bench.ffmpeg(["-xerror", "-i", "out.avi", "-map", "a", "-f", "null", "-"])
        }
    }

    /// A run that copies frames and one that encodes all name the same tags, once, on the standard error as well.
    @Test(arguments: ["auto", "never"])
    func tagsThatTheContainerCannotHoldAreNamed(_ way: String) async throws {
        try await Workbench.with { bench in
            try await bench.makeClip(
                "in.mp4", seconds: 2,
                Coding.h264 + ["-metadata", "title=Standup", "-metadata:s:a", "handler_name=Desk"])
            let options = ["--reaction", "heart@0.4", "--smart-render", way]
            let events = try await bench.smart("in.mp4", "out.ts", options)
            #expect(events.warnings == ["metadataLost"])
            let message = events.of("warning").first?["message"]?.string
            #expect(message?.contains("not preserved from the input: the track name 'Desk'; the tag title") == true)
            let run = try await bench.flourish(["in.mp4", "out.ts", "--no-gestures", "--overwrite"] + options)
            #expect(run.standardError.components(separatedBy: "the tag title").count == 2)
            // No loss is claimed for an output that cannot be read back.
            let piped = try await bench.shell("flourish in.mp4 - --output-format mpegts --no-gestures > piped.ts")
            #expect(piped.exitCode == 0 && !piped.standardError.contains("not kept"))
        }
    }

    @Test func aspectRatioAndColoursAreKept() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip(
                "in.mp4", sound: false,
                ["-vf", "setsar=4/3,\(FFmpegTool.wideColours("smpte2084"))", "-pix_fmt", "yuv420p10le"] + Coding.h264
                    + ["-chroma_sample_location", "topleft"])
            for (output, options) in [
                ("out.mp4", []), ("hevc.mkv", ["--codec", "hevc", "--preset", "ultrafast"]),
                ("vp9.webm", ["--codec", "vp9", "--preset", "8"]),
            ] as [(String, [String])] {
                try await bench.filter("in.mp4", output, options + ["--reaction", "lasers"])
                let before = try await bench.report("in.mp4"), after = try await bench.report(output)
                for key in [
                    "sample_aspect_ratio", "display_aspect_ratio", "color_primaries", "color_transfer",
                    "color_space", "color_range", "pix_fmt", "width", "height",
                ] {
                    #expect(before.video[key] == after.video[key], "\(key) in \(output)")
                }
                #expect(after.video["color_transfer"]?.string == "smpte2084")
            }
        }
    }

    @Test(arguments: ["mp4", "mov"], [90, 180, 270])
    func rotatedRecordingsPlayUpright(_ container: String, _ degrees: Int) async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("flat.mp4")
            let input = "in.\(container)", output = "out.\(container)"
            try await bench.ffmpeg(FFmpegTool.rotating("flat.mp4", by: degrees, to: input))
            let events = try await bench.filter(input, output, ["--reaction", "thumbsUp"])
            let before = try await bench.report(input), after = try await bench.report(output)
            func matrix(_ report: MediaReport) -> JSONValue? {
                report.video["side_data_list"]?.array?.compactMap { $0["displaymatrix"] }.first
            }
            #expect(matrix(before) != nil)
            #expect(matrix(after) == matrix(before))
            #expect(after.videoSize == before.videoSize)
            #expect(before.digests(of: "audio") == after.digests(of: "audio"))
            // Coordinates of events refer to the upright picture.
            let isOnItsSide = degrees != 180
            #expect(events.all.first?["width"]?.integer == (isOnItsSide ? 64 : 96))
            #expect(events.all.first?["height"]?.integer == (isOnItsSide ? 96 : 64))
        }
    }
}
