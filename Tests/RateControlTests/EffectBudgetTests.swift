import Testing

@testable import RateControl

@Suite("Effect budget")
struct EffectBudgetTests {
    private let cost = EffectCost(bits: 100_000, piecesBits: 80_000)

    private func budget(
        limit: Double = 4_000_000, qp: Double = EffectCost.referenceQP, quiet: Double = 1_000_000,
        pixels: Int = 1280 * 720,
        frameRate: Double = 30
    ) -> EffectBudget {
        EffectBudget(
            limit: limit, pixels: pixels, frameRate: frameRate, quiet: QuietFrames(qp: qp, bitRate: quiet))
    }

    @Test func anEffectAddsItsBitsToEachFrame() {
        #expect(budget().addedBitRate(of: cost) == 3_000_000)
        let small = budget(pixels: 640 * 720).addedBitRate(of: cost)
        #expect(small > 1_500_000 && small < 3_000_000)
        let coarser = budget(qp: EffectCost.referenceQP + EffectCost.qpPerOctave)
        #expect(abs(coarser.addedBitRate(of: cost) - 1_500_000) < 1)
    }

    @Test func lowerRequestsCostLess() {
        let (half, budget) = (cost.thinned(to: 0.5), budget(limit: 2_500_000))
        #expect(abs(budget.addedBitRate(of: half) - budget.addedBitRate(of: cost, detail: 0.5)) < 1)
        #expect(budget.detail(for: half, besides: 0) > budget.detail(for: cost, besides: 0))
    }

    @Test func addedBitsDoNotDependOnTheClip() {
        #expect(budget(quiet: 300_000).addedBitRate(of: cost) == budget(quiet: 3_000_000).addedBitRate(of: cost))
    }

    @Test func doubleFramesCostLessThanDoubleBits() {
        let (slow, fast) = (budget().addedBitRate(of: cost), budget(frameRate: 60).addedBitRate(of: cost))
        #expect(fast > slow && fast < 2 * slow)
    }

    @Test func fewerPiecesAddLess() {
        let some = budget().addedBitRate(of: cost, detail: 0.5)
        #expect(abs(some - 1_800_000) < 1)
    }

    /// From a rate that may not rise at all to one that may rise far.
    @Test func higherLimitsDrawMorePieces() {
        let details = stride(from: 1_000_000.0, through: 8_000_000, by: 250_000)
            .map { budget(limit: $0).detail(for: cost, besides: 0) }
        #expect(details.first == 0.5 && details.last == 1)
        #expect(zip(details, details.dropFirst()).allSatisfy { $0 <= $1 })
        #expect(Set(details).count > 4)
    }

    @Test func effectsAreThinnedToFitTheBudget() {
        let budget = budget(limit: 3_000_000)
        let detail = budget.detail(for: cost, besides: 0)
        #expect(detail > 0.5 && detail < 1)
        let coarser = EncoderGovernor.allowance
        let taken =
            1_000_000 * power(-coarser / EncoderGovernor.qpPerOctave)
            + budget.addedBitRate(of: cost, detail: detail) * power(-coarser / EffectCost.qpPerOctave)
        let step = budget.addedBitRate(of: cost) * EffectBudget.step
        #expect(abs(taken - 3_000_000 * EffectBudget.usedShare) < step, "\(detail) \(taken)")
    }

    @Test func concurrentEffectsReduceTheBudget() {
        let budget = budget(limit: 4_500_000)
        #expect(budget.detail(for: cost, besides: 1_500_000) < budget.detail(for: cost, besides: 0))
    }

    @Test func effectsWithFewPiecesKeepThem() {
        let heart = EffectCost(bits: 100_000)
        #expect(budget(limit: 1_000_000).detail(for: heart, besides: 0) == 1)
    }

    /// The higher quality of the frames before is invisible.
    @Test func veryFinePicturesMayBecomeCoarser() {
        let (fine, finer) = (budget(limit: 8_000_000, qp: 12), budget(limit: 8_000_000, qp: 2))
        #expect(finer.detail(for: cost, besides: 0) >= fine.detail(for: cost, besides: 0))
    }
}

@Suite("Predicted rate")
struct PredictedRateTests {
    /// Frames without effect, then one with effects that add a number of bits a second, as marks: `-` the usual rate,
    /// `+` the predicted one, `?` another one.
    private func rates(adding added: [Double?], truly factor: Double) -> String {
        var governor = EncoderGovernor(mode: .rate(bitRate: 1_000_000, limit: 9_000_000))
        let sum = added.reduce(0) { $0 + ($1 ?? 0) }
        let reckoned = Int((1_000_000 + sum) * power(-EncoderGovernor.allowance / EncoderGovernor.qpPerOctave))
        var marks = ""
        for index in 0..<60 {
            let time = Double(index) / 10
            let demands = added.map { EffectDemand(startTime: 3, endTime: 5, complexity: 7, addedBitRate: $0) }
            _ = governor.advance(to: time, demands: time < 3 ? [] : demands)
            let rate = governor.targets.bitRate ?? 0
            let needed = 1_000_000 * (time >= 3 && time < 5 ? factor : 1)
            governor.observe(
                EncodedFrame(
                    time: time, duration: 0.1, bits: rate / 10, qp: 24 + 6 * octaves(needed / Double(rate))))
            if index % 5 == 0 { marks.append(rate == 1_000_000 ? "-" : abs(rate - reckoned) < 20 ? "+" : "?") }
        }
        return marks
    }

    @Test func predictionsHoldFromTheFirstFrameToTheLast() {
        #expect(rates(adding: [1_500_000], truly: 2.5) == "------++++--")
    }

    @Test func effectsThatOverlapAdd() {
        #expect(rates(adding: [1_000_000, 2_000_000], truly: 4) == "------++++--")
    }

    @Test func predictionsAreCorrectedByMeasurements() {
        #expect(rates(adding: [1_000_000], truly: 4).contains("+??"))
    }

    @Test func unmeasuredEffectsUseTheirComplexity() {
        #expect(!rates(adding: [1_000_000, nil], truly: 13).contains("+"))
    }
}
