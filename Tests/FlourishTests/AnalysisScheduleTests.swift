import Testing

@testable import Flourish

/// Which of the frames are looked at, drawn as text; where `hands` has `h`, a hand is in view, and
/// where it has `g`, one that makes a gesture.
private func looks(_ hands: String, at times: (Int) -> Double) -> String {
    var schedule = AnalysisSchedule()
    return String(hands.enumerated().map { index, mark in
        guard schedule.isDue(at: times(index)) else { return "." }
        schedule.looked(at: times(index), saw: mark == "g" ? .gesture : mark == "h" ? .hands : .nothing)
        return "x"
    })
}

@Suite struct AnalysisScheduleTests {
    @Test func slowWithoutHandsFasterWithThemFastestWithGestures() {
        #expect(looks("----------------", at: { Double($0) / 20 }) == "x...x...x...x...")
        #expect(looks("hhhhhhhhhhhhhhhh", at: { Double($0) / 24 }) == "x..x..x..x..x..x")
        #expect(looks("gggggggggggggggg", at: { Double($0) / 24 }) == "x.x.x.x.x.x.x.x.")
    }

    @Test func theRateOfFramesDoesNotChangeTheBeat() {
        for rate in [24.0, 25, 30, 50, 60] {
            let frames = Int(rate * 4)
            let count = looks(String(repeating: "-", count: frames), at: { Double($0) / rate })
                .count { $0 == "x" }
            #expect((19...21).contains(count), "\(count) looks in 4 s at \(rate) frames a second")
        }
    }

    @Test func aSlowVideoIsLookedAtFrameByFrame() {
        #expect(looks("----", at: { Double($0) }) == "xxxx")
    }

    @Test func anAppointmentIsKept() {
        var schedule = AnalysisSchedule()
        schedule.looked(at: 1, saw: .gesture, appointment: 1.03)
        #expect(!schedule.isDue(at: 1.02))
        #expect(schedule.isDue(at: 1.04))
        schedule.looked(at: 1.04, saw: .gesture)
        #expect(!schedule.isDue(at: 1.06))
    }

    @Test func looksCanBeSpreadOut() {
        var schedule = AnalysisSchedule()
        schedule.stretch = 2
        schedule.looked(at: 1, saw: .nothing)
        #expect(!schedule.isDue(at: 1.3))
        #expect(schedule.isDue(at: 1.4))
    }

    @Test func timeThatRunsBackwardsBeginsANewBeat() {
        #expect(looks("---", at: { [10.0, 0.0, 0.05][$0] }) == "xx.")
    }
}
