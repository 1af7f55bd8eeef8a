import Foundation
import Testing
import TestSupport

@testable import MediaIO

@Suite("References of playlists")
struct PlaylistCheckTests {
    private static let end = "\n#EXT-X-ENDLIST\n"
    private static let head = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n"

    private func write(_ text: String, _ name: String, in folder: URL) throws -> String {
        let file = folder.appending(path: name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
        return file.path
    }

    @Test(arguments: [
        "#EXTINF:1,\nhttp://example.org/a.ts", "#EXTINF:1,\r\nHTTPS://example.org/a.ts", "#EXTINF:1,\nrtmp://host/a",
        "#EXTINF:1,\nconcat:a.ts|b.ts", "#EXTINF:1,\nsubfile,,start,0,end,9,,:a.ts", "#EXTINF:1,\ndata:video/mp2t,AA",
        "#EXTINF:1,\ncrypto+http://example.org/a.ts", "#EXTINF:1,\na.ts\n#EXTINF:1,\nudp://239.0.0.1:5000",
        "#EXT-X-KEY:METHOD=AES-128,URI=\"https://example.org/key\"\n#EXTINF:1,\na.ts",
        "#EXT-X-MAP:URI=\"http://example.org/init.mp4\"\n#EXTINF:1,\na.mp4",
        "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"a\",URI=\"http://example.org/a.m3u8\"\n"
            + "#EXT-X-STREAM-INF:BANDWIDTH=1,AUDIO=\"a\"\nb.m3u8",
    ])
    func addressesAreRefused(_ lines: String) throws {
        try withTemporaryFolder { folder in
            let list = try write(Self.head + lines + Self.end, "list.m3u8", in: folder)
            let error = #expect(throws: MediaError.self) { try Demuxer(path: list) }
            #expect(error?.code == .refused)
            #expect(error?.message.hasPrefix("\(list): it refers to ") == true)
            #expect(error?.message.contains("\n") == false)
        }
    }

    @Test func variantsAreChecked() throws {
        try withTemporaryFolder { folder in
            let variant = try write(
                Self.head + "#EXTINF:1,\nhttp://example.org/a.ts" + Self.end, "low/list.m3u8", in: folder)
            let list = try write("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nlow/list.m3u8\n", "list.m3u8", in: folder)
            let error = #expect(throws: MediaError.self) { try Demuxer(path: list) }
            #expect(error?.message.contains("its variant \(variant) refers to http://example.org/a.ts") == true)
            // Playlists that name each other.
            _ = try write("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n../list.m3u8\n", "low/list.m3u8", in: folder)
            #expect(throws: Never.self) { try PlaylistCheck.check(list, list) }
        }
    }

    @Test func localSegmentsAreRead() async throws {
        try await withTemporaryFolder { folder in
            let list = folder.appending(path: "list.m3u8")
            try await FFmpegTool.ffmpeg([
                "-f", "lavfi", "-i", "testsrc2=s=96x64:d=2", "-c:v", "libx264", "-preset", "ultrafast", "-g", "25",
                "-f",
                "hls", "-hls_time", "1", list.path,
            ])
            for text in [
                try String(contentsOf: list, encoding: .utf8),
                try String(contentsOf: list, encoding: .utf8).replacing("list0", with: "file:\(folder.path)/list0"),
            ] {
                try Data(text.utf8).write(to: list)
                let demuxer = try Demuxer(path: list.path)
                var count = 0
                while try demuxer.readPacket() != nil { count += 1 }
                #expect(count == 50)
            }
        }
    }

    @Test func otherFilesAreNoPlaylists() throws {
        try withTemporaryFolder { folder in
            let list = try write("http://example.org/a.ts\n", "list.m3u8", in: folder)
            #expect(throws: Never.self) { try PlaylistCheck.check(list, list) }
            #expect(throws: Never.self) { try PlaylistCheck.check(folder.path, folder.path) }
        }
    }
}
