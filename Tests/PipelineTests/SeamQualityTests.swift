import MediaIO
import Testing

@testable import Pipeline

@Suite("Quality at seams")
struct SeamQualityTests {
    @Test func qualityRisesTowardTheEnd() {
        let gains = (0..<60).map { SeamQuality.gain(ofFrame: $0, of: 60) }
        #expect(gains[0] > 0)
        #expect(gains[1..<45].allSatisfy { $0 == 0 })
        #expect(zip(gains[44..<59], gains[45...]).allSatisfy { $0 < $1 })
        #expect(gains[59] == gains.max())
    }

    @Test func shortSpansHaveHighQuality() {
        #expect((0..<5).allSatisfy { SeamQuality.gain(ofFrame: $0, of: 5) > 0 })
        #expect(SeamQuality.gain(ofFrame: 0, of: 1) > 0)
    }

    @Test func theWholePictureIsFiner() {
        #expect(SeamQuality.regions(ofFrame: 20, of: 60, width: 64, height: 48).isEmpty)
        let region = SeamQuality.regions(ofFrame: 59, of: 60, width: 64, height: 48)
        #expect(region.map(\.columns) == [0..<64])
        #expect(region.map(\.rows) == [0..<48])
        #expect(region.allSatisfy { $0.quantiserOffset < 0 })
    }
}
