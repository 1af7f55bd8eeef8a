package import Vision

/// Trains a network.
package struct Trainer {
    package struct Options: Sendable {
        package var seed: UInt64 = 1
        package var hidden = [32]
        package var epochs = 40
        /// The number of hands in an epoch.
        package var epochLength = 24_000
        package var batch = 64
        package var rate = 0.003
        package var decay: Float = 0.01
        package var smoothing: Float = 0.02
        /// The share of each source among the drawn hands.
        package var shares: [String: Double] = ["photographs": 1, "puppet": 0.1, "stretched": 0.1]
        /// The share of a source without one of its own.
        package var otherShare = 0.05

        package init() {}
    }

    package let options: Options

    package init(options: Options = Options()) { self.options = options }

    /// Trains with `hands`, deterministically.
    ///
    /// - Parameter progress: called after each epoch with its number and the share of hands that were classified
    ///   correctly in it.
    ///
    /// - Returns: a network with temperature 1; see ``Calibration``.
    package func network(
        from hands: [TrainingHand], progress: (Int, Double) -> Void = { _, _ in }
    ) -> GestureNetwork {
        var random = SplitMix(seed: options.seed)
        let (means, scales) = spread(of: hands)
        let classes = HandClass.allCases
        var learner = GradientNetwork(
            sizes: [means.count] + options.hidden + [classes.count], decay: options.decay, random: &random)
        let (classMeans, spreads) = ClassSpread.measure(hands)
        var network = GestureNetwork(
            means: means, scales: scales, layers: learner.layers, temperature: 1, classMeans: classMeans,
            spreads: spreads)
        let draw = Draw(hands, options: options)
        let augment = Augmentation()
        let steps = options.epochs * (options.epochLength / options.batch)
        var step = 0
        for epoch in 1...options.epochs {
            var right = 0
            for _ in 0..<(options.epochLength / options.batch) {
                for _ in 0..<options.batch {
                    let hand = augment(hands[draw.index(&random)], &random)
                    let label = classes.firstIndex(of: hand.handClass)!
                    var target = [Float](
                        repeating: options.smoothing / Float(classes.count), count: classes.count)
                    target[label] += 1 - options.smoothing
                    let input = network.normalised(GestureNetwork.features(of: hand.landmarks, mirrored: false))
                    let said = learner.learn(input, target: target, weight: 1 / Float(options.batch))
                    if said.indices.max(by: { said[$0] < said[$1] }) == label { right += 1 }
                }
                // The rate decreases to zero along a parabola.
                let rest = 1 - Double(step) / Double(steps)
                learner.step(rate: Float(options.rate * rest * rest))
                step += 1
            }
            progress(epoch, Double(right) / Double(options.epochLength))
        }
        network.layers = learner.layers
        return network.rounded()
    }

    /// Mean and inverse spread of each feature, over the hands and their mirror images.
    private func spread(of hands: [TrainingHand]) -> ([Float], [Float]) {
        var sums = [Double](repeating: 0, count: HandFeatures.names.count)
        var squares = sums
        for hand in hands {
            for mirrored in [false, true] {
                for (index, value) in GestureNetwork.features(of: hand.landmarks, mirrored: mirrored).enumerated() {
                    sums[index] += Double(value)
                    squares[index] += Double(value) * Double(value)
                }
            }
        }
        let count = Double(2 * hands.count)
        let scales = sums.indices.map { index in
            let mean = sums[index] / count
            return Float(1 / max(0.05, (squares[index] / count - mean * mean).squareRoot()))
        }
        return (sums.map { Float($0 / count) }, scales)
    }
}

/// Draws hands so that each class is equally frequent, whatever the tables hold.
private struct Draw {
    /// For each class its hands and their weights.
    private var classes: [(line: WeightedSampler, hands: [Int])] = []

    init(_ hands: [TrainingHand], options: Trainer.Options) {
        var counts: [String: Double] = [:]
        for hand in hands { counts[key(hand), default: 0] += 1 }
        for handClass in HandClass.allCases {
            var line = WeightedSampler(), members: [Int] = []
            for (index, hand) in hands.enumerated() where hand.handClass == handClass {
                // A source counts by its share, and little where it has few hands of a class.
                let share = options.shares[hand.source] ?? options.otherShare
                let count = counts[key(hand)]!
                line.append(share * min(1, count / 100) / count)
                members.append(index)
            }
            if !members.isEmpty { classes.append((line, members)) }
        }
    }

    func index(_ random: inout SplitMix) -> Int {
        let (line, hands) = classes[random.index(classes.count)]
        return hands[line.index(&random)]
    }
}

private func key(_ hand: TrainingHand) -> String { "\(hand.source) \(hand.handClass)" }
