/// The prolongation of a running effect by another request for the same reaction. Times are media times in seconds.
package struct EffectRenewal: Sendable, Hashable {
    /// The time of the request, at which streams that had ended restart.
    package var requestTime: Double
    /// The time at which the effect's bursts are repeated.
    package var burstTime: Double
    /// The time at which the effect would have ended without the renewal.
    package var formerEnd: Double

    package init(requestTime: Double, burstTime: Double, formerEnd: Double) {
        self.requestTime = requestTime
        self.burstTime = burstTime
        self.formerEnd = formerEnd
    }
}
