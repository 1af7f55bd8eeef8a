/// One showing of an effect: when, where and how it differs from others of its kind.
///
/// The look at a time follows from these values alone. While the effect runs, `endTime` may be moved
/// later and `renewals` added: what was shown before stays the same.
package struct EffectInstance: Sendable {
    package let description: EffectDescription
    package let seed: UInt64
    /// Media time of the first frame drawn, in seconds.
    package let startTime: Double
    /// Media time of the first frame without the effect.
    package var endTime: Double
    /// What prolonged it, in order. Bursts come again; streams, and what stays until the end, go on.
    package var renewals: [EffectRenewal]
    /// Whether all that is left fades before the end, since that is not the effect's own.
    package var isCut = false
    /// Where the gesture is in the upright picture, 0…1, y down.
    package let originX, originY: Double

    /// - Parameter endTime: by default the start and the description's duration.
    package init(
        description: EffectDescription, seed: UInt64, startTime: Double, endTime: Double? = nil,
        renewals: [EffectRenewal] = [], originX: Double = 0.5, originY: Double = 0.5
    ) {
        self.description = description
        self.seed = seed
        self.startTime = startTime
        self.endTime = endTime ?? startTime + description.duration
        self.renewals = renewals
        self.originX = originX
        self.originY = originY
    }

    package func isVisible(at time: Double) -> Bool { time >= startTime && time < endTime }

    /// How long an effect that is cut off takes to fade, in seconds.
    private static let cutFade = 0.4

    /// How far the exit has come: 1 before it, falling to 0 at the end.
    func exitFade(at time: Double) -> Double {
        let own = description.exit > 0 ? EffectMath.smooth((visibleEnd(at: time) - time) / description.exit) : 1
        return isCut ? min(own, EffectMath.smooth((endTime - time) / Self.cutFade)) : own
    }

    /// The end towards which what stays until the end goes at a time.
    ///
    /// An effect that is renewed while it fades comes back as gradually as it went, twice as fast: one that was back
    /// at once would flash.
    func visibleEnd(at time: Double) -> Double {
        let end = renewals.first { time < $0.requestTime }?.formerEnd ?? endTime
        guard let last = renewals.last(where: { $0.requestTime <= time }) else { return end }
        let left = last.formerEnd - last.requestTime
        return min(end, time + left + 2 * (time - last.requestTime))
    }
}
