import Foundation
import MediaIO
import Platform
import Testing
import TestSupport

@Suite("Output locations")
struct OutputPlaceTests {
    private func transcodedClip(in folder: URL, to name: String) async throws {
        let input = folder.appending(path: "in.mp4").path
        try await FFmpegTool.ffmpeg(["-f", "lavfi", "-i", "testsrc2=s=64x64:r=10:d=0.5", input])
        _ = try transcode(input, folder.appending(path: name).path)
    }

    @Test func symbolicLinksAreKeptAndTheirTargetsWritten() async throws {
        try await withTemporaryFolder { folder in
            let target = folder.appending(path: "elsewhere/target.mp4")
            try FileManager.default.createDirectory(
                at: target.deletingLastPathComponent(), withIntermediateDirectories: false)
            let link = folder.appending(path: "link.mp4").path
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "elsewhere/target.mp4")
            try await transcodedClip(in: folder, to: "link.mp4")
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "elsewhere/target.mp4")
            #expect(FileManager.default.fileExists(atPath: target.path))
        }
    }

    @Test func partialOutputsGetADistinctName() throws {
        try withTemporaryFolder { folder in
            let path = folder.appending(path: "out.tar.mp4").path
            func publish(overwrite: Bool = false) throws -> String {
                let part = try TemporaryFile.fill([1, 2, 3], for: path)
                return try TemporaryFile.publishPart(part, of: path, overwrite: overwrite)
            }
            try Data("precious".utf8).write(to: URL(filePath: path))
            #expect(try publish() == folder.path + "/out.tar.partial.mp4")
            #expect(try publish() == folder.path + "/out.tar.partial-2.mp4")
            #expect(try publish(overwrite: true) == folder.path + "/out.tar.partial.mp4")
            #expect(try Data(contentsOf: URL(filePath: path)) == Data("precious".utf8))
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 3)
        }
    }

    @Test func theLongestNameIsSupported() async throws {
        try await withTemporaryFolder { folder in
            let name = String(repeating: "n", count: 251) + ".mp4"
            try await transcodedClip(in: folder, to: name)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["in.mp4", name])
        }
    }

    @Test func aPercentSignInAPicturesNameIsNoPattern() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.appending(path: "100%d.png").path
            try await FFmpegTool.ffmpeg(
                [
                    "-f", "lavfi", "-i", "testsrc2=s=64x64:d=0.04", "-frames:v", "1", "-update", "1",
                    folder.path + "/a.png",
                ])
            try FileManager.default.moveItem(atPath: folder.path + "/a.png", toPath: path)
            let demuxer = try Demuxer(path: path)
            #expect(demuxer.isStillImage)
            #expect(try demuxer.readPacket() != nil)
        }
    }
}
