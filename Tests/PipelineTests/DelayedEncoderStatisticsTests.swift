import RateControl
import Testing

@testable import Pipeline

@Suite("What the drawing thread knows of the encoder")
struct DelayedEncoderStatisticsTests {
    private func makeOutlook(codec: EncodingOptions.Codec = .h264, limit: Int? = nil) -> DelayedEncoderStatistics? {
        var options = EncodingOptions()
        options.codec = codec
        options.bitrate = 1_000_000
        options.maxBitrate = limit
        return DelayedEncoderStatistics(options, frameRate: 25)
    }

    /// Independent of the encoder's position when it is queried, between the frame before and three before.
    @Test(arguments: 7...9)
    func twoRunsKnowAlike(encoded: Int) throws {
        let outlook = try #require(makeOutlook())
        for frame in 0...encoded {
            _ = outlook.budget(pixels: 100)
            outlook.note(QuietFrames(qp: Double(frame), bitRate: 1))
        }
        for _ in encoded + 1..<10 { _ = outlook.budget(pixels: 100) }
        #expect(
            outlook.budget(pixels: 2_000_000)
                == EffectBudget(
                    limit: 3_000_000, pixels: 2_000_000, frameRate: 25, quiet: QuietFrames(qp: 7, bitRate: 1)))
    }

    @Test func nothingIsKnownAtTheBeginning() throws {
        let outlook = try #require(makeOutlook())
        #expect(outlook.budget(pixels: 100) == nil)
        outlook.note(nil)
        for _ in 1...3 { #expect(outlook.budget(pixels: 100) == nil) }
    }

    @Test func theLimitIsTheUsersOwn() throws {
        let outlook = try #require(makeOutlook(limit: 1_200_000))
        outlook.note(QuietFrames(qp: 20, bitRate: 1))
        for _ in 0..<3 { _ = outlook.budget(pixels: 100) }
        #expect(outlook.budget(pixels: 100)?.limit == 1_200_000)
    }

    @Test func onlyARateThatIsHeldIsTight() {
        #expect(makeOutlook(codec: .hevc) == nil)
        #expect(DelayedEncoderStatistics(EncodingOptions(), frameRate: 25) == nil)
    }
}
