import Foundation
import Testing
import TestSupport

/// Properties of pictures that the container states and the codec does not.
@Suite("Picture properties of the container")
struct ContainerPropertiesTests {
    private static let reaction = ["--reaction", "heart@0.4"]

    /// - Returns: the widths and heights of all frames as decoded, each once.
    private func sizes(_ file: URL) async throws -> Set<[Int]> {
        let frames = try await FFmpegTool.ffprobe(["-show_frames", "-select_streams", "v"], of: file)["frames"]?.array
        return Set((frames ?? []).map { [$0["width"]?.integer ?? 0, $0["height"]?.integer ?? 0] })
    }

    private func shape(_ file: URL) async throws -> String? {
        try await FFmpegTool.streams(of: file).first?["display_aspect_ratio"]?.string
    }

    @Test(arguments: ["mkv", "ts", "nut"], [[], reaction])
    func picturesAreRotatedWhereTheContainerCannotSignalIt(_ kind: String, _ options: [String]) async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("plain.mp4", size: "160x90")
            try await bench.ffmpeg(FFmpegTool.rotating("plain.mp4", by: 90, to: "in.mp4"))
            let events = try await bench.smart("in.mp4", "out.\(kind)", options)
            #expect(events.all.first?["wholeReason"]?.string?.contains("does not support rotation metadata") == true)
            #expect(try await sizes(bench.file("out.\(kind)")) == [[90, 160]])
        }
    }

    @Test(arguments: ["mp4", "mkv", "mov", "ts", "nut"], ["auto", "never"])
    func theSampleAspectRatioIsKept(_ kind: String, _ way: String) async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("plain.mp4", size: "160x90")
            try await bench.ffmpeg(["-i", "plain.mp4", "-c", "copy", "-aspect", "4:3", "in.mp4"])
            try await bench.smart("in.mp4", "out.\(kind)", ["--smart-render", way] + Self.reaction)
            #expect(try await shape(bench.file("out.\(kind)")) == "4:3")
        }
    }

    /// The AVI muxer accepts Vorbis headers and writes wrong times; MPEG-TS carries VP9 as data; FLV has one sound
    /// stream.
    @Test func unsupportedCodecsAreNotWritten() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mkv", seconds: 2, Coding.h264 + ["-c:a", "libvorbis"])
            let avi = try await bench.flourish(["in.mkv", "out.avi", "--no-gestures"])
            #expect(avi.exitCode == 0 && avi.standardError.contains("was omitted: AVI cannot hold vorbis"))
            let ts = try await bench.flourish(["in.mkv", "out.ts", "--no-gestures", "--codec", "vp9"])
            #expect(ts.exitCode == 64 && ts.standardError.contains("MPEG-TS does not support vp9 video"))
            try await bench.makeClip("one.mkv", seconds: 2)
            try await bench.ffmpeg([
                "-i", "one.mkv", "-map", "0", "-map", "0:a", "-c:v", "copy", "-c:a", "aac", "two.mkv",
            ])
            let flv = try await bench.flourish(["two.mkv", "out.flv", "--no-gestures"])
            #expect(flv.exitCode == 0 && flv.standardError.contains("stream 2 (audio, aac) was omitted: FLV holds one"))
            #expect(try await bench.report("out.flv").streams.count == 2)
        }
    }

    /// Four of ten frames are missing. AVI leaves their numbers out; Y4M numbers what is there.
    @Test(arguments: [("out.avi", true), ("out.y4m", true), ("out.mkv", false)])
    func containersWithoutTimesWarnOfTheirLoss(_ output: String, _ isReported: Bool) async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("even.mp4", size: "96x64", seconds: 2)
            let filter = "select='lt(mod(n,10),6)',setpts='PTS+0.3*mod(N,2)/25/TB'"
            let times = ["-fps_mode", "vfr", "-enc_time_base", "1:1000"]
            try await bench.ffmpeg(["-i", "even.mp4", "-vf", filter] + times + Coding.h264 + ["uneven.mkv"])
            // FFmpeg 7 finds a rate for the uneven times, and AVI of that rate has a number for each of them.
            let rate = try await bench.report("uneven.mkv").video["r_frame_rate"]?.string
            let isReported = isReported && (output != "out.avi" || rate == "25/1")
            for (input, isUneven) in [("even.mp4", false), ("uneven.mkv", true)] {
                let run = try await bench.flourish([input, output, "--no-gestures", "--overwrite"])
                #expect(run.exitCode == 0)
                let warns = run.standardError.contains("does not store time stamps")
                #expect(warns == (isUneven && isReported), "\(input): \(run.standardError)")
            }
        }
    }

    /// Encoder options would have no effect in these formats.
    @Test(arguments: [
        (["out.y4m", "--crf", "20"], "out.y4m: YUV4MPEG2 holds uncompressed video; remove --crf"),
        (["-", "--output-format", "rawvideo", "--bitrate", "2M"], "raw video holds uncompressed video"),
        (["v4l2:/dev/video99", "--preset", "fast"], "a video device holds uncompressed video"),
        (["out.y4m", "--embed-metadata"], "remove --embed-metadata"),
        (["--output-dir", "out", "--output-format", "y4m", "--codec", "hevc"], "remove --codec"),
    ])
    func encoderOptionsAreRefusedForUncompressedVideo(_ options: [String], _ words: String) async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4", size: "96x64", seconds: 1, sound: false)
            let run = try await bench.flourish(["in.mp4", "--no-gestures"] + options)
            expectRefusal(run, code: 64, naming: "", saying: words)
            #expect(bench.files == ["in.mp4"])
            let plain = ["in.mp4", "out.y4m", "--no-gestures", "--pixel-format", "yuv444p", "--smart-render", "never"]
            #expect(try await bench.flourish(plain).exitCode == 0)
        }
    }

    /// AVI stores the frame size of AC-3 and AAC.
    @Test(arguments: ["ac3", "aac", "libmp3lame", "mp2", "pcm_s16le"])
    func soundDurationIsKeptFromAVIToAVI(_ codec: String) async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.avi", seconds: 4, ["-c:v", "mpeg4", "-c:a", codec])
            try await bench.smart("in.avi", "out.avi")
            let source = try await bench.report("in.avi").times(of: "audio").first?.last
            let copy = try await bench.report("out.avi").times(of: "audio").first?.last
            #expect(copy == source && (copy ?? 0) > 3.8)
        }
    }

    /// The key of the tag is in capitals once the file was copied.
    @Test func lossOfAlphaIsReported() async throws {
        try await Workbench.with { bench in
            try await bench.ffmpeg([
                "-f", "lavfi", "-i", "testsrc2=s=96x64:r=10:d=2", "-pix_fmt", "yuva420p", "-c:v", "libvpx-vp9",
                "-deadline", "realtime", "-cpu-used", "8", "-g", "5", "-b:v", "300k", "made.webm",
            ])
            try await bench.ffmpeg(["-i", "made.webm", "-c", "copy", "in.webm"])
            let events = try await bench.smart("in.webm", "out.webm", Self.reaction)
            #expect(events.all.first?["wholeReason"]?.string?.contains("alpha") == true)
            #expect(events.warnings.contains("formatConverted"))
            let tags = try await FFmpegTool.streams(of: bench.file("out.webm")).first?["tags"]
            #expect(tags?["alpha_mode"] == nil && tags?["ALPHA_MODE"] == nil)
        }
    }

    @Test func soundOfCamerasStaysInMatroska() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("plain.mp4")
            try await bench.ffmpeg(["-i", "plain.mp4", "-c:v", "copy", "-c:a", "pcm_alaw", "-ar", "8000", "in.mkv"])
            let events = try await bench.smart("in.mkv", "out.mkv", Self.reaction)
            #expect(events.warnings == [])
            let codecs = try await FFmpegTool.streams(of: bench.file("out.mkv")).map { $0["codec_name"]?.string }
            #expect(codecs == ["h264", "pcm_alaw"])
        }
    }

    @Test func timecodeTracksAreNotReportedAsDropped() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("plain.mp4")
            try await bench.ffmpeg(["-i", "plain.mp4", "-c", "copy", "-timecode", "10:00:00:00", "in.mov"])
            let events = try await bench.smart("in.mov", "out.mov", Self.reaction)
            #expect(events.warnings == [])
            let streams = try await FFmpegTool.streams(of: bench.file("out.mov"))
            #expect(streams.count { $0["codec_tag_string"]?.string == "tmcd" } == 1)
            #expect(streams.first?["tags"]?["timecode"]?.string == "10:00:00:00")
            // A transport stream cannot store it.
            #expect(try await bench.smart("in.mov", "out.ts", Self.reaction).warnings == ["streamSkipped"])
        }
    }

    /// The rest of an incomplete frame is dropped, without a message from FFmpeg.
    @Test(arguments: [(1000, ["damagedInput"]), (0, [])])
    func truncatedUncompressedVideoEndsAtAWholeFrame(_ missing: Int, _ warnings: [String]) async throws {
        try await Workbench.with { bench in
            try await bench.ffmpeg([
                "-f", "lavfi", "-i", "testsrc2=s=96x64:r=10:d=1", "-f", "yuv4mpegpipe", "whole.y4m",
            ])
            try bench.write(try bench.bytes("whole.y4m").dropLast(missing), as: "in.y4m")
            let events = try await bench.smart("in.y4m", "out.mkv", Self.reaction)
            #expect(events.warnings == warnings)
            #expect(events.ended["framesIn"]?.integer == (missing > 0 ? 9 : 10))
        }
    }

    /// AVI has only decoding times for H.264.
    @Test func anAVIFileWithoutSoundIsComplete() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.avi", seconds: 2, sound: false, Coding.h264 + ["-bf", "0"])
            let events = try await bench.smart("in.avi", "out.mkv", Self.reaction)
            #expect(events.warnings == [])
        }
    }
}
