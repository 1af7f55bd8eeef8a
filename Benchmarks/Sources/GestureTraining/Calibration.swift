#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif
package import Vision

/// Finds the temperature at which a network's confidences match its accuracy (Guo et al., "On Calibration of Modern
/// Neural Networks", 2017), and measures the remaining error.
package struct Calibration {
    package init() {}

    /// Returns the network with the temperature, of 0.4, 0.42, … 3, that maximises the likelihood of the true
    /// gestures of `hands`.
    package func calibrated(_ network: GestureNetwork, on hands: [TrainingHand]) -> GestureNetwork {
        var best = (loss: Double.infinity, network: network)
        for step in 20...150 {
            var warm = network
            warm.temperature = Double(step) / 50
            let loss = loss(of: warm, on: hands)
            if loss < best.loss { best = (loss, warm) }
        }
        return best.network
    }

    private func loss(of network: GestureNetwork, on hands: [TrainingHand]) -> Double {
        hands.reduce(0) { sum, hand in
            let probability = GestureProbabilities(network.probabilities(of: hand.landmarks))
            return sum - log(max(1e-9, probability[hand.handClass.gesture]))
        }
    }

    /// Returns the mean difference of confidence and accuracy, in ten bins of confidence.
    ///
    /// - Parameter answers: each one's confidence, 0…1, and a value that indicates whether it was right.
    package static func expectedError(_ answers: [(confidence: Double, isRight: Bool)]) -> Double {
        var error = 0.0
        for bin in 0..<10 {
            let inBin = answers.filter { min(9, Int($0.confidence * 10)) == bin }
            let sure = inBin.reduce(0) { $0 + $1.confidence }
            error += abs(sure - Double(inBin.count { $0.isRight }))
        }
        return error / Double(max(1, answers.count))
    }
}

/// The probabilities of classes, summed up to those of gestures, and of none.
package struct GestureProbabilities {
    private let classes: [Double]

    package init(_ classes: [Double]) { self.classes = classes }

    package subscript(gesture: HandGesture?) -> Double {
        zip(HandClass.allCases, classes).reduce(0) { $1.0.gesture == gesture ? $0 + $1.1 : $0 }
    }
}
