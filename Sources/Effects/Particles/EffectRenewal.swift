/// An effect's going on because it was asked for again while it ran. Times are media times in seconds.
package struct EffectRenewal: Sendable, Hashable {
    /// When it was asked for again: streams that had ceased begin anew.
    package var requestTime: Double
    /// When what bursts in the effect bursts again.
    package var burstTime: Double
    /// When the effect would have ended without it.
    package var formerEnd: Double

    package init(requestTime: Double, burstTime: Double, formerEnd: Double) {
        self.requestTime = requestTime
        self.burstTime = burstTime
        self.formerEnd = formerEnd
    }
}
