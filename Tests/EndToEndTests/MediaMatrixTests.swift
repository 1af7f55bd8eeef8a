import Foundation
import Testing
import TestSupport

/// One kind of input, as FFmpeg makes it, and the output written from it.
struct MediaCase: Sendable, CustomTestStringConvertible {
    var name: String
    var input: String
    var output: String
    var coding: [String]
    var pixelFormat = "yuv420p"
    var size = "96x64"
    /// The options of the run.
    var options: [String] = []
    /// The codec of the output's video.
    var codec = "h264"
    var outputPixelFormat: String?

    var testDescription: String { name }
}

private func media(_ codec: String, in container: String, _ coding: [String]) -> MediaCase {
    let webm = container == "webm"
    return MediaCase(
        name: "\(codec) in .\(container)", input: "in.\(container)", output: "out.\(container)", coding: coding,
        options: webm ? ["--codec", "vp9", "--preset", "8"] : [], codec: webm ? "vp9" : "h264")
}

private let mp3 = ["-c:a", "libmp3lame"]
private let opus = ["-c:a", "libopus"]
private let noReorder = ["-bf", "0"]

private let containers: [MediaCase] = [
    media("H.264", in: "mp4", Coding.h264 + Coding.aac),
    media("HEVC", in: "mp4", Coding.hevc + Coding.aac),
    media("VP9", in: "mp4", Coding.vp9 + Coding.aac),
    media("AV1", in: "mp4", Coding.av1 + Coding.aac),
    media("MPEG-4", in: "mp4", Coding.mpeg4 + Coding.aac),
    media("H.264 with B frames", in: "mov", ["-c:v", "libx264", "-preset", "medium"] + Coding.aac),
    media("HEVC", in: "mov", Coding.hevc + ["-tag:v", "hvc1", "-c:a", "pcm_s16le"]),
    media("H.264", in: "mkv", Coding.h264 + ["-c:a", "flac"]),
    media("HEVC", in: "mkv", Coding.hevc + Coding.aac),
    media("VP8", in: "mkv", Coding.vp8 + ["-c:a", "libvorbis"]),
    media("VP9", in: "mkv", Coding.vp9 + opus),
    media("AV1", in: "mkv", Coding.av1 + opus),
    media("MPEG-4", in: "mkv", Coding.mpeg4 + mp3),
    media("VP8", in: "webm", Coding.vp8 + ["-c:a", "libvorbis"]),
    media("VP9", in: "webm", Coding.vp9 + opus),
    media("AV1", in: "webm", Coding.av1 + opus),
    media("H.264", in: "ts", Coding.h264 + Coding.aac),
    media("HEVC", in: "ts", Coding.hevc + ["-c:a", "ac3"]),
    media("MPEG-4", in: "ts", Coding.mpeg4 + ["-c:a", "mp2"]),
    media("H.264", in: "avi", Coding.h264 + noReorder + mp3),
    media("MPEG-4", in: "avi", Coding.mpeg4 + mp3),
]

private let pixelFormats: [MediaCase] = ["420", "422", "444"].flatMap { chroma in
    ["", "10le"].map { depth in
        let format = "yuv\(chroma)p\(depth)"
        return MediaCase(
            name: format, input: "in.mkv", output: "out.mp4", coding: Coding.h264 + Coding.aac, pixelFormat: format,
            outputPixelFormat: format)
    }
}

private let others: [MediaCase] = [
    MediaCase(
        name: "HEVC 10 bit", input: "in.mp4", output: "out.mp4", coding: Coding.hevc + Coding.aac,
        pixelFormat: "yuv420p10le", outputPixelFormat: "yuv420p10le"),
    MediaCase(
        name: "VP9 4:4:4 10 bit", input: "in.webm", output: "out.webm", coding: Coding.vp9 + opus,
        pixelFormat: "yuv444p10le", options: ["--codec", "vp9", "--preset", "8"], codec: "vp9",
        outputPixelFormat: "yuv444p10le"),
    MediaCase(
        name: "MP4 to MKV", input: "in.mp4", output: "out.mkv", coding: Coding.h264 + Coding.aac),
    MediaCase(
        name: "MKV to MOV", input: "in.mkv", output: "out.mov", coding: Coding.h264 + Coding.aac),
    MediaCase(
        name: "WebM to MP4", input: "in.webm", output: "out.mp4", coding: Coding.vp9 + opus),
    MediaCase(
        name: "--codec hevc", input: "in.mp4", output: "out.mp4", coding: Coding.h264 + Coding.aac,
        options: ["--codec", "hevc", "--preset", "ultrafast", "--crf", "20"], codec: "hevc"),
    MediaCase(
        name: "--codec vp9", input: "in.mp4", output: "out.mkv", coding: Coding.h264 + Coding.aac,
        options: ["--codec", "vp9", "--preset", "8", "--bitrate", "300k"], codec: "vp9"),
    MediaCase(
        name: "--codec av1", input: "in.mp4", output: "out.mp4", coding: Coding.h264 + Coding.aac,
        options: ["--codec", "av1", "--preset", "12", "--crf", "40"], codec: "av1"),
    MediaCase(
        name: "--pixel-format", input: "in.mp4", output: "out.mp4", coding: Coding.h264 + Coding.aac,
        options: ["--pixel-format", "yuv422p10le"], outputPixelFormat: "yuv422p10le"),
]

@Suite("Media through the program")
struct MediaMatrixTests {
    @Test(arguments: containers + pixelFormats + others)
    func framesTimesAndCopiedStreamsAreKept(_ item: MediaCase) async throws {
        try await Workbench.with { bench in
            try await bench.makeClip(
                item.input, size: item.size, ["-pix_fmt", item.pixelFormat] + item.coding)
            let events = try await bench.filter(
                item.input, item.output, item.options + ["--reaction", "heart@0.2,0.5,0.5"])
            let before = try await bench.report(item.input), after = try await bench.report(item.output)

            #expect(before.frameTimes.count == 15, "the input is as planned")
            #expect(isSameTimes(before.frameTimes, after.frameTimes), "\(before.frameTimes) became \(after.frameTimes)")
            #expect(after.video["codec_name"]?.string == item.codec)
            #expect(after.video["pix_fmt"]?.string == item.outputPixelFormat ?? item.pixelFormat)
            #expect(after.videoSize == before.videoSize)
            #expect(after.video["avg_frame_rate"] == before.video["avg_frame_rate"])
            #expect(after.digests(of: "audio") == before.digests(of: "audio"))
            #expect(after.digests(of: "audio").first?.isEmpty == false)
            for (a, b) in zip(before.times(of: "audio"), after.times(of: "audio")) { #expect(isSameTimes(a, b)) }

            #expect(events.effects == ["heart"])
            #expect(events.of("effectStarted").first?["trigger"]?.string == "schedule")
            #expect(events.ended["framesIn"]?.integer == 15)
            #expect(events.ended["framesOut"]?.integer == 15)
            #expect(bench.files == [item.input, item.output].sorted())
        }
    }

    /// H.264 and HEVC in 4:2:0 have an even number of lines and columns.
    @Test(arguments: [
        ("in.webm", Coding.vp9, "yuv420p", "out.webm", ["--codec", "vp9", "--preset", "8"], 67, 45),
        ("in.mkv", Coding.vp8, "yuv420p", "out.mp4", [], 68, 46),
        ("in.mkv", Coding.h264, "yuv444p", "out.mp4", [], 67, 45),
        ("in.mkv", Coding.mpeg4, "yuv420p", "out.mkv", ["--codec", "av1", "--preset", "12"], 67, 45),
    ])
    func oddSizes(
        _ input: String, _ coding: [String], _ format: String, _ output: String, _ options: [String],
        _ width: Int, _ height: Int
    ) async throws {
        try await Workbench.with { bench in
            try await bench.makeClip(
                input, sound: false, ["-vf", "format=yuv444p,scale=67:45,format=\(format)"] + coding)
            let events = try await bench.filter(input, output, options + ["--reaction", "confetti"])
            let before = try await bench.report(input), after = try await bench.report(output)
            #expect(before.videoSize == (67, 45))
            #expect(after.videoSize == (width, height))
            #expect(isSameTimes(before.frameTimes, after.frameTimes))
            #expect(events.effects == ["confetti"])
            #expect(events.warnings == (width == 67 ? [] : ["sizeChanged"]))
        }
    }

    @Test(arguments: ["mp4", "mkv", "ts", "mov"])
    func variableFrameRateLateStreamsAndGaps(_ container: String) async throws {
        try await Workbench.with { bench in
            // Video from 0.7 s with frames missing here and there, sound that is silent for a while:
            // its packets between 0.4 s and 0.8 s do not exist.
            try await bench.ffmpeg(
                [
                    "-itsoffset", "0.7", "-f", "lavfi", "-i", "testsrc2=s=96x64:r=30:d=1", "-f", "lavfi", "-i",
                    "sine=d=1.6:r=48000", "-vf", "select='not(mod(n,3))+gt(n,20)'", "-fps_mode", "vfr", "-af",
                    "aselect='lt(t,0.4)+gt(t,0.8)'", "-c:v", "libx264", "-preset", "medium",
                ] + Coding.aac + ["in.\(container)"])
            let events = try await bench.filter("in.\(container)", "out.\(container)", ["--reaction", "rain@0.3"])
            let before = try await bench.report("in.\(container)"), after = try await bench.report("out.\(container)")
            #expect(before.frameTimes.count == 16)
            #expect(before.frameTimes[0] > 0.6)
            #expect(isSameTimes(before.frameTimes, after.frameTimes), "\(before.frameTimes) became \(after.frameTimes)")
            #expect(before.digests(of: "audio") == after.digests(of: "audio"))
            #expect(isSameTimes(before.times(of: "audio")[0], after.times(of: "audio")[0]))
            // The effect starts 0.3 s after the first picture, on the output's clock.
            let start = try #require(events.of("effectStarted").first?["startTime"]?.number)
            #expect(abs(start - before.frameTimes[0] - 0.3) < 0.05)
            #expect(after.frameTimes.contains { abs($0 - start) < 0.0011 })
        }
    }

    @Test func sizeChangesAreReportedAndScaled() async throws {
        try await Workbench.with { bench in
            let still = Coding.h264 + noReorder
            try await bench.makeClip("wide.h264", seconds: 0.4, sound: false, still)
            try await bench.makeClip("tall.h264", size: "64x96", seconds: 0.4, sound: false, still)
            try bench.write(bench.bytes("wide.h264") + bench.bytes("tall.h264"), as: "both.h264")
            try await bench.ffmpeg(["-r", "25", "-i", "both.h264", "-c", "copy", "in.ts"])
            let events = try await bench.filter("in.ts", "out.mp4", ["--reaction", "balloons@0.1"])
            let before = try await bench.report("in.ts"), after = try await bench.report("out.mp4")
            #expect(after.frameTimes.count == 20)
            #expect(after.videoSize == (96, 64))
            #expect(isSameTimes(before.frameTimes, after.frameTimes))
            #expect(events.warnings == ["sizeChanged"])
            #expect(events.of("warning").first?["frame"]?.integer == 10)
        }
    }

    /// libx265 itself crashed on some of these.
    @Test(arguments: ["hevc", "h264"], ["34x18", "40x48", "48x16"])
    func tinyPicturesAreEncoded(_ codec: String, _ size: String) async throws {
        try await Workbench.with { bench in
            try await bench.ffmpeg([
                "-f", "lavfi", "-i", "color=gray:s=\(size):r=25:d=0.4,noise=alls=100:allf=t", "-c:v", "ffv1", "in.mkv",
            ])
            try await bench.filter(
                "in.mkv", "out.mp4", ["--codec", codec, "--preset", "ultrafast", "--reaction", "heart"])
            #expect(try await bench.report("out.mp4").frameTimes.count == 10)
        }
    }

    @Test func mp4StartsFast() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mkv")
            for output in ["out.mp4", "out.mov"] {
                try await bench.filter("in.mkv", output)
                let bytes = try bench.bytes(output)
                let index = try #require(bytes.range(of: Data("moov".utf8))).lowerBound
                let media = try #require(bytes.range(of: Data("mdat".utf8))).lowerBound
                #expect(index < media)
            }
        }
    }

    @Test func qualityAndBitRateAreApplied() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4", size: "320x180", seconds: 1, sound: false)
            func size(_ options: [String]) async throws -> Int {
                try await bench.filter("in.mp4", "out.mp4", ["--overwrite"] + options)
                return try bench.bytes("out.mp4").count
            }
            let good = try await size(["--crf", "15"]), poor = try await size(["--crf", "40"])
            #expect(good > poor * 2)
            let low = try await size(["--bitrate", "100k"]), high = try await size(["--bitrate", "1.5M"])
            #expect(high > low * 2)
            let careful = try await size(["--crf", "23", "--preset", "veryslow"])
            let quick = try await size(["--crf", "23", "--preset", "ultrafast"])
            #expect(careful < quick)
        }
    }
}
