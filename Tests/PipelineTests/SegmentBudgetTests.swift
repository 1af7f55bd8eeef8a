import MediaIO
import Testing

@testable import Pipeline

@Suite("Budget of a segment")
struct SegmentBudgetTests {
    @Test func segmentsWithinTheBudgetStay() throws {
        let budget = try #require(SegmentBudget(.h264, bytes: 1000))
        #expect(budget.coarser(than: 20, size: 1000) == nil)
        #expect(SegmentBudget(.intra(encoder: "mjpeg"), bytes: 1000) == nil)
    }

    /// Six steps of H.264's quantiser halve the bytes.
    @Test func segmentsBecomeCoarserWithinLimits() throws {
        let budget = try #require(SegmentBudget(.h264, bytes: 1000))
        let little = try #require(budget.coarser(than: 20, size: 1200))
        #expect((21.5...22.5).contains(little))
        #expect(budget.coarser(than: 20, size: 1001) == 20.5)
        #expect(budget.coarser(than: 20, size: 1_000_000) == 23)
        let whole = try #require(SegmentBudget(.vp9, bytes: 1000)?.coarser(than: 30, size: 1100))
        #expect(whole == 33)
        #expect(SegmentBudget(.vp8, bytes: 1000)?.coarser(than: 30, size: 9000) == 35)
    }

    /// What a segment loses, the pictures at its seams do not.
    @Test func seamsStayAsFine() {
        for frame in [0, 59] {
            #expect(SeamQuality.gain(ofFrame: frame, of: 60, loss: 3) == SeamQuality.gain(ofFrame: frame, of: 60) + 3)
        }
        #expect(SeamQuality.gain(ofFrame: 20, of: 60, loss: 3) == 0)
    }
}
