import RateControl
import Testing

@Suite("Correction for encoders that assume a constant frame rate")
struct PaceCorrectionTests {
    @Test func halfOfTheFramesGetTwiceTheRate() {
        var pace = PaceCorrection(frameRate: 30)
        var changes = 0
        for index in 0..<60 where pace.advance(to: Double(index) / 30) { changes += 1 }
        #expect(pace.factor == 1 && changes == 0)
        for index in 30..<60 { _ = pace.advance(to: Double(index) / 15) }
        #expect(abs(pace.factor - 2) < 0.3, "\(pace.factor)")
        for index in 120..<180 { _ = pace.advance(to: Double(index) / 30) }
        #expect(abs(pace.factor - 1) < 0.2, "\(pace.factor)")
    }

    @Test func millisecondJitterChangesNothing() {
        var pace = PaceCorrection(frameRate: 30)
        for index in 0..<300 { _ = pace.advance(to: (Double(index) / 30 * 1000).rounded() / 1000) }
        #expect(pace.factor == 1)
    }

    @Test func gapsAreIgnored() {
        var pace = PaceCorrection(frameRate: 30)
        _ = pace.advance(to: 0)
        _ = pace.advance(to: 60)
        #expect(pace.factor <= 8)
    }
}
