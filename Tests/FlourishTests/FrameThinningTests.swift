import MediaIO
import Raster
import Testing

@testable import Flourish

@Suite struct FrameThinningTests {
    /// Draws time as text, a character a frame: `a` while every second frame is left out, `-` while none is.
    ///
    /// - Returns: the places in the output of those that stay.
    private func places(_ halvings: String) throws -> [Int] {
        var thinning = FrameThinning(limit: nil, inputRate: 10)
        return try halvings.enumerated().compactMap { index, mark in
            thinning.halving = mark == "a" ? .always : .never
            let time = MediaTime(value: Int64(index), timeBase: Rational(1, 10))
            var item = PipelineFrame(
                frame: try VideoFrame(format: PictureFormat(width: 16, height: 16), time: time, pool: FramePool()),
                index: index, time: time.seconds)
            return thinning.keeps(&item, during: []) ? item.index : nil
        }
    }

    /// Those that come after the machine has recovered, too.
    @Test func framesAreCountedAsTheyStandInTheOutput() throws {
        #expect(try places("--aaaa----") == Array(0..<8))
        #expect(try places("-aa-aa--") == Array(0..<6))
    }
}
