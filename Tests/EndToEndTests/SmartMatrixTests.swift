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
                let reactions = [("heart", 0.7, 0.2), ("confetti", 1.8, 0.6)]
                try await bench.shortPlan(input, "plan.json", reactions)
                let events = try await bench.smart(
                    input, output, ["--plan", "plan.json", "--smart-render", "always"])
                #expect(events.effects == ["heart", "confetti"])
                let comment = Comment(rawValue: container)
                let decoders = kind.decoders.isEmpty ? [nil] : kind.decoders.map(Optional.some)
                for decoder in decoders {
                    let video = try await SplicedVideo(bench, input, output, events, decoder: decoder)
                    #expect(video.framesCopied ?? 0 >= 20, comment)
                    #expect(video.framesCopied.map { $0 + (video.framesEncoded ?? 0) } == 100, comment)
                    try await video.expectUntouchedOutsideOfSpans(comment)
                    try await video.expectSeamsCanBeSought(comment)
                }
                let sizes = try await Self.sizes(bench, input), drawn = try await Self.sizes(bench, output)
                #expect(sizes == drawn && Set(sizes).count == Set(kind.parts.map(\.size)).count, comment)
            }
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
        let isMPEG = kind.name.hasPrefix("H")
        for (number, part) in kind.parts.enumerated() {
            let file = "part\(number).\(isMPEG ? "ts" : "mkv")"
            try await bench.makeClip(file, size: part.size, seconds: seconds, sound: false, groups + part.coding)
            list += "file '\(file)'\n"
        }
        try bench.write(list, as: "parts.txt")
        try await bench.ffmpeg(
            ["-f", "concat", "-i", "parts.txt", "-f", "lavfi", "-i", "sine=d=4", "-map", "0:v", "-map", "1:a"]
                + ["-c:v", "copy"] + sound + [name])
    }

    private static func sizes(_ bench: Workbench, _ name: String) async throws -> [String] {
        let frames = try await FFmpegTool.ffprobe(
            ["-show_frames", "-select_streams", "v", "-show_entries", "frame=width,height"], of: bench.file(name))
        return (frames["frames"]?.array ?? []).map { "\($0["width"]?.integer ?? 0)x\($0["height"]?.integer ?? 0)" }
    }
}
