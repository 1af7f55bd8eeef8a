import Vision

/// The means of the classes, and the variation between people.
enum ClassSpread {
    /// The mean features of each class, and the spread of each feature within classes.
    static func measure(_ hands: [TrainingHand]) -> (means: [[Float]], spreads: [Float]) {
        let none = [Double](repeating: 0, count: HandFeatures.names.count)
        var squares = none
        var counted = 0
        let means = HandClass.allCases.map { handClass in
            let features = chosen(hands, handClass).map { GestureNetwork.canonicalFeatures(of: $0.landmarks) }
            let count = Double(max(1, features.count))
            let mean = features.reduce(into: none) { sum, values in
                for i in values.indices { sum[i] += Double(values[i]) / count }
            }
            for values in features {
                for i in values.indices {
                    let difference = Double(values[i]) - mean[i]
                    squares[i] += difference * difference
                }
            }
            counted += features.count
            return mean.map { Float($0) }
        }
        return (means, squares.map { Float(max(0.02, ($0 / Double(max(1, counted))).squareRoot())) })
    }

    /// Returns photographs if there are enough: the other sources show few people, or none.
    private static func chosen(_ hands: [TrainingHand], _ handClass: HandClass) -> [TrainingHand] {
        let all = hands.filter { $0.handClass == handClass }
        let photographs = all.filter { $0.source == "photographs" }
        if photographs.count >= 50 { return photographs }
        let withDepth = all.filter(\.hasDepth)
        return withDepth.isEmpty ? all : withDepth
    }
}
