package import Vision

/// Trains the heart network of a ``PictureJudge``.
package struct HeartTrainer {
    package struct Options: Sendable {
        package var seed: UInt64 = 5
        package var hidden = 8
        package var steps = 800
        package var batch = 256
        package var rate = 0.002
        package var decay: Float = 0.01
        package var smoothing: Float = 0.02

        package init() {}
    }

    package let options: Options

    package init(options: Options = Options()) { self.options = options }

    /// Trains with samples, deterministically; half of the drawn samples are hearts.
    ///
    /// - Precondition: there are samples of both.
    package func layers(from samples: [PairSample]) -> [GestureNetwork.Layer] {
        var random = SplitMix(seed: options.seed)
        let scaling = InputScaling(samples.map(\.numbers))
        let sides = [false, true].map { isHeart in samples.filter { $0.isHeart == isHeart } }
        var learner = GradientNetwork(
            sizes: [scaling.means.count, options.hidden, 2], decay: options.decay, random: &random)
        for step in 0..<options.steps {
            for _ in 0..<options.batch {
                let label = random.index(2)
                var target = [options.smoothing / 2, options.smoothing / 2]
                target[label] += 1 - options.smoothing
                let sample = sides[label][random.index(sides[label].count)]
                _ = learner.learn(scaling.scaled(sample.numbers), target: target, weight: 1 / Float(options.batch))
            }
            learner.step(rate: Float(options.rate * (1 - Double(step) / Double(options.steps))))
        }
        return scaling.absorbed(into: learner.layers)
    }
}
