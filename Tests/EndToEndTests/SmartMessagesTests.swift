import Foundation
import TestSupport
import Testing

/// Messages in pictures (SEI) survive re-encoding.
@Suite("Messages in spans")
struct SmartMessagesTests {
    /// Closed captions (ATSC A/53, part 4) of one pair of letters.
    private static let captions: [UInt8] = [
        0xB5, 0x00, 0x31, 0x47, 0x41, 0x39, 0x34, 0x03, 0x41, 0xFF, 0xFC, 0x94, 0x2C, 0xFF,
    ]

    /// Writes captions before each picture of a stream with start codes, of one slice a picture.
    private static func caption(_ stream: Data, isHEVC: Bool) -> Data {
        var result = Data()
        let message = [4, UInt8(captions.count)] + captions + [0x80]
        let unit: [UInt8] = [0, 0, 0, 1] + (isHEVC ? [39 << 1, 1] : [6]) + message
        let startCode = Data([0, 0, 1])
        var place = stream.startIndex
        while let code = stream.range(of: startCode, in: place..<stream.endIndex), code.upperBound < stream.endIndex {
            result += stream[place..<code.lowerBound]
            let header = stream[code.upperBound]
            let isPicture = isHEVC ? header >> 1 & 0x3F < 32 : [1, 5].contains(header & 0x1F)
            if isPicture { result += unit }
            result += stream[code]
            place = code.upperBound
        }
        return result + stream[place...]
    }

    private static func sideData(_ file: URL) async throws -> [[String]] {
        let frames = try await FFmpegTool.ffprobe(["-show_frames", "-select_streams", "v"], of: file)["frames"]?.array
        return (frames ?? []).map { frame in
            (frame["side_data_list"]?.array ?? []).compactMap { $0["side_data_type"]?.string }
        }
    }

    @Test(
        arguments: [
            ("h264", "mp4", Coding.h264 + ["-bf", "0", "-x264-params", "slices=1"]),
            (
                "hevc", "mkv",
                ["-c:v", "libx265", "-preset", "fast", "-x265-params", "log-level=none:bframes=0:open-gop=0"]
            ),
        ] as [(String, String, [String])])
    func captionsAreKept(_ codec: String, _ kind: String, _ coding: [String]) async throws {
        try await Workbench.with { bench in
            let groups = ["-g", "15", "-pix_fmt", "yuv420p", "-an"]
            try await bench.makeClip("plain.\(codec)", size: "160x120", seconds: 4, groups + coding)
            let plain = try bench.bytes("plain.\(codec)")
            try bench.write(Self.caption(plain, isHEVC: codec == "hevc"), as: "captioned.\(codec)")
            try await bench.ffmpeg(["-r", "25", "-i", "captioned.\(codec)", "-c", "copy", "in.\(kind)"])
            try await bench.shortPlan("in.\(kind)", "plan.json", [("heart", 1.1, 0.4)])
            let events = try await bench.smart("in.\(kind)", "out.\(kind)", ["--plan", "plan.json"])
            let video = try await SplicedVideo(bench, "in.\(kind)", "out.\(kind)", events)
            #expect(video.spans.count == 1)
            try await video.expectUntouchedOutsideOfSpans()
            let said = try await Self.sideData(bench.file("out.\(kind)"))
            #expect(said.count == 100)
            #expect(said.allSatisfy { $0.count { $0.contains("Captions") } == 1 })
        }
    }

    /// Seeking into a span provides the mastering brightness of its pictures.
    @Test func masteringMetadataIsRepeatedInSpans() async throws {
        try await Workbench.with { bench in
            let display = "G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,1)"
            let parameters = "log-level=none:open-gop=0:repeat-headers=1:master-display=\(display):max-cll=1000,400"
            try await bench.makeClip(
                "in.mkv", size: "160x120", seconds: 4,
                ["-g", "25", "-pix_fmt", "yuv420p10le", "-an", "-c:v", "libx265", "-preset", "fast"]
                    + ["-x265-params", parameters])
            try await bench.shortPlan("in.mkv", "plan.json", [("heart", 1.5, 0.4)])
            let events = try await bench.smart("in.mkv", "out.mkv", ["--plan", "plan.json"])
            let video = try await SplicedVideo(bench, "in.mkv", "out.mkv", events)
            let span = try #require(video.spans.first)
            try await bench.ffmpeg(["-ss", String(span.start + 0.01), "-i", "out.mkv", "-c", "copy", "rest.mkv"])
            let first = try #require(try await Self.sideData(bench.file("rest.mkv")).first)
            #expect(first.contains("Mastering display metadata"))
            #expect(first.contains("Content light level metadata"))
        }
    }
}
