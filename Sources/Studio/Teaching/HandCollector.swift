import MediaIO
import Pipeline
import Reactions
import Vision

/// A hand that is shown to a ``GestureTeacher`` as an example.
struct ShownHand {
    var input: String
    /// True if the hand is from a photo.
    var isStill: Bool
    var hand: HandLandmarks
    var example: HandExample

    init(_ hand: HandLandmarks, input: String, isStill: Bool) {
        self.hand = hand
        self.input = input
        self.isStill = isStill
        example = HandExample(hand)
    }
}

/// Collects the hands of one picture or video.
struct HandCollector {
    private let input: String
    private let settings: InputSettings
    private let handCount: Int
    private let interrupt: InterruptFlag

    /// The maximum movement of a still hand's centre between two detections, in palm lengths. Each landmark may move
    /// three times as far.
    private static let stillness = 0.15

    init(_ input: String, _ settings: InputSettings, handCount: Int, interrupt: InterruptFlag) {
        (self.input, self.settings) = (input, settings)
        self.handCount = handCount
        self.interrupt = interrupt
    }

    /// - Throws: ``FlourishError/Code/inputUnusable`` if there is no such hand.
    func collect(_ analyser: HandAnalyser) throws -> [ShownHand] {
        let source = try FrameSource(input, settings, interrupt: interrupt), demuxer = source.demuxer
        let reader = InputReader(source, copiesOtherStreams: false, interrupt: interrupt)
        let hands = try demuxer.isStillImage ? photo(reader, analyser) : video(reader, analyser)
        guard hands.isEmpty, !interrupt.isRaised else { return hands }
        let what = handCount == 2 ? "two hands were found" : "hand was found"
        let how = demuxer.isStillImage ? "" : " that is held still"
        throw FlourishError(.inputUnusable, "\(input): no \(what)\(how); remove it, or show the hand larger")
    }

    private func photo(_ reader: InputReader, _ analyser: HandAnalyser) throws -> [ShownHand] {
        guard let item = try reader.nextFrame(copy: { _ in true }) else {
            throw FlourishError(
                .inputUnusable,
                "\(input): the image cannot be decoded; it is damaged, or in a format that FFmpeg does not support")
        }
        return chosen(try analyser.analyseStill(item.frame).hands)
            .map { ShownHand($0, input: input, isStill: true) }
    }

    private func video(_ reader: InputReader, _ analyser: HandAnalyser) throws -> [ShownHand] {
        var scheduler = DetectionScheduler(analyser)
        var hands: [ShownHand] = []
        var last: [HandLandmarks] = []
        while let item = try reader.nextFrame(copy: { _ in true }) {
            // A visible hand is detected as often as a gesture, because the sign to be learned is not yet recognised as
            // one.
            let analysis = try scheduler.analyse(item.frame, at: item.time) {
                $0.hands.isEmpty ? .nothing : .gesture
            }
            guard let analysis else { continue }
            let now = chosen(analysis.hands)
            if now.count == handCount, now.allSatisfy({ hand in last.contains { isStill($0, hand) } }) {
                hands += now.map { ShownHand($0, input: input, isStill: false) }
            }
            last = now
        }
        return hands
    }

    /// Returns the largest hands; none if there are fewer than needed.
    private func chosen(_ hands: [HandLandmarks]) -> [HandLandmarks] {
        let sizes = hands.map { HandSpot($0).palmLength.y }
        let order = hands.indices.sorted { sizes[$0] != sizes[$1] ? sizes[$0] > sizes[$1] : $0 < $1 }
        return hands.count >= handCount ? order.prefix(handCount).map { hands[$0] } : []
    }

    private func isStill(_ a: HandLandmarks, _ b: HandLandmarks) -> Bool {
        guard a.trackID == b.trackID else { return false }
        let spot = HandSpot(b), palm = spot.palmLength
        return zip(a.points, b.points).allSatisfy { one, other in
            abs(one.x - other.x) < 3 * Self.stillness * palm.x && abs(one.y - other.y) < 3 * Self.stillness * palm.y
        } && HandSpot(a).centre.distance(to: spot.centre, palmLength: palm) < Self.stillness
    }
}
