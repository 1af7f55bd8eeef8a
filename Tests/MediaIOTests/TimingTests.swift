import Foundation
import Raster
import Testing
import TestSupport

@testable import MediaIO

private let fast = ["-c:v", "libx264", "-preset", "ultrafast"]

@Suite("Timestamps")
struct TimingTests {
    @Test func timesCompareExactly() {
        let third = MediaTime(value: 1, timeBase: Rational(1, 3))
        #expect(third == MediaTime(value: 30000, timeBase: Rational(1, 90000)))
        #expect(third < MediaTime(value: 30001, timeBase: Rational(1, 90000)))
        #expect(third + third == MediaTime(value: 2, timeBase: Rational(1, 3)))
        #expect((third - third).seconds == 0)
        #expect(third.rescaled(to: Rational(1, 1000)).value == 333)
    }

    @Test(arguments: ["mp4", "mkv", "ts", "mov"])
    func variableFrameRateIsKept(_ container: String) async throws {
        try await withTemporaryFolder { folder in
            let input = folder.appending(path: "a.\(container)"), output = folder.appending(path: "b.\(container)")
            try await FFmpegTool.ffmpeg(
                [
                    "-f", "lavfi", "-i", "testsrc2=s=96x64:r=30:d=1", "-vf", "select='not(mod(n,3))+gt(n,20)'",
                    "-fps_mode", "vfr", "-c:v", "libx264", "-preset", "medium", input.path,
                ])
            _ = try transcode(
                input.path, output.path, settings: VideoEncoderSettings(preset: "medium", threads: 1))
            let before = try await Probe(input).frameTimes
            #expect(before.count == 16)
            #expect(try await Probe(output).frameTimes == before)
        }
    }

    /// Media cut off before the beginning is still in the file, behind an edit list.
    @Test(arguments: ["mp4", "mkv", "ts", "avi"])
    func soundBeforeACutStaysHidden(_ container: String) async throws {
        try await withTemporaryFolder { folder in
            let whole = folder.appending(path: "whole.mp4"), input = folder.appending(path: "a.mp4")
            let output = folder.appending(path: "b.\(container)")
            try await FFmpegTool.ffmpeg(
                ["-f", "lavfi", "-i", "testsrc2=s=96x64:r=25:d=3", "-f", "lavfi", "-i", "sine=d=3"] + fast
                    + ["-g", "250", "-c:a", "aac", whole.path])
            try await FFmpegTool.ffmpeg(["-ss", "1.2", "-i", whole.path, "-c", "copy", input.path])
            _ = try transcode(input.path, output.path)
            let after = try await Probe(output)
            let pictures = after.frameTimes, sound = after.times("audio")
            #expect((44...46).contains(pictures.count))
            let edge = container == "mp4" ? 2.0 : 0.13
            #expect(
                abs(sound[0] - pictures[0]) < edge && abs(sound[sound.count - 1] - pictures[pictures.count - 1]) < 0.1)
        }
    }

    @Test(arguments: ["mp4", "mkv", "ts", "mov"])
    func lateVideoKeepsItsOffset(_ container: String) async throws {
        try await withTemporaryFolder { folder in
            let input = folder.appending(path: "a.\(container)"), output = folder.appending(path: "b.\(container)")
            try await FFmpegTool.ffmpeg(
                [
                    "-itsoffset", "0.7", "-f", "lavfi", "-i", "testsrc2=s=96x64:r=25:d=0.4",
                    "-f", "lavfi", "-i", "sine=d=1.2",
                ] + fast + ["-fps_mode", "passthrough", "-c:a", "aac", input.path])
            _ = try transcode(input.path, output.path)
            let (before, after) = (try await Probe(input), try await Probe(output))
            #expect(before.frameTimes[0] > 0.6)
            #expect(before.frameTimes == after.frameTimes)
            #expect(before.times("audio") == after.times("audio"))
        }
    }

    @Test(arguments: ["mp4", "mkv", "ts"])
    func anOffsetOfAllStreamsIsKept(_ container: String) async throws {
        try await withTemporaryFolder { folder in
            let input = folder.appending(path: "a.\(container)"), output = folder.appending(path: "b.\(container)")
            try await FFmpegTool.ffmpeg(
                ["-f", "lavfi", "-i", "testsrc2=s=96x64:r=25:d=0.4", "-f", "lavfi", "-i", "sine=d=0.4"]
                    + fast + ["-c:a", "aac", "-output_ts_offset", "5", input.path])
            _ = try transcode(input.path, output.path)
            let (before, after) = (try await Probe(input), try await Probe(output))
            #expect(before.frameTimes == after.frameTimes)
            #expect(before.times("audio") == after.times("audio"))
        }
    }

    @Test func gapsAreKept() async throws {
        try await withTemporaryFolder { folder in
            let input = folder.appending(path: "a.mp4"), output = folder.appending(path: "b.mp4")
            try await FFmpegTool.ffmpeg(
                [
                    "-f", "lavfi", "-i", "testsrc2=s=96x64:r=25:d=3", "-f", "lavfi", "-i", "sine=d=3",
                    "-vf", "select='lt(t,0.4)+gt(t,2.6)'", "-af", "aselect='lt(t,0.5)+gt(t,2.5)'", "-fps_mode", "vfr",
                ]
                    + fast + ["-c:a", "aac", input.path])
            _ = try transcode(input.path, output.path)
            let (before, after) = (try await Probe(input), try await Probe(output))
            #expect(before.frameTimes == after.frameTimes)
            #expect(before.times("audio") == after.times("audio"))
        }
    }

    /// MPEG's clock has 33 bits: FFmpeg assigns negative times to packets shortly before it wraps around.
    @Test(arguments: ["mp4", "mkv", "ts"])
    func clockWraparoundLosesNothing(_ container: String) async throws {
        try await withTemporaryFolder { folder in
            let input = folder.appending(path: "a.ts"), output = folder.appending(path: "b.\(container)")
            try await FFmpegTool.ffmpeg(
                ["-f", "lavfi", "-i", "testsrc2=s=96x64:r=25:d=3", "-f", "lavfi", "-i", "sine=d=3"]
                    + fast + ["-bf", "2", "-c:a", "aac", "-output_ts_offset", "95441", input.path])
            let before = try await Probe(input)
            try #require(before.frameTimes[0] < 0 && before.frameTimes[74] > 1)
            let result = try transcode(input.path, output.path)
            #expect(result.frames == 75)
            let after = try await Probe(output)
            let times = after.frameTimes
            #expect(times.count == 75 && after.times("audio").count == before.times("audio").count)
            #expect(zip(times, times.dropFirst()).allSatisfy { abs($1 - $0 - 0.04) < 0.002 })
            let lead = before.frameTimes[0] - before.times("audio")[0]
            #expect(abs(times[0] - after.times("audio")[0] - lead) < 0.03)
        }
    }

    /// Each piece is shorter than a second; with frames out of order, too.
    @Test(arguments: ["0", "3"])
    func shortPiecesAreContiguous(_ reordered: String) async throws {
        try await withTemporaryFolder { folder in
            let once = folder.appending(path: "once.ts"), thrice = folder.appending(path: "thrice.ts")
            let output = folder.appending(path: "b.mkv")
            try await FFmpegTool.ffmpeg(
                [
                    "-f", "lavfi", "-i", "testsrc2=s=96x64:r=25:d=0.8", "-f", "lavfi", "-i", "sine=d=0.8",
                    "-c:v", "libx264", "-preset", "veryfast", "-bf", reordered, "-c:a", "aac", once.path,
                ])
            let bytes = try Data(contentsOf: once)
            try (bytes + bytes + bytes).write(to: thrice)
            #expect(try transcode(thrice.path, output.path).frames == 60)
            let after = try await Probe(output)
            let times = after.frameTimes, sound = after.times("audio")
            #expect(times.count == 60 && (2.3...2.7).contains(times[59] - times[0]))
            #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 > 0.02 && $1 - $0 < 0.2 })
            #expect(zip(sound, sound.dropFirst()).allSatisfy { $1 > $0 && $1 - $0 < 0.2 })
            #expect(abs(times[59] - sound[sound.count - 1]) < 0.2)
        }
    }

    /// A single wrong time is no clock reset.
    @Test func aSingleWrongTimeMovesNothing() {
        func time(_ milliseconds: Int64) -> MediaTime { MediaTime(value: milliseconds, timeBase: Rational(1, 1000)) }
        let repair = TimestampRepair(leap: time(500))
        for moment in [0, 40, 80, 900, 120, 160, 200] as [Int64] {
            #expect(repair.offset(stream: 0, time: time(moment), duration: time(40)).value == 0)
        }
        // Nor is a subtitle that ends after the next one has begun.
        for moment in [0, 1000, 2000] as [Int64] {
            #expect(repair.offset(stream: 1, time: time(moment), duration: time(5000)).value == 0)
        }
    }

    @Test func clockResetsContinue() async throws {
        try await withTemporaryFolder { folder in
            let once = folder.appending(path: "once.ts"), twice = folder.appending(path: "twice.ts")
            let output = folder.appending(path: "b.mp4")
            try await FFmpegTool.ffmpeg(
                ["-f", "lavfi", "-i", "testsrc2=s=96x64:r=25:d=2", "-f", "lavfi", "-i", "sine=d=2"]
                    + fast + ["-bf", "0", "-c:a", "aac", once.path])
            let bytes = try Data(contentsOf: once)
            try (bytes + bytes).write(to: twice)
            let result = try transcode(twice.path, output.path)
            #expect(result.frames == 100)
            let after = try await Probe(output)
            let times = after.frameTimes
            let steps = zip(times, times.dropFirst()).map { $1 - $0 }
            #expect(steps.allSatisfy { $0 > 0.03 && $0 < 0.12 })
            let sound = after.times("audio")
            #expect(zip(sound, sound.dropFirst()).allSatisfy { $1 > $0 && $1 - $0 < 0.12 })
        }
    }
}
