import Foundation
import MediaIO
import Testing
import TestSupport

@testable import Pipeline
@testable import Studio

@Suite("Moments of a recording") struct MomentReaderTests {
    /// Seeking back yields the same times as reading forward.
    @Test(arguments: ["call.mp4", "call.ts"]) func seekingBackKeepsTimes(_ name: String) async throws {
        try await withTemporaryFolder { folder in
            try await Program.onPath("ffmpeg").succeed(
                [
                    "-v", "error", "-nostdin", "-f", "lavfi", "-i", "testsrc2=s=96x64:r=25:d=8", "-c:v", "libx264",
                    "-preset", "ultrafast", "-g", "25", name,
                ], in: folder)
            let path = folder.appending(path: name).path
            func reader() throws -> MomentReader {
                try MomentReader(path, Configuration(), interrupt: InterruptFlag())
            }
            func times(_ reader: MomentReader) throws -> [Double] {
                var times: [Double] = []
                try reader.scan(from: 2, to: 2.4) { _, time in
                    times.append((time * 1000).rounded() / 1000)
                    return true
                }
                return times
            }
            let expected = try times(try reader())
            #expect(expected.count == 10 && expected.first == 2)
            let other = try reader()
            #expect(try other.moment(at: 7, before: 1, after: 1) != nil)
            #expect(try times(other) == expected)
        }
    }
}
