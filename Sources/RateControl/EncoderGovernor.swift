/// Decides what the encoder aims at while effects come and go: a state machine
/// without clock, lock or I/O.
///
/// Feed it each frame before that is encoded (``advance(to:loads:)``) and each one
/// that the encoder has finished (``observe(_:)``), in any interleaving that is
/// the same in every run.
///
/// It knows two things of an effect: its measured complexity, which is the first
/// guess, and what comes out of the encoder, which corrects the guess twice a
/// second. It compares with the frames before the effect, so a clip that is coarse
/// anyway does not get finer by an effect.
package struct EncoderGovernor: Sendable {
    package enum Mode: Sendable, Hashable {
        /// Constant bit rate, raised for effects by what they need, up to a limit.
        case rate(bitRate: Int, limit: Int)
        /// Constant quality; what an effect costs is held below `budget` times the bits of the
        /// frames before it by a gentle rise of the CRF.
        case quality(crf: Double, budget: Double)
    }

    private let mode: Mode
    /// The targets while no effect is in progress.
    private let usual: EncoderTargets
    /// What holds now.
    package private(set) var targets: EncoderTargets

    /// With a bit rate: by how many powers of two it is too low to encode all frames as finely as
    /// somebody demands; their quantisers do not show it.
    package var shortage = 0.0

    /// The loads that the targets were last chosen for.
    private var loads: [EffectLoad] = []
    private var phase = Phase.quiet
    private var usualFrames = FrameAverage(timeConstant: Self.memory)
    private var effectFrames = FrameAverage(timeConstant: Self.reaction)
    /// What feedback adds to the first guess: a factor of the rate, or steps of CRF.
    private var correction = Correction()

    private enum Phase: Sendable {
        /// The state while no effect is in progress or near.
        case quiet
        /// The state while an effect is near or in progress.
        case raised
    }

    private struct Correction: Sendable {
        /// Powers of two by which the bits are multiplied.
        var octaves = 0.0
        /// When it was last changed, in seconds.
        var time = -Double.infinity
        /// Frames before this time were encoded under an older target.
        var settled = -Double.infinity
    }

    /// How long before a known effect the rate rises, in seconds. Encoders that look ahead apply it to
    /// frames that wait inside, some 0.2 s of them; more lead was measured to gain nothing.
    package static let lead = 0.05
    /// The time over which frames without effect are averaged, in seconds.
    static let memory = 3.0
    /// The time over which frames with an effect are averaged, in seconds.
    static let reaction = 0.4
    /// The shortest time between two corrections, in seconds.
    static let correctionInterval = 0.5
    /// Bits double when the quantiser falls by six: the H.264 quantiser's step doubles every
    /// six values (ITU-T H.264, 8.5.9).
    static let qpPerOctave = 6.0
    /// A quantiser that is off by less is left alone.
    static let qpTolerance = 0.75
    /// The most that the CRF rises for a budget.
    static let largestCRFRise = 10.0
    /// Changes smaller than this share are not worth a word.
    static let smallestChange = 0.04

    package init(mode: Mode) {
        self.mode = mode
        usual = switch mode {
        case .rate(let bitRate, _): EncoderTargets(bitRate: bitRate)
        case .quality(let crf, _): EncoderTargets(crf: crf)
        }
        targets = usual
    }

    /// Goes on to the next frame that is given to the encoder.
    ///
    /// - Parameters:
    ///   - time: its time stamp in seconds.
    ///   - loads: the effects that it shows, and those that are known to come.
    /// - Returns: the change to make before that frame is encoded, if there is one.
    package mutating func advance(to time: Double, loads all: [EffectLoad]) -> EncoderAdjustment? {
        let near = all.filter { $0.startTime - Self.lead <= time && time < $0.endTime }
        guard !near.isEmpty else { return phase == .quiet ? nil : calm() }
        let isNew = near != loads
        if phase == .quiet {
            phase = .raised
            correction = Correction()
            effectFrames.reset()
        }
        if isNew {
            loads = near
            let reason: EncoderAdjustment.Reason = near.contains { $0.startTime <= time }
                ? .effectStarted : .effectComing
            correction.settled = max(correction.settled, time)
            return change(for: reason)
        }
        return correct(at: time)
    }

    /// Takes what the encoder says of a finished frame.
    package mutating func observe(_ frame: EncodedFrame) {
        let isUnderEffect = phase == .raised && loads.contains {
            $0.startTime <= frame.time && frame.time < $0.endTime
        }
        if isUnderEffect {
            // Frames that were inside the encoder when the target changed say nothing of it.
            if frame.time >= correction.settled { effectFrames.add(frame) }
        } else if phase == .quiet {
            usualFrames.add(frame)
        }
    }

    private mutating func calm() -> EncoderAdjustment? {
        phase = .quiet
        loads = []
        return change(for: .effectsEnded)
    }

    /// Corrects the guess by what came out, at most every half second.
    private mutating func correct(at time: Double) -> EncoderAdjustment? {
        guard time - correction.time >= Self.correctionInterval, effectFrames.seconds >= Self.reaction,
            let error = octavesWanted
        else { return nil }
        correction.time = time
        guard abs(error) * Self.qpPerOctave > Self.qpTolerance else { return nil }
        // Half of the way, since the next frames are not the last ones; from where the targets
        // are, not from where a limit did not let them go.
        let previous = correction.octaves
        correction.octaves = correctionInForce + error / 2
        guard let change = change(for: reason(for: error)) else {
            correction.octaves = previous
            return nil
        }
        correction.settled = time
        effectFrames.reset()
        return change
    }

    private func reason(for error: Double) -> EncoderAdjustment.Reason {
        switch mode {
        case .rate: error > 0 ? .effectNeedsMore : .effectNeedsLess
        case .quality: error > 0 ? .underBudget : .overBudget
        }
    }

    /// By how many powers of two the bits of the effect's frames are too few.
    private var octavesWanted: Double? {
        switch mode {
        case .rate:
            guard let now = effectFrames.qp, let before = usualFrames.qp else { return nil }
            return (now - before) / Self.qpPerOctave + shortage
        case .quality(_, let budget):
            guard let now = effectFrames.bitRate, let before = usualFrames.bitRate, now > 0, before > 0
            else { return nil }
            return octaves(budget * before / now)
        }
    }

    /// Chooses the targets for what is known.
    private mutating func change(for reason: EncoderAdjustment.Reason) -> EncoderAdjustment? {
        let wanted = wantedTargets
        let isSmall = Self.isSmall(from: targets, to: wanted)
        if isSmall && (wanted != usual || targets == usual) { return nil }
        defer { targets = wanted }
        return EncoderAdjustment(reason: reason, previous: targets, requested: wanted)
    }

    private var complexity: Double { EffectLoad.complexity(of: loads) }

    /// The correction that would lead to the targets that hold.
    private var correctionInForce: Double {
        switch mode {
        case .rate(let bitRate, _):
            octaves(Double(targets.bitRate ?? bitRate) / Double(bitRate) / complexity)
        case .quality(let crf, let budget):
            octaves(complexity / budget) - ((targets.crf ?? crf) - crf) / Self.qpPerOctave
        }
    }

    private var wantedTargets: EncoderTargets {
        guard phase == .raised else { return usual }
        switch mode {
        case .rate(let bitRate, let limit):
            let wanted = Double(bitRate) * complexity * power(correction.octaves)
            return EncoderTargets(bitRate: Int(min(max(wanted, Double(bitRate)), Double(max(limit, bitRate)))))
        case .quality(let crf, let budget):
            let excess = octaves(complexity / budget) - correction.octaves
            return EncoderTargets(crf: crf + min(max(excess * Self.qpPerOctave, 0), Self.largestCRFRise))
        }
    }

    private static func isSmall(from old: EncoderTargets, to new: EncoderTargets) -> Bool {
        if let old = old.bitRate, let new = new.bitRate {
            return abs(Double(new - old)) < Double(old) * smallestChange
        }
        return abs((new.crf ?? 0) - (old.crf ?? 0)) < 0.25
    }
}
