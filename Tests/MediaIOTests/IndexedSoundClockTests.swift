import Foundation
import TestSupport
import Testing

@testable import MediaIO

/// Sound of AVI files, whose times FFmpeg computes from the rate in the header.
@Suite("Sound with a wrong rate") struct IndexedSoundClockTests {
    /// Returns the distances between the times of a file's sound packets, as they are and as the clock corrects them.
    ///
    /// - Parameter factor: The header's rate, in relation to the right one.
    private func steps(factor: Int64) async throws -> (right: [Int64], corrected: [Int64]) {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "a.avi")
            try await FFmpegTool.ffmpeg([
                "-f", "lavfi", "-i", "testsrc2=s=96x64:r=25:d=2", "-f", "lavfi", "-i", "sine=d=2", "-c:v", "libx264",
                "-preset", "ultrafast", "-c:a", "mp3", file.path,
            ])
            let demuxer = try Demuxer(path: file.path)
            let clock = IndexedSoundClock(video: demuxer.video.index)
            var right: [Int64] = [], corrected: [Int64] = []
            while let packet = try demuxer.readPacket() {
                guard packet.streamIndex != demuxer.video.index, let time = packet.presentationTime?.value else {
                    continue
                }
                right.append(time)
                packet.move(by: time / factor - time)
                if let time = clock.add(packet, of: demuxer.input)?.presentationTime?.value { corrected.append(time) }
            }
            func steps(_ times: [Int64]) -> [Int64] { zip(times, times.dropFirst()).map { $1 - $0 } }
            return (steps(right), steps(corrected))
        }
    }

    @Test(arguments: [1, 10] as [Int64]) func soundFollowsItsDurations(factor: Int64) async throws {
        let steps = try await steps(factor: factor)
        #expect(steps.right.count > 50)
        #expect(steps.corrected == steps.right)
    }
}
