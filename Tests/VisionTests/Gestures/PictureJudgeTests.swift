import Foundation
import TestSupport
import Testing
@testable import Vision

@Suite("The judge of a hand's picture")
struct PictureJudgeTests {
    private let file = Repository.root.appending(path: "Assets").appending(path: PictureJudge.assetPath)

    /// A judge that returns its input: it makes probabilities of four numbers.
    private static let echo = PictureJudge(layers: [
        GestureNetwork.Layer(
            inputs: 4, outputs: 4, weights: (0..<16).map { $0 % 5 == 0 ? 1 : 0 }, biases: [0, 0, 0, 0])
    ])

    private func reading(of hand: SyntheticHand, picture: [Float], judge: PictureJudge? = Self.echo) -> HandReading {
        var landmarks = hand.landmarks
        landmarks.embedding = picture
        return GestureClassifier(network: LearnedClassifier.network, pictures: judge).classify(landmarks)
    }

    @Test func handsHoldingObjectsAreNoThumbs() {
        let byPoints = reading(of: .thumbsUp, picture: [])
        #expect(byPoints.gesture == .thumbsUp)
        let cup = reading(of: .thumbsUp, picture: [9, 0, 0, 0])
        #expect(cup.gesture == nil)
        #expect(cup.reason == "has the shape of a gesture, but does not look like one")
        #expect(reading(of: .thumbsUp, picture: [0, 9, 0, 0]).gesture == .thumbsUp)
    }

    /// The landmarks of folded hands resemble two thumbs.
    @Test func touchingHandsAreReportedAsSuch() {
        let recognizer = GestureRecognizer(
            classifier: GestureClassifier(network: LearnedClassifier.network, pictures: Self.echo))
        func reasons(apart: Double) -> [String?] {
            let hands = [SyntheticHand.thumbsUp.with { $0.place.x = 0.5 + apart }, SyntheticHand.thumbsUp.mirrored]
            return recognizer.observe(
                hands.map { hand in
                    var landmarks = hand.landmarks
                    landmarks.embedding = [9, 0, 0, 0]
                    return landmarks
                }
            ).hands.map(\.reason)
        }
        let touching = "has the shape of a gesture, but touches the other hand"
        #expect(reasons(apart: 0.06) == [touching, touching])
        #expect(reasons(apart: 0.3).allSatisfy { $0 == "has the shape of a gesture, but does not look like one" })
    }

    /// The picture alone makes no gesture: it does not define the vertical.
    @Test func sidewaysThumbsStayThumbs() {
        #expect(reading(of: .thumbSideways, picture: [0, 9, 0, 0]).gesture == nil)
        #expect(reading(of: .openHand, picture: [0, 0, 9, 0]).gesture == nil)
    }

    /// Fingertips that meet like a roof: a heart by their landmarks, or nearly.
    @Test func heartsNeedAMatchingPicture() {
        // The second of two numbers is the probability of a heart.
        let judge = PictureJudge(
            layers: Self.echo.layers,
            heartLayers: [
                GestureNetwork.Layer(inputs: 2, outputs: 2, weights: [1, 0, 0, 1], biases: [0, 0])
            ])
        let recognizer = GestureRecognizer(
            classifier: GestureClassifier(network: LearnedClassifier.network, pictures: judge))
        func gesture(_ pictures: [[Float]], _ change: (inout SyntheticHeart) -> Void) -> FrameObservation {
            var heart = SyntheticHeart()
            change(&heart)
            return recognizer.observe(
                zip(heart.hands, pictures).map { hand, picture in
                    var hand = hand
                    hand.embedding = picture
                    return hand
                })
        }
        let heart: [Float] = [0, 9], other: [Float] = [9, 0]
        #expect(gesture([heart, heart]) { _ in }.gesture == .heart)
        let roof = gesture([other, other]) { $0.arch = 0.2 }
        #expect(roof.gesture == nil && roof.reason == "heart: the hands do not look like one")
        #expect(gesture([[], []]) { $0.arch = 0.2 }.gesture == .heart, "the points alone would not tell")
        // One hand may be hidden behind the other.
        #expect(gesture([heart, [1, 1]]) { _ in }.confidence > 0.9)
        #expect(gesture([[], []]) { _ in }.gesture == .heart, "what no picture judges is judged by its points")
        #expect(
            gesture([heart, heart]) { $0.arch = 0 }.gesture == nil, "a roof is no heart whatever its picture shows")
    }

    @Test func embeddingsOfOtherModelsAreNotJudged() {
        let with = reading(of: .thumbsUp, picture: [1, 2, 3]), without = reading(of: .thumbsUp, picture: [])
        #expect(with == without)
    }

    @Test func probabilitiesCoverAllClasses() {
        let said = Self.echo.probabilities(of: [0, 0, 3, 0])
        #expect(abs(said.reduce(0, +) - 1) < 1e-9)
        #expect(said.indices.max { said[$0] < said[$1] } == HandPictureClass.allCases.firstIndex(of: .victory))
    }

    @Test func filesSurviveARoundTrip() throws {
        let judge = PictureJudge(
            layers: [
                GestureNetwork.Layer(inputs: 3, outputs: 2, weights: [0.5, -1, 0.25, 2, -0.75, 0], biases: [0.5, -2]),
                GestureNetwork.Layer(
                    inputs: 2, outputs: 4, weights: [1, 2, 3, 4, -1, -2, -3, -4], biases: [0, 0.25, 0, 1]),
            ],
            heartLayers: [
                GestureNetwork.Layer(inputs: 3, outputs: 2, weights: [1, -1, 0, 0.5, 2, -3], biases: [0.5, 0])
            ])
        let data = try JSONEncoder().encode(judge.file(about: "a test", learnedFrom: ["photos": 3]))
        let read = try PictureJudge(json: data, file: "some.json")
        #expect(read.heartLayers.count == 1)
        for (one, other) in zip(judge.layers + judge.heartLayers, read.layers + read.heartLayers) {
            #expect(one.biases == other.biases)
            #expect(zip(one.weights, other.weights).allSatisfy { abs($0 - $1) < 1e-4 * 4 })
        }
    }

    @Test func theCommittedFileFitsTheLandmarkModel() throws {
        let judge = try PictureJudge(assets: LearnedClassifier.assets)
        #expect(judge.layers[0].inputs == 1152 && judge.heartLayers[0].inputs == 1152)
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(text.contains("\"learnedFrom\""))
    }

    @Test func missingDamagedAndOutdatedFilesAreNamed() throws {
        #expect(throws: GestureNetworkError.self) { try PictureJudge(assets: "/nowhere") }
        let whole = try String(contentsOf: file, encoding: .utf8)
        for (text, reason) in [
            (String(whole.prefix(whole.count / 2)), "damaged"), ("{}", "damaged"), ("", "damaged"),
            (whole.replacing("\"horns\"", with: "\"horn\""), "does not fit"),
            (whole.replacing("\"format\" : 2", with: "\"format\" : 1"), "does not fit"),
            (whole.replacing("\"weights\" : \"", with: "\"weights\" : \"A"), "does not fit"),
        ] {
            let error = #expect(throws: GestureNetworkError.self) {
                try PictureJudge(json: Data(text.utf8), file: "some.json")
            }
            #expect(error?.description.hasPrefix("some.json: ") == true)
            #expect(error?.description.contains(reason) == true, "\(error?.description ?? "") of \(reason)")
        }
    }
}
