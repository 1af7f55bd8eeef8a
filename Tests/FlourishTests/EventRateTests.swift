@testable import Flourish
import Testing

/// Compares the intervals with published tables.
@Suite struct EventRateTests {
    /// Garwood's table, as in E. S. Pearson and H. O. Hartley, Biometrika Tables for Statisticians 1, table 40.
    @Test(
        arguments: [
            (0, 0, 3.689), (1, 0.0253, 5.572), (2, 0.242, 7.225), (3, 0.619, 8.767), (5, 1.623, 11.668),
            (10, 4.795, 18.390), (20, 12.217, 30.888), (50, 37.111, 65.919),
        ])
    func expectedEvents(count: Int, lower: Double, upper: Double) {
        let interval = EventRate.expectedEvents(count)
        #expect(abs(interval.lowerBound - lower) < 6e-4)
        #expect(abs(interval.upperBound - upper) < 6e-4)
    }

    /// The normal approximation of the square root, which is good for large counts: none of them overflows.
    @Test(arguments: [1000, 10_000])
    func manyEvents(count: Int) {
        let interval = EventRate.expectedEvents(count)
        let root = Double(count).squareRoot()
        #expect(abs((interval.lowerBound.squareRoot() - root) - -0.98) < 0.02)
        #expect(abs((interval.upperBound.squareRoot() - root) - 0.98) < 0.03)
    }

    @Test func rates() {
        // The rule of three, exactly: nothing in an hour.
        #expect(EventRate(events: 0, hours: 1).text == "0.0 (0.0–3.7)")
        #expect(EventRate(events: 2, hours: 0.5).text == "4.0 (0.5–14.4)")
        #expect(EventRate(events: 1, hours: 0).text == "–")
        #expect(EventRate(events: 1, hours: 0).interval == nil)
    }
}
