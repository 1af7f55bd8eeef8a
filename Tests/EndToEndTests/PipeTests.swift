import Foundation
import Testing
import TestSupport

@Suite("Pipes")
struct PipeTests {
    private static let quick = "--no-gestures --preset ultrafast"

    @Test(arguments: ["nut", "matroska", "mpegts", "flv", "mp4"])
    func aStreamGoesThroughWithItsSound(_ format: String) async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mkv", Coding.h264 + Coding.aac)
            let flags = format == "mp4" ? "-movflags frag_keyframe+empty_moov" : ""
            let result = try await bench.shell(
                """
                ffmpeg -i in.mkv -c copy \(flags) -f \(format) - \
                | flourish filter - - --output-format \(format) --reaction heart \(Self.quick) > out.bin
                """)
            #expect(result.exitCode == 0, "\(result.standardError)")
            #expect(result.complaints == [])
            let report = try await bench.report("out.bin")
            #expect(report.frameTimes.count == 15)
            #expect(try #require(report.times(of: "audio").first).count > 20)
        }
    }

    /// AAC in a transport stream repeats in each packet the parameters that other containers store once.
    @Test(arguments: ["mp4", "matroska"], ["", "--live"])
    func transportStreamSoundIsConvertedForHeaderedContainers(_ format: String, _ live: String) async throws {
        try await Workbench.with { bench in
            // Long enough for pictures that come long before the first sound.
            try await bench.makeClip("in.ts", seconds: 3, Coding.h264 + Coding.aac)
            let result = try await bench.shell(
                "cat in.ts | flourish - - --output-format \(format) \(live) \(Self.quick) > out.bin")
            #expect(result.exitCode == 0 && result.complaints == [], "\(result.standardError)")
            let (before, after) = (try await bench.report("in.ts"), try await bench.report("out.bin"))
            #expect(after.frameTimes.count == before.frameTimes.count)
            #expect(after.times(of: "audio").first?.count == before.times(of: "audio").first?.count)
        }
    }

    /// Files that are already open are neither truncated nor overwritten.
    @Test(arguments: [
        ("/dev/stderr", "2>> log"), ("/dev/stderr", "2> log"), ("/dev/stdout", ">> log"), ("/dev/fd/1", "> log"),
        ("/proc/self/fd/7", "7>> log"), ("-", "> log"),
    ])
    func eventsAreAppendedToOpenDescriptors(_ events: String, _ redirection: String) async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mkv")
            let result = try await bench.shell(
                """
                touch log
                {
                    for n in 1 2 7; do echo before >&$n; done
                    flourish filter in.mkv out.mkv --events \(events) \(Self.quick)
                    for n in 1 2 7; do echo after >&$n; done
                } 7> /dev/null \(redirection)
                """)
            #expect(result.exitCode == 0, "\(result.standardError)")
            let log = String(decoding: try bench.bytes("log"), as: UTF8.self)
            #expect(log.hasPrefix("before\n{") && log.hasSuffix("}\nafter\n"), "\(log)")
            _ = try EventLines(String(log.dropFirst(7).dropLast(6)))
        }
    }

    @Test(arguments: [("-", "--events /dev/stdout"), ("/dev/fd/1", "--events -"), ("-", "--sidecar /proc/self/fd/1")])
    func standardOutputCarriesOneOutput(_ output: String, _ options: String) async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mkv")
            let result = try await bench.shell(
                "flourish filter in.mkv \(output) \(options) \(Self.quick) | cat; exit ${PIPESTATUS[0]}")
            expectRefusal(result, code: 64, naming: "the standard output cannot carry both video and ")
        }
    }

    /// A transport stream announces sound before its first packet.
    @Test(arguments: ["", "--live"], ["mpegts", "nut"])
    func lateSoundIsKept(_ live: String, _ format: String) async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("pictures.mkv", seconds: 4, sound: false)
            let result = try await bench.shell(
                """
                ffmpeg -i pictures.mkv -itsoffset 2 -f lavfi -i sine=d=2 -c:v copy -c:a aac -f mpegts late.ts
                cat late.ts | flourish - - \(live) --output-format \(format) \(Self.quick) > out.bin
                """)
            #expect(result.exitCode == 0 && result.complaints == [], "\(result.standardError)")
            let (before, after) = (try await bench.report("late.ts"), try await bench.report("out.bin"))
            let sound = try #require(before.times(of: "audio").first)
            let copied = try #require(after.times(of: "audio").first)
            #expect(copied.count == sound.count && abs(copied[0] - sound[0]) < 0.001)
            #expect(after.frameTimes.count == 100)
        }
    }

    /// In a transport stream only the first sound packet of each bundle has a time, unless the packets are parsed,
    /// which a live run does not do.
    @Test func soundWithSmallBackwardStepsIsKept() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mkv", seconds: 4, Coding.h264 + Coding.aac)
            let result = try await bench.shell(
                """
                ffmpeg -i in.mkv -c copy one.ts
                ffmpeg -i in.mkv -c copy -output_ts_offset 4 two.ts
                cat one.ts two.ts | flourish - - --live --output-format nut \(Self.quick) > out.nut
                """)
            #expect(result.exitCode == 0, "\(result.standardError)")
            #expect(!result.standardError.contains("could not be copied"), "\(result.standardError)")
            let one = try #require(try await bench.report("one.ts").times(of: "audio").first)
            let all = try #require(try await bench.report("out.nut").times(of: "audio").first)
            #expect(all.count == 2 * one.count)
            #expect(zip(all, all.dropFirst()).allSatisfy { $0 < $1 })
        }
    }

    /// By default an MP4 file has its index at the end.
    @Test func filesOnStandardInputAreSeekable() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4", size: "320x240", seconds: 3, Coding.h264 + Coding.aac)
            #expect(try bench.bytes("in.mp4").count > 200_000)
            let result = try await bench.shell(
                """
                set -e
                flourish filter - whole.mkv \(Self.quick) < in.mp4
                (printf 'Dear all'; cat in.mp4) > later.bin
                { dd bs=8 count=1 of=/dev/null status=none; flourish filter - later.mkv \(Self.quick); } < later.bin
                """)
            #expect(result.exitCode == 0 && result.complaints == [], "\(result.standardError)")
            for name in ["whole.mkv", "later.mkv"] {
                let report = try await bench.report(name)
                #expect(report.frameTimes.count == 75)
                #expect(try #require(report.times(of: "audio").first).count > 120)
            }
        }
    }

    @Test(arguments: ["filter - out.mkv --no-gestures", "detect -"])
    func anIndexAtTheEndOfAPipeIsReported(_ command: String) async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4", size: "320x240", seconds: 3, sound: false)
            let result = try await bench.shell("cat in.mp4 | flourish \(command)")
            expectRefusal(result, code: 65, naming: "-", saying: "index", "+faststart")
            // An input that breaks off before its pictures is damaged, wherever its index is.
            let cut = try await bench.shell(
                "ffmpeg -i in.mp4 -c copy -movflags +faststart front.mp4; head -c 2500 front.mp4 | flourish \(command)")
            #expect(cut.exitCode == 65 && !cut.standardError.contains("faststart"), "\(cut.standardError)")
        }
    }

    /// FFmpeg reports the first fragment's length as the duration, so that progress would always be at the end.
    @Test(arguments: [("frag_keyframe+empty_moov", false), ("frag_keyframe", false), ("+faststart", true)])
    func fragmentsHaveNoKnownDuration(_ flags: String, _ isKnown: Bool) async throws {
        try await Workbench.with { bench in
            try await bench.makeClip(
                "in.mp4", seconds: 8, sound: false, Coding.h264 + ["-g", "25", "-movflags", flags])
            let result = try await bench.shell(
                "cat in.mp4 | flourish - out.nut --no-gestures --progress json --preset ultrafast")
            #expect(result.exitCode == 0)
            let steps = try result.errorLines.map { try JSONValue(parsing: $0) }
            #expect(steps.count > 1 && steps.last?["fraction"]?.number == 1)
            #expect((steps.first?["fraction"]?.number != nil) == isKnown, "\(result.standardError)")
            #expect(try await bench.report("out.nut").frameTimes.count == 200)
        }
    }

    /// More fragments than one demuxer reads: the next one continues without loss, for every way of locating samples,
    /// with or without times, and with pictures in the header.
    @Test(arguments: [
        "+empty_moov", "+empty_moov+default_base_moof", "+default_base_moof",
        "+empty_moov+default_base_moof without times",
    ])
    func endlessFragmentsAreRead(_ kind: String) async throws {
        try await Workbench.with { bench in
            try await bench.ffmpeg(
                ["-f", "lavfi", "-i", "testsrc2=s=64x48:r=25:d=160", "-f", "lavfi", "-i", "sine=d=160"] + Coding.h264
                    + ["-bf", "2"] + Coding.aac + [
                        // `frag_every_frame` of FFmpeg 7 loses the order of B-frames.
                        "-frag_duration", "30000", "-movflags", String(kind.split(separator: " ")[0]), "in.mp4",
                    ])
            var bytes = try bench.bytes("in.mp4")
            #expect(bytes.count > 1_000_000)
            if kind.hasSuffix("without times") {
                for place in bytes.ranges(of: Data("tfdt".utf8)) {
                    bytes.replaceSubrange(place, with: Data("free".utf8))
                }
                try bench.write(bytes, as: "in.mp4")
            }
            let result = try await bench.shell(
                """
                cat in.mp4 | flourish - pipe.mkv \(Self.quick)
                flourish in.mp4 file.mkv \(Self.quick) --smart-render never
                """)
            #expect(result.exitCode == 0 && result.complaints == [], "\(result.standardError)")
            let (pipe, file) = (try await bench.report("pipe.mkv"), try await bench.report("file.mkv"))
            #expect(pipe.frameTimes.count == 4000)
            #expect(pipe.frameTimes == file.frameTimes)
            #expect(pipe.times(of: "audio") == file.times(of: "audio"))
            #expect(try await bench.checksums("pipe.mkv") == bench.checksums("file.mkv"))
        }
    }

    @Test func theDefaultFormatOfAPipeIsNUT() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.nut")
            let result = try await bench.shell("flourish - - \(Self.quick) < in.nut | head -c 21")
            #expect(result.standardOutput == "nut/multimedia contai")
        }
    }

    /// Through YUV4MPEG2 and raw video no sample changes while no effect runs.
    @Test func uncompressedPicturesAreUnchanged() async throws {
        try await Workbench.with { bench in
            let result = try await bench.shell(
                """
                set -e
                ffmpeg -f lavfi -i testsrc2=s=96x64:r=25:d=0.4 -f yuv4mpegpipe in.y4m
                ffmpeg -i in.y4m -f rawvideo in.yuv
                flourish - - --no-gestures --output-format yuv4mpegpipe < in.y4m > out.y4m
                ffmpeg -i out.y4m -f rawvideo out.yuv
                cmp in.yuv out.yuv
                flourish - - --no-gestures --input-format rawvideo --video-size 96x64 --framerate 25 \
                    --output-format rawvideo < in.yuv > raw.yuv
                cmp in.yuv raw.yuv
                """)
            #expect(result.exitCode == 0, "\(result.standardError)\(result.standardOutput)")
            #expect(try bench.bytes("raw.yuv").count == 96 * 64 * 3 / 2 * 10)
        }
    }

    @Test func picturesAreWrittenBeforeTheInputEnds() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.nut", seconds: 4)
            // The input ends only after some output was written.
            let result = try await bench.shell(
                """
                mkfifo gate
                { cat in.nut; read -r line < gate; } | flourish - - \(Self.quick) \
                | { head -c 20000 > first; echo > gate; cat > rest; }
                cat first rest > out.nut
                """)
            #expect(result.exitCode == 0, "\(result.standardError)")
            #expect(try await bench.report("out.nut").frameTimes.count == 100)
        }
    }

    /// Only a connection is lost by a slow reader.
    @Test func aPausedReaderLosesNothing() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mkv", seconds: 4, sound: false)
            let result = try await bench.shell(
                """
                flourish in.mkv - --output-format yuv4mpegpipe --input-timeout 0.2 --no-gestures \
                | { head -c 3000; sleep 1; cat; } > out.y4m
                """)
            #expect(result.exitCode == 0 && result.complaints == [], "\(result.standardError)")
            #expect(try await bench.report("out.y4m").frameTimes.count == 100)
        }
    }

    @Test func aClosedReaderEndsTheProgramQuietly() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mkv", seconds: 4)
            let result = try await bench.shell(
                "{ flourish in.mkv - \(Self.quick) 2> said; echo $? > code; } | head -c 3000 > /dev/null; cat code said"
            )
            #expect(result.standardOutput == "141\n")
        }
    }

    /// A stream of separate pictures ends without a trailer.
    @Test(arguments: ["mjpeg", "mpjpeg", "image2pipe"])
    func jpegStreamsEndWithoutWarnings(_ format: String) async throws {
        try await Workbench.with { bench in
            let result = try await bench.shell(
                "ffmpeg -v error -f lavfi -i testsrc=s=96x64:d=0.6 -c:v mjpeg -f \(format) - | flourish - out.mkv \(Self.quick)"
            )
            #expect(result.exitCode == 0 && !result.standardError.contains("damaged"), "\(result.standardError)")
            #expect(try await bench.report("out.mkv").frameTimes.count == 15)
        }
    }

    @Test func namedPipesAreWrittenAndKept() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mkv")
            let result = try await bench.shell(
                "mkfifo out.ts && { flourish in.mkv out.ts \(Self.quick) & cat out.ts > got.ts; wait $!; } && test -p out.ts"
            )
            #expect(result.exitCode == 0, "\(result.standardError)")
            #expect(try await bench.report("got.ts").frameTimes.count == 15)
        }
    }

    @Test(arguments: [
        (["in.mkv", "-", "--output-format", "avi"], "AVI cannot be streamed"),
        (["in.mkv", "-", "--output-format", "gif"], "unknown output format gif"),
        (["in.mkv", "-", "--events", "-"], "cannot carry both video and events"),
        (["in.mkv", "out.mp4", "--video-size", "96x64"], "to raw video and cameras"),
        (["-", "out.mp4", "--input-format", "rawvideo"], "raw video requires a video size"),
        (["in.mkv", "out.mp4", "--input-format", "nonsense"], "does not support the input format nonsense"),
    ])
    func impossiblePipesAreReported(_ arguments: [String], _ words: String) async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mkv", sound: false)
            let result = try await bench.flourish(["filter"] + arguments + ["--no-gestures"])
            #expect(result.exitCode == 64)
            #expect(result.errorLines.count == 1)
            #expect(result.standardError.contains(words), "\(result.standardError)")
            #expect(result.standardOutputData.isEmpty)
        }
    }
}
