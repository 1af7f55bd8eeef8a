/// An effect as the encoder feels it.
package struct EffectLoad: Sendable, Hashable {
    /// The time stamp of its first frame, in seconds; may lie ahead.
    package var startTime: Double
    /// The first instant without it, in seconds.
    package var endTime: Double
    /// How many times the bits of the same frames without it they take at the same quality,
    /// measured; at least 1.
    package var complexity: Double

    package init(startTime: Double, endTime: Double, complexity: Double) {
        self.startTime = startTime
        self.endTime = endTime
        self.complexity = max(complexity, 1)
    }
}

extension EffectLoad {
    /// How many times the bits several effects at once take: each adds its own pixels to the same picture.
    package static func complexity(of loads: [EffectLoad]) -> Double {
        1 + loads.reduce(0) { $0 + $1.complexity - 1 }
    }
}
