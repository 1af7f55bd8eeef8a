extension EncoderGovernor {
    /// Corrects the guess by what came out, at most every half second.
    mutating func correct(at time: Double) -> EncoderAdjustment? {
        guard time - correction.time >= Self.correctionInterval, recentFrames.seconds >= Self.reaction,
            let error = octavesWanted
        else { return nil }
        correction.time = time
        guard abs(error) * Self.qpPerOctave > Self.qpTolerance else { return nil }
        if case .rate = mode, error < 0, time < correction.trial { return nil }
        // Half of the way, since the next frames are not the last ones; from where the targets
        // are, not from where a limit did not let them go.
        let previous = correction.octaves
        correction.octaves = correctionInForce + error / 2
        guard let change = change(for: reason(for: error)) else {
            correction.octaves = previous
            return nil
        }
        correction.settled = time
        recentFrames.reset()
        return change
    }

    private func reason(for error: Double) -> EncoderAdjustment.Reason {
        switch mode {
        case .rate: error > 0 ? .effectNeedsMore : .effectNeedsLess
        case .quality: error > 0 ? .underBudget : .overBudget
        }
    }

    /// By how many powers of two the bits of recent frames are too few.
    var octavesWanted: Double? {
        switch mode {
        case .rate:
            guard let now = recentFrames.qp, let before = usualFrames.qp else { return nil }
            return (now - before - allowance) / Self.qpPerOctave + shortage
        case .quality(_, let budget):
            guard let now = recentFrames.bitRate, let before = usualFrames.bitRate, now > 0, before > 0
            else { return nil }
            return octaves(budget * before / now)
        }
    }

    private var complexity: Double { EffectDemand.complexity(of: demands) }

    /// By how much frames may be coarser than those before the effect.
    private var allowance: Double { phase == .raised ? Self.allowance : 0 }

    /// The first guess: how many times the usual rate.
    private var guess: Double { (reckoned ?? complexity) * power(-allowance / Self.qpPerOctave) }

    /// How many times the usual rate the frames take with what the effects are reckoned to add.
    private var reckoned: Double? {
        guard case .rate(let bitRate, _) = mode, !demands.isEmpty, let usual = usualFrames.bitRate,
            let added = EffectDemand.addedBitRate(of: demands)
        else { return nil }
        return (usual + added) / Double(bitRate)
    }

    /// The correction that would lead to the targets that hold.
    private var correctionInForce: Double {
        switch mode {
        case .rate(let bitRate, _):
            octaves(Double(targets.bitRate ?? bitRate) / Double(bitRate) / guess)
        case .quality(let crf, let budget):
            octaves(complexity / budget) - ((targets.crf ?? crf) - crf) / Self.qpPerOctave
        }
    }

    var wantedTargets: EncoderTargets {
        guard phase != .quiet else { return usual }
        switch mode {
        case .rate(let bitRate, let limit):
            let wanted = Double(bitRate) * guess * power(correction.octaves)
            return EncoderTargets(bitRate: Int(min(max(wanted, Double(bitRate)), Double(max(limit, bitRate)))))
        case .quality(let crf, let budget):
            let excess = octaves(complexity / budget) - correction.octaves
            return EncoderTargets(crf: crf + min(max(excess * Self.qpPerOctave, 0), Self.largestCRFRise))
        }
    }

    static func isSmall(from old: EncoderTargets, to new: EncoderTargets) -> Bool {
        if let old = old.bitRate, let new = new.bitRate {
            return abs(Double(new - old)) < Double(old) * smallestChange
        }
        return abs((new.crf ?? 0) - (old.crf ?? 0)) < 0.25
    }
}
