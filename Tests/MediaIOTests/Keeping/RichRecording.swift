import Foundation
import MediaIO
import TestSupport

/// Recordings with many kinds of streams and metadata.
enum RichRecording {
    /// The coding of pictures and sound; WebM needs others than the rest.
    struct Coding {
        var video: [String]
        var audio: [String]

        static let usual = Coding(video: ["libx264", "-preset", "ultrafast"], audio: ["aac"])
        static let web = Coding(
            video: ["libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8", "-row-mt", "0"], audio: ["libopus"])
    }

    private static let words = "1\n00:00:00,100 --> 00:00:00,400\nHello\n\n2\n00:00:00,500 --> 00:00:00,900\nWorld\n\n"

    private static func inputs(_ folder: URL) throws -> [String] {
        let subtitles = folder.appending(path: "words.srt"), tags = folder.appending(path: "tags.txt")
        try Data(words.utf8).write(to: subtitles)
        let chapters = ["Hello", "Talk"].enumerated().map {
            "[CHAPTER]\nTIMEBASE=1/1000\nSTART=\($0 * 500)\nEND=\($0 * 500 + 500)\ntitle=\($1)\n"
        }
        try Data((";FFMETADATA1\ntitle=Standup\nartist=Jane\ncomment=Tuesday\n" + chapters.joined()).utf8).write(
            to: tags)
        return [
            "-f", "lavfi", "-i", "testsrc2=s=64x48:r=25:d=1", "-f", "lavfi", "-i", "sine=d=1",
            "-f", "lavfi", "-i", "sine=f=880:d=1", "-i", subtitles.path, "-i", tags.path,
        ]
    }

    private static let descriptions = [
        "-metadata", "creation_time=2026-01-02T03:04:05Z", "-metadata", "location=+52.5000+013.4000/",
        "-metadata:s:a:0", "language=deu", "-metadata:s:a:1", "language=fra",
        "-disposition:a:0", "0", "-disposition:a:1", "default+comment",
    ]

    /// Makes an MP4 file with two sound tracks, subtitles, telemetry, cover art, chapters, a time code, tags, and all side
    /// data of pictures.
    static func makeMP4(_ file: URL, in folder: URL, _ coding: Coding = .usual) async throws {
        let inputs =
            try inputs(folder) + [
                "-i", folder.appending(path: "words.srt").path, "-f", "lavfi", "-i", "color=red:s=16x16:d=0.04",
            ]
        let maps = ["0", "1", "2", "3", "5", "6"].flatMap { ["-map", $0] }
        let codecs =
            ["-c:v:0"] + coding.video + ["-pix_fmt", "yuv420p", "-c:a"] + coding.audio + [
                "-c:s", "mov_text", "-c:v:1", "mjpeg", "-pix_fmt:v:1", "yuvj420p", "-disposition:v:1", "attached_pic",
            ]
        try await FFmpegTool.ffmpeg(
            inputs + maps + ["-map_metadata", "4", "-map_chapters", "4"] + codecs + descriptions + [
                "-metadata:s:a:0", "handler_name=Microphone", "-metadata:s:a:1", "handler_name=Browser",
                "-timecode", "01:02:03:04", file.path,
            ])
        var patch = try MoviePatch(file)
        for box in [
            PictureBox.dolbyVision, PictureBox.stereo, PictureBox.spherical, PictureBox.mastering, PictureBox.light,
            PictureBox.profile,
        ] { patch.extendEntry(ofTrack: 0, with: box) }
        patch.makeData(track: 4, code: "gpmd")
        try patch.write(to: file)
    }

    /// Makes a QuickTime file with the tags of a phone, turned by a quarter.
    static func makePhoneMovie(_ file: URL, in folder: URL, _ coding: Coding = .usual) async throws {
        try await FFmpegTool.ffmpeg(
            try inputs(folder) + ["-map", "0", "-map", "1", "-map_metadata", "4", "-map_chapters", "-1", "-c:v"]
                + coding.video + ["-pix_fmt", "yuv420p", "-c:a"] + coding.audio + [
                    "-metadata", "com.apple.quicktime.make=Maker", "-metadata", "com.apple.quicktime.model=Model 14",
                    "-metadata", "com.apple.quicktime.location.ISO6709=+52.52+013.40/",
                    "-metadata", "com.apple.quicktime.creationdate=2026-01-02T03:04:05+0200",
                    "-metadata", "com.android.version=14", "-movflags", "use_metadata_tags", file.path,
                ])
        var patch = try MoviePatch(file)
        patch.turn(track: 0)
        try patch.write(to: file)
    }

    /// Makes a Matroska file with subtitles as text, an attachment, and titles of tracks.
    static func makeMatroska(_ file: URL, in folder: URL, _ coding: Coding = .usual) async throws {
        let note = folder.appending(path: "font.ttf")
        try Data("no font".utf8).write(to: note)
        try await FFmpegTool.ffmpeg(
            try inputs(folder) + ["-map", "0", "-map", "1", "-map", "2", "-map", "3", "-map_metadata", "4", "-c:v"]
                + coding.video + ["-pix_fmt", "yuv420p", "-c:a"] + coding.audio + ["-c:s", "srt"] + descriptions + [
                    "-metadata:s:a:0", "title=Microphone", "-metadata:s:a:1", "title=Browser",
                    "-attach", note.path, "-metadata:s:t", "mimetype=application/x-truetype-font", file.path,
                ])
    }

    /// The result of copying all packets of a file into another one.
    struct Copy {
        /// The reasons for dropped streams.
        var skipped: [String]
        var losses: String?
        /// All that was reported.
        var warnings: String { (skipped + [losses ?? ""]).joined(separator: "\n") }
    }

    /// Encodes the pictures, and copies all packets of other streams.
    /// Makes an MP4 file with pictures and immersive audio (IAMF) of two streams, a stereo one and a mono one. The video
    /// is the last stream, since FFmpeg 7.1 and 9.0 damage it otherwise.
    static func makeImmersive(_ file: URL) async throws {
        try await FFmpegTool.ffmpeg([
            "-f", "lavfi", "-i", "testsrc2=s=64x48:r=10:d=1", "-f", "lavfi", "-i", "sine=d=1:r=48000",
            "-f", "lavfi", "-i", "sine=f=880:d=1:r=48000", "-map", "1", "-map", "2", "-map", "0",
            "-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-c:a", "libopus",
            "-ac:a:0", "2", "-ac:a:1", "1",
            "-stream_group", "type=iamf_audio_element:id=1:st=0,layer=ch_layout=stereo",
            "-stream_group", "type=iamf_audio_element:id=2:st=1,layer=ch_layout=mono",
            "-stream_group",
            "type=iamf_mix_presentation:id=3:stg=0:stg=1:annotations=en-us=Call,"
                + "submix=parameter_id=100:parameter_rate=48000"
                + "|element=stg=0:parameter_id=101:parameter_rate=48000:annotations=en-us=Call"
                + "|element=stg=1:parameter_id=102:parameter_rate=48000:annotations=en-us=Call"
                + "|layout=sound_system=stereo:integrated_loudness=0",
            "-streamid", "0:1", "-streamid", "1:2", file.path,
        ])
    }

    static func encode(_ input: URL, _ output: URL) throws -> Copy {
        let result = try transcode(input.path, output.path)
        return Copy(skipped: result.skipped.map(\.reason), losses: result.losses)
    }

    @discardableResult
    static func remux(_ input: URL, _ output: URL) throws -> Copy {
        let demuxer = try Demuxer(path: input.path)
        let muxer = try Muxer(path: output.path, Muxer.Options(overwrite: true), copying: demuxer)
        try muxer.begin(copying: demuxer, with: nil)
        while let packet = try demuxer.readPacket() { try muxer.write(packet) }
        try muxer.complete()
        let losses = muxer.losses()
        try muxer.finish()
        return Copy(skipped: muxer.skippedStreams.map(\.reason), losses: losses)
    }
}
