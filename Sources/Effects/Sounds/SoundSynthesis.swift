import Platform

/// The sounds depend only on their name, the rate and the seed, and not on the machine: they are made with
/// ``EffectMath``.
extension SynthesisedSound {
    /// Returns the samples of one channel. The largest is 0.7 of full scale; the first and the last are 0.
    package func samples(rate: Int, seed: UInt64) -> [Float] {
        var bench = SoundBench(rate: rate, seconds: seconds, seed: seed)
        switch self {
        case .pop: pop(&bench)
        case .ding: for (tone, level) in [(880.0, 1.0), (1760, 0.35), (2637, 0.2)] { bell(&bench, tone, level, at: 0) }
        case .thud: thud(&bench)
        case .chime:
            for (index, tone) in [1046.5, 1318.5, 1568, 2093].enumerated() {
                bell(&bench, tone, 1 - 0.12 * Double(index), at: 0.085 * Double(index))
            }
        case .crackle: crackle(&bench)
        case .rain: rain(&bench)
        case .whoosh: whoosh(&bench)
        case .sweep: sweep(&bench)
        }
        return bench.finished()
    }

    private var seconds: Double {
        switch self {
        case .pop: 0.22
        case .ding: 1.2
        case .thud: 0.5
        case .chime: 1.6
        case .crackle: 2.2
        case .rain: 3.6
        case .whoosh: 1.3
        case .sweep: 1.2
        }
    }

    // MARK: Recipes

    /// A bubble that bursts: a tone that rises quickly.
    private func pop(_ bench: inout SoundBench) {
        let pitch = bench.random(in: 0.92...1.08)
        bench.addTone(from: 0, to: 0.22) { t in
            (380 + 620 * EffectMath.smooth(t / 0.07)) * pitch
        } level: { t in
            EffectMath.decay(t / 0.035) * EffectMath.smooth(t / 0.002)
        }
        bench.addNoise(from: 0, to: 0.02, low: 2500, high: 9000) { t in 0.25 * EffectMath.decay(t / 0.004) }
    }

    /// A struck bell, with one partial that is out of tune.
    private func bell(_ bench: inout SoundBench, _ tone: Double, _ level: Double, at start: Double) {
        for (factor, share, length) in [(1, 1, 0.4), (2.76, 0.3, 0.16), (5.4, 0.12, 0.06)] as [(Double, Double, Double)]
        {
            bench.addTone(from: start, to: seconds) { _ in
                tone * factor
            } level: { t in
                level * share * EffectMath.smooth(t / 0.003) * EffectMath.decay(t / length)
            }
        }
    }

    /// A low knock.
    private func thud(_ bench: inout SoundBench) {
        bench.addTone(from: 0, to: 0.5) { t in
            62 + 95 * EffectMath.decay(t / 0.05)
        } level: { t in
            EffectMath.smooth(t / 0.004) * EffectMath.decay(t / 0.11)
        }
        bench.addNoise(from: 0, to: 0.05, low: 150, high: 900) { t in 0.5 * EffectMath.decay(t / 0.012) }
    }

    /// A distant burst, and sparks after it.
    private func crackle(_ bench: inout SoundBench) {
        bench.addNoise(from: 0, to: 0.7, low: 40, high: 420) { t in
            2.2 * EffectMath.smooth(t / 0.006) * EffectMath.decay(t / 0.14)
        }
        for _ in 0..<70 {
            // More of the sparks are early.
            let place = bench.random(in: 0...1), start = 0.12 + 1.8 * place * place
            let level = bench.random(in: 0.15...0.7) * (1 - start / 2.2)
            let length = bench.random(in: 0.0015...0.006)
            bench.addNoise(from: start, to: start + 0.03, low: 1800, high: 9500) { t in
                level * EffectMath.smooth(t / 0.0004) * EffectMath.decay(t / length)
            }
        }
    }

    /// A shower that comes and goes, with single drops.
    private func rain(_ bench: inout SoundBench) {
        let length = seconds
        func shower(_ t: Double) -> Double { EffectMath.smooth(t / 0.7) * EffectMath.smooth((length - t) / 1.2) }
        bench.addNoise(from: 0, to: length, low: 900, high: 7500) { t in 0.5 * shower(t) }
        bench.addNoise(from: 0, to: length, low: 200, high: 900) { t in 0.25 * shower(t) }
        for _ in 0..<90 {
            let start = bench.random(in: 0.2...3.1), tone = bench.random(in: 1400...4200)
            let level = bench.random(in: 0.06...0.26) * shower(start)
            bench.addTone(from: start, to: start + 0.05) { t in
                tone * (1 + 3 * t)
            } level: { t in
                level * EffectMath.smooth(t / 0.001) * EffectMath.decay(t / 0.009)
            }
        }
    }

    /// A burst of paper, which rustles as it flies.
    private func whoosh(_ bench: inout SoundBench) {
        bench.addNoise(from: 0, to: 0.16, low: 120, high: 1600) { t in
            1.6 * EffectMath.smooth(t / 0.002) * EffectMath.decay(t / 0.03)
        }
        bench.addNoise(from: 0.02, to: 1.3, low: 2200, high: 8500) { t in
            0.55 * EffectMath.smooth(t / 0.06) * EffectMath.decay(t / 0.3)
        }
        for _ in 0..<26 {
            let start = bench.random(in: 0.15...1.1), level = bench.random(in: 0.08...0.24) * (1.2 - start)
            bench.addNoise(from: start, to: start + 0.03, low: 3500, high: 9500) { t in
                level * EffectMath.smooth(t / 0.001) * EffectMath.decay(t / 0.006)
            }
        }
    }

    /// Two tones that glide up and beat against each other.
    private func sweep(_ bench: inout SoundBench) {
        for (detune, level) in [(1.0, 1.0), (1.007, 0.8), (2.004, 0.25)] {
            bench.addTone(from: 0, to: 1.2) { t in
                (170 + 520 * EffectMath.smooth(t / 0.9)) * detune
            } level: { t in
                level * EffectMath.smooth(t / 0.12) * EffectMath.smooth((1.2 - t) / 0.6)
                    * (0.75 + 0.25 * EffectMath.sine(turns: 7 * t))
            }
        }
    }
}

/// The samples of a sound in the making.
private struct SoundBench {
    private let rate: Double
    private var samples: [Double]
    private var generator: SplitMix64

    init(rate: Int, seconds: Double, seed: UInt64) {
        self.rate = Double(rate)
        samples = [Double](repeating: 0, count: max(2, Int(seconds * Double(rate))))
        generator = SplitMix64(seed: SplitMix64.key(seed, 0))
    }

    /// Returns a random number.
    mutating func random(in range: ClosedRange<Double>) -> Double {
        range.lowerBound + (range.upperBound - range.lowerBound) * generator.uniform()
    }

    private func places(from start: Double, to end: Double) -> Range<Int> {
        let first = min(max(0, Int(start * rate)), samples.count)
        return first..<min(max(first, Int(end * rate)), samples.count)
    }

    /// Adds a sine. Pitch, in hertz, and level are functions of the seconds since its start.
    mutating func addTone(
        from start: Double, to end: Double, pitch: (Double) -> Double, level: (Double) -> Double
    ) {
        var turns = 0.0
        let range = places(from: start, to: end)
        for index in range {
            let t = Double(index - range.lowerBound) / rate
            samples[index] += EffectMath.sine(turns: turns) * level(t)
            // Above this, a rate could not represent it.
            turns += min(pitch(t), rate * 0.45) / rate
            turns -= turns.rounded(.down)
        }
    }

    /// Adds noise between two frequencies, in hertz.
    mutating func addNoise(
        from start: Double, to end: Double, low: Double, high: Double, level: (Double) -> Double
    ) {
        func share(_ frequency: Double) -> Double {
            1 - EffectMath.decay(2 * Double.pi * min(frequency, rate * 0.45) / rate)
        }
        let (rising, falling) = (share(high), share(low))
        var (first, second, slow, slower) = (0.0, 0.0, 0.0, 0.0)
        let range = places(from: start, to: end)
        for index in range {
            let noise = random(in: -1...1)
            first += (noise - first) * rising
            second += (first - second) * rising
            slow += (second - slow) * falling
            slower += (slow - slower) * falling
            samples[index] += (second - slow) * 1.6 * level(Double(index - range.lowerBound) / rate)
        }
    }

    /// Returns the samples with soft ends, at a level of 0.7.
    func finished() -> [Float] {
        let edge = min(samples.count / 2, Int(rate * 0.004))
        let largest = samples.reduce(0) { max($0, $1.magnitude) }
        let scale = largest > 0 ? 0.7 / largest : 0
        return samples.indices.map { index in
            let ends = min(index, samples.count - 1 - index)
            let fade =
                index == 0 ? 0 : samples.count - 1 - index < edge ? EffectMath.smooth(Double(ends) / Double(edge)) : 1
            return Float(samples[index] * scale * fade)
        }
    }
}
