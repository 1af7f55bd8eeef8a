import RateControl
import Testing

/// A pretend encoder whose bits and quantiser follow the rule of six: a rate that is twice
/// what the picture needs lowers the quantiser by six.
private struct PretendEncoder {
    var governor: EncoderGovernor
    /// What frames without effect need for quantiser 24.
    let need = 1_000_000.0
    /// How many times that the effect really needs.
    let trueComplexity: Double
    let loads: [EffectLoad]
    let frameRate: Double
    /// Frames that the encoder keeps inside.
    var delay = 10

    struct Step {
        var time: Double
        var targets: EncoderTargets
        var frame: EncodedFrame
        var adjustment: EncoderAdjustment?
    }

    mutating func run(seconds: Double) -> [Step] {
        var steps: [Step] = []
        for index in 0..<Int(seconds * frameRate) {
            let time = Double(index) / frameRate
            let visible = loads.filter { time >= $0.startTime - 2 && time < $0.endTime }
            let adjustment = governor.advance(to: time, loads: visible)
            let isOn = loads.contains { $0.startTime <= time && time < $0.endTime }
            let needed = need * (isOn ? trueComplexity : 1)
            let frame: EncodedFrame
            if let rate = governor.targets.bitRate {
                frame = EncodedFrame(
                    time: time, duration: 1 / frameRate, bits: Int(Double(rate) / frameRate),
                    qp: 24 + 6 * log2(needed / Double(rate)))
            } else {
                let crf = governor.targets.crf!
                frame = EncodedFrame(
                    time: time, duration: 1 / frameRate,
                    bits: Int(needed * exp2((23 - crf) / 6) / frameRate), qp: crf + 1)
            }
            steps.append(Step(time: time, targets: governor.targets, frame: frame, adjustment: adjustment))
            if index >= delay { governor.observe(steps[index - delay].frame) }
        }
        return steps
    }
}

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("The governor with a constant bit rate")
struct RateModeTests {
    private func steps(
        guess: Double, truth: Double, limit: Int = 8_000_000, rate: Double = 30, known: Bool = true
    ) -> [PretendEncoder.Step] {
        var encoder = PretendEncoder(
            governor: EncoderGovernor(mode: .rate(bitRate: 1_000_000, limit: limit)), trueComplexity: truth,
            loads: [EffectLoad(startTime: 4, endTime: 9, complexity: guess)], frameRate: rate)
        return encoder.run(seconds: 14)
    }

    @Test func itRisesBeforeTheFirstFrameAndComesDownAfterTheLast() throws {
        let steps = steps(guess: 3, truth: 3)
        let raised = try #require(steps.first { $0.targets.bitRate != 1_000_000 })
        #expect(raised.time < 4 && raised.time >= 4 - EncoderGovernor.lead - 0.001)
        #expect(raised.adjustment?.reason == .effectComing)
        let last = try #require(steps.last { $0.targets.bitRate != 1_000_000 })
        #expect(last.time < 9 && last.time > 8.9)
        #expect(steps.last { $0.adjustment != nil }?.adjustment?.reason == .effectsEnded)
    }

    @Test func aGoodGuessIsLeftAlone() {
        let reasons = steps(guess: 3, truth: 3).compactMap { $0.adjustment?.reason }
        #expect(reasons == [.effectComing, .effectsEnded])
    }

    @Test(arguments: [(2.0, 6.0), (6.0, 2.0), (1.0, 4.0)], [25.0, 30, 60])
    func aWrongGuessIsCorrected(_ complexities: (Double, Double), _ frameRate: Double) throws {
        let steps = steps(guess: complexities.0, truth: complexities.1, rate: frameRate)
        let settled = try #require(steps.last { $0.time < 8.9 })
        #expect(abs(settled.frame.qp! - 24) < 2, "\(settled.frame)")
        // It never hunts: each correction goes the same way.
        let corrections = Set(steps.compactMap { $0.adjustment?.reason }).intersection([.effectNeedsMore, .effectNeedsLess])
        #expect(corrections.count == 1)
    }

    @Test func theLimitHolds() {
        let steps = steps(guess: 9, truth: 20, limit: 3_000_000)
        #expect(steps.compactMap(\.targets.bitRate).max() == 3_000_000)
        // A wish that cannot be granted is told once.
        #expect(steps.filter { $0.adjustment != nil }.count == 2)
    }

    @Test func aLimitBelowTheRateIsTheRate() {
        let steps = steps(guess: 3, truth: 3, limit: 500_000)
        #expect(Set(steps.compactMap(\.targets.bitRate)) == [1_000_000])
        #expect(!steps.contains { $0.adjustment != nil })
    }

    @Test func effectsThatOverlapAdd() throws {
        var governor = EncoderGovernor(mode: .rate(bitRate: 1_000_000, limit: 9_000_000))
        let first = EffectLoad(startTime: 1, endTime: 5, complexity: 2)
        let second = EffectLoad(startTime: 2, endTime: 4, complexity: 3)
        #expect(governor.advance(to: 1, loads: [first])?.requested.bitRate == 2_000_000)
        #expect(governor.advance(to: 2, loads: [first, second])?.requested.bitRate == 4_000_000)
        let one = governor.advance(to: 4, loads: [first, second])
        #expect(one?.requested.bitRate == 2_000_000)
        #expect(one?.reason == .effectStarted)
        #expect(governor.advance(to: 5, loads: [])?.requested.bitRate == 1_000_000)
        #expect(governor.advance(to: 5.1, loads: []) == nil)
    }

    @Test func withoutQuantisersTheGuessStays() {
        var governor = EncoderGovernor(mode: .rate(bitRate: 1_000_000, limit: 9_000_000))
        let load = EffectLoad(startTime: 1, endTime: 5, complexity: 2)
        var changes = 0
        for index in 0..<180 {
            let time = Double(index) / 30
            if governor.advance(to: time, loads: time < 5 ? [load] : []) != nil { changes += 1 }
            governor.observe(EncodedFrame(time: time, duration: 1 / 30, bits: 60_000, qp: nil))
        }
        #expect(changes == 2)
    }
}

@Suite("The governor with constant quality")
struct QualityModeTests {
    private func steps(guess: Double, truth: Double, budget: Double) -> [PretendEncoder.Step] {
        var encoder = PretendEncoder(
            governor: EncoderGovernor(mode: .quality(crf: 23, budget: budget)), trueComplexity: truth,
            loads: [EffectLoad(startTime: 4, endTime: 9, complexity: guess)], frameRate: 30)
        return encoder.run(seconds: 14)
    }

    @Test func withinTheBudgetNothingChanges() {
        #expect(!steps(guess: 3, truth: 3, budget: 4).contains { $0.adjustment != nil })
    }

    @Test(arguments: [(12.0, 12.0), (6.0, 12.0), (20.0, 8.0)])
    func theBudgetHolds(_ complexities: (Double, Double)) throws {
        let steps = steps(guess: complexities.0, truth: complexities.1, budget: 4)
        let under = steps.filter { $0.time >= 6.5 && $0.time < 9 }
        let mean = Double(under.map(\.frame.bits).reduce(0, +)) / Double(under.count) * 30
        #expect(mean < 4_000_000 * 1.25 && mean > 4_000_000 * 0.7, "\(mean)")
        #expect(steps.last?.targets == EncoderTargets(crf: 23))
    }

    @Test func theRiseIsGentle() {
        let steps = steps(guess: 100, truth: 100, budget: 1.5)
        #expect(steps.compactMap(\.targets.crf).max() == 33)
    }
}
