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
