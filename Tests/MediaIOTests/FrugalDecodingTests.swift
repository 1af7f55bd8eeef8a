import Foundation
import MediaIO
import Testing
import TestSupport

/// The settings of a frugal decoder.
@Suite struct FrugalDecodingTests {
    @Test func theLoopFilterStartsWithTheNextPacket() async throws {
        try await withTemporaryFolder { folder in
            // Each picture is intra coded, coarsely, so that the loop filter changes it.
            let input = folder.appending(path: "a.mp4")
            try await FFmpegTool.ffmpeg([
                "-f", "lavfi", "-i", "testsrc2=s=96x64:r=10:d=0.6", "-c:v", "libx264", "-g", "1", "-crf", "45",
                input.path,
            ])
            let whole = try checksums(of: input)
            let changed = try checksums(of: input, isFrugal: true, smoothedFrom: 3)
            #expect(whole.count == 6 && changed.count == 6)
            #expect(zip(whole, changed).map { $0 == $1 } == [false, false, false, true, true, true])
        }
    }

    /// - Parameter smoothedFrom: the first picture that is to be smoothed.
    private func checksums(of input: URL, isFrugal: Bool = false, smoothedFrom: Int = 0) throws -> [UInt64] {
        let demuxer = try Demuxer(path: input.path)
        let decoder = try VideoDecoder(demuxer, threads: 1, options: isFrugal ? .frugal : [])
        var sums: [UInt64] = []
        while let packet = try demuxer.readPacket() {
            if isFrugal { decoder.smoothsBlocks = sums.count >= smoothedFrom }
            try decoder.send(packet)
            while let frame = try decoder.receive() { sums.append(frame.checksum) }
        }
        try decoder.finish()
        while let frame = try decoder.receive() { sums.append(frame.checksum) }
        return sums
    }
}
