import Foundation
import Testing
import TestSupport

/// The kinds of streams that recorders write, in the containers that they write.
@Suite("Smart rendering of each kind of stream")
struct SmartMatrixTests {
    /// A kind of stream: the codings of its parts, of equal length, each with a picture size.
    struct Kind: CustomTestStringConvertible, Sendable {
        let name: String
        let parts: [(size: String, coding: [String])]
        let containers: [String]
        /// FFmpeg's names of the decoders that must agree; the default one if empty.
        var decoders: [String] = []

        var testDescription: String { "\(name) in \(containers.joined(separator: ", "))" }

        init(
            _ name: String, _ containers: [String], _ coding: [String], then others: [(String, [String])] = [],
            decoders: [String] = []
        ) {
            self.name = name
            self.containers = containers
            self.decoders = decoders
            parts = [(SmartMatrixTests.size, coding)] + others.map { (size: $0.0, coding: $0.1) }
        }
    }

    private static let size = "160x120", smaller = "96x64"
    private static let av1Decoders = ["libdav1d", "libaom-av1"]
    private static let baseline = ["-c:v", "libx264", "-preset", "medium", "-profile:v", "baseline"]
    private static func hevc(_ preset: String) -> [String] {
        ["-c:v", "libx265", "-preset", preset, "-x265-params", "log-level=none:keyint=15:open-gop=0"]
    }
    private static let mpeg2 = ["-c:v", "mpeg2video", "-b:v", "1M", "-bf", "2"]
    private static func interlaced(_ coding: [String], _ order: String) -> [String] {
        coding + ["-vf", "setfield=\(order)", "-flags", "+ildct+ilme"]
    }
    private static func svt(_ preset: Int) -> [String] { ["-c:v", "libsvtav1", "-preset", "\(preset)"] }

    static let kinds = [
        Kind("4:2:2", ["mp4", "mkv"], Coding.h264 + ["-pix_fmt", "yuv422p10le"]),
        Kind("4:4:4", ["mp4", "mkv"], Coding.h264 + ["-pix_fmt", "yuv444p"]),
        Kind("HEVC 4:2:2", ["mp4", "mkv"], hevc("ultrafast") + ["-pix_fmt", "yuv422p10le"]),
        Kind("H.264 sets", ["mp4", "mkv", "mov", "ts"], Coding.h264, then: [(size, baseline)]),
        Kind(
            "H.264 sizes", ["mp4", "mkv", "mov", "ts"], Coding.h264,
            then: [(smaller, baseline), (size, Coding.h264 + ["-bf", "2"])]),
        Kind("HEVC sets", ["mp4", "mkv", "ts"], hevc("ultrafast"), then: [(size, hevc("fast"))]),
        Kind("HEVC sizes", ["mp4", "mkv", "ts"], hevc("ultrafast"), then: [(smaller, hevc("ultrafast"))]),
        Kind("VP8 sizes", ["webm", "mkv"], Coding.vp8, then: [(smaller, Coding.vp8)], decoders: ["vp8", "libvpx"]),
        Kind(
            "VP9 sizes", ["webm", "mkv", "mp4"], Coding.vp9, then: [(smaller, Coding.vp9)],
            decoders: ["vp9", "libvpx-vp9"]),
        Kind(
            "interlaced H.264", ["mp4", "mkv", "mov", "ts"],
            interlaced(["-c:v", "libx264", "-preset", "veryfast"], "tff")),
        Kind("interlaced H.264, bottom field first", ["mp4"], interlaced(Coding.h264, "bff")),
        Kind("MPEG-2", ["ts", "mkv", "mp4"], mpeg2),
        Kind("MPEG-2 without B pictures", ["ts"], mpeg2 + ["-bf", "0"]),
        Kind("interlaced MPEG-2", ["ts", "mkv"], interlaced(mpeg2, "tff")),
        Kind("MPEG-2 4:2:2", ["ts", "mkv"], mpeg2 + ["-pix_fmt", "yuv422p"]),
        Kind("MPEG-4 Visual", ["mp4", "mkv", "mov"], Coding.mpeg4 + ["-b:v", "1M", "-bf", "2"]),
        Kind("SVT-AV1", ["mp4", "mkv", "webm"], svt(10), decoders: av1Decoders),
        Kind("SVT-AV1, 10 bits", ["mp4"], svt(8) + ["-pix_fmt", "yuv420p10le"], decoders: av1Decoders),
        Kind("rav1e", ["mp4", "mkv"], ["-c:v", "librav1e", "-speed", "10"], decoders: av1Decoders),
        Kind("AV1 tools", ["mp4", "mkv"], svt(10), then: [(size, Coding.av1)], decoders: av1Decoders),
        Kind("AV1 sizes", ["mkv"], Coding.av1, then: [(smaller, svt(10))], decoders: av1Decoders),
    ]

    /// Frames outside of segments are the source's, according to each decoder, and after seeking. A reaction in the
    /// middle shows effects while the stream changes.
    @Test(arguments: kinds)
    func untouchedFramesAreCopied(_ kind: Kind) async throws {
        for container in kind.containers {
            try await Workbench.with { bench in
                let (input, output) = ("in.\(container)", "out.\(container)")
                try await Self.make(kind, input, bench)
                let reactions = [("heart", 0.2, 0.2), ("confetti", 1.8, 0.6)]
                try await bench.shortPlan(input, "plan.json", reactions)
                let events = try await bench.smart(
                    input, output, ["--plan", "plan.json", "--smart-render", "always"])
                #expect(events.effects == ["heart", "confetti"])
                let comment = Comment(rawValue: container)
                let decoders = kind.decoders.isEmpty ? [nil] : kind.decoders.map(Optional.some)
                for decoder in decoders {
                    let video = try await SplicedVideo(bench, input, output, events, decoder: decoder)
                    #expect(video.framesCopied ?? 0 >= 20, comment)
                    let total = video.framesCopied.map { $0 + (video.framesEncoded ?? 0) }
                    #expect(total == video.source.frameTimes.count, comment)
                    try await video.expectUntouchedOutsideOfSpans(comment)
                    try await video.expectSeamsCanBeSought(comment)
                }
                let forms = try await Self.forms(bench, input), drawn = try await Self.forms(bench, output)
                #expect(forms == drawn && Set(forms).count == Set(kind.parts.map(\.size)).count, comment)
            }
        }
    }

    /// A movie whose picture size changes with its sample description, to which later packets refer. Its sets apply from
    /// there on, also in a copy, whose sample description is the first.
    @Test(arguments: ["mp4", "mkv", "ts"], [true, false])
    func sampleDescriptionsMayChange(_ container: String, _ hasReaction: Bool) async throws {
        try await Workbench.with { bench in
            let groups = ["-g", "15", "-pix_fmt", "yuv420p"]
            for (name, size) in [("a.mp4", Self.size), ("b.mp4", Self.smaller)] {
                try await bench.makeClip(name, size: size, seconds: 2, sound: false, groups + Coding.h264)
            }
            try bench.write("file 'a.mp4'\nfile 'b.mp4'\n", as: "parts.txt")
            try await bench.ffmpeg(
                ["-f", "concat", "-i", "parts.txt", "-c", "copy", "-bsf:v", "filter_units=remove_types=7-8", "ab.mp4"])
            let joined = try JoinedMovie(Array(bench.bytes("ab.mp4")), keeping: 50, then: Array(bench.bytes("b.mp4")))
            try bench.write(Data(joined.bytes), as: "in.mp4")
            try await bench.shortPlan("in.mp4", "plan.json", [("heart", 2.7, 0.2)])
            let events = try await bench.smart(
                "in.mp4", "out.\(container)",
                ["--smart-render", "always"] + (hasReaction ? ["--plan", "plan.json"] : []))
            let video = try await SplicedVideo(bench, "in.mp4", "out.\(container)", events)
            #expect(video.spans.count == (hasReaction ? 1 : 0) && video.framesCopied ?? 0 > 60)
            try await video.expectUntouchedOutsideOfSpans(keepsTimes: container != "ts")
            try await video.expectSeamsCanBeSought()
            let forms = try await Self.forms(bench, "out.\(container)")
            #expect(try await Self.forms(bench, "in.mp4") == forms && Set(forms).count == 2)
        }
    }

    /// Makes four seconds of a stream, in parts that are joined packet by packet.
    private static func make(_ kind: Kind, _ name: String, _ bench: Workbench) async throws {
        let sound = name.hasSuffix("webm") ? ["-c:a", "libopus"] : Coding.aac
        let groups = ["-g", "15"] + (kind.parts[0].coding.contains("-pix_fmt") ? [] : ["-pix_fmt", "yuv420p"])
        if kind.parts.count == 1 {
            try await bench.makeClip(name, size: size, seconds: 4, groups + kind.parts[0].coding + sound)
            return
        }
        let seconds = 4 / Double(kind.parts.count)
        var list = ""
        // The parameter sets of transport streams are in the packets.
        let container = kind.parts[0].coding.contains { $0.hasPrefix("libx26") } ? "ts" : "mkv"
        for (number, part) in kind.parts.enumerated() {
            let file = "part\(number).\(container)"
            try await bench.makeClip(file, size: part.size, seconds: seconds, sound: false, groups + part.coding)
            list += "file '\(file)'\n"
        }
        try bench.write(list, as: "parts.txt")
        try await bench.ffmpeg(
            ["-f", "concat", "-i", "parts.txt", "-f", "lavfi", "-i", "sine=d=4", "-map", "0:v", "-map", "1:a"]
                + ["-c:v", "copy"] + sound + [name])
    }

    /// Returns the size and the order of the fields of each frame.
    private static func forms(_ bench: Workbench, _ name: String) async throws -> [String] {
        let properties = ["width", "height", "interlaced_frame", "top_field_first"]
        let frames = try await FFmpegTool.ffprobe(
            ["-show_frames", "-select_streams", "v", "-show_entries", "frame=\(properties.joined(separator: ","))"],
            of: bench.file(name))
        return (frames["frames"]?.array ?? []).map { frame in
            properties.map { "\(frame[$0]?.integer ?? 0)" }.joined(separator: " ")
        }
    }
}
