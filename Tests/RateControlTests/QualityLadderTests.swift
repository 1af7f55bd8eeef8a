import Testing

@testable import RateControl

@Suite("Quality ladder")
struct QualityLadderTests {
    /// Draws the level after each half second as a digit; loads are drawn as tenths, `x` being 1.2.
    private func line(_ loads: String, ladder: inout QualityLadder, from start: Double = 0) -> String {
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
            drawn += String(ladder.level.rawValue)
        }
        return drawn
    }

    private func line(_ loads: String) -> String {
        var ladder = QualityLadder()
        return line(loads, ladder: &ladder)
    }

    @Test func qualityFallsLevelByLevelToTheLast() {
        #expect(line("55555xxxxxxx") == "000001234555")
    }

    @Test func slowStartsAreIgnored() {
        #expect(line("xxxx5555") == "00000000")
        // Continued overload counts, a slow start does not.
        #expect(line("xxxxxx") == "000012")
    }

    @Test func aLoadThatFitsChangesNothing() {
        #expect(line("123456789987654321") == "000000000000000000")
    }

    @Test func qualityRisesAtOnceWithHeadroom() {
        //            other programs for two seconds, then two seconds of headroom
        #expect(line("33333xxxx333333") == "000001234444000")
        // At 0.39, with half of the frames, all of them would need 0.78: the quality stays lowered by that much.
        var ladder = QualityLadder()
        #expect(line("33333xxxxx", ladder: &ladder).last == "5")
        #expect(line("33333333", ladder: &ladder, from: 5).last == "0")
    }

    @Test func qualityRisesInStepsWithTheHeadroom() {
        var ladder = QualityLadder()
        func windows(_ count: Int, load: Double, from start: Double) -> [Int] {
            (0..<count).map { window in
                let time = start + Double(window + 1) * 0.5
                busy += load * 0.5
                _ = ladder.observe(time: time, busy: [busy])
                return ladder.level.rawValue
            }
        }
        var busy = 0.0
        _ = ladder.observe(time: 0, busy: [0])
        _ = windows(5, load: 0.3, from: 0)
        #expect(windows(5, load: 1.2, from: 2.5) == [1, 2, 3, 4, 5])
        #expect(windows(4, load: 0.39, from: 5) == [5, 5, 5, 3])
        #expect(windows(4, load: 0.5, from: 7) == [3, 3, 3, 0])
    }

    @Test func qualityIsStableAtMediumLoad() {
        #expect(line("55555xx8888888888888888888888") == "00000122222222222222222222222")
    }

    @Test func failedRisesAreDelayed() {
        // After the first attempt fails it waits 4 s, after the second 8 s.
        #expect(
            line("55555x111111x111111111111x111111111111111111111111")
                == "00000111100011111111000001111111111111111000000000")
    }

    /// Draws the levels of a run whose load depends on its level.
    ///
    /// - Parameters:
    ///   - full: the load at full quality.
    ///   - disturbed: windows in which other programs cause overload.
    private func levels(_ full: Double, disturbed: Range<Int>, windows: Int) -> String {
        var ladder = QualityLadder()
        var busy = 0.0
        _ = ladder.observe(time: 0, busy: [0])
        return (0..<windows).map { window in
            busy += 0.5 * (disturbed.contains(window) ? 1.5 : full / ladder.level.loadReduction)
            _ = ladder.observe(time: Double(window + 1) * 0.5, busy: [busy])
            return String(ladder.level.rawValue)
        }.joined()
    }

    @Test(arguments: [0.3, 0.5, 0.65, 0.75, 0.85, 0.92])
    func qualityRecoversAfterADisturbance(_ load: Double) {
        // Two seconds of other programs cost two seconds of headroom, however busy the machine is by itself.
        #expect(levels(load, disturbed: 12..<16, windows: 24) == "000000000000" + "1234" + "444" + "00000", "\(load)")
    }

    @Test(arguments: ["x3333333", "38333333", "33833333", "33383333"])
    func aBusyMomentDoesNotResetTheRecoveryTimer(_ after: String) {
        // Three seconds after a disturbance it has recovered, though the last moments of the disturbance, or one of
        // the headroom, are busy.
        var ladder = QualityLadder()
        _ = line("333333xxxx" + after.prefix(6), ladder: &ladder)
        #expect(ladder.level == .full, "\(after)")
    }

    @Test func repeatedBusyMomentsAreNoHeadroom() {
        #expect(line("55555xx" + String(repeating: "38", count: 12)).last == "2")
        // After a wrong rise it waits twice as long, and busy moments keep it there.
        #expect(line("55555xx33833x1" + String(repeating: "3383", count: 12)).last == "1")
    }

    @Test func slowerMachinesAreRemeasured() {
        var ladder = QualityLadder()
        var busy = 0.0
        _ = ladder.observe(time: 0, busy: [0])
        var seen = ""
        for window in 0..<40 {
            // 0.6 before, and 1.1 from then on.
            busy += 0.5 * (window < 12 ? 0.6 : 1.1 / ladder.level.loadReduction)
            _ = ladder.observe(time: Double(window + 1) * 0.5, busy: [busy])
            seen += String(ladder.level.rawValue)
        }
        #expect(seen == String(repeating: "0", count: 12) + "12" + String(repeating: "3", count: 26))
    }

    @Test func droppedFramesNeedMoreHeadroom() {
        var ladder = QualityLadder()
        #expect(line("55555xxxxx55555555", ladder: &ladder).last == "5")
        #expect(line("33333333", ladder: &ladder, from: 9) == "55500000")
    }

    @Test func timeJumpsAreIgnored() {
        var ladder = QualityLadder()
        _ = ladder.observe(time: 0, busy: [0])
        #expect(ladder.observe(time: 100, busy: [500]) == nil)
        #expect(ladder.observe(time: 50, busy: [900]) == nil)
        #expect(ladder.level == .full)
    }

    @Test func theBusiestStageCounts() {
        var ladder = QualityLadder()
        for second in 0...3 { _ = ladder.observe(time: Double(second), busy: [0, 0, 0]) }
        let step = ladder.observe(time: 3.5, busy: [0.1, 0.75, 0.2])
        #expect(step == QualityLadder.Step(from: .full, to: .analysis, load: 1.5))
    }
}
