@testable import RateControl
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A simulated encoder whose bits and quantiser follow the rule of six: a rate that is twice the picture's need
/// lowers the quantiser by six.
private struct SimulatedEncoder {
    var governor: EncoderGovernor
    /// The bits of frames without effect at quantiser 24.
    let need = 1_000_000.0
    /// The effect's actual factor on the bits.
    let trueComplexity: Double
    let demands: [EffectDemand]
    let frameRate: Double
    /// The number of frames that the encoder buffers.
    var delay = 10
    /// The share of its rate that it spends just after the effect; it recovers within four seconds.
    var spent = 1.0

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
            let visible = demands.filter { time >= $0.startTime - 2 && time < $0.endTime }
            let adjustment = governor.advance(to: time, demands: visible)
            let isOn = demands.contains { $0.startTime <= time && time < $0.endTime }
            let needed = need * (isOn ? trueComplexity : 1)
            let frame: EncodedFrame
            if let target = governor.targets.bitRate {
                let since = (time - (demands.map(\.endTime).max() ?? .infinity)) / 4
                let rate = Double(target) * (since < 0 ? 1 : min(spent + (1 - spent) * since, 1))
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

@Suite("The governor with a constant bit rate")
struct RateModeTests {
    private func steps(
        guess: Double, truth: Double, limit: Int = 8_000_000, rate: Double = 30, spentAfter: Double = 1
    ) -> [SimulatedEncoder.Step] {
        var encoder = SimulatedEncoder(
            governor: EncoderGovernor(mode: .rate(bitRate: 1_000_000, limit: limit)), trueComplexity: truth,
            demands: [EffectDemand(startTime: 4, endTime: 9, complexity: guess)], frameRate: rate, spent: spentAfter)
        return encoder.run(seconds: 14)
    }

    /// The rate of an effect with a factor on the bits.
    private func raised(_ complexity: Double) -> Int {
        Int(1_000_000 * complexity * exp2(-EncoderGovernor.allowance / 6))
    }

    @Test func theRateCoversTheWholeEffect() throws {
        let steps = steps(guess: 3, truth: 3)
        let raised = try #require(steps.first { $0.targets.bitRate != 1_000_000 })
        #expect(raised.time < 4 && raised.time >= 4 - EncoderGovernor.lead - 0.001)
        #expect(raised.adjustment?.reason == .effectComing)
        let last = try #require(steps.last { $0.targets.bitRate != 1_000_000 })
        // The last frames of the effect stay in the encoder for ten frames more.
        #expect(last.time > 9 && last.time < 9 + EncoderGovernor.longestDelay)
        #expect(steps.last { $0.adjustment != nil }?.adjustment?.reason == .effectsEnded)
    }

    @Test func goodPredictionsAreKept() {
        let reasons = steps(guess: 3, truth: 3).compactMap { $0.adjustment?.reason }
        #expect(reasons == [.effectComing, .effectsEnded])
    }

    @Test(arguments: [(2.0, 6.0), (6.0, 2.0), (1.0, 4.0)], [25.0, 30, 60])
    func wrongPredictionsAreCorrected(_ complexities: (Double, Double), _ frameRate: Double) throws {
        let steps = steps(guess: complexities.0, truth: complexities.1, rate: frameRate)
        let settled = try #require(steps.last { $0.time < 8.9 })
        #expect(abs(settled.frame.qp! - 24 - EncoderGovernor.allowance) < 2, "\(settled.frame)")
        // It never oscillates: each correction has the same direction.
        let corrections = Set(steps.compactMap { $0.adjustment?.reason }).intersection([
            .effectNeedsMore, .effectNeedsLess,
        ])
        #expect(corrections.count == 1)
    }

    @Test func theLimitHolds() {
        let steps = steps(guess: 9, truth: 20, limit: 3_000_000)
        #expect(steps.compactMap(\.targets.bitRate).max() == 3_000_000)
        // A request that exceeds the limit is reported once.
        #expect(steps.filter { $0.time < 9 && $0.adjustment != nil }.count == 1)
    }

    @Test func correctionsWaitForTheFullEffect() {
        let steps = steps(guess: 4, truth: 2)
        #expect(
            steps.filter { $0.time < 4 + EncoderGovernor.trial }.compactMap { $0.adjustment?.reason } == [.effectComing]
        )
        #expect(steps.contains { $0.adjustment?.reason == .effectNeedsLess })
    }

    @Test(arguments: [0.6, 0.75])
    func theRateCompensatesAfterEffects(_ spent: Double) throws {
        func meanQP(_ steps: [SimulatedEncoder.Step]) -> Double {
            let after = steps.filter { $0.time >= 9 && $0.time < 12 }.compactMap(\.frame.qp)
            return after.reduce(0, +) / Double(after.count)
        }
        let steps = steps(guess: 3, truth: 3.6, limit: 3_000_000, spentAfter: spent)
        let remainingQP = 6 * log2(1 / (spent + (1 - spent) * 3 / 8))
        #expect(meanQP(steps) < 24 + remainingQP / 2, "\(meanQP(steps)) \(remainingQP)")
        let reasons = steps.compactMap { $0.adjustment?.reason }
        #expect(reasons.contains(.recovering) && reasons.last == .effectsEnded)
        let last = try #require(steps.last { $0.targets.bitRate != 1_000_000 })
        #expect(last.time < 9 + EncoderGovernor.longestDelay + EncoderGovernor.longestRecovery)
        #expect(steps.filter { $0.time > 9.5 }.compactMap(\.targets.bitRate).max()! < 1_700_000)
    }

    /// `.` nothing, `a` an effect is announced for the next frame, `#` it is shown; below it `-` the usual rate, `^` a raised one.
    @Test(arguments: [
        (
            "...aaa###########..........", "---^^^###########^^^^^^^---",
            [EncoderAdjustment.Reason.effectComing, .effectsEnded]
        ),
        ("...aaa.....................", "---^^^---------------------", [.effectComing, .effectCalledOff]),
        (
            "...a.a###########..........", "---^-^###########^^^^^^^---",
            [.effectComing, .effectCalledOff, .effectComing, .effectsEnded]
        ),
        ("......###########..........", "------###########^^^^^^^---", [.effectStarted, .effectsEnded]),
    ])
    func announcedEffectsRaiseTheRate(_ shown: String, _ rates: String, _ reasons: [EncoderAdjustment.Reason]) {
        var governor = EncoderGovernor(mode: .rate(bitRate: 1_000_000, limit: 9_000_000))
        var reported: [EncoderAdjustment.Reason] = [], seen = "", start: Double?
        for (index, mark) in shown.enumerated() {
            let time = Double(index) / 30
            if mark == "#", start == nil { start = time }
            let from = mark == "#" ? start : mark == "a" ? time + 0.02 : nil
            let demands = from.map { [EffectDemand(startTime: $0, endTime: $0 + 5, complexity: 3)] } ?? []
            if let change = governor.advance(to: time, demands: demands) { reported.append(change.reason) }
            let isRaised = governor.targets.bitRate == raised(3)
            seen.append(isRaised ? (mark == "#" ? "#" : "^") : "-")
        }
        #expect(seen == rates)
        #expect(reported == reasons)
    }

    @Test func encodersWithoutDelayReturnAtOnce() {
        var encoder = SimulatedEncoder(
            governor: EncoderGovernor(mode: .rate(bitRate: 1_000_000, limit: 8_000_000)), trueComplexity: 3,
            demands: [EffectDemand(startTime: 1, endTime: 3, complexity: 3)], frameRate: 30, delay: 0)
        let steps = encoder.run(seconds: 5)
        #expect(steps.last { $0.targets.bitRate != 1_000_000 }.map { $0.time < 3 } == true)
    }

    @Test func aLimitBelowTheRateIsTheRate() {
        let steps = steps(guess: 3, truth: 3, limit: 500_000)
        #expect(Set(steps.compactMap(\.targets.bitRate)) == [1_000_000])
        #expect(!steps.contains { $0.adjustment != nil })
    }

    @Test func effectsThatOverlapAdd() throws {
        var governor = EncoderGovernor(mode: .rate(bitRate: 1_000_000, limit: 9_000_000))
        let first = EffectDemand(startTime: 1, endTime: 5, complexity: 2)
        let second = EffectDemand(startTime: 2, endTime: 4, complexity: 3)
        #expect(governor.advance(to: 1, demands: [first])?.requested.bitRate == raised(2))
        #expect(governor.advance(to: 2, demands: [first, second])?.requested.bitRate == raised(4))
        let one = governor.advance(to: 4, demands: [first, second])
        #expect(one?.requested.bitRate == raised(2))
        #expect(one?.reason == .effectStarted)
        #expect(governor.advance(to: 5, demands: [])?.requested.bitRate == 1_000_000)
        #expect(governor.advance(to: 5.1, demands: []) == nil)
    }

    @Test func predictionsAreKeptWithoutQuantisers() {
        var governor = EncoderGovernor(mode: .rate(bitRate: 1_000_000, limit: 9_000_000))
        let load = EffectDemand(startTime: 1, endTime: 5, complexity: 2)
        var changes = 0
        for index in 0..<180 {
            let time = Double(index) / 30
            if governor.advance(to: time, demands: time < 5 ? [load] : []) != nil { changes += 1 }
            governor.observe(EncodedFrame(time: time, duration: 1 / 30, bits: 60_000, qp: nil))
        }
        #expect(changes == 2)
    }
}

@Suite("The governor with constant quality")
struct QualityModeTests {
    private func steps(guess: Double, truth: Double, budget: Double) -> [SimulatedEncoder.Step] {
        var encoder = SimulatedEncoder(
            governor: EncoderGovernor(mode: .quality(crf: 23, budget: budget)), trueComplexity: truth,
            demands: [EffectDemand(startTime: 4, endTime: 9, complexity: guess)], frameRate: 30)
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
