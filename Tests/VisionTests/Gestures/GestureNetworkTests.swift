import Foundation
import GestureTraining
import TestSupport
import Testing
@testable import Vision

@Suite("The gesture network")
struct GestureNetworkTests {
    private let file = Repository.root.appending(path: "Assets").appending(path: GestureNetwork.assetPath)

    /// The committed file equals the trainer's output: weights are never edited by hand.
    @Test func theFileEqualsTheTrainersOutput() throws {
        let text = try String(contentsOf: file, encoding: .utf8)
        let fields = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let sources = try #require(fields["learnedFrom"] as? [String: Int])
        let order = sources.keys.sorted {
            text.range(of: "\"\($0)\":")!.lowerBound < text.range(of: "\"\($1)\":")!.lowerBound
        }
        let written = NetworkFile(
            network: LearnedClassifier.network, seed: try #require(fields["seed"] as? UInt64),
            counts: order.map { ($0, sources[$0]!) })
        #expect(written.text == text)
    }

    /// Poses outside of the training data, drawn with another seed.
    @Test func thePuppetsHandsAreClassified() {
        var puppets = PuppetHands(seed: 1234)
        let measure = Measure(LearnedClassifier.shared, on: puppets.hands(ofEach: 100))
        for gesture in HandGesture.allCases { #expect(measure.f1(gesture) >= 0.9, "\(measure.summary)") }
        let taken = measure.falseGestures.values.reduce(0, +)
        #expect(Double(taken) <= 0.02 * Double(measure.negatives), "\(measure.falseGestures)")
    }

    @Test func mirroredHandsGetTheSameResult() {
        for pose in [SyntheticHand.thumbsUp, .victory, .call, .relaxed] {
            let hand = pose.with { $0.turn += 13 }
            let one = LearnedClassifier.network.probabilities(of: hand.landmarks)
            let other = LearnedClassifier.network.probabilities(of: hand.mirrored.landmarks)
            #expect(zip(one, other).allSatisfy { abs($0 - $1) < 1e-4 })
            #expect(abs(one.reduce(0, +) - 1) < 1e-9)
        }
    }

    /// The same hands in the same order give the same bytes.
    @Test func trainingTwiceGivesTheSameFile() {
        func train(seed: UInt64) -> String {
            var puppets = PuppetHands(seed: 5)
            var options = Trainer.Options()
            options.seed = seed
            options.hidden = [6]
            options.epochs = 2
            options.epochLength = 640
            let network = Trainer(options: options).network(from: puppets.hands(ofEach: 12))
            return NetworkFile(network: network, seed: seed, counts: [("puppet", 216)]).text
        }
        let first = train(seed: 1)
        #expect(first == train(seed: 1))
        #expect(first != train(seed: 2))
    }

    @Test func missingDamagedAndOutdatedFilesAreNamed() throws {
        #expect(throws: GestureNetworkError.self) { try GestureNetwork(assets: "/nowhere") }
        let whole = try Data(contentsOf: file)
        for (data, reason) in [
            (whole.prefix(whole.count / 2), "damaged"), (Data("{}".utf8), "damaged"), (Data(), "damaged"),
            (Data(String(decoding: whole, as: UTF8.self).replacing("wrist.x", with: "wrist.q").utf8), "does not fit"),
            (
                Data(String(decoding: whole, as: UTF8.self).replacing("\"format\": 1", with: "\"format\": 2").utf8),
                "does not fit"
            ),
        ] {
            let error = #expect(throws: GestureNetworkError.self) {
                try GestureNetwork(json: data, file: "some.json")
            }
            #expect(error?.description.hasPrefix("some.json: ") == true)
            #expect(error?.description.contains(reason) == true)
        }
    }

    @Test func theExponentialMatchesTheCLibrary() {
        for x in stride(from: -50.0, through: 50, by: 0.37) {
            #expect(abs(exponential(x) / exp(x) - 1) < 1e-14)
        }
        #expect(exponential(-1e9) == 0)
    }
}
