import FoundationEssentials
import GestureTraining
import Vision

/// Makes `Assets/Gestures/hand-gestures.json` from the landmarks of a folder of footage, or
/// `Assets/Gestures/hand-pictures.json` from labelled files.
@main
struct Train {
    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.first == "pictures" { return try TrainPictures(Array(arguments.dropFirst())).run() }
        guard arguments.count == 2 else {
            throw UsageError(description: "usage: train FOOTAGE OUTPUT.json, or train \(TrainPictures.usage)")
        }
        let tables = LandmarkTables(folder: arguments.first!)
        guard tables.isPresent else {
            print("no landmarks in \(arguments.first!): nothing is learned")
            return
        }
        var puppets = PuppetHands(seed: 7)
        let hands = try tables.hands() + puppets.hands(ofEach: 400)
        let split = Split(hands)
        let options = Trainer.Options()
        print("learning from \(split.training.count) hands")
        let trainer = Trainer(options: options)
        let learned = trainer.network(from: split.training) { epoch, right in
            if epoch % 10 == 0 { print("epoch \(epoch): \(Int(right * 1000)) ‰ right on the way") }
        }
        let network = Calibration().calibrated(learned, on: split.calibration)
        let file = NetworkFile(network: network, seed: options.seed, counts: counts(split.training))
        try Data(file.text.utf8).write(to: URL(filePath: arguments.last!))
        print("temperature \(network.temperature)")
        for method in GestureClassifier.Method.allCases {
            let measure = Measure(GestureClassifier(network: network, method: method), on: split.validation)
            print("\(method) on \(split.validation.count) photographs not learned from: \(measure.summary)")
        }
    }

    /// Returns the number of hands of each source, in the order of their first.
    private static func counts(_ hands: [TrainingHand]) -> [(source: String, hands: Int)] {
        var counts: [(source: String, hands: Int)] = []
        for hand in hands {
            if let index = counts.firstIndex(where: { $0.source == hand.source }) {
                counts[index].hands += 1
            } else {
                counts.append((hand.source, 1))
            }
        }
        return counts
    }
}

struct UsageError: Error, CustomStringConvertible { let description: String }
