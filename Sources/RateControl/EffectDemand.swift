/// An effect as the encoder feels it.
package struct EffectDemand: Sendable, Hashable {
    /// The time stamp of its first frame, in seconds; may lie ahead.
    package var startTime: Double
    /// The first instant without it, in seconds.
    package var endTime: Double
    /// How many times the bits of the same frames without it they take at the same quality,
    /// measured; at least 1.
    package var complexity: Double
    /// Bits a second that it adds at the quantiser of the frames before it, reckoned beforehand; `nil` where nobody
    /// could.
    package var addedBitRate: Double?

    package init(startTime: Double, endTime: Double, complexity: Double, addedBitRate: Double? = nil) {
        self.startTime = startTime
        self.endTime = endTime
        self.complexity = max(complexity, 1)
        self.addedBitRate = addedBitRate
    }
}

extension EffectDemand {
    /// How many times the bits several effects at once take: each adds its own pixels to the same picture.
    package static func complexity(of demands: [EffectDemand]) -> Double {
        1 + demands.reduce(0) { $0 + $1.complexity - 1 }
    }

    /// Bits a second that several effects at once add; `nil` where that is not known of each.
    static func addedBitRate(of demands: [EffectDemand]) -> Double? {
        demands.reduce(0) { sum, demand in sum.flatMap { sum in demand.addedBitRate.map { sum + $0 } } }
    }

    /// Whether it takes what another one takes, whenever that starts.
    func takesAsMuch(as other: EffectDemand) -> Bool {
        complexity == other.complexity && addedBitRate == other.addedBitRate
    }
}
