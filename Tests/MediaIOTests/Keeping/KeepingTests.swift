import Foundation
import MediaIO
import Testing
import TestSupport

@Suite("Side data and metadata beside the frames")
struct KeepingTests {
    private func sideData(_ file: URL) async throws -> [String] {
        let video = try await FFmpegTool.streams(of: file).first { $0["codec_type"]?.string == "video" }
        return (video?["side_data_list"]?.array ?? []).compactMap { $0["side_data_type"]?.string }
    }

    private func names(_ file: URL) async throws -> [String?] {
        try await FFmpegTool.streams(of: file).filter { $0["codec_type"]?.string == "audio" }.map { stream in
            let tags = stream["tags"]
            return (tags?["title"] ?? tags?["handler_name"])?.string
        }
    }

    /// Dolby Vision's record announces data in each frame, which encoding loses.
    @Test(arguments: ["mp4", "mov", "mkv"])
    func encodedVideoKeepsItsProjectionAndNoDolbyVision(_ kind: String) async throws {
        try await withTemporaryFolder { folder in
            let input = folder.appending(path: "in.mp4"), output = folder.appending(path: "out.\(kind)")
            try await RichRecording.makeMP4(input, in: folder)
            let copy = try RichRecording.encode(input, output)
            let kinds = try await sideData(output)
            #expect(kinds.contains("Spherical Mapping") && kinds.contains("Stereo 3D"))
            #expect(!kinds.contains("DOVI configuration record"))
            #expect(
                copy.losses?.contains("the Dolby Vision configuration record, since the video is re-encoded") == true)
        }
    }

    /// libavformat's QuickTime muxer writes no telemetry, and before FFmpeg 7.1 no projection; its MP4 muxer writes no
    /// ADPCM.
    @Test(arguments: [("aac", true), ("adpcm_ima_qt", false)])
    func quickTimeUsesTheMP4MuxerWhereItKeepsMore(_ sound: String, _ isRich: Bool) async throws {
        try await withTemporaryFolder { folder in
            let input = folder.appending(path: "in.mov"), output = folder.appending(path: "out.mov")
            try await FFmpegTool.ffmpeg([
                "-f", "lavfi", "-i", "testsrc2=s=64x48:r=10:d=1", "-f", "lavfi", "-i", "sine=d=1", "-c:v", "libx264",
                "-preset", "ultrafast", "-c:a", sound, input.path,
            ])
            var patch = try MoviePatch(input)
            patch.extendEntry(ofTrack: 0, with: PictureBox.spherical)
            try patch.write(to: input)
            #expect(try await sideData(input) == ["Spherical Mapping"])
            let copy = try RichRecording.remux(input, output)
            let isKept = isRich || !["5.", "6.", "7.0"].contains { MediaLibraries.release.hasPrefix($0) }
            #expect(try await sideData(output) == (isKept ? ["Spherical Mapping"] : []))
            #expect((copy.losses == nil) == isKept)
            #expect(copy.losses?.contains("the spherical projection") != isKept)
            #expect(try await FFmpegTool.format(of: output)["tags"]?["major_brand"]?.string == "qt  ")
            #expect(try await FFmpegTool.streams(of: output).last?["codec_name"]?.string == sound)
        }
    }

    /// FFmpeg 5.1 writes a track's title into MP4, and does not read it back.
    @Test func trackNamesSurviveManyCopies() async throws {
        try await withTemporaryFolder { folder in
            let input = folder.appending(path: "in.mkv")
            try await RichRecording.makeMatroska(input, in: folder)
            var last = input
            for kind in ["mp4", "mp4", "mov", "mkv", "mov", "mp4", "nut", "mkv"] {
                let next = folder.appending(path: "\(last.deletingPathExtension().lastPathComponent)+.\(kind)")
                try RichRecording.remux(last, next)
                #expect(try await names(next) == ["Microphone", "Browser"], "\(next.lastPathComponent)")
                last = next
            }
        }
    }

    /// As OBS Studio and HandBrake write it: the handler has its usual name.
    @Test func theNameInATracksUserDataIsRead() async throws {
        try await withTemporaryFolder { folder in
            let input = folder.appending(path: "in.mp4"), output = folder.appending(path: "out.mkv")
            try await FFmpegTool.ffmpeg([
                "-f", "lavfi", "-i", "testsrc2=s=64x48:r=10:d=1", "-f", "lavfi", "-i", "sine=d=1", "-c:v", "libx264",
                "-preset", "ultrafast", "-c:a", "aac", input.path,
            ])
            var patch = try MoviePatch(input)
            patch.extend(track: 1, with: MoviePatch.box("udta", MoviePatch.box("name", Array("Gäste".utf8))))
            try patch.write(to: input)
            #expect(try Demuxer(path: input.path).streams.last?.metadata["title"] == "Gäste")
            try RichRecording.remux(input, output)
            #expect(try await names(output) == ["Gäste"])
        }
    }

    /// Telemetry is no chapter track, though both are binary data and the file has chapters.
    @Test(arguments: ["mp4", "mov"])
    func telemetryBesideChaptersIsCopied(_ kind: String) async throws {
        try await withTemporaryFolder { folder in
            let input = folder.appending(path: "in.mp4"), output = folder.appending(path: "out.\(kind)")
            try await RichRecording.makeMP4(input, in: folder)
            let copy = try RichRecording.remux(input, output)
            #expect(copy.warnings == "", "\(copy.warnings)")
            let (before, after) = (try await Probe(input), try await Probe(output))
            func packets(_ probe: Probe) -> [String] {
                let stream = probe.streams.first { $0["codec_tag_string"]?.string == "gpmd" }
                return probe.packets.filter { $0.stream == stream?["index"]?.integer }.map(\.checksum)
            }
            #expect(packets(before).count > 1 && packets(after) == packets(before))
            #expect(after.chapters.count == 2)
            let codes = after.streams.compactMap { $0["codec_tag_string"]?.string }
            #expect(codes.count { $0 == "text" } == 1 && codes.contains("tmcd"))
        }
    }

    /// Tags of phones come back from Matroska by their own names, and the usual tags stay beside them.
    @Test func phoneTagsSurviveMatroska() async throws {
        try await withTemporaryFolder { folder in
            let input = folder.appending(path: "in.mov"), between = folder.appending(path: "between.mkv")
            try await RichRecording.makePhoneMovie(input, in: folder)
            let before = try #require(try await FFmpegTool.format(of: input)["tags"])
            try RichRecording.remux(input, between)
            for kind in ["mov", "mp4"] {
                let output = folder.appending(path: "out.\(kind)")
                #expect(try RichRecording.remux(between, output).losses == nil)
                let after = try await FFmpegTool.format(of: output)["tags"]
                for key in [
                    "com.apple.quicktime.make", "com.apple.quicktime.location.ISO6709",
                    "com.apple.quicktime.creationdate", "com.android.version", "title", "artist", "comment",
                ] {
                    #expect(
                        (after?[key] ?? after?[key.uppercased()])?.string == before[key]?.string, "\(key) in \(kind)")
                }
                #expect(after?["com.apple.quicktime.title"]?.string == "Standup")
            }
        }
    }

    /// FFmpeg 7.0 reads IAMF in MP4, and 7.1 is the first to write it.
    private static let writesIAMF = !["4.", "5.", "6.", "7.0"].contains { MediaLibraries.release.hasPrefix($0) }

    @Test(.enabled(if: writesIAMF, "needs FFmpeg 7.1"), arguments: ["mp4", "mkv"])
    func immersiveAudioStaysOneSound(_ kind: String) async throws {
        try await withTemporaryFolder { folder in
            let input = folder.appending(path: "in.mp4")
            try await RichRecording.makeImmersive(input)
            for isCopy in [true, false] {
                let output = folder.appending(path: "\(isCopy ? "copied" : "encoded").\(kind)")
                let copy = try isCopy ? RichRecording.remux(input, output) : RichRecording.encode(input, output)
                let (before, after) = (try await Probe(input), try await Probe(output))
                func packets(_ probe: Probe) -> [[String]] {
                    probe.streams.filter { $0["codec_type"]?.string == "audio" }.map { stream in
                        probe.packets.filter { $0.stream == stream["index"]?.integer }.map(\.checksum)
                    }
                }
                #expect(packets(before).count == 2 && packets(after) == packets(before))
                func groups(_ file: URL) async throws -> [JSONValue] {
                    try await FFmpegTool.ffprobe(["-show_stream_groups"], of: file)["stream_groups"]?.array ?? []
                }
                let expected = try await groups(input)
                #expect(expected.count == 3)
                if kind == "mkv" {
                    let expected = "the stream groups IAMF Audio Element, IAMF Audio Element, IAMF Mix Presentation"
                    #expect(copy.losses?.contains(expected) == true)
                } else {
                    #expect(try await groups(output) == expected)
                    #expect(copy.losses == nil)
                }
                #expect(try await FFmpegTool.frameTimes(of: output).count == 10)
            }
        }
    }

    /// No loss is claimed for an output that cannot be read back.
    @Test func lossesOfStreamsAreNotGuessed() throws {
        let muxer = try Muxer(path: "/dev/null", Muxer.Options(format: .mpegts))
        #expect(muxer.losses() == nil)
    }
}
