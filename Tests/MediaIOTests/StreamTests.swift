import Foundation
import MediaIO
import Raster
import Testing
import TestSupport

private let fast = ["-c:v", "libx264", "-preset", "ultrafast"]
private let clip = ["-f", "lavfi", "-i", "testsrc2=s=96x64:r=25:d=1"]

@Suite("Copied streams")
struct StreamTests {
    private func makeSubtitles(_ folder: URL) throws -> String {
        let file = folder.appending(path: "a.srt")
        try Data("1\n00:00:00,100 --> 00:00:00,400\nHello\n\n2\n00:00:00,500 --> 00:00:00,900\nWorld\n\n".utf8).write(
            to: file)
        return file.path
    }

    private func makeMetadata(_ folder: URL) throws -> String {
        let file = folder.appending(path: "meta.txt")
        try Data(
            """
            ;FFMETADATA1
            title=Standup
            [CHAPTER]
            TIMEBASE=1/1000
            START=0
            END=400
            title=Intro
            [CHAPTER]
            TIMEBASE=1/1000
            START=400
            END=1000
            title=Talk
            """.utf8
        ).write(to: file)
        return file.path
    }

    @Test func soundThatBeginsLongAfterTheVideoIsCopied() async throws {
        try await withTemporaryFolder { folder in
            let input = folder.appending(path: "a.ts"), output = folder.appending(path: "b.mp4")
            try await FFmpegTool.ffmpeg(
                ["-f", "lavfi", "-i", "testsrc2=s=64x64:r=5:d=42", "-itsoffset", "40", "-f", "lavfi", "-i", "sine=d=2"]
                    + fast + ["-c:a", "aac", input.path])
            #expect(try transcode(input.path, output.path).skipped.isEmpty)
            #expect(try await FFmpegTool.streams(of: output).count == 2)
        }
    }

    @Test(arguments: ["mkv", "mp4", "mov"])
    func allStreamsAreCopied(_ container: String) async throws {
        try await withTemporaryFolder { folder in
            let input = folder.appending(path: "a.\(container)"), output = folder.appending(path: "b.\(container)")
            let text = container == "mkv" ? "srt" : "mov_text"
            try await FFmpegTool.ffmpeg(
                clip + [
                    "-f", "lavfi", "-i", "sine=d=1", "-f", "lavfi", "-i", "sine=f=880:d=1",
                    "-i", try makeSubtitles(folder), "-i", try makeMetadata(folder),
                    "-map", "0", "-map", "1", "-map", "2", "-map", "3", "-map_metadata", "4", "-map_chapters", "4",
                ]
                    + fast + [
                        "-c:a", "aac", "-c:s", text, "-metadata:s:a:0", "language=deu",
                        "-metadata:s:a:1", "language=fra", "-disposition:a:1", "default+comment",
                        "-disposition:a:0", "0", input.path,
                    ])
            let result = try transcode(input.path, output.path)
            #expect(result.skipped == [])
            let (before, after) = (try await Probe(input), try await Probe(output))
            #expect(before.streams.count == after.streams.count)
            for (a, b) in zip(before.streams, after.streams) {
                #expect(a["codec_name"] == b["codec_name"])
                #expect(a["disposition"] == b["disposition"])
                #expect(a["tags"]?["language"] == b["tags"]?["language"])
            }
            #expect(before.checksums("audio") == after.checksums("audio"))
            #expect(before.checksums("subtitle") == after.checksums("subtitle"))
            #expect(before.times("subtitle") == after.times("subtitle"))
            #expect(before.chapters.map { $0["tags"]?["title"] } == after.chapters.map { $0["tags"]?["title"] })
            #expect(before.chapters.map { $0["start_time"] } == after.chapters.map { $0["start_time"] })
            #expect(after.chapters.count == 2)
            #expect(after.tags?["title"]?.string == "Standup")
        }
    }

    @Test func unsupportedStreamsAreReported() async throws {
        try await withTemporaryFolder { folder in
            let input = folder.appending(path: "a.mkv"), note = folder.appending(path: "note.txt")
            let pcm = folder.appending(path: "pcm.mp4")
            try Data("hi".utf8).write(to: note)
            try await FFmpegTool.ffmpeg(
                clip + ["-f", "lavfi", "-i", "sine=d=1", "-i", try makeSubtitles(folder)] + fast
                    + [
                        "-c:a", "pcm_s16le", "-c:s", "srt", "-attach", note.path, "-metadata:s:t",
                        "mimetype=text/plain",
                        input.path,
                    ])
            // FFmpeg writes PCM to MP4 from release 6.1 on.
            let holdsPCM =
                (try? await FFmpegTool.ffmpeg(["-i", input.path, "-map", "0:a", "-c", "copy", pcm.path])) != nil
            for (name, skipped) in [
                ("b.mkv", []), ("b.mp4", holdsPCM ? [2, 3] : [1, 2, 3]), ("b.webm", [1, 2, 3]), ("b.avi", [2, 3]),
                ("b.ts", [1, 2, 3]), ("b.mov", [2, 3]),
            ] {
                let output = folder.appending(path: name)
                let codec: VideoCodec = name == "b.webm" ? .vp9 : .h264
                let settings = VideoEncoderSettings(codec: codec, preset: codec == .vp9 ? "8" : "ultrafast", threads: 1)
                let result = try transcode(input.path, output.path, settings: settings)
                #expect(result.skipped.map(\.stream.index) == skipped, "\(name)")
                #expect(try await FFmpegTool.streams(of: output).count == 4 - skipped.count)
                #expect(result.skipped.allSatisfy { $0.reason.contains("cannot hold") })
            }
        }
    }

    @Test(arguments: ["mp4", "mkv"])
    func coverArtIsCopied(_ container: String) async throws {
        try await withTemporaryFolder { folder in
            let input = folder.appending(path: "a.mp4"), output = folder.appending(path: "b.\(container)")
            try await FFmpegTool.ffmpeg(
                clip + ["-f", "lavfi", "-i", "color=red:s=64x64:d=0.04", "-map", "0", "-map", "1"] + fast
                    + ["-c:v:1", "mjpeg", "-pix_fmt:v:1", "yuvj420p", "-disposition:v:1", "attached_pic", input.path])
            let result = try transcode(input.path, output.path)
            #expect(result.skipped == [] && result.frames == 25)
            let cover = try #require(
                try await FFmpegTool.streams(of: output).first { $0["codec_name"]?.string == "mjpeg" })
            #expect(cover["disposition"]?["attached_pic"]?.integer == 1)
            #expect(try Demuxer(path: output.path).video.width == 96)
        }
    }

    @Test func mp4StartsFast() async throws {
        try await withTemporaryFolder { folder in
            let input = folder.appending(path: "a.mkv"), output = folder.appending(path: "b.mp4")
            try await FFmpegTool.make(clip + fast, as: input)
            _ = try transcode(input.path, output.path)
            let bytes = try Data(contentsOf: output)
            let index = try #require(bytes.range(of: Data("moov".utf8)))
            let media = try #require(bytes.range(of: Data("mdat".utf8)))
            #expect(index.lowerBound < media.lowerBound)
        }
    }

    @Test func interruptedJobsLeaveAPlayableFile() async throws {
        try await withTemporaryFolder { folder in
            let input = folder.appending(path: "a.mp4"), output = folder.appending(path: "b.mp4")
            try await FFmpegTool.ffmpeg(clip + ["-f", "lavfi", "-i", "sine=d=1"] + fast + ["-c:a", "aac", input.path])
            struct Stop: Error {}
            var frames = 0
            #expect(throws: Stop.self) {
                _ = try transcode(input.path, output.path) { _ in
                    frames += 1
                    if frames == 10 { throw Stop() }
                }
            }
            #expect(!FileManager.default.fileExists(atPath: output.path))

            let demuxer = try Demuxer(path: input.path)
            let decoder = try VideoDecoder(demuxer, threads: 1)
            let muxer = try Muxer(path: output.path, copying: demuxer)
            let encoder = VideoEncoder(
                settings: VideoEncoderSettings(preset: "medium", threads: 1), source: demuxer.video,
                container: muxer.container, path: output.path)
            var sent = 0
            while sent < 10, let packet = try demuxer.readPacket() {
                guard packet.streamIndex == demuxer.video.index else { try muxer.write(packet); continue }
                try decoder.send(packet)
                while let frame = try decoder.receive() { try encoder.send(frame); sent += 1 }
            }
            try muxer.begin(encoder.header())
            try encoder.finish()
            while let packet = try encoder.receive() { try muxer.write(packet) }
            try muxer.finish()
            #expect(try await bestTimes(of: output).count == sent)
        }
    }

    @Test func keyFramesCanBeForcedAndQuantisersAreReported() async throws {
        try await withTemporaryFolder { folder in
            let input = folder.appending(path: "a.mp4"), output = folder.appending(path: "b.mp4")
            try await FFmpegTool.make(clip + fast, as: input)
            var count = 0
            _ = try transcode(input.path, output.path) { frame in
                frame.requestedType = count == 7 ? .key : nil
                count += 1
            }
            let keys = try await Probe(output).packets.enumerated().filter { $0.element.isKey }.map(\.offset)
            #expect(keys == [0, 7])
        }
    }

    @Test func gifsAreAnimatedAndColoured() async throws {
        try await withTemporaryFolder { folder in
            let output = folder.appending(path: "a.gif")
            let writer = try GIFWriter(path: output.path, width: 64, height: 48, frameRate: Rational(25, 1))
            for step in 0..<5 {
                var image = RGBAImage(width: 64, height: 48)
                for y in 0..<48 {
                    for x in 0..<64 {
                        let at = (y * 64 + x) * 4
                        (image.pixels[at], image.pixels[at + 1]) = (UInt8(x * 4), UInt8(y * 5))
                        image.pixels[at + 2] = UInt8(step * 50)
                    }
                }
                try writer.append(image)
            }
            try writer.finish()
            let times = try await bestTimes(of: output)
            #expect(times.count == 5)
            #expect(zip(times, [0, 0.04, 0.08, 0.12, 0.16]).allSatisfy { abs($0 - $1) < 0.001 })
            let image = try firstFrame(output.path).image()
            var error = 0
            for y in 0..<48 { for x in 0..<64 { error += abs(Int(image.pixels[(y * 64 + x) * 4]) - x * 4) } }
            #expect(error / (64 * 48) < 16)
        }
    }
}
