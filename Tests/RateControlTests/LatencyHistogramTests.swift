import RateControl
import Testing

@Suite("The histogram of latencies")
struct LatencyHistogramTests {
    @Test func percentilesAreRightToAFewPercent() {
        var histogram = LatencyHistogram()
        for value in 1...1000 { histogram.add(Double(value) / 1000) }
        #expect(histogram.count == 1000)
        #expect(abs(histogram.percentile(0.5) - 0.5) < 0.02)
        #expect(abs(histogram.percentile(0.99) - 0.99) < 0.03)
        #expect(histogram.maximum == 1)
        #expect(histogram.percentile(1) <= 1)
    }

    @Test func extremesAreCounted() {
        var histogram = LatencyHistogram()
        #expect(histogram.percentile(0.5) == 0)
        histogram.add(0)
        histogram.add(1e9)
        #expect(histogram.percentile(0.5) < 1e-5)
        #expect(histogram.maximum == 1e9)
    }
}
