import Foundation
import Testing
import TestSupport

/// The packets and properties that were read are compared with those that were written. Each case is a kind of recording of which FFmpeg alone loses a part
/// without a word.
@Suite("The account of a run")
struct AccountTests {
    private static let picture = ["-f", "lavfi", "-i", "testsrc2=s=96x64:r=25:d=2"]
    private static let sound = ["-f", "lavfi", "-i", "sine=d=2:r=48000"]

    /// A recording, the output's name, and words of the warning; nil if nothing is lost.
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var input: String
        var output: String
        var warning: String?
        var options: [String] = []
        var make: @Sendable (Workbench) async throws -> Void

        var testDescription: String { name }
    }

    private static let cases = [
        Case(
            name: "transparency", input: "in.webm", output: "out.mp4", warning: "the transparency of the video",
            make: { bench in
                try await bench.ffmpeg(
                    picture + ["-vf", "format=yuva420p"] + Coding.vp8 + ["-auto-alt-ref", "0", "in.webm"])
            }),
        Case(
            name: "blocks of sound without a size", input: "in.wmv", output: "out.nut",
            warning: "NUT cannot hold wmav2",
            make: { bench in
                try await bench.ffmpeg(picture + sound + ["-c:v", "wmv2", "-c:a", "wmav2", "in.wmv"])
            }),
        Case(
            name: "a codec that FFmpeg does not know, by its name in Matroska", input: "in.mkv", output: "out.mkv",
            warning: "(subtitle) was omitted: FFmpeg does not support S_TEXT/ABCD",
            make: { bench in
                try bench.write("1\n00:00:00,100 --> 00:00:00,400\nHello\n\n", as: "words.srt")
                try await bench.ffmpeg(
                    picture + ["-i", "words.srt"] + Coding.h264 + ["-c:s", "srt", "whole.mkv"])
                try bench.replace("S_TEXT/UTF8", by: "S_TEXT/ABCD", in: "whole.mkv", as: "in.mkv")
            }),
        Case(
            name: "a codec that FFmpeg does not know, by its tag in QuickTime", input: "in.mov", output: "out.mov",
            warning: "FFmpeg does not support apac (Apple spatial audio)",
            make: { bench in
                try await bench.ffmpeg(picture + sound + Coding.h264 + Coding.aac + ["whole.mov"])
                try bench.replace("mp4a", by: "apac", in: "whole.mov", as: "other.mov")
                try bench.replace("esds", by: "free", in: "other.mov", as: "in.mov")
            }),
        Case(
            name: "PCM whose form FFmpeg does not read", input: "in.mov", output: "out.mkv",
            warning: "misreads ipcm",
            make: { bench in
                try await bench.ffmpeg(picture + sound + Coding.h264 + ["-c:a", "pcm_s16le", "whole.mov"])
                try bench.replace("sowt", by: "ipcm", in: "whole.mov", as: "in.mov")
            }),
        Case(
            name: "subtitles of a playlist", input: "in.m3u8", output: "out.mkv", warning: "(subs.m3u8)",
            make: { bench in
                try await bench.makePlaylist("all.m3u8")
                try bench.write(
                    """
                    #EXTM3U
                    #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",NAME="English",URI="subs.m3u8"
                    #EXT-X-STREAM-INF:BANDWIDTH=100000,SUBTITLES="s"
                    all.m3u8

                    """, as: "in.m3u8")
                try bench.write(
                    "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\na.vtt\n#EXT-X-ENDLIST\n", as: "subs.m3u8")
                try bench.write("WEBVTT\n\n00:01.000 --> 00:03.000\nHello\n", as: "a.vtt")
            }),
        Case(
            name: "a segment that is missing", input: "in.m3u8", output: "out.mp4",
            warning: "before 0.9 s; the data there was skipped: Failed to open segment 1",
            make: { bench in
                try await bench.makePlaylist("in.m3u8")
                try FileManager.default.removeItem(at: bench.file("part1.ts"))
            }),
        Case(
            name: "an end within a fragment's picture", input: "in.mp4", output: "out.mp4",
            warning: "breaks off within a frame",
            make: { bench in
                try await bench.ffmpeg(
                    picture + ["-c:v", "mpeg4", "-movflags", "frag_keyframe+empty_moov", "whole.mp4"])
                try bench.write(try bench.bytes("whole.mp4").dropLast(2500), as: "in.mp4")
            }),
        Case(
            name: "streams for Blu-ray's form with other numbers", input: "in.ts", output: "out.m2ts", warning: nil,
            make: { bench in
                try await bench.ffmpeg(picture + sound + Coding.h264 + ["-c:a", "ac3", "in.ts"])
            }),
        Case(
            name: "PCM of Blu-ray", input: "in.m2ts", output: "out.m2ts", warning: nil,
            make: { bench in
                try await bench.ffmpeg(
                    picture + sound + Coding.h264 + [
                        "-c:a", "pcm_bluray", "-ac", "2", "-mpegts_m2ts_mode", "1", "-f", "mpegts", "in.m2ts",
                    ])
            }),
        Case(
            name: "a live output without negative times", input: "in.ogg", output: "out.nut", warning: nil,
            options: ["--live"],
            make: { bench in
                try await bench.ffmpeg(picture + sound + ["-c:v", "libtheora", "-c:a", "libvorbis", "in.ogg"])
            }),
        Case(
            name: "a raw stream with a frame rate of its own", input: "in.h264", output: "out.mp4", warning: nil,
            make: { bench in try await bench.ffmpeg(picture + Coding.h264 + ["in.h264"]) }),
        Case(
            name: "a raw stream without a frame rate", input: "in.hevc", output: "out.mp4",
            warning: "25.0 frames a second are assumed",
            make: { bench in
                try await bench.ffmpeg(
                    picture + [
                        "-c:v", "libx265", "-preset", "ultrafast", "-x265-params",
                        "log-level=none:vui-timing-info=0", "in.hevc",
                    ])
            }),
    ]

    @Test(arguments: cases)
    func lossesAreNamedOrDoNotHappen(_ example: Case) async throws {
        try await Workbench.with { bench in
            try await example.make(bench)
            let events = try await bench.filter(example.input, example.output, example.options)
            if let words = example.warning {
                #expect(events.messages.contains { $0.contains(words) }, "\(events.messages)")
            } else {
                #expect(events.messages == [])
                let (before, after) = (try await bench.report(example.input), try await bench.report(example.output))
                #expect(before.streams.count == after.streams.count)
                #expect(
                    before.streams(of: "audio").map { $0["codec_name"] }
                        == after.streams(of: "audio").map { $0["codec_name"] })
                #expect(before.digests(of: "audio").map(\.count) == after.digests(of: "audio").map(\.count))
            }
        }
    }

    @Test func aRateCanBeGivenForARawStream() async throws {
        try await Workbench.with { bench in
            try await bench.ffmpeg(Self.picture + Coding.h264 + ["in.h264"])
            try await bench.ffmpeg(Self.picture + Coding.h264 + ["in.mp4"])
            _ = try await bench.filter("in.h264", "out.mp4", ["--framerate", "50"])
            let refused = try await bench.flourish(["filter", "in.mp4", "other.mp4", "--framerate", "50"])
            #expect(refused.exitCode == 64)
        }
    }

    @Test(arguments: [["filter", "in.mp4", "out.mp4"], ["detect", "in.mp4"], ["plan", "in.mp4"]])
    func encryptedRecordingsAreRefused(_ arguments: [String]) async throws {
        try await Workbench.with { bench in
            let key = String(repeating: "0123456789abcdef", count: 2)
            try await bench.ffmpeg(
                Self.picture + Self.sound + Coding.h264 + Coding.aac + [
                    "-encryption_scheme", "cenc-aes-ctr", "-encryption_key", key, "-encryption_kid", key, "in.mp4",
                ])
            let result = try await bench.flourish(arguments)
            #expect(result.exitCode == 65)
            #expect(result.standardError.contains("is encrypted (cenc)"))
            #expect(bench.names(in: ".").sorted() == ["in.mp4"])
        }
    }

    /// Sound that becomes another codec, or has another rate, on one packet identifier.
    @Test(
        arguments: [["aac", "ac3"], ["ac3", "aac"], ["mp2", "ac3"], ["aac", "aac -ar 44100"]],
        ["mp4", "mkv", "ts"])
    func soundOfAnotherFormatIsOmittedWithItsTime(_ codecs: [String], _ container: String) async throws {
        try await Workbench.with { bench in
            var joined = Data()
            for (number, codec) in codecs.enumerated() {
                let words = codec.split(separator: " ").map(String.init)
                try await bench.ffmpeg(
                    Self.picture + Self.sound + Coding.h264 + ["-c:a"] + words + [
                        "-output_ts_offset", "\(10 + 2 * number)", "part.ts",
                    ])
                joined += try bench.bytes("part.ts")
                try FileManager.default.removeItem(at: bench.file("part.ts"))
            }
            try bench.write(joined, as: "in.ts")
            let events = try await bench.filter("in.ts", "out.\(container)")
            let isHarmless = container == "ts" && codecs.last == "aac -ar 44100"
            let named = events.messages.contains {
                $0.contains("stream 1 is ") && $0.contains("dropped") || $0.contains("stream 1 changes at 2")
            }
            #expect(named != isHarmless)
        }
    }

    @Test func soundWithAnotherRateIsOmitted() async throws {
        try await Workbench.with { bench in
            var joined = Data()
            for rate in ["48000", "32000"] {
                try await bench.ffmpeg([
                    "-f", "lavfi", "-i", "testsrc2=s=720x576:r=25:d=1", "-f", "lavfi", "-i", "sine=d=1:r=\(rate)",
                    "-pix_fmt", "yuv420p", "-c:v", "dvvideo", "-c:a", "pcm_s16le", "-ar", rate, "-ac", "2",
                    "\(rate).dv",
                ])
                joined += try bench.bytes("\(rate).dv")
            }
            try bench.write(joined, as: "in.dv")
            let events = try await bench.filter("in.dv", "out.mkv")
            #expect(events.messages.contains { $0.contains("48000 Hz, 2 channels to pcm_s16le, 32000 Hz") })
        }
    }

    @Test(arguments: ["mov", "mkv", "mp4"])
    func timeCodesMoveWithTheTrimRange(_ container: String) async throws {
        try await Workbench.with { bench in
            try await bench.ffmpeg(
                ["-f", "lavfi", "-i", "testsrc2=s=96x64:r=30000/1001:d=8"] + Coding.h264 + [
                    "-g", "15", "-timecode", "09:59:55;00", "in.mov",
                ])
            let events = try await bench.filter(
                "in.mov", "out.\(container)", ["--start", "5.005", "--duration", "2"])
            #expect(events.messages == [])
            let report = try await bench.report("out.\(container)")
            let tags = report.streams.compactMap { $0["tags"] }
            #expect(tags.contains { ($0["timecode"] ?? $0["TIMECODE"])?.string == "10:00:00;00" })
        }
    }

    /// The movie's time scale, a millisecond by default, would move the pictures against the sound.
    @Test(arguments: ["mp4", "mov"])
    func theFirstPictureKeepsItsExactTime(_ container: String) async throws {
        try await Workbench.with { bench in
            try await bench.ffmpeg(
                ["-f", "lavfi", "-i", "testsrc2=s=96x64:r=30000/1001:d=1"] + Self.sound + [
                    "-vf", "setpts=PTS+2/(30000/1001)/TB", "-movie_timescale", "30000",
                ] + Coding.h264 + Coding.aac + ["in.mp4"])
            _ = try await bench.filter("in.mp4", "out.\(container)")
            let start = try await bench.report("out.\(container)").streams.first?["start_time"]?.string
            #expect(start == "0.066733")
        }
    }

    /// A recording that begins within an open group of pictures.
    @Test func picturesThatCannotBeDecodedAreNamed() async throws {
        try await Workbench.with { bench in
            try await bench.ffmpeg(
                [
                    "-f", "lavfi", "-i", "testsrc2=s=96x64:r=25:d=3", "-c:v", "libx264", "-x264-params",
                    "open-gop=1:bframes=2:b-adapt=0:b-pyramid=none:keyint=30:scenecut=0", "whole.ts",
                ])
            let packets = try await FFmpegTool.ffprobe(
                ["-select_streams", "v", "-show_entries", "packet=pos,flags"], of: bench.file("whole.ts"))
            let keys = (packets["packets"]?.array ?? []).filter { $0["flags"]?.string?.hasPrefix("K") == true }
            let second = try #require(keys.count > 1 ? keys[1]["pos"]?.string : nil)
            let start = try #require(Int(second))
            let bytes = try bench.bytes("whole.ts")
            try bench.write(bytes.prefix(188 * 3) + bytes.dropFirst(start), as: "in.ts")
            let events = try await bench.filter("in.ts", "out.ts", ["--smart-render", "never"])
            #expect(events.messages.contains { $0.contains("begins with 2 pictures that cannot be decoded") })
            #expect(try await bench.smart("in.ts", "copy.ts").messages == [])
        }
    }

    @Test func theTimesOfSoundFollowItsDurationsWhereAnAVIStatesAWrongRate() async throws {
        try await Workbench.with { bench in
            try await bench.ffmpeg(Self.picture + Self.sound + ["-c:v", "mpeg4", "-c:a", "mp3", "whole.avi"])
            var bytes = try bench.bytes("whole.avi")
            let header = try #require(bytes.range(of: Data("auds".utf8)))
            // The rate follows the type, the codec, three other numbers and the scale.
            let place = header.lowerBound + 24
            let rate = bytes[place..<place + 4].reversed().reduce(0) { $0 << 8 | Int($1) } * 100
            for index in 0..<4 { bytes[place + index] = UInt8(truncatingIfNeeded: rate >> (8 * index)) }
            try bench.write(bytes, as: "in.avi")
            _ = try await bench.filter("in.avi", "out.mkv", ["--end", "1.5"])
            let times = try await bench.report("out.mkv").times(of: "audio").first ?? []
            #expect(abs((times.last ?? 0) - 1.5) < 0.1)
        }
    }

    @Test(arguments: [
        ([0x1C, 0, 0, 0, 0], "HEVC"), ([0x90, 0x68, 0x76, 0x63, 0x31], "HEVC"),
        ([0x90, 0x61, 0x76, 0x30, 0x31], "AV1"),
    ])
    func videoThatFFmpegDoesNotReadInFLVIsNamed(_ first: [UInt8], _ codec: String) async throws {
        try await Workbench.with { bench in
            let data = first + [UInt8](repeating: 1, count: 40)
            let tag = [9, 0, 0, UInt8(data.count), 0, 0, 0, 0, 0, 0, 0] + data + [0, 0, 0, UInt8(data.count + 11)]
            let file = Array("FLV".utf8) + [1, 1, 0, 0, 0, 9, 0, 0, 0, 0] + tag + tag + tag
            try bench.write(Data(file), as: "in.flv")
            let result = try await bench.flourish(["filter", "in.flv", "out.mp4"])
            #expect(result.exitCode != 0)
            #expect(result.standardError.contains("its video is \(codec), which FFmpeg reads in FLV from release 6.1"))
        }
    }

    @Test func chaptersAtTimesThatMP4CannotHoldAreNamed() async throws {
        try await Workbench.with { bench in
            try await bench.ffmpeg(
                Self.picture + Coding.h264 + ["-output_ts_offset", "1519350239.52", "in.mkv"])
            let options = ["--chapters", "--reaction", "confetti@0.5"]
            #expect(try await bench.filter("in.mkv", "out.mp4", options).messages.contains { $0.contains("49 days") })
            #expect(try await bench.report("out.mp4").chapters.isEmpty)
            #expect(try await bench.filter("in.mkv", "out.mkv", options).messages == [])
            #expect(try await bench.report("out.mkv").chapters.count == 1)
        }
    }
}

extension EventLines {
    fileprivate var messages: [String] { of("warning").compactMap { $0["message"]?.string } }
}

extension Workbench {
    fileprivate func replace(_ text: String, by other: String, in name: String, as copy: String) throws {
        var bytes = try bytes(name)
        let range = try #require(bytes.range(of: Data(text.utf8)))
        bytes.replaceSubrange(range, with: Data(other.utf8))
        try write(bytes, as: copy)
    }

    /// Makes a playlist of two seconds in segments of one, `part0.ts` and `part1.ts`.
    fileprivate func makePlaylist(_ name: String) async throws {
        try await ffmpeg(
            ["-f", "lavfi", "-i", "testsrc2=s=96x64:r=25:d=3"] + Coding.h264 + [
                "-g", "25", "-hls_time", "1", "-hls_list_size", "0", "-hls_segment_filename", "part%d.ts", name,
            ])
    }
}
