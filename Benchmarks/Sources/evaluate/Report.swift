import Foundation

/// All figures, ready to be printed and written as JSON.
struct Report: Encodable, Sendable {
    /// A misclassified picture.
    struct ImageError: Encodable, Sendable {
        var path: String
        var truth: Gesture?
        var said: [Gesture]
        var handsFound: Int
        var handHeight: Double?
        var reason: String
    }

    /// The share of a source's pictures with a gesture whose gesture is recognised.
    struct CollectionScore: Encodable, Sendable {
        var name: String
        var recall: SampleShare
    }

    struct FalseTrigger: Encodable, Sendable {
        var path: String
        var trigger: Trigger
    }

    /// Videos without held gestures.
    struct EmptyFootage: Encodable, Sendable {
        var videos = 0
        var hours = 0.0
        var falseTriggers = 0
    }

    var scores: [Score] = []
    var kinds: [KindScore] = []
    /// By source.
    var collections: [CollectionScore] = []
    /// By label, then by result.
    var confusion: [String: [String: Int]] = [:]
    var nonGestures = 0
    var nonGesturesTaken = 0
    var errors: [ImageError] = []
    var emptyFootage = EmptyFootage()
    /// Gestures that fired in any video without a label.
    var falseTriggers: [FalseTrigger] = []
    /// With the default hold.
    var holds: [HoldFinding] = []
    /// With a short one, for which many more labels are long enough.
    var shortHolds: [HoldFinding] = []
    /// The results of all videos, by ``comparedHolds``.
    var holdScores: [HoldScore] = []
    /// The results of MediaPipe's gesture recogniser, if it was run.
    var peer: Peer.Findings?

    /// The results of photos in difficult light.
    var conditions: [ConditionScore] = []
    /// The results of derived footage.
    var derived: [DerivedFinding] = []

    static let defaultHold = 1.0
    static let shortHold = 0.4
    /// The hold that some people expect to suffice.
    static let plainHold = 0.8
    /// The durations of holds for which false triggers and hits are counted.
    static let comparedHolds = [1.0, 0.5]
    /// A hold this much longer than required must fire, and within that time.
    static let allowance = 0.2
    /// Hands of at least this part of the picture's height count as large.
    static let largeHand = 0.1
    /// Sources with fewer pictures are summed: their intervals say nothing.
    private static let fewPictures = 5

    init(
        images: [ImageFinding], videos: [VideoFinding], shortHoldVideos: [VideoFinding],
        derived: [DerivedFinding]
    ) {
        self.derived = derived
        let parts: [(name: String, findings: [ImageFinding])] = [
            ("all", images),
            // A hand that was not found counts as a large one.
            ("hand ≥ 10 %", images.filter { ($0.handHeight ?? 1) >= Self.largeHand }),
            ("full frames", images.filter { !$0.isTightCrop }),
            ("tight crops", images.filter(\.isTightCrop)),
        ]
        for gesture in Gesture.allCases {
            scores += parts.map { Score(of: gesture, in: $0.findings, pictures: $0.name) }
                .filter { $0.shown > 0 }
        }
        let names = Set(images.map(\.kind)).sorted()
        for part in parts.suffix(2) {
            kinds += names.map { name in
                KindScore(
                    kind: name, findings: part.findings.filter { $0.kind == name }, pictures: part.name)
            }.filter { $0.shown > 0 }
        }
        collections = Self.collections(images.filter { $0.truth != nil })
        for finding in images {
            confusion[finding.truth?.rawValue ?? "none", default: [:]][Self.column(of: finding), default: 0] += 1
        }
        nonGestures = images.count { $0.truth == nil }
        nonGesturesTaken = images.count { $0.truth == nil && $0.isError }
        errors = images.filter(\.isError).map(Self.error)
        add(videos, shortHoldVideos)
    }

    private mutating func add(_ videos: [VideoFinding], _ shortHoldVideos: [VideoFinding]) {
        for video in videos where video.isEmpty {
            emptyFootage.videos += 1
            emptyFootage.hours += video.seconds / 3600
            emptyFootage.falseTriggers += video.falseTriggers.count
        }
        falseTriggers = videos.flatMap { video in
            video.falseTriggers.map { FalseTrigger(path: video.path, trigger: $0) }
        }
        holds = videos.flatMap(\.holds)
        shortHolds = shortHoldVideos.flatMap(\.holds)
    }

    private static func collections(_ images: [ImageFinding]) -> [CollectionScore] {
        func score(_ name: String, _ images: [ImageFinding]) -> CollectionScore {
            let right = images.count { $0.truth.map($0.said.contains) ?? false }
            return CollectionScore(name: name, recall: SampleShare(right, of: images.count))
        }
        let found = Dictionary(grouping: images) { Labels.collection(of: $0.path) }.sorted { $0.key < $1.key }
        let rest = found.filter { $0.value.count < fewPictures }
        return found.filter { $0.value.count >= fewPictures }.map { score($0.key, $0.value) }
            + (rest.isEmpty ? [] : [score("\(rest.count) others", rest.flatMap(\.value))])
    }

    /// The columns of ``confusion``.
    static let columns = Gesture.allCases.map(\.rawValue) + ["nothing", "no hand"]

    private static func column(of finding: ImageFinding) -> String {
        finding.answer?.rawValue ?? (finding.line.hands.isEmpty ? "no hand" : "nothing")
    }

    private static func error(_ finding: ImageFinding) -> ImageError {
        ImageError(
            path: finding.path, truth: finding.truth,
            said: Gesture.allCases.filter(finding.said.contains),
            handsFound: finding.line.hands.count, handHeight: finding.handHeight,
            reason: finding.line.hands.first { $0.gesture == nil }?.reason ?? finding.line.reason)
    }

    func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(self)
    }
}
