import RateControl
import Testing

@Suite("Frame pacer")
struct FramePacerTests {
    /// Draws the kept frames among `count`: `#`, or `-` for a dropped one. Pacing holds where `pacing` has an `x`,
    /// and after its end as at its end.
    private func line(_ rate: Double, to target: Double, pacing: String, rounded: Bool = false) -> String {
        var pacer = FramePacer(rate: target)
        return String(
            pacing.enumerated().map { index, mark in
                var time = 3 + Double(index) / rate
                if rounded { time = (time * 1000).rounded() / 1000 }
                return pacer.keeps(time, isPacing: mark == "x") ? "#" : "-"
            })
    }

    @Test(arguments: [false, true])
    func halfTheFramesStayWhileAnEffectRuns(_ rounded: Bool) {
        #expect(
            line(60, to: 30, pacing: "....xxxxxxxxxx....", rounded: rounded)
                == "#####-#-#-#-#-####")
    }

    @Test(arguments: [(60.0, 24.0), (50, 30), (60, 25), (30, 25), (59.94, 29.97), (120, 30), (48, 20)])
    func theRateIsMet(_ input: Double, _ target: Double) {
        let count = Int(input * 10)
        let kept = line(input, to: target, pacing: String(repeating: "x", count: count), rounded: true)
        let shown = Double(kept.filter { $0 == "#" }.count) / 10
        #expect(abs(shown - target) <= 0.2)
        // Even: no gap is longer than necessary.
        let longest = kept.split(separator: "#").map(\.count).max() ?? 0
        #expect(longest <= Int((input / target).rounded(.up)))
    }

    @Test func aSlowInputLosesNothing() {
        for rate in [10.0, 24, 25, 29.97, 30] {
            #expect(!line(rate, to: 30, pacing: String(repeating: "x", count: 300), rounded: true).contains("-"))
        }
    }

    @Test func variableTimesAreThinnedOnlyWhereTheyAreDense() {
        var pacer = FramePacer(rate: 10)
        let times = [0, 0.02, 0.04, 0.5, 0.9, 0.92, 1.0, 1.1]
        let kept = times.filter { pacer.keeps($0, isPacing: true) }
        #expect(kept == [0, 0.5, 0.9, 1.0, 1.1])
    }
}
