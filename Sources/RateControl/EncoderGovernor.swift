/// Controls the encoder's targets while effects run: a state machine without clock, lock or I/O, used on the encoder's
/// thread.
///
/// The governor receives each frame before it is encoded (``advance(to:demands:)``), and each frame that the encoder
/// has finished (``observe(_:)``). Results are reproducible as long as both calls interleave in the same way in every
/// run.
///
/// The first guess of a target comes from the estimated bits that an effect adds, or else from its measured complexity.
/// The encoder's output corrects the guess twice a second. The target quality is that of the frames before the effect:
/// a coarse clip must not become finer because of an effect. After effects, the governor observes some more seconds of
/// frames, since encoders need time to recover.
package struct EncoderGovernor: Sendable {
    package enum Mode: Sendable, Hashable {
        /// Constant bit rate, raised for effects by the bits that they need, up to a limit.
        case rate(bitRate: Int, limit: Int)
        /// Constant quality. The CRF rises gently, so that an effect takes at most `budget` times the bits of the
        /// frames before it.
        case quality(crf: Double, budget: Double)
    }

    let mode: Mode
    /// The targets while no effect is in progress.
    let usual: EncoderTargets
    /// The current targets.
    package private(set) var targets: EncoderTargets

    /// The factor by which a bit rate is too low to encode all frames at the requested quality, in powers of two. The
    /// caller sets it from ``CeilingPacer/shortage``. It does not show in the quantisers, because frames are dropped
    /// instead.
    package var shortage = 0.0

    /// The demands for which the targets were last chosen.
    var demands: [EffectDemand] = []
    var phase = Phase.quiet
    /// The time of the last frame with an effect that was given to the encoder, in seconds.
    var lastShown: Double?
    /// The time of the last frame that the encoder has finished, in seconds.
    private(set) var lastFinished = -Double.infinity
    private(set) var usualFrames = FrameAverage(timeConstant: Self.memory)
    /// The frames with an effect, or just after one, that were encoded with the current targets.
    var recentFrames = FrameAverage(timeConstant: Self.reaction)
    /// The correction of the first guess by the encoder's output.
    var correction = Correction()

    enum Phase: Sendable, Hashable {
        /// The state while no effect is in progress and none starts within ``lead``.
        case quiet
        /// The state while an effect starts within ``lead`` or is in progress, or its last frames wait inside the
        /// encoder.
        case raised
        /// The state after effects, while frames have a higher QP than the frames before the effects.
        case recovering(since: Double)
    }

    struct Correction: Sendable {
        /// The powers of two by which the bits are multiplied.
        var octaves = 0.0
        /// The time of the last check or change, in seconds.
        var time = -Double.infinity
        /// The time before which frames were encoded with older targets.
        var settled = -Double.infinity
        /// The time until which the first guess is not lowered.
        var trial = -Double.infinity
    }

    /// The time by which the rate rises before a known effect, in seconds. Encoders with look-ahead apply a new rate to
    /// about 0.2 s of waiting frames, so a longer lead gains nothing.
    package static let lead = 0.05
    /// The time over which frames without effect are averaged, in seconds.
    static let memory = 3.0
    /// The seconds without effect that ``quietFrames`` requires. In a shorter time, the first key frame has too much
    /// weight.
    static let shortestQuiet = 1.0
    /// The time over which frames with an effect are averaged, in seconds.
    static let reaction = 0.4
    /// The shortest time between two corrections, in seconds.
    static let correctionInterval = 0.5
    /// The time for which a first guess is not lowered, in seconds: an effect needs more bits later than in its first
    /// frames.
    static let trial = 1.5
    /// The steps of the quantiser for which the bits double: the H.264 quantiser's step doubles every six values (ITU-T
    /// H.264, 8.5.9).
    static let qpPerOctave = 6.0
    /// The QP by which frames with an effect may exceed the frames before the effect, in the mode `rate`. Motion hides
    /// the difference. This saves a sixth of the bits.
    static let allowance = 1.5
    /// The smallest QP deviation that is corrected.
    static let qpTolerance = 0.75
    /// The largest rise of the CRF for a budget.
    static let largestCRFRise = 10.0
    /// The smallest relative change of a bit rate; smaller changes are not made.
    static let smallestChange = 0.04

    package init(mode: Mode) {
        self.mode = mode
        usual =
            switch mode {
            case .rate(let bitRate, _): EncoderTargets(bitRate: bitRate)
            case .quality(let crf, _): EncoderTargets(crf: crf)
            }
        targets = usual
    }

    /// The statistics of the last frames without effect; `nil` before there are enough, or if the encoder does not
    /// report quantisers.
    package var quietFrames: QuietFrames? {
        guard usualFrames.seconds >= Self.shortestQuiet, let qp = usualFrames.qp, let bitRate = usualFrames.bitRate
        else { return nil }
        return QuietFrames(qp: qp, bitRate: bitRate)
    }

    /// Advances to the next frame that is sent to the encoder.
    ///
    /// - Parameters:
    ///   - time: Its time stamp in seconds.
    ///   - demands: The effects in the frame, and known later ones.
    /// - Returns: The change to make before that frame is encoded, if any.
    package mutating func advance(to time: Double, demands all: [EffectDemand]) -> EncoderAdjustment? {
        let near = all.filter { $0.startTime - Self.lead <= time && time < $0.endTime }
        guard !near.isEmpty else { return advanceWithoutEffect(at: time) }
        let showsEffect = near.contains { $0.startTime <= time }
        if phase != .raised {
            phase = .raised
            correction = Correction()
            recentFrames.reset()
        }
        if showsEffect { lastShown = time }
        if near != demands {
            // An effect that starts a little later than announced is the same effect.
            let isSame = near.count == demands.count && zip(near, demands).allSatisfy { $0.hasSameCost(as: $1) }
            demands = near
            correction.settled = max(correction.settled, time)
            correction.trial = time + Self.trial
            if isSame && !showsEffect { return nil }
            return change(for: showsEffect ? .effectStarted : .effectComing)
        }
        return correct(at: time)
    }

    /// Adds the encoder's statistics of a finished frame.
    package mutating func observe(_ frame: EncodedFrame) {
        lastFinished = max(lastFinished, frame.time)
        switch phase {
        case .quiet: usualFrames.add(frame)
        case .raised:
            let showsEffect = demands.contains { $0.startTime <= frame.time && frame.time < $0.endTime }
            // Frames in the encoder at the time of a change do not reflect it.
            if showsEffect, frame.time >= correction.settled { recentFrames.add(frame) }
        case .recovering:
            if frame.time >= correction.settled { recentFrames.add(frame) }
        }
    }

    /// Returns to the usual targets.
    mutating func calm(_ reason: EncoderAdjustment.Reason) -> EncoderAdjustment? {
        phase = .quiet
        demands = []
        lastShown = nil
        return change(for: reason)
    }

    /// Chooses the targets for the present state.
    mutating func change(for reason: EncoderAdjustment.Reason) -> EncoderAdjustment? {
        let wanted = wantedTargets
        let isSmall = Self.isSmall(from: targets, to: wanted)
        if isSmall && (wanted != usual || targets == usual) { return nil }
        defer { targets = wanted }
        return EncoderAdjustment(reason: reason, previous: targets, requested: wanted)
    }
}

extension EncoderGovernor {
    /// Corrects the guess by the encoder's output, at most every half second.
    mutating func correct(at time: Double) -> EncoderAdjustment? {
        guard time - correction.time >= Self.correctionInterval, recentFrames.seconds >= Self.reaction,
            let error = octavesWanted
        else { return nil }
        correction.time = time
        guard abs(error) * Self.qpPerOctave > Self.qpTolerance else { return nil }
        if case .rate = mode, error < 0, time < correction.trial { return nil }
        // A correction covers half of the difference, since further corrections follow. It starts from the current
        // targets, because a limit may have clamped these.
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

    /// The factor by which the bits of recent frames are too few, in powers of two; negative if they are too many.
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

    /// The QP by which frames may exceed the frames before the effect in the present state.
    private var allowance: Double { phase == .raised ? Self.allowance : 0 }

    /// The first guess, as a factor of the usual rate.
    private var guess: Double { (estimated ?? complexity) * power(-allowance / Self.qpPerOctave) }

    /// The estimated rate of the frames with the effects, as a factor of the usual rate.
    private var estimated: Double? {
        guard case .rate(let bitRate, _) = mode, !demands.isEmpty, let usual = usualFrames.bitRate,
            let added = EffectDemand.addedBitRate(of: demands)
        else { return nil }
        return (usual + added) / Double(bitRate)
    }

    /// The correction that gives the current targets, in powers of two of the bits.
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

/// The recovery after effects.
///
/// An encoder with a constant rate estimates the needs of the next frames from the last seconds. After an effect it
/// therefore spends less than its rate for a while, and the picture stays soft. So the rate stays raised by an amount
/// that follows the remaining QP difference to the frames before the effect.
extension EncoderGovernor {
    /// The longest encoder delay to wait for, in seconds. A change of targets also applies to the frames that wait in
    /// the encoder, which last about as long.
    static let longestDelay = 0.25
    /// The time for which a rate stays raised, in seconds. With a buffer of one second, x264's rate control forgets the
    /// effect within four seconds (`cbr_decay` in its `encoder/ratecontrol.c`).
    static let longestRecovery = 4.0
    /// The largest rise after effects, in powers of two.
    static let largestRecovery = 0.75
    /// The share of the missing bits (in powers of two) that one change adds. A recovering encoder supplies the rest
    /// itself.
    static let recoveryShare = 0.35
    /// The minimum rise of the rate, in powers of two; the rate is not raised by less.
    static let smallestRecovery = 0.1
    /// The excess of QP over the frames before the effect at which a rate that has fallen back rises again.
    static let relapseTolerance = 1.0
    /// The excess of QP below which a raised rate falls.
    static let recoveredTolerance = 0.25

    /// Advances to a frame without an effect, while no effect is near.
    mutating func advanceWithoutEffect(at time: Double) -> EncoderAdjustment? {
        switch phase {
        case .quiet: return nil
        case .raised:
            guard let lastShown else { return calm(.effectCalledOff) }
            guard case .rate = mode else { return calm(.effectsEnded) }
            // A change now would affect the last frames of the effect, which are still in the encoder.
            if lastFinished < lastShown, time - lastShown < Self.longestDelay { return nil }
            return recover(at: time)
        case .recovering(let since):
            guard time - since < Self.longestRecovery else { return calm(.effectsEnded) }
            return advanceRecovery(at: time)
        }
    }

    /// Lowers the rate completely, or partly if the effect's frames were coarser than allowed.
    private mutating func recover(at time: Double) -> EncoderAdjustment? {
        let rise = min((octavesWanted ?? 0) * Self.recoveryShare, Self.largestRecovery)
        phase = .recovering(since: time)
        demands = []
        lastShown = nil
        return settle(on: rise, at: time)
    }

    private mutating func advanceRecovery(at time: Double) -> EncoderAdjustment? {
        guard time - correction.time >= Self.correctionInterval, recentFrames.seconds >= Self.reaction,
            let error = octavesWanted
        else { return nil }
        correction.time = time
        let steps = error * Self.qpPerOctave, rise = correction.octaves
        if rise == 0, steps < Self.relapseTolerance { return nil }
        let more = min(rise + error * Self.recoveryShare, Self.largestRecovery)
        return settle(on: steps < Self.recoveredTolerance ? rise / 2 : more, at: time)
    }

    private mutating func settle(on rise: Double, at time: Double) -> EncoderAdjustment? {
        let isWorthIt = rise >= Self.smallestRecovery
        correction = Correction(octaves: isWorthIt ? rise : 0, time: time, settled: time)
        recentFrames.reset()
        return change(for: isWorthIt ? .recovering : .effectsEnded)
    }
}

/// The target of a video encoder. Either rate or quality is set, never both.
package struct EncoderTargets: Sendable, Hashable {
    /// Bits a second, kept by a buffer of one second (constant bit rate).
    package var bitRate: Int?
    /// Constant quality on the encoder's own scale; lower is better.
    package var crf: Double?

    package init(bitRate: Int) { self.bitRate = bitRate }
    package init(crf: Double) { self.crf = crf }
}

/// A change of the encoder's target, and its reason.
package struct EncoderAdjustment: Sendable, Hashable {
    package enum Reason: String, Sendable, Hashable {
        /// An effect is known to start within ``EncoderGovernor/lead``.
        case effectComing
        /// An effect has started, or the set of running effects has changed.
        case effectStarted
        /// With a bit rate: frames with the effect have a clearly higher QP than the frames before it.
        case effectNeedsMore
        /// With a bit rate: frames with the effect have a lower QP than the frames before it.
        case effectNeedsLess
        /// With constant quality: the frames with the effect are larger than the budget allows.
        case overBudget
        /// With constant quality: the frames with the effect are smaller than the budget allows, although the quality
        /// was lowered.
        case underBudget
        /// The announced effect does not start.
        case effectCalledOff
        /// With a bit rate: the effects are over. The effects' frames had a higher QP than the frames before the
        /// effects, and the present frames still have.
        case recovering
        /// No effect is in progress any more, and the targets are the usual ones.
        case effectsEnded
    }

    package var reason: Reason
    package var previous: EncoderTargets
    package var requested: EncoderTargets

    package init(reason: Reason, previous: EncoderTargets, requested: EncoderTargets) {
        self.reason = reason
        self.previous = previous
        self.requested = requested
    }
}
