import Foundation
import MediaIO
import Raster
import Testing
import TestSupport

private let fast = ["-c:v", "libx264", "-preset", "ultrafast"]

/// A test picture of a size, for some seconds.
private func pattern(_ size: String, rate: Int = 25, seconds: Double = 0.4) -> [String] {
    ["-f", "lavfi", "-i", "testsrc2=s=\(size):r=\(rate):d=\(seconds)"]
}

private func video(of file: URL) async throws -> JSONValue {
    try #require(try await FFmpegTool.streams(of: file).first { $0["codec_type"]?.string == "video" })
}

@Suite("Picture properties")
struct PictureTests {
    @Test func drawingCopiesEachFrameOnceAndFromThePool() async throws {
        try await withTemporaryFolder { folder in
            let input = folder.appending(path: "a.mp4"), output = folder.appending(path: "b.mp4")
            try await FFmpegTool.ffmpeg(pattern("96x64", seconds: 2) + fast + [input.path])
            let pool = FramePool()
            var writable = 0
            _ = try transcode(input.path, output.path) { frame in
                if frame.isWritable { writable += 1 }
                for _ in 0..<2 {
                    try frame.withMutablePicture(pool: pool) { picture in
                        picture.with8BitPlane(.luma) { samples, _ in samples[0] = 255 }
                    }
                }
            }
            #expect(pool.counts.copies + writable == 50)
            #expect(pool.counts.copies > 40)
            #expect(pool.counts.allocations < 40, "buffers are used again")
        }
    }

    @Test func drawnPixelsArriveAndOthersAreUnchanged() async throws {
        try await withTemporaryFolder { folder in
            let input = folder.appending(path: "a.mkv"), output = folder.appending(path: "b.mkv")
            try await FFmpegTool.ffmpeg(["-f", "lavfi", "-i", "color=gray:s=96x64:r=25:d=0.2"] + fast + [input.path])
            let pool = FramePool()
            let settings = VideoEncoderSettings(crf: 0, preset: "ultrafast", threads: 1)
            _ = try transcode(input.path, output.path, settings: settings) { frame in
                try frame.withMutablePicture(pool: pool) { picture in
                    picture.with8BitPlane(.luma) { samples, stride in samples[10 * stride + 20] = 235 }
                }
            }
            let frame = try firstFrame(output.path)
            frame.withPicture { picture in
                picture.with8BitPlane(.luma) { samples, stride in
                    #expect(samples[10 * stride + 20] == 235)
                    #expect(samples[10 * stride + 21] < 150)
                }
            }
        }
    }

    @Test(arguments: ["mp4", "mov"], [90, 180, 270])
    func rotationStaysInTheHeader(_ container: String, _ degrees: Int) async throws {
        try await withTemporaryFolder { folder in
            let flat = folder.appending(path: "flat.mp4"), input = folder.appending(path: "a.\(container)")
            let output = folder.appending(path: "b.\(container)")
            try await FFmpegTool.ffmpeg(pattern("96x64") + fast + [flat.path])
            try await FFmpegTool.ffmpeg(FFmpegTool.rotating(flat.path, by: degrees, to: input.path))
            let demuxer = try Demuxer(path: input.path)
            #expect(demuxer.video.orientation.quarterTurns % 2 == degrees / 90 % 2)
            #expect(demuxer.video.orientation != .upright)
            _ = try transcode(input.path, output.path)
            #expect(try Demuxer(path: output.path).video.orientation == demuxer.video.orientation)
        }
    }

    @Test(arguments: [90, 180, 270])
    func pixelsAreRotatedWhereTheHeaderCannotSignalIt(_ degrees: Int) async throws {
        try await withTemporaryFolder { folder in
            let flat = folder.appending(path: "flat.mp4"), input = folder.appending(path: "a.mp4")
            let output = folder.appending(path: "b.mkv")
            // Red stands at the left of the stored picture.
            try await FFmpegTool.ffmpeg(
                ["-f", "lavfi", "-i", "color=red:s=48x64:r=25:d=0.2[l];color=blue:s=48x64:r=25:d=0.2[r];[l][r]hstack"]
                    + fast + [flat.path])
            try await FFmpegTool.ffmpeg(FFmpegTool.rotating(flat.path, by: degrees, to: input.path))
            _ = try transcode(input.path, output.path)
            // FFmpeg turns pictures upright by itself.
            let truth = folder.appending(path: "truth.png")
            try await FFmpegTool.ffmpeg(["-i", input.path, "-frames:v", "1", truth.path])
            let before = try firstFrame(truth.path).image()
            let seen = try firstFrame(input.path).image()
            #expect(seen.width == before.width && seen.height == before.height)
            #expect(Self.isAlike(seen, before))
            let frame = try firstFrame(output.path)
            #expect(frame.orientation == .upright)
            let after = try frame.image()
            #expect(after.width == before.width && after.height == before.height)
            #expect(Self.isAlike(after, before))
        }
    }

    private static func isAlike(_ a: RGBAImage, _ b: RGBAImage) -> Bool {
        let differences = zip(a.pixels, b.pixels).map { abs(Int($0) - Int($1)) }.sorted()
        return differences[differences.count * 97 / 100] < 30
    }

    @Test func aspectRatioAndColoursAreKept() async throws {
        try await withTemporaryFolder { folder in
            let input = folder.appending(path: "a.mp4"), output = folder.appending(path: "b.mp4")
            try await FFmpegTool.ffmpeg(
                pattern("96x64") + [
                    "-vf", "setsar=4/3,\(FFmpegTool.wideColours("smpte2084"))", "-pix_fmt", "yuv420p10le",
                ] + fast + ["-chroma_sample_location", "topleft", input.path])
            _ = try transcode(input.path, output.path)
            let (before, after) = (try await video(of: input), try await video(of: output))
            for key in [
                "sample_aspect_ratio", "display_aspect_ratio", "color_primaries", "color_transfer", "color_space",
                "color_range", "chroma_location", "pix_fmt", "r_frame_rate", "avg_frame_rate", "time_base",
            ] {
                #expect(before[key] == after[key], "\(key)")
            }
            #expect(after["color_transfer"]?.string == "smpte2084")
            let frame = try firstFrame(output.path)
            #expect(frame.pictureFormat.matrix == .bt2020)
            #expect(frame.pictureFormat.bitDepth == 10)
            #expect(abs(frame.geometry.uprightWidth - 128) < 0.01)
        }
    }

    @Test(arguments: ["mp4", "mkv"])
    func masteringDisplayIsKept(_ container: String) async throws {
        try await withTemporaryFolder { folder in
            let input = folder.appending(path: "a.mkv"), output = folder.appending(path: "b.\(container)")
            let display = "G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,1)"
            try await FFmpegTool.ffmpeg(
                pattern("96x64") + [
                    "-vf", FFmpegTool.wideColours("smpte2084"), "-c:v", "libx265", "-preset", "ultrafast",
                    "-pix_fmt", "yuv420p10le",
                    "-x265-params", "log-level=none:master-display=\(display):max-cll=1000,400", input.path,
                ])
            // Only messages of the codec in the pictures state it.
            #expect(try await video(of: input)["side_data_list"] == nil)
            _ = try transcode(input.path, output.path)
            let reported = try #require(try await video(of: output)["side_data_list"]?.array)
            #expect(reported.contains { $0["max_content"]?.integer == 1000 && $0["max_average"]?.integer == 400 })
            #expect(reported.contains { $0["side_data_type"]?.string == "Mastering display metadata" })
        }
    }

    @Test func interlacedPicturesAreReported() async throws {
        try await withTemporaryFolder { folder in
            let input = folder.appending(path: "a.mkv"), output = folder.appending(path: "b.mkv")
            try await FFmpegTool.ffmpeg(
                pattern("96x64") + fast + ["-vf", "setfield=tff", "-flags", "+ildct+ilme", input.path])
            #expect(try transcode(input.path, output.path).adjustments == [.interlaced])
        }
    }

    @Test func fullRangeIsKept() async throws {
        try await withTemporaryFolder { folder in
            let input = folder.appending(path: "a.avi"), output = folder.appending(path: "b.mp4")
            try await FFmpegTool.ffmpeg(pattern("96x64") + ["-c:v", "mjpeg", "-pix_fmt", "yuvj422p", input.path])
            let result = try transcode(input.path, output.path)
            #expect(result.encoderCounts.conversions == 0 && result.decoderCounts.conversions == 0)
            #expect(try await video(of: output)["color_range"]?.string == "pc")
            #expect(try firstFrame(output.path).pictureFormat.range == .full)
        }
    }

    private static let halfColour = "with half the resolution of colour"

    @Test(
        arguments: [
            ("rgb24", halfColour), ("gray", nil), ("pal8", "without transparency"),
            ("yuva420p", "without transparency"),
            ("yuv411p", nil), ("yuv440p", nil), ("nv12", nil), ("rgb48le", halfColour), ("gbrp", halfColour),
        ] as [(String, String?)])
    func otherFormatsAreConvertedWithWarnings(_ format: String, _ loss: String?) async throws {
        try await withTemporaryFolder { folder in
            let input = folder.appending(path: "a.nut"), output = folder.appending(path: "b.mp4")
            try await FFmpegTool.ffmpeg(
                [
                    "-f", "lavfi", "-i", "color=red:s=64x48:r=25:d=0.2", "-pix_fmt", format, "-c:v", "rawvideo",
                    input.path,
                ])
            let result = try transcode(input.path, output.path)
            #expect(result.frames == 5 && result.decoderCounts.conversions == 5)
            let reported: [String?] = result.adjustments.compactMap {
                if case .redrawn(format, _, let loss) = $0 { loss } else { nil }
            }
            #expect(reported == [loss].filter { $0 != nil })
            let image = try firstFrame(output.path).image()
            let pixel = Array(image.pixels[(24 * 64 + 32) * 4..<(24 * 64 + 32) * 4 + 3]).map(Int.init)
            let expected = format == "gray" ? [81 - 16, 81 - 16, 81 - 16] : [254, 0, 0]
            #expect(zip(pixel, expected).allSatisfy { abs($0 - $1) < 16 }, "\(pixel)")
        }
    }

    @Test(arguments: [VideoCodec.h264, .hevc, .vp9, .av1])
    func oddSizesAreKeptOrPadded(_ codec: VideoCodec) async throws {
        try await withTemporaryFolder { folder in
            let input = folder.appending(path: "a.mkv"), output = folder.appending(path: "b.mkv")
            try await FFmpegTool.ffmpeg(
                pattern("96x80") + [
                    "-vf", "format=yuv444p,scale=67:65,format=yuv420p", "-c:v", "libvpx-vp9",
                    "-deadline", "realtime", "-cpu-used", "8", input.path,
                ])
            let preset = codec == .h264 || codec == .hevc ? "ultrafast" : "8"
            let result = try transcode(
                input.path, output.path, settings: VideoEncoderSettings(codec: codec, preset: preset, threads: 1))
            let padded = codec == .h264 || codec == .hevc
            #expect(result.adjustments.isEmpty == !padded)
            let stream = try await video(of: output)
            #expect(stream["width"]?.integer == (padded ? 68 : 67))
            #expect(stream["height"]?.integer == (padded ? 66 : 65))
            #expect(try await bestTimes(of: output) == bestTimes(of: input))
        }
    }

    @Test func sizeChangesAreScaled() async throws {
        try await withTemporaryFolder { folder in
            let wide = folder.appending(path: "wide.ts"), tall = folder.appending(path: "tall.ts")
            let input = folder.appending(path: "a.ts"), output = folder.appending(path: "b.mp4")
            try await FFmpegTool.ffmpeg(
                ["-f", "lavfi", "-i", "color=white:s=96x64:r=25:d=0.4"] + fast + ["-bf", "0", wide.path])
            try await FFmpegTool.ffmpeg(
                ["-f", "lavfi", "-i", "color=white:s=64x96:r=25:d=0.4"] + fast
                    + ["-bf", "0", "-output_ts_offset", "0.4", tall.path])
            try (Data(contentsOf: wide) + Data(contentsOf: tall)).write(to: input)
            let result = try transcode(input.path, output.path)
            #expect(result.frames == 20)
            #expect(result.adjustments == [.scaled(fromWidth: 64, fromHeight: 96, toWidth: 96, toHeight: 64)])
            let checks = try await FFmpegTool.ffmpeg([
                "-i", output.path, "-vf", "select=gte(n\\,19),format=gray,crop=2:2:2:30,scale=1:1", "-frames:v", "1",
                "-f", "rawvideo", "-",
            ])
            #expect(try #require(checks.standardOutputData.first) < 40, "a black bar at the left")
        }
    }
}
