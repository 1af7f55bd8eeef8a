import RateControl
import Testing

@Suite("The load ladder")
struct LoadLadderTests {
    /// Draws the rung after each half second as a digit; loads are drawn as tenths, `x` being 1.2.
    private func line(_ loads: String, ladder: inout LoadLadder, from start: Double = 0) -> String {
        let rate = 30.0
        var busy = 0.0, time = start
        var drawn = ""
        if start == 0 { _ = ladder.observe(time: time, busy: [busy, 0]) }
        for mark in loads {
            let load = mark == "x" ? 1.2 : Double(mark.wholeNumberValue!) / 10
            for _ in 0..<15 {
                time += 1 / rate
                busy += load / rate
                _ = ladder.observe(time: time, busy: [busy, busy / 2])
            }
            drawn += String(ladder.rung.rawValue)
        }
        return drawn
    }

    private func line(_ loads: String) -> String {
        var ladder = LoadLadder()
        return line(loads, ladder: &ladder)
    }

    @Test func qualityFallsRungByRungAndNoFurtherThanTheLast() {
        #expect(line("5xxxxxxx") == "01234555")
    }

    @Test func aLoadThatFitsChangesNothing() {
        #expect(line("123456789987654321") == "000000000000000000")
    }

    @Test func itRisesAfterAWhileOfEase() {
        //           3 s of ease a rung
        #expect(line("xx111111111111111111") == "12222221111110000000")
    }

    @Test func itStaysWhereTheLoadIsNeitherTooMuchNorEasy() {
        #expect(line("xx8888888888888888888888") == "122222222222222222222222")
    }

    @Test func aRiseThatCameTooSoonIsNotRepeatedSoon() {
        // After the first attempt fails it waits 6 s, after the second 12 s.
        #expect(
            line("x111111x111111111111x111111111111111111111111") == "111111011111111111101111111111111111111111110")
    }

    @Test func whereFramesAreLeftOutMoreEaseIsAskedFor() {
        var ladder = LoadLadder()
        #expect(line("xxxxx55555555", ladder: &ladder).last == "5")
        #expect(line("33333333", ladder: &ladder, from: 6.5).last == "4")
    }

    @Test func leapsInTimeSayNothing() {
        var ladder = LoadLadder()
        _ = ladder.observe(time: 0, busy: [0])
        #expect(ladder.observe(time: 100, busy: [500]) == nil)
        #expect(ladder.observe(time: 50, busy: [900]) == nil)
        #expect(ladder.rung == .full)
    }

    @Test func theBusiestStageCounts() {
        var ladder = LoadLadder()
        _ = ladder.observe(time: 0, busy: [0, 0, 0])
        let step = ladder.observe(time: 0.5, busy: [0.1, 0.75, 0.2])
        #expect(step == LoadLadder.Step(from: .full, to: .analysis, load: 1.5))
    }
}
