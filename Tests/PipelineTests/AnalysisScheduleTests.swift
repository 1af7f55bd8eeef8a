@testable import Pipeline
import Testing
@testable import Vision

/// The analysed frames (`x`), and those with only a scene check (`o`), drawn as text.
///
/// - Parameter scene: a frame each. `h`: a hand is in view; `g`: one that makes a gesture. Without a hand the scene
///   check sees, compared with the last analysis, `-`: nothing, `~`: constant motion, `m`: a new moving region, `!`: a
///   new region that stays.
private func analysed(
    _ scene: String, at times: (Int) -> Double, hold: Double = 1, purpose: AnalysisSchedule.Purpose = .watching
) -> String {
    var schedule = AnalysisSchedule(hold: hold, purpose: purpose)
    return String(
        scene.enumerated().map { index, mark in
            let time = times(index)
            guard schedule.isDue(at: time) else { return "." }
            if schedule.isCalm(at: time) {
                let change: SceneChangeDetector.Change =
                    switch mark {
                    case "-": .none
                    case "~": .usual
                    case "m": .moving
                    default: .arrival
                    }
                guard schedule.recordCheck(at: time, change: change) else { return "o" }
            }
            schedule.recordAnalysis(at: time, state: mark == "g" ? .gesture : mark == "h" ? .hands : .nothing)
            return "x"
        })
}

/// Ten frames a second, the rate of scene checks.
private func analysed(
    _ scene: String, hold: Double = 1, purpose: AnalysisSchedule.Purpose = .watching
) -> String {
    analysed(scene, at: { Double($0) / 10 }, hold: hold, purpose: purpose)
}

@Suite struct AnalysisScheduleTests {
    @Test func analysisIsFasterWithHandsAndFastestWithGestures() {
        #expect(analysed("hhhhhhhhhhhhhhhh", at: { Double($0) / 24 }) == "x..x..x..x..x..x")
        #expect(analysed("gggggggggggggggg", at: { Double($0) / 24 }) == "x.x.x.x.x.x.x.x.")
    }

    @Test func staticScenesAreAnalysedSeldom() {
        #expect(analysed("-----------------------------------") == "xoxoxoxoooooooooxoooooooooxoooooooo")
    }

    @Test func constantMotionIsAnalysedMoreOften() {
        #expect(analysed("~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~") == "xoxoxoxooooxooooxooooxooooxooo")
    }

    @Test func newMotionIsAnalysedEvenMoreOften() {
        #expect(analysed("mmmmmmmmmmmmmmmmmmmmmm") == "xoxoxoxoooxoooxoooxooo")
    }

    @Test func newStillRegionsAreAnalysedAtOnce() {
        let scene = "-------------!-------------"
        #expect(analysed(scene) == "xoxoxoxoooooox" + "oxoxoxooooooo")
    }

    @Test func lostHandsAreSearchedAtTheSameRate() {
        #expect(analysed("hhhh-------------------------") == "x.x.x.x.x.x.x.ooooooooxoooooo")
    }

    @Test func briefHoldsAreNotMissed() {
        #expect(analysed("~~~~~~~~~~~~~~~~~~~~", hold: 0.4) == "xoxoxoxooxooxooxooxo")
    }

    @Test func scansSkipHandsForAHold() {
        #expect(analysed("hhhhhhhhhhggggggggggggg", purpose: .scanning) == "x...x...x...x.....x....")
        #expect(analysed("hhhhhhhhh", hold: 0.5, purpose: .scanning) == "x.x.x.x.x")
    }

    @Test func analysedFramesNeedNoSceneCheck() {
        #expect(analysed("----------------", purpose: .closeAnalysis) == "x.x.x.x.x.x.x.x.")
    }

    @Test func resumingAnalysesAtOnce() {
        var schedule = AnalysisSchedule(purpose: .closeAnalysis)
        schedule.recordAnalysis(at: 1, state: .nothing)
        schedule.resume()
        #expect(schedule.isDue(at: 1.1))
        schedule.recordAnalysis(at: 1.1, state: .nothing)
        #expect(!schedule.isDue(at: 1.2))
    }

    @Test func onlyIntervalsAreAnalysedFromTheirFirstFrameOn() {
        var intervals = CandidateIntervals()
        for range in [1.0...1.5, 3.0...3.2] { intervals.add(range) }
        var schedule = AnalysisSchedule(purpose: .closeAnalysis, intervals: intervals)
        var analysed: [Int] = []
        for frame in 0..<40 where schedule.isDue(at: Double(frame) / 10) {
            if frame == 10 || frame == 30 { #expect(schedule.isEntering(at: Double(frame) / 10)) }
            analysed.append(frame)
            // A hold would be complete after the interval.
            schedule.recordAnalysis(at: Double(frame) / 10, state: .nothing, nextDue: frame < 20 ? 2.1 : nil)
        }
        #expect(analysed == [10, 12, 14, 30, 32])
    }

    @Test func intervalsDoNotDependOnTheFrameRate() {
        for rate in [24.0, 25, 30, 50, 60] {
            let frames = Int(rate * 20)
            let count = analysed(String(repeating: "~", count: frames), at: { Double($0) / rate }).count { $0 == "x" }
            #expect((36...42).contains(count), "\(count) analyses in 20 s at \(rate) frames a second")
        }
    }

    @Test func slowVideosAreAnalysedFrameByFrame() {
        #expect(analysed("----", at: { Double($0) }) == "xxxx")
    }

    @Test func requestedTimesAreAnalysed() {
        var schedule = AnalysisSchedule()
        schedule.recordAnalysis(at: 1, state: .gesture, nextDue: 1.03)
        #expect(!schedule.isDue(at: 1.02))
        #expect(schedule.isDue(at: 1.04))
        schedule.recordAnalysis(at: 1.04, state: .gesture)
        #expect(!schedule.isDue(at: 1.06))
    }

    @Test func intervalsCanBeScaled() {
        var schedule = AnalysisSchedule()
        schedule.intervalScale = 2
        schedule.recordAnalysis(at: 1, state: .hands)
        #expect(!schedule.isDue(at: 1.2))
        #expect(schedule.isDue(at: 1.23))
    }

    @Test func backwardTimeResetsTheSchedule() {
        #expect(analysed("---", at: { [10.0, 0.0, 0.05][$0] }) == "xx.")
    }
}
