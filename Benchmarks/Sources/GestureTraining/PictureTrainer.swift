package import Vision

/// Trains a ``PictureJudge``.
package struct PictureTrainer {
    package struct Options: Sendable {
        package var seed: UInt64 = 3
        package var hidden = 32
        package var steps = 2_500
        package var batch = 512
        package var rate = 0.002
        package var decay: Float = 0.001
        package var smoothing: Float = 0.02
        /// The relative frequency of samples of each kind and class. Most samples are hands of people without a
        /// gesture, and photos in difficult light; photos themselves are easy, and videos of gestures few.
        package var shares = HandPictureClass.shares

        package init() {}
    }

    package let options: Options

    package init(options: Options = Options()) { self.options = options }

    /// Trains with samples, deterministically.
    ///
    /// - Parameter progress: called at intervals with the share of samples that were classified correctly.
    package func judge(
        from samples: [PictureSample], progress: (Int, Double) -> Void = { _, _ in }
    ) -> PictureJudge {
        var random = SplitMix(seed: options.seed)
        let classes = HandPictureClass.allCases
        let line = line(of: samples)
        let scaling = InputScaling(samples.map(\.embedding))
        var learner = GradientNetwork(
            sizes: [scaling.means.count, options.hidden, classes.count], decay: options.decay, random: &random)
        let count = Float(classes.count)
        var right = 0
        for step in 0..<options.steps {
            for _ in 0..<options.batch {
                let sample = samples[line.index(&random)]
                let label = classes.firstIndex(of: sample.shows)!
                var target = [Float](repeating: options.smoothing / count, count: classes.count)
                target[label] += 1 - options.smoothing
                let said = learner.learn(
                    scaling.scaled(sample.embedding), target: target, weight: 1 / Float(options.batch))
                if said.indices.max(by: { said[$0] < said[$1] }) == label { right += 1 }
            }
            learner.step(rate: Float(options.rate * (1 - Double(step) / Double(options.steps))))
            if (step + 1) % Self.report == 0 {
                progress(step + 1, Double(right) / Double(options.batch * Self.report))
                right = 0
            }
        }
        return PictureJudge(layers: scaling.absorbed(into: learner.layers))
    }

    private static let report = 250

    /// Draws every sample by its weight.
    private func line(of samples: [PictureSample]) -> WeightedSampler {
        struct Group: Hashable { let shows: HandPictureClass, kind: PictureLesson.Kind }
        var sums: [Group: Double] = [:]
        for sample in samples { sums[Group(shows: sample.shows, kind: sample.kind), default: 0] += sample.weight }
        return samples.reduce(into: WeightedSampler()) { line, sample in
            let share = options.shares[sample.shows]?[sample.kind] ?? 0
            line.append(share * sample.weight / sums[Group(shows: sample.shows, kind: sample.kind)]!)
        }
    }
}
