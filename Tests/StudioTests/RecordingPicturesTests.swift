import Foundation
import Testing
import TestSupport

@testable import Pipeline
@testable import Studio

@Suite("Pictures of a recording") struct RecordingPicturesTests {
    /// MPEG-TS has no index: going to a time leads to any picture, and decoding begins up to six seconds later.
    @Test func picturesAreTheSameWithoutAnIndex() async throws {
        try await withTemporaryFolder { folder in
            try await Program.onPath("ffmpeg").succeed(
                [
                    "-v", "error", "-nostdin", "-f", "lavfi", "-i", "testsrc2=s=96x64:r=25:d=14", "-c:v", "libx264",
                    "-preset", "ultrafast", "-g", "150", "-keyint_min", "150", "call.mp4",
                ], in: folder)
            try await Program.onPath("ffmpeg").succeed(
                ["-v", "error", "-nostdin", "-i", "call.mp4", "-c", "copy", "call.ts"], in: folder)
            func open(_ name: String) throws -> (pictures: RecordingPictures, start: Double) {
                let path = folder.appending(path: name).path
                let start = try RecordingFacts(of: path, Configuration()).startTime
                return (RecordingPictures(of: path, Configuration()), start)
            }
            let (indexed, bare) = (try open("call.mp4"), try open("call.ts"))
            for time in [0, 2, 5.5, 13.5, 11.9, 7, 3] {
                let thumbnail = try #require(try indexed.pictures.thumbnail(at: indexed.start + time, height: 48))
                // A thumbnail may be of the key picture before that.
                let earlier = try #require(try indexed.pictures.thumbnail(at: indexed.start, height: 48))
                let small = try #require(try bare.pictures.thumbnail(at: bare.start + time, height: 48))
                #expect(small == thumbnail || time == 11.9 && small == earlier, "\(time) s")
                let frame = try #require(try indexed.pictures.frame(at: indexed.start + time, height: 64))
                #expect(try bare.pictures.frame(at: bare.start + time, height: 64) == frame, "\(time) s")
                // Seeking back yields the same picture as reading forward.
                #expect(try open("call.mp4").pictures.frame(at: indexed.start + time, height: 64) == frame, "\(time) s")
            }
        }
    }
}
