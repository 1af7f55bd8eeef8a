import Foundation
import MediaIO
import Raster
import TestSupport
import Testing

/// One kind of input, made by FFmpeg, and the name of what is written from it.
struct RoundTrip: Sendable, CustomTestStringConvertible {
    var name: String
    var input: String
    var output: String
    var arguments: [String]
    var settings = VideoEncoderSettings(preset: "ultrafast", threads: 1)
    var pixelFormat = "yuv420p"
    var size = "96x64"
    /// By how much all streams must move, because the container has no negative times.
    var shift = 0.0

    var testDescription: String { name }
}

private let x264 = ["-c:v", "libx264", "-preset", "ultrafast"]
private let aac = ["-c:a", "aac", "-b:a", "64k"]

private func h264(_ input: String, _ output: String, _ more: [String] = aac) -> RoundTrip {
    RoundTrip(name: "\(input) to \(output)", input: input, output: output, arguments: x264 + more)
}

private let containers: [RoundTrip] = [
    h264("a.mp4", "b.mp4"), h264("a.mov", "b.mp4"), h264("a.mkv", "b.mkv"), h264("a.ts", "b.ts"),
    h264("a.mp4", "b.mkv"), h264("a.mkv", "b.mp4"), h264("a.ts", "b.mp4"), h264("a.mp4", "b.mov"),
    h264("a.avi", "b.mp4", ["-bf", "0", "-c:a", "mp3"]),
    h264("a.avi", "b.avi", ["-bf", "0", "-c:a", "mp3"]),
    h264("b-frames.mp4", "b.mp4", ["-preset", "medium"] + aac),
    // AAC begins with 1024 samples of priming before zero.
    RoundTrip(
        name: "MP4 to TS", input: "a.mp4", output: "b.ts", arguments: x264 + aac, shift: 1024 / 44100),
    RoundTrip(
        name: "MPEG-4 in AVI to MKV", input: "a.avi", output: "b.mkv",
        arguments: ["-c:v", "mpeg4", "-c:a", "mp3"]),
    RoundTrip(
        name: "VP8 WebM to VP9 WebM", input: "a.webm", output: "b.webm",
        arguments: ["-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", "8", "-c:a", "libopus"],
        settings: VideoEncoderSettings(codec: .vp9, preset: "8", threads: 1)),
    RoundTrip(
        name: "VP9 WebM to HEVC MP4", input: "a.webm", output: "b.mp4",
        arguments: ["-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8", "-c:a", "libopus"],
        settings: VideoEncoderSettings(codec: .hevc, preset: "ultrafast", threads: 1)),
    RoundTrip(
        name: "HEVC MKV to AV1 MKV", input: "a.mkv", output: "b.mkv",
        arguments: ["-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "log-level=none"] + aac,
        settings: VideoEncoderSettings(codec: .av1, preset: "12", threads: 1)),
    RoundTrip(
        name: "AV1 MP4 to H.264 MP4", input: "a.mp4", output: "b.mp4",
        arguments: ["-c:v", "libaom-av1", "-usage", "realtime", "-cpu-used", "8"] + aac),
]

private let pixelFormats: [RoundTrip] = ["420", "422", "444"].flatMap { chroma in
    ["", "10le"].map { depth in
        RoundTrip(
            name: "yuv\(chroma)p\(depth)", input: "a.mkv", output: "b.mp4",
            arguments: x264 + aac, pixelFormat: "yuv\(chroma)p\(depth)")
    }
}

@Suite("Round trips")
struct RoundTripTests {
    @Test(arguments: containers + pixelFormats)
    func framesTimesAndCopiedStreamsStay(_ trip: RoundTrip) async throws {
        try await withTemporaryFolder { folder in
            let input = folder.appending(path: trip.input)
            let output = folder.appending(path: trip.output)
            try await FFmpegTool.ffmpeg(
                ["-f", "lavfi", "-i", "testsrc2=s=\(trip.size):r=25:d=0.4", "-f", "lavfi", "-i", "sine=d=0.4",
                 "-pix_fmt", trip.pixelFormat] + trip.arguments + [input.path])
            let result = try transcode(input.path, output.path, settings: trip.settings)
            #expect(result.skipped == [])
            #expect(result.damage == [])
            #expect(result.decoderCounts.copies == 0 && result.encoderCounts.conversions == 0)

            let before = try await bestTimes(of: input)
            let after = try await bestTimes(of: output)
            #expect(after.count == before.count)
            #expect(result.frames == before.count)
            let shift = trip.shift
            #expect(
                zip(before, after).allSatisfy { abs($0 + shift - $1) < 0.0006 }, "\(before) became \(after)")

            let videoOfOutput = try #require(
                try await FFmpegTool.streams(of: output).first { $0["codec_type"]?.string == "video" })
            #expect(videoOfOutput["pix_fmt"]?.string == trip.pixelFormat)
            #expect(try await soundDigest(of: output) == soundDigest(of: input))
            let sound = (try await packetTimes(of: input, "a:0"), try await packetTimes(of: output, "a:0"))
            #expect(sound.0.count == sound.1.count)
            #expect(
                zip(sound.0, sound.1).allSatisfy { abs($0 + shift - $1) < 0.0011 }, "\(sound.0) became \(sound.1)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 2)
        }
    }
}

/// The times of frames as FFmpeg understands them, also where the container has none.
func bestTimes(of file: URL) async throws -> [Double] {
    let frames = try await FFmpegTool.ffprobe(
        ["-select_streams", "v:0", "-show_entries", "frame=best_effort_timestamp_time"], of: file)
    return (frames["frames"]?.array ?? []).compactMap {
        $0["best_effort_timestamp_time"]?.string.flatMap(Double.init)
    }
}

/// The presentation times of a stream's packets.
func packetTimes(of file: URL, _ stream: String) async throws -> [Double] {
    let packets = try await FFmpegTool.ffprobe(
        ["-select_streams", stream, "-show_entries", "packet=pts_time"], of: file)
    return (packets["packets"]?.array ?? []).compactMap { $0["pts_time"]?.string.flatMap(Double.init) }
}

/// A digest of the sound: of the packets, but where AAC's framing differs between containers, of the samples.
func soundDigest(of file: URL) async throws -> [String] {
    let codec = try await FFmpegTool.streams(of: file).first { $0["codec_type"]?.string == "audio" }
    guard codec?["codec_name"]?.string == "aac" else {
        return try await FFmpegTool.copiedStreamDigests(of: file, map: "0:a")
    }
    return try await FFmpegTool.ffmpeg([
        "-flags2", "skip_manual", "-i", file.path, "-map", "0:a", "-c:a", "pcm_s16le", "-f", "md5", "-",
    ]).outputLines
}
