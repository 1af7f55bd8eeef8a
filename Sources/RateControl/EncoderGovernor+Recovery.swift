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
