import Foundation
import MediaIO
import Testing
import TestSupport

@Suite("Quantisers of VP8")
struct VP8QuantiserTests {
    /// The header states the quantiser that libvpx was asked for, in all packets.
    @Test(arguments: [0, 6, 20, 42, 63])
    func quantisersAreParsedFromPackets(_ level: Int) async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "in.webm")
            try await FFmpegTool.ffmpeg(
                [
                    "-f", "lavfi", "-i", "testsrc=s=96x64:d=0.6", "-c:v", "libvpx", "-auto-alt-ref", "0", "-b:v", "50M",
                    "-g", "6", "-qmin", "\(level)", "-qmax", "\(level)", file.path,
                ])
            let demuxer = try Demuxer(path: file.path)
            var indexes: [Int] = []
            while let packet = try demuxer.readPacket() {
                indexes.append(try #require(packet.withBytes { VP8Quantiser.index(of: $0) }))
            }
            #expect(indexes.count == 15 && Set(indexes).count == 1)
            #expect(VP8Quantiser.level(forIndex: Double(indexes[0])) == level)
        }
    }

    @Test func truncatedPacketsHaveNoQuantiser() {
        for bytes in [[], [0], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10], [1, 2, 3, 4]] as [[UInt8]] {
            #expect(VP8Quantiser.index(of: bytes.span) == nil)
        }
    }

    @Test func levelsAreNoCoarser() {
        #expect([-1, 0, 5.9, 7, 126.9, 127, 500].map { VP8Quantiser.level(forIndex: $0) } == [0, 0, 5, 6, 62, 63, 63])
    }
}
