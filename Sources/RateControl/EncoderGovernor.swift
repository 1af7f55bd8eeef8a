/// Decides what the encoder aims at while effects come and go: a state machine
/// without clock, lock or I/O.
///
/// Feed it each frame before that is encoded (``advance(to:demands:)``) and each one
/// that the encoder has finished (``observe(_:)``), in any interleaving that is
/// the same in every run.
///
/// It knows two things of an effect: the bits that it is reckoned to add, or else its measured
/// complexity, which is the first guess, and what comes out of the encoder, which corrects the guess
/// twice a second. It compares with the frames before the effect, so a clip that is coarse
/// anyway does not get finer by an effect. After effects it watches the frames a little
/// longer, since encoders take a while to get over them.
package struct EncoderGovernor: Sendable {
    package enum Mode: Sendable, Hashable {
        /// Constant bit rate, raised for effects by what they need, up to a limit.
        case rate(bitRate: Int, limit: Int)
        /// Constant quality; what an effect costs is held below `budget` times the bits of the
        /// frames before it by a gentle rise of the CRF.
        case quality(crf: Double, budget: Double)
    }

    let mode: Mode
    /// The targets while no effect is in progress.
    let usual: EncoderTargets
    /// What holds now.
    package private(set) var targets: EncoderTargets

    /// With a bit rate: by how many powers of two it is too low to encode all frames as finely as
    /// somebody demands; their quantisers do not show it.
    package var shortage = 0.0

    /// The demands that the targets were last chosen for.
    var demands: [EffectDemand] = []
    var phase = Phase.quiet
    /// The last frame with an effect that was given to the encoder, in seconds.
    var lastShown: Double?
    /// The last frame that the encoder has finished, in seconds.
    private(set) var lastFinished = -Double.infinity
    private(set) var usualFrames = FrameAverage(timeConstant: Self.memory)
    /// Frames with an effect, or just after one, that were encoded under the targets that hold.
    var recentFrames = FrameAverage(timeConstant: Self.reaction)
    /// What feedback adds to the first guess: a factor of the rate, or steps of CRF.
    var correction = Correction()

    enum Phase: Sendable, Hashable {
        /// The state while no effect is in progress or near.
        case quiet
        /// The state while an effect is near or in progress, or its last frames wait inside the encoder.
        case raised
        /// The state after effects, while frames come out coarser than those before them.
        case recovering(since: Double)
    }

    struct Correction: Sendable {
        /// Powers of two by which the bits are multiplied.
        var octaves = 0.0
        /// When it was last changed, in seconds.
        var time = -Double.infinity
        /// Frames before this time were encoded under an older target.
        var settled = -Double.infinity
        /// Until then the first guess is not found too high.
        var trial = -Double.infinity
    }

    /// How long before a known effect the rate rises, in seconds. Encoders that look ahead apply it to
    /// frames that wait inside, some 0.2 s of them; more lead was measured to gain nothing.
    package static let lead = 0.05
    /// The time over which frames without effect are averaged, in seconds.
    static let memory = 3.0
    /// Before so many seconds without effect, the first key frame counts too much.
    static let shortestQuiet = 1.0
    /// The time over which frames with an effect are averaged, in seconds.
    static let reaction = 0.4
    /// The shortest time between two corrections, in seconds.
    static let correctionInterval = 0.5
    /// How long a guess is tried before it is found too high, in seconds: an effect takes more when
    /// it is in full swing than in its first frames.
    static let trial = 1.5
    /// Bits double when the quantiser falls by six: the H.264 quantiser's step doubles every
    /// six values (ITU-T H.264, 8.5.9).
    static let qpPerOctave = 6.0
    /// With a bit rate: how much coarser frames with an effect may be than those before it, in steps of
    /// the quantiser. What moves so much hides that, and it saves a sixth of the bits.
    static let allowance = 1.5
    /// A quantiser that is off by less is left alone.
    static let qpTolerance = 0.75
    /// The most that the CRF rises for a budget.
    static let largestCRFRise = 10.0
    /// Changes smaller than this share are not worth a word.
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

    /// The frames without effect that came out last; `nil` before there are enough, and where the encoder does not tell
    /// their quantisers.
    package var quietFrames: QuietFrames? {
        guard usualFrames.seconds >= Self.shortestQuiet, let qp = usualFrames.qp, let bitRate = usualFrames.bitRate
        else { return nil }
        return QuietFrames(qp: qp, bitRate: bitRate)
    }

    /// Goes on to the next frame that is given to the encoder.
    ///
    /// - Parameters:
    ///   - time: its time stamp in seconds.
    ///   - demands: the effects that it shows, and those that are known to come, which start later.
    /// - Returns: the change to make before that frame is encoded, if there is one.
    package mutating func advance(to time: Double, demands all: [EffectDemand]) -> EncoderAdjustment? {
        let near = all.filter { $0.startTime - Self.lead <= time && time < $0.endTime }
        guard !near.isEmpty else { return goOnWithoutEffect(at: time) }
        let showsEffect = near.contains { $0.startTime <= time }
        if phase != .raised {
            phase = .raised
            correction = Correction()
            recentFrames.reset()
        }
        if showsEffect { lastShown = time }
        if near != demands {
            // An effect that comes a little later than was announced is no other effect.
            let isSame = near.count == demands.count && zip(near, demands).allSatisfy { $0.takesAsMuch(as: $1) }
            demands = near
            correction.settled = max(correction.settled, time)
            correction.trial = time + Self.trial
            if isSame && !showsEffect { return nil }
            return change(for: showsEffect ? .effectStarted : .effectComing)
        }
        return correct(at: time)
    }

    /// Takes what the encoder says of a finished frame.
    package mutating func observe(_ frame: EncodedFrame) {
        lastFinished = max(lastFinished, frame.time)
        switch phase {
        case .quiet: usualFrames.add(frame)
        case .raised:
            let showsEffect = demands.contains { $0.startTime <= frame.time && frame.time < $0.endTime }
            // Frames that were inside the encoder when the target changed say nothing of it.
            if showsEffect, frame.time >= correction.settled { recentFrames.add(frame) }
        case .recovering:
            if frame.time >= correction.settled { recentFrames.add(frame) }
        }
    }

    /// Goes back to the usual targets.
    mutating func calm(_ reason: EncoderAdjustment.Reason) -> EncoderAdjustment? {
        phase = .quiet
        demands = []
        lastShown = nil
        return change(for: reason)
    }

    /// Chooses the targets for what is known.
    mutating func change(for reason: EncoderAdjustment.Reason) -> EncoderAdjustment? {
        let wanted = wantedTargets
        let isSmall = Self.isSmall(from: targets, to: wanted)
        if isSmall && (wanted != usual || targets == usual) { return nil }
        defer { targets = wanted }
        return EncoderAdjustment(reason: reason, previous: targets, requested: wanted)
    }
}

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

/// What happens after effects.
///
/// An encoder that holds a constant rate reckons what the next frames need from the last
/// seconds. After an effect it therefore spends less than its rate for a while, and the picture
/// stays soft: the hangover. So the rate stays raised a little, by as much as frames still come
/// out coarser than before, and comes down with them.
extension EncoderGovernor {
    /// An encoder's delay is waited for no longer than this, in seconds: of the frames inside, about
    /// as many heed a change.
    static let longestDelay = 0.25
    /// How long a rate stays raised, in seconds: x264 forgets within four, with a buffer of a second
    /// (`cbr_decay` in its `encoder/ratecontrol.c`).
    static let longestRecovery = 4.0
    /// The most by which it stays raised, in powers of two.
    static let largestRecovery = 0.75
    /// How much of what is missing is made up for at a time: an encoder that gets over an effect finds the rest itself.
    static let recoveryShare = 0.35
    /// Less of a rise is none.
    static let smallestRecovery = 0.1
    /// A rate that came down all the way rises again where frames are so much coarser than before.
    static let hangoverTolerance = 1.0
    /// A raised one comes down where they are coarser by less.
    static let recoveredTolerance = 0.25

    /// Goes on to a frame without effect, with none near.
    mutating func goOnWithoutEffect(at time: Double) -> EncoderAdjustment? {
        switch phase {
        case .quiet: return nil
        case .raised:
            guard let lastShown else { return calm(.effectCalledOff) }
            guard case .rate = mode else { return calm(.effectsEnded) }
            // What is changed now would reach the effect's last frames, which wait inside.
            if lastFinished < lastShown, time - lastShown < Self.longestDelay { return nil }
            return recover(at: time)
        case .recovering(let since):
            guard time - since < Self.longestRecovery else { return calm(.effectsEnded) }
            return goOnRecovering(at: time)
        }
    }

    /// Comes down: all the way, or not so far where the effect's frames were coarser than they may be.
    private mutating func recover(at time: Double) -> EncoderAdjustment? {
        let rise = min((octavesWanted ?? 0) * Self.recoveryShare, Self.largestRecovery)
        phase = .recovering(since: time)
        demands = []
        lastShown = nil
        return settle(on: rise, at: time)
    }

    private mutating func goOnRecovering(at time: Double) -> EncoderAdjustment? {
        guard time - correction.time >= Self.correctionInterval, recentFrames.seconds >= Self.reaction,
            let error = octavesWanted
        else { return nil }
        correction.time = time
        let steps = error * Self.qpPerOctave, rise = correction.octaves
        if rise == 0, steps < Self.hangoverTolerance { return nil }
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

/// What a video encoder aims at. Either rate or quality is set, never both.
package struct EncoderTargets: Sendable, Hashable {
    /// Bits a second, held by a buffer of a second (constant bit rate).
    package var bitRate: Int?
    /// Constant quality on the encoder's own scale; lower is better.
    package var crf: Double?

    package init(bitRate: Int) { self.bitRate = bitRate }
    package init(crf: Double) { self.crf = crf }
}

/// A change of what the encoder is to aim at, and why.
package struct EncoderAdjustment: Sendable, Hashable {
    package enum Reason: String, Sendable, Hashable {
        /// An effect is known to start within the lead.
        case effectComing
        /// An effect has started, or the set of running ones changed.
        case effectStarted
        /// With a bit rate: the frames with the effect come out clearly coarser than those before it.
        case effectNeedsMore
        /// With a bit rate: they come out finer than those before it.
        case effectNeedsLess
        /// With constant quality: the frames with the effect are larger than the budget allows.
        case overBudget
        /// With constant quality: they are smaller than it allows, though made coarser for it.
        case underBudget
        /// The effect that was known to come does not come.
        case effectCalledOff
        /// With a bit rate: the effects are over, their frames came out coarser than those before them,
        /// and so do those after them.
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
