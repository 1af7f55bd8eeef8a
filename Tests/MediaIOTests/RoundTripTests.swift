import Foundation
import MediaIO
import Raster
import Testing
import TestSupport

/// One kind of input, made by FFmpeg, and the name of the output.
struct RoundTrip: Sendable, CustomTestStringConvertible {
    var name: String
    var input: String
    var output: String
    var arguments: [String]
    var settings = VideoEncoderSettings(preset: "ultrafast", threads: 1)
    var pixelFormat = "yuv420p"
    var size = "96x64"
    /// The shift of all streams in a container without negative times.
    var shift = 0.0

    /// AAC packets have a header of their own in transport streams.
    var framesSoundAnew: Bool { input.hasSuffix(".ts") != output.hasSuffix(".ts") }

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
    func framesTimesAndCopiedStreamsAreKept(_ trip: RoundTrip) async throws {
        try await withTemporaryFolder { folder in
            let input = folder.appending(path: trip.input)
            let output = folder.appending(path: trip.output)
            try await FFmpegTool.ffmpeg(
                [
                    "-f", "lavfi", "-i", "testsrc2=s=\(trip.size):r=25:d=0.4", "-f", "lavfi", "-i", "sine=d=0.4",
                    "-pix_fmt", trip.pixelFormat,
                ] + trip.arguments + [input.path])
            let result = try transcode(input.path, output.path, settings: trip.settings)
            #expect(result.skipped == [])
            #expect(result.damage == [])
            #expect(result.decoderCounts.copies == 0 && result.encoderCounts.conversions == 0)

            let (before, after) = (try await Probe(input), try await Probe(output))
            #expect(result.frames == before.frameTimes.count)
            let shift = trip.shift
            func isSame(_ a: [Double], _ b: [Double]) -> Bool {
                a.count == b.count && zip(a, b).allSatisfy { abs($0 + shift - $1) < 0.0011 }
            }
            #expect(isSame(before.frameTimes, after.frameTimes), "\(before.frameTimes) became \(after.frameTimes)")
            #expect(isSame(before.times("audio"), after.times("audio")))
            #expect(after.video["pix_fmt"]?.string == trip.pixelFormat)
            if trip.framesSoundAnew {
                #expect(try await soundDigest(of: output) == soundDigest(of: input))
            } else {
                #expect(before.checksums("audio") == after.checksums("audio"))
                #expect(before.checksums("audio").first?.isEmpty == false)
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 2)
        }
    }
}

/// The times of frames as FFmpeg interprets them, also where the container has none.
func bestTimes(of file: URL) async throws -> [Double] {
    let frames = try await FFmpegTool.ffprobe(
        ["-select_streams", "v:0", "-show_entries", "frame=best_effort_timestamp_time"], of: file)
    return (frames["frames"]?.array ?? []).compactMap {
        $0["best_effort_timestamp_time"]?.string.flatMap(Double.init)
    }
}

/// A digest of the decoded sound.
func soundDigest(of file: URL) async throws -> [String] {
    try await FFmpegTool.ffmpeg([
        "-flags2", "skip_manual", "-i", file.path, "-map", "0:a", "-c:a", "pcm_s16le", "-f", "md5", "-",
    ]).outputLines
}
