import Foundation
import TestSupport
import Testing

@testable import MediaIO

@Suite("Output index checks") struct MP4IndexCheckTests {
    private static let written = [
        MP4IndexCheck.Stream(id: 1, encoded: MP4IndexCheck.Encoded(codec: "h264", hasHeader: true, count: 5)),
        MP4IndexCheck.Stream(id: 2),
    ]

    /// An output without a part of its index is unusable: its parts stay hidden under a temporary name.
    @Test(arguments: ["", "avcC", "stsz", "stts", "stbl", "trak", "mdat"])
    func missingBoxesAreDetected(_ part: String) async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "out.mp4")
            try await FFmpegTool.ffmpeg(
                [
                    "-f", "lavfi", "-i", "testsrc2=s=64x64:r=10:d=0.5", "-f", "lavfi", "-i", "sine=d=0.5", "-c:v",
                    "libx264",
                    "-c:a", "aac", "-movflags", "+faststart", file.path,
                ])
            if !part.isEmpty {
                var bytes = try Data(contentsOf: file)
                let place = try #require(bytes.range(of: Data(part.utf8)))
                bytes.replaceSubrange(place, with: Data("free".utf8))
                try bytes.write(to: file)
            }
            #expect(MP4IndexCheck(streams: Self.written).passes(file.path) == part.isEmpty)
        }
    }

    private func silentClip(in folder: URL) async throws -> URL {
        let file = folder.appending(path: "out.mp4")
        try await FFmpegTool.ffmpeg(
            [
                "-f", "lavfi", "-i", "testsrc2=s=64x64:r=10:d=0.5", "-c:v", "libx264", "-movflags", "+faststart",
                file.path,
            ])
        return file
    }

    /// Pictures at another offset than the index states, by as little as a byte.
    @Test func wrongOffsetsAreDetected() async throws {
        try await withTemporaryFolder { folder in
            let file = try await silentClip(in: folder)
            #expect(MP4IndexCheck(streams: [Self.written[0]]).passes(file.path))
            var bytes = try Data(contentsOf: file)
            let places = try #require(bytes.range(of: Data("stco".utf8)))
            bytes[places.upperBound + 11] &+= 1
            try bytes.write(to: file)
            #expect(!MP4IndexCheck(streams: [Self.written[0]]).passes(file.path))
        }
    }

    @Test func differencesFromWrittenDataAreDetected() async throws {
        try await withTemporaryFolder { folder in
            let file = try await silentClip(in: folder)
            var video = Self.written[0]
            #expect(MP4IndexCheck(streams: [video]).passes(file.path))
            #expect(!MP4IndexCheck(streams: Self.written).passes(file.path))
            video.encoded?.count = 6
            #expect(!MP4IndexCheck(streams: [video]).passes(file.path))
            video.encoded = MP4IndexCheck.Encoded(codec: "hevc", hasHeader: true, count: 5)
            #expect(!MP4IndexCheck(streams: [video]).passes(file.path))
            #expect(!MP4IndexCheck(streams: []).passes(folder.path + "/none.mp4"))
        }
    }
}
