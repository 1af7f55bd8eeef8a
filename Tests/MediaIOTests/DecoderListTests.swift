import Foundation
import Testing
import TestSupport

@testable import MediaIO

@Suite("Decoders for files of unknown origin")
struct DecoderListTests {
    /// Encoders by their names in FFmpeg, each with a container and options.
    private static let videos: [(encoder: String, container: String, options: [String])] = [
        ("libx264", "mp4", ["-preset", "ultrafast"]), ("libx265", "mp4", ["-x265-params", "log-level=none"]),
        ("libaom-av1", "mkv", ["-cpu-used", "8", "-usage", "realtime"]), ("libvpx", "webm", ["-cpu-used", "8"]),
        ("libvpx-vp9", "webm", ["-cpu-used", "8", "-deadline", "realtime"]), ("mpeg4", "mp4", []),
        ("h261", "mkv", ["-s", "176x144"]), ("h263", "3gp", ["-s", "176x144"]), ("h263p", "avi", []),
        ("mjpeg", "avi", []), ("libtheora", "ogg", []), ("mpeg1video", "mpg", []), ("mpeg2video", "ts", []),
        ("dvvideo", "avi", ["-s", "720x576", "-pix_fmt", "yuv420p"]), ("prores_ks", "mov", []),
        ("dnxhd", "mov", ["-profile:v", "dnxhr_lb", "-s", "256x144", "-pix_fmt", "yuv422p"]),
        ("cfhd", "mov", ["-s", "256x144"]), ("msmpeg4v2", "avi", []), ("msmpeg4", "avi", []), ("wmv1", "asf", []),
        ("wmv2", "asf", []), ("flv", "flv", []), ("flashsv", "flv", []), ("flashsv2", "flv", []), ("qtrle", "mov", []),
        ("svq1", "mov", []), ("cinepak", "avi", ["-s", "32x32", "-frames:v", "1"]), ("ffv1", "mkv", []),
        ("huffyuv", "avi", []), ("ffvhuff", "avi", []), ("utvideo", "avi", []), ("rawvideo", "nut", []),
        ("v210", "mov", []), ("v308", "mov", []), ("v408", "mov", []), ("v410", "mov", []), ("r210", "mov", []),
        ("yuv4", "mov", []), ("wrapped_avframe", "y4m", []), ("png", "mov", []), ("gif", "gif", []),
        ("apng", "apng", []),
        ("png", "png", ["-frames:v", "1"]), ("mjpeg", "jpg", ["-frames:v", "1"]), ("bmp", "bmp", ["-frames:v", "1"]),
        ("tiff", "tiff", ["-frames:v", "1"]), ("libwebp", "webp", ["-frames:v", "1"]),
        ("ppm", "ppm", ["-frames:v", "1"]),
    ]

    private static let sounds: [(encoder: String, container: String, options: [String])] = [
        ("aac", "mp4", []), ("libmp3lame", "mp4", []), ("mp2", "mkv", []), ("ac3", "mkv", []), ("eac3", "mkv", []),
        ("dca", "mkv", ["-strict", "-2"]), ("truehd", "mkv", ["-strict", "-2"]), ("mlp", "mkv", ["-strict", "-2"]),
        ("libopus", "mkv", []), ("libvorbis", "mkv", []), ("flac", "mkv", []), ("alac", "mov", []),
        ("wavpack", "mkv", []), ("wmav1", "asf", []), ("wmav2", "asf", []), ("libspeex", "mkv", ["-ar", "16000"]),
        ("nellymoser", "flv", ["-ar", "22050"]), ("libgsm", "mov", ["-ar", "8000"]), ("g722", "mkv", ["-ar", "16000"]),
        ("g726", "mkv", ["-ar", "8000"]), ("g723_1", "mkv", ["-ar", "8000", "-b:a", "6300"]),
        ("adpcm_ms", "avi", []), ("adpcm_ima_wav", "avi", []), ("adpcm_ima_qt", "mov", []),
        ("adpcm_swf", "flv", ["-ar", "22050"]), ("pcm_s16le", "mov", []), ("pcm_s24be", "mov", []),
        ("pcm_f32le", "mov", []), ("pcm_alaw", "mov", []), ("pcm_mulaw", "mov", []), ("pcm_u8", "avi", []),
        ("s302m", "ts", ["-strict", "-2", "-ac", "2"]),
    ]

    /// FFmpeg's names of the encoders that are installed.
    private static func encoders() async throws -> Set<Substring> {
        let list = try await Program.onPath("ffmpeg").succeed(["-hide_banner", "-encoders"]).standardOutput
        return Set(list.split(separator: "\n").compactMap { $0.split(separator: " ").dropFirst().first })
    }

    private static let picture = ["-f", "lavfi", "-i", "testsrc2=s=96x64:r=25:d=0.12"]

    @Test func recordingsAreDecoded() async throws {
        let installed = try await Self.encoders()
        try await withTemporaryFolder { folder in
            let codings = Self.videos.filter { installed.contains($0.encoder[...]) }
                .map { ($0.encoder, folder.appending(path: "\($0.encoder).\($0.container)"), $0.options) }
            try await FFmpegTool.ffmpeg(
                Self.picture + codings.flatMap { ["-c:v", $0.0] + $0.2 + [$0.1.path] })
            for (encoder, file, _) in codings {
                let demuxer = try Demuxer(path: file.path)
                var loop = DecodingLoop(try VideoDecoder(demuxer, threads: 1))
                let hasPicture = try loop.next { try demuxer.readVideoPacket() } != nil
                #expect(hasPicture, "\(encoder)")
            }
        }
    }

    @Test func soundIsDecoded() async throws {
        let installed = try await Self.encoders()
        try await withTemporaryFolder { folder in
            let codings = Self.sounds.filter { installed.contains($0.encoder[...]) }
                .map { ($0.encoder, folder.appending(path: "\($0.encoder).\($0.container)"), $0.options) }
            try await FFmpegTool.ffmpeg(
                Self.picture + ["-f", "lavfi", "-i", "sine=d=0.5:r=48000"]
                    + codings.flatMap { encoder, file, options in
                        let picture = ["flv": "flv", "ts": "mpeg2video"][file.pathExtension] ?? "mpeg4"
                        return ["-c:v", picture, "-c:a", encoder] + options + [file.path]
                    })
            for (encoder, file, _) in codings {
                let demuxer = try Demuxer(path: file.path)
                #expect(SoundReader(demuxer) != nil, "\(encoder)")
            }
        }
    }

    @Test func everyNameIsADecoder() {
        let names = DecoderList.video + DecoderList.sound
        #expect(Set(names).count == names.count)
        #expect(!names.contains("magicyuv"))
        // A release or a build of FFmpeg may lack decoders; most are there.
        #expect(names.filter { name in name.contains(" ") || name.contains(",") }.isEmpty)
    }

    @Test func anotherDecoderIsRefused() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "in.avi")
            try await FFmpegTool.ffmpeg(Self.picture + ["-c:v", "magicyuv", file.path])
            let error = #expect(throws: MediaError.self) { try VideoDecoder(try Demuxer(path: file.path)) }
            #expect(error?.code == .refused)
            var settings = InputSettings()
            settings.decoders = .all
            let allowed = settings
            #expect(throws: Never.self) { try VideoDecoder(try Demuxer(path: file.path, settings: allowed)) }
        }
    }

    /// FFmpeg's function for decoders has no list.
    @Test func decodersAreLookedUpInOnePlace() throws {
        let sources = Repository.root.appending(path: "Sources")
        let files =
            FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)?
            .compactMap { $0 as? URL }.filter { ["swift", "c", "h"].contains($0.pathExtension) } ?? []
        let callers = try files.filter { try String(contentsOf: $0, encoding: .utf8).contains("avcodec_find_decoder") }
        #expect(callers.map(\.lastPathComponent) == ["DecoderList.swift"])
    }

    @Test func holesAreKnownByVersion() {
        func holes(_ release: String) -> [String]? { KnownHoles.of(release)?.map(\.record) }
        for release in ["5.1.9-0+deb12u1", "6.1.5", "7.1.4", "n8.0.2", "8.1.1", "8.0"] {
            #expect(holes(release)?.contains("CVE-2026-8461") == true, "\(release)")
        }
        for release in ["7.1.5", "n8.0.3", "8.1.2-1", "9.0", "10.0.1"] {
            #expect(holes(release)?.contains("CVE-2026-8461") == false, "\(release)")
        }
        #expect(holes("N-118456-g1a2b3c4d5e") == nil)
    }
}
