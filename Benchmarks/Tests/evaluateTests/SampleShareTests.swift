import Testing
@testable import evaluate

/// Compares the intervals and the test with published tables.
@Suite struct SampleShareTests {
    /// R. G. Newcombe, Two-sided confidence intervals for the single proportion, Statistics in Medicine 17, 1998,
    /// table I, method 3.
    @Test(
        arguments: [
            (81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0, 0.1611), (1, 29, 0.0061, 0.1718),
        ])
    func shares(part: Int, whole: Int, lower: Double, upper: Double) throws {
        let interval = try #require(SampleShare(part, of: whole).interval)
        #expect(abs(interval.lowerBound - lower) < 6e-5)
        #expect(abs(interval.upperBound - upper) < 6e-5)
        // The interval of what fails mirrors it.
        let mirrored = try #require(SampleShare(whole - part, of: whole).interval)
        #expect(abs(mirrored.lowerBound - (1 - upper)) < 6e-5)
        #expect(abs(mirrored.upperBound - (1 - lower)) < 6e-5)
    }

    @Test func sharesAsText() {
        #expect(SampleShare(15, of: 148).text == "0.101 (0.062–0.160)")
        #expect(SampleShare(20, of: 20).text == "1.000 (0.839–1.000)")
        #expect(SampleShare(0, of: 0).text == "–")
    }

    /// The approval ratings of A. Agresti, Categorical Data Analysis (86 and 150), with the exact probability of
    /// M. P. Fay, Exact McNemar's test and matching confidence intervals, 2010; and the sign test's table D of
    /// S. Siegel, Nonparametric Statistics, 1956, twice its one-sided values.
    @Test(
        arguments: [
            (86, 150, 3.716e-05, 1e-8), (1, 9, 0.022, 1e-3), (4, 12, 0.076, 1e-3), (0, 6, 0.032, 1e-3), (5, 5, 1, 0),
            (0, 0, 1, 0),
        ])
    func pairs(first: Int, second: Int, probability: Double, tolerance: Double) {
        for test in [
            PairedTest(onlyFirst: first, onlySecond: second), PairedTest(onlyFirst: second, onlySecond: first),
        ] {
            #expect(abs(test.probability - probability) <= tolerance + 1e-12)
        }
    }

    @Test func pairsOfResults() {
        let test = PairedTest([true, true, false, true, false], [true, false, false, false, true])
        #expect(test == PairedTest(onlyFirst: 2, onlySecond: 1))
        #expect(test.text == "p = 1.000")
        #expect(PairedTest(onlyFirst: 0, onlySecond: 20).text == "p < 0.001")
        #expect(PairedTest(onlyFirst: 2000, onlySecond: 2000).probability == 1)
    }
}
