import Testing

@testable import Pipeline

@Suite struct FrameThinningTests {
    /// Draws time as text, a character a frame: `a` while every second frame is left out, `-` while none is.
    ///
    /// - Returns: the places in the output of those that stay.
    private func places(_ halvings: String) -> [Int] {
        var thinning = FrameThinning(limit: nil, inputRate: 10)
        return halvings.enumerated().compactMap { index, mark in
            thinning.halving = mark == "a" ? .always : .never
            return thinning.keeps(Double(index) / 10, during: []) ? index - thinning.count : nil
        }
    }

    /// Those that come after the machine has recovered, too.
    @Test func framesAreCountedAsTheyStandInTheOutput() {
        #expect(places("--aaaa----") == Array(0..<8))
        #expect(places("-aa-aa--") == Array(0..<6))
    }
}
