import Foundation
import MediaIO
import Testing
import TestSupport

private let fast = ["-c:v", "libx264", "-preset", "ultrafast"]
private let clip = ["-f", "lavfi", "-i", "testsrc2=s=160x120:r=25:d=2"]

@Suite("Bad input and output")
struct BadInputTests {
    private func code(_ path: String) -> MediaError.Code? {
        #expect(throws: MediaError.self) { try Demuxer(path: path) }?.code
    }

    @Test func inputsWithoutVideoAreNamed() async throws {
        try await withTemporaryFolder { folder in
            func file(_ name: String, _ content: String) throws -> String {
                let url = folder.appending(path: name)
                try Data(content.utf8).write(to: url)
                return url.path
            }
            let text = String(repeating: "Dear all, the call is at ten.\n", count: 200)
            #expect(code(folder.appending(path: "none.mp4").path) == .notFound)
            #expect(code(folder.path) == .isDirectory)
            #expect(code(try file("empty.mp4", "")) == .empty)
            #expect(code(try file("text.txt", text)) == .notMedia)
            #expect(code(try file("text.mp4", text)) == .notMedia)
            #expect(code(try file("text", text)) == .notMedia)
            #expect(code(try file("short.bin", "x")) == .notMedia)
            #expect(code(try file("a.srt", "1\n00:00:00,000 --> 00:00:01,000\nHello\n\n")) == .noVideo)
            let sound = folder.appending(path: "a.m4a")
            try await FFmpegTool.ffmpeg(["-f", "lavfi", "-i", "sine=d=0.3", sound.path])
            #expect(code(sound.path) == .noVideo)
        }
    }

    @Test func aPipeThatHoldsNoVideoIsNotOpenedTwice() throws {
        try withTemporaryFolder { folder in
            let pipe = folder.appending(path: "pipe.mp4").path
            try #require(unsafe mkfifo(pipe, 0o600) == 0)
            Thread.detachNewThread {
                FileHandle(forWritingAtPath: pipe)?.write(Data("Dear all\n".utf8))
            }
            #expect(code(pipe) == .notMedia)
        }
    }

    @Test func coverArtIsNoVideo() async throws {
        try await withTemporaryFolder { folder in
            let song = folder.appending(path: "a.mp3")
            try await FFmpegTool.ffmpeg([
                "-f", "lavfi", "-i", "sine=d=0.3", "-f", "lavfi", "-i", "color=red:s=64x64:d=0.04", "-map", "0", "-map",
                "1",
                "-c:v", "mjpeg", "-disposition:v", "attached_pic", song.path,
            ])
            #expect(code(song.path) == .noVideo)
        }
    }

    @Test func aFileWithoutItsIndexIsTruncated() async throws {
        try await withTemporaryFolder { folder in
            let whole = folder.appending(path: "a.mp4"), cut = folder.appending(path: "cut.mp4")
            try await FFmpegTool.make(clip + fast, as: whole)
            let bytes = try Data(contentsOf: whole)
            try bytes.prefix(bytes.count / 2).write(to: cut)
            let error = #expect(throws: MediaError.self) { try Demuxer(path: cut.path) }
            #expect(error?.code == .damaged)
            #expect(error?.message.contains("truncated") == true)
            #expect(error?.message.contains("cut.mp4") == true)
        }
    }

    @Test(arguments: ["mp4", "mkv", "ts", "avi"])
    func theRestOfATruncatedFileIsWritten(_ container: String) async throws {
        try await withTemporaryFolder { folder in
            let whole = folder.appending(path: "a.\(container)"), cut = folder.appending(path: "cut.\(container)")
            let output = folder.appending(path: "b.mp4")
            let more = container == "mp4" ? ["-movflags", "+faststart"] : []
            try await FFmpegTool.ffmpeg(clip + fast + ["-bf", "0", "-g", "10"] + more + [whole.path])
            let bytes = try Data(contentsOf: whole)
            try bytes.prefix(bytes.count * 6 / 10).write(to: cut)
            let result = try transcode(cut.path, output.path)
            #expect((15...45).contains(result.frames))
            #expect(try await bestTimes(of: output).count == result.frames)
        }
    }

    @Test func damageIsReportedAndSkipped() async throws {
        try await withTemporaryFolder { folder in
            let whole = folder.appending(path: "a.mkv"), broken = folder.appending(path: "broken.mkv")
            let output = folder.appending(path: "b.mp4")
            try await FFmpegTool.ffmpeg(clip + fast + ["-g", "10", whole.path])
            var bytes = try Data(contentsOf: whole)
            var random = SeededGenerator(seed: 7)
            for i in bytes.count * 2 / 5..<bytes.count / 2 where i % 40 == 0 {
                bytes[i] = UInt8.random(in: 0...255, using: &random)
            }
            try bytes.write(to: broken)
            let result = try transcode(broken.path, output.path)
            #expect(!result.damage.isEmpty)
            #expect(result.damage.contains { $0.time.map { (0.4...1.6).contains($0.seconds) } == true })
            #expect((30...50).contains(result.frames))
            let times = try await bestTimes(of: output)
            #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
        }
    }

    @Test func flippedBitsNeverCrash() async throws {
        try await withTemporaryFolder { folder in
            let whole = folder.appending(path: "a.mp4")
            try await FFmpegTool.ffmpeg(
                ["-f", "lavfi", "-i", "testsrc2=s=64x48:r=25:d=0.4", "-f", "lavfi", "-i", "sine=d=0.4"]
                    + fast + [whole.path])
            let original = try Data(contentsOf: whole)
            for seed in 0..<25 {
                var random = SeededGenerator(seed: UInt64(seed))
                var bytes = original
                for _ in 0..<12 {
                    bytes[Int.random(in: 0..<bytes.count, using: &random)] ^=
                        1 << UInt8.random(in: 0..<8, using: &random)
                }
                let broken = folder.appending(path: "broken.mp4"), output = folder.appending(path: "out.mkv")
                try bytes.write(to: broken)
                do { _ = try transcode(broken.path, output.path) } catch is MediaError {}
                let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
                #expect(!left.contains { $0.contains("partial") })
            }
        }
    }

    @Test func impossibleOutputsAreNamed() {
        func code(_ path: String) -> MediaError.Code? {
            #expect(throws: MediaError.self) { try Muxer(path: path) }?.code
        }
        #expect(code("/tmp/film.xyz") == .unknownOutputFormat)
        #expect(code("/tmp/film") == .unknownOutputFormat)
        #expect(code("/nowhere/film.mp4") == .unwritable)
        #expect(code("/proc/film.mp4") == .unwritable)
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "needs /dev/full"))
    func aFullDiskIsReported() async throws {
        try await withTemporaryFolder { folder in
            let input = folder.appending(path: "a.mp4"), output = folder.appending(path: "b.mkv")
            try await FFmpegTool.make(clip + fast, as: input)
            // The temporary name is a device that is always full.
            let temporary = folder.appending(path: ".b.mkv.partial-\(ProcessInfo.processInfo.processIdentifier)")
            try FileManager.default.createSymbolicLink(atPath: temporary.path, withDestinationPath: "/dev/full")
            let error = #expect(throws: MediaError.self) { try transcode(input.path, output.path) }
            #expect(error?.code == .diskFull)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a.mp4"])
        }
    }

    @Test func aFolderIsNoOutput() throws {
        try withTemporaryFolder { folder in
            let path = folder.appending(path: "b.mp4")
            try FileManager.default.createDirectory(at: path, withIntermediateDirectories: false)
            let error = #expect(throws: MediaError.self) { try Muxer(path: path.path) }
            #expect(error?.code == .unwritable)
        }
    }

    @Test func unknownEncoderSettingsAreErrors() async throws {
        try await withTemporaryFolder { folder in
            let input = folder.appending(path: "a.mp4"), output = folder.appending(path: "b.mp4")
            try await FFmpegTool.ffmpeg(["-f", "lavfi", "-i", "testsrc2=s=64x48:d=0.2"] + fast + [input.path])
            func code(_ settings: VideoEncoderSettings, _ name: String = "b.mp4") -> MediaError.Code? {
                #expect(throws: MediaError.self) {
                    try transcode(input.path, folder.appending(path: name).path, settings: settings)
                }?.code
            }
            #expect(code(VideoEncoderSettings(preset: "sluggish")) == .encoderRefused)
            var settings = VideoEncoderSettings()
            settings.pixelFormat = "rgb565"
            #expect(code(settings) == .encoderRefused)
            settings = VideoEncoderSettings()
            settings.extraOptions = ["nonsense": "1"]
            #expect(code(settings) == .encoderRefused)
            #expect(code(VideoEncoderSettings(codec: .h264), "b.webm") == .unsupportedInContainer)
            #expect(!FileManager.default.fileExists(atPath: output.path))
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a.mp4"])
        }
    }

    @Test func aRaisedFlagStopsReading() async throws {
        try await withTemporaryFolder { folder in
            let input = folder.appending(path: "a.mp4")
            try await FFmpegTool.ffmpeg(["-f", "lavfi", "-i", "testsrc2=s=64x48:d=0.2"] + fast + [input.path])
            let flag = InterruptFlag()
            let demuxer = try Demuxer(path: input.path, interrupt: flag)
            #expect(try demuxer.readPacket()?.streamIndex == 0)
            flag.raise()
            let error = #expect(throws: MediaError.self) { _ = try demuxer.readPacket()?.size }
            #expect(error?.code == .interrupted)
        }
    }

    /// The packet is longer than a pipe holds, so reading it has begun when all but its end is written.
    @Test(.timeLimit(.minutes(Hang.minutes))) func aPacketWithinWhichReadingEndsIsNotReturned() async throws {
        try await withTemporaryFolder { folder in
            let whole = folder.appending(path: "whole.nut"), pipe = folder.appending(path: "pipe.nut")
            try await FFmpegTool.ffmpeg(
                [
                    "-f", "lavfi", "-i", "testsrc2=s=640x360:r=25:d=2", "-pix_fmt", "yuv420p", "-c:v",
                    "rawvideo", whole.path,
                ])
            try makeNamedPipe(at: pipe)
            let bytes = try Data(contentsOf: whole).dropLast(64 * 1024)
            let flag = InterruptFlag()
            // Open for both, the pipe never ends.
            let end = try FileHandle(forUpdating: pipe)
            Thread.detachNewThread {
                try? end.write(contentsOf: bytes)
                flag.raise()
            }
            let demuxer = try Demuxer(path: pipe.path, interrupt: flag)
            var sizes: [Int] = []
            let error = #expect(throws: MediaError.self) {
                while let packet = try demuxer.readPacket() {
                    sizes.append(packet.size)
                }
            }
            #expect(error?.code == .interrupted)
            #expect(Set(sizes) == [640 * 360 * 3 / 2])
            try end.close()
        }
    }

    /// Opening it blocks until the other end is opened, possibly for ever.
    @Test(.timeLimit(.minutes(Hang.minutes))) func aRaisedFlagEndsTheWaitForAPipesOtherEnd() throws {
        try withTemporaryFolder { folder in
            let pipe = folder.appending(path: "pipe.nut").path
            try makeNamedPipe(at: URL(filePath: pipe))
            let flag = InterruptFlag()
            flag.raise()
            let reading = #expect(throws: MediaError.self) { try Demuxer(path: pipe, interrupt: flag) }
            let writing = #expect(throws: MediaError.self) { try Muxer(path: pipe, interrupt: flag) }
            #expect(reading?.code == .interrupted && writing?.code == .interrupted)
        }
    }
}
