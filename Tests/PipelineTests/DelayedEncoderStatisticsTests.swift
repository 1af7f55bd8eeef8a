import RateControl
import Testing

@testable import Pipeline

@Suite("Delayed encoder statistics")
struct DelayedEncoderStatisticsTests {
    private func makeStatistics(codec: EncodingOptions.Codec = .h264, limit: Int? = nil) -> DelayedEncoderStatistics? {
        var options = EncodingOptions()
        options.codec = codec
        options.bitrate = 1_000_000
        options.maxBitrate = limit
        return DelayedEncoderStatistics(options, frameRate: 25)
    }

    /// Independent of the encoder's position when it is queried, between the frame before and three before.
    @Test(arguments: 7...9)
    func statisticsAreDeterministic(encoded: Int) throws {
        let statistics = try #require(makeStatistics())
        for frame in 0...encoded {
            _ = statistics.budget(pixels: 100)
            statistics.note(QuietFrames(qp: Double(frame), bitRate: 1))
        }
        for _ in encoded + 1..<10 { _ = statistics.budget(pixels: 100) }
        #expect(
            statistics.budget(pixels: 2_000_000)
                == EffectBudget(
                    limit: 3_000_000, pixels: 2_000_000, frameRate: 25, quiet: QuietFrames(qp: 7, bitRate: 1)))
    }

    @Test func noStatisticsAtTheStart() throws {
        let statistics = try #require(makeStatistics())
        #expect(statistics.budget(pixels: 100) == nil)
        statistics.note(nil)
        for _ in 1...3 { #expect(statistics.budget(pixels: 100) == nil) }
    }

    @Test func theLimitIsTheConfiguredOne() throws {
        let statistics = try #require(makeStatistics(limit: 1_200_000))
        statistics.note(QuietFrames(qp: 20, bitRate: 1))
        for _ in 0..<3 { _ = statistics.budget(pixels: 100) }
        #expect(statistics.budget(pixels: 100)?.limit == 1_200_000)
    }

    @Test func onlyAConstantRateIsTight() {
        #expect(makeStatistics(codec: .hevc) == nil)
        #expect(DelayedEncoderStatistics(EncodingOptions(), frameRate: 25) == nil)
    }
}
