import MediaIO
public import Pipeline
import Platform
public import Reactions
import Vision

/// Learns a custom gesture from pictures and videos of hands that make it, on a separate thread. Nothing is written:
/// the caller adds the gesture to a ``GestureSet``.
///
/// ```swift
/// let lesson = try await GestureTeacher().learn("three", from: ["three.mp4"], reactionType: .confetti)
/// for remark in lesson.remarks { print(remark) }
///
/// var configuration = Configuration()
/// try configuration.ownGestures.add(lesson.gesture)
/// ```
public final class GestureTeacher: Sendable {
    /// The result of learning.
    public struct Lesson: Sendable {
        /// The new gesture.
        public let gesture: OwnGesture
        /// The omitted inputs and the reasons, as one line of text for each.
        public let remarks: [String]
    }

    /// The minimum number of hands that define a gesture.
    public static let fewestExamples = 3
    /// The maximum number of hands kept from a long video, evenly over its time.
    private static let maximumExamples = 60
    /// The minimum share of examples that the new gesture must recognise, and the maximum share that may be detected as
    /// another gesture, 0…1.
    private static let minimumSimilarity = 0.7, maximumMistakenShare = 0.25

    private let configuration: Configuration
    private let interrupt = InterruptFlag()

    /// Creates a teacher that detects hands as a session with this configuration does. The new gesture must not be too
    /// similar to any of its ``Configuration/ownGestures``.
    public init(configuration: Configuration = Configuration()) { self.configuration = configuration }

    /// Stops early.
    public func stop() { interrupt.raise() }

    /// True if ``stop()`` was called.
    public var isStopped: Bool { interrupt.isRaised }

    /// The treatment of an existing gesture of the same name.
    public enum KnownGesture: Sendable {
        /// Learning is refused.
        case refused
        /// The hands of the existing gesture are replaced.
        case replaced
        /// The new hands are added to those of the existing gesture, to which they must be similar.
        case added
    }

    /// Learns from the hands in all inputs. In videos, only still hands count.
    ///
    /// - Parameters:
    ///   - name: The name of the new gesture; see ``ReactionGesture/init(rawValue:)``.
    ///   - inputs: JPEG or PNG images, and videos.
    ///   - reactionType: The reaction that the gesture triggers.
    ///   - handCount: 1, or 2 for a gesture for which both hands of a person make the same sign.
    ///   - known: The treatment of an existing gesture of that name in ``Configuration/ownGestures``.
    /// - Throws: ``FlourishError/Code/usage`` for a name in use, for an unknown reaction, and for hands that are too
    ///   few, too different or too similar to another gesture; ``FlourishError/Code/inputUnusable`` for an input that
    ///   does not show the required number of hands, in a video held still.
    public func learn(
        _ name: String, from inputs: [String], reactionType: ReactionType, handCount: Int = 1,
        knownAlready known: KnownGesture = .refused
    ) async throws(FlourishError) -> Lesson {
        var others = configuration.ownGestures
        let former = known == .refused ? nil : ReactionGesture(rawValue: name).flatMap { others[$0] }
        if former != nil { try others.remove(name) }
        let gesture = try others.checkIsFree(name)
        let before = known == .added ? former : nil
        if let before, before.handCount != handCount {
            throw FlourishError(
                .usage,
                "\(name) was learned with \(before.handCount == 1 ? "one hand" : "both hands"); replace it instead")
        }
        if let repeated = inputs.enumerated().first(where: { inputs[..<$0.offset].contains($0.element) }) {
            throw FlourishError(
                .usage,
                "\(repeated.element): is given twice; give different pictures: at least \(Self.fewestExamples * handCount) hands are required"
            )
        }
        let resources = configuration.resources ?? .located()
        try EffectCatalog(resources: resources).check([reactionType])
        let result = await StageThread.run { [others] () throws(FlourishError) in
            do {
                let analyser = try HandAnalyser(resources: resources, configuration: self.configuration)
                var shown: [ShownHand] = []
                for input in inputs where !self.interrupt.isRaised {
                    analyser.reset()
                    let settings = InputSettings(self.configuration, address: input)
                    shown += try HandCollector(input, settings, handCount: handCount, interrupt: self.interrupt)
                        .collect(analyser)
                }
                if self.interrupt.isRaised { throw FlourishError(.interrupted, "stopped; nothing was learned") }
                let draft = OwnGesture(
                    gesture: gesture, reactionType: reactionType, handCount: handCount,
                    examples: before?.examples ?? [])
                return try Self.lesson(draft, shown, others, analyser.network)
            } catch {
                throw FlourishError(describing: error)
            }
        }
        return try result.get()
    }

    // MARK: Comparing hands

    /// - Parameter draft: The gesture with its existing examples.
    private static func lesson(
        _ draft: OwnGesture, _ shown: [ShownHand], _ others: GestureSet, _ network: GestureNetwork
    ) throws(FlourishError) -> Lesson {
        let (gesture, handCount, former) = (draft.gesture, draft.handCount, draft.examples)
        try refuseRepeated(shown, former, needed: fewestExamples * handCount)
        let isAlike = HandExample.areAlike(former + shown.map(\.example), network: network).dropFirst(former.count)
        let kept = zip(shown, isAlike).filter(\.1).map(\.0)
        let remarks = zip(shown, isAlike).filter { !$0.1 && $0.0.isStill }
            .map { "\($0.0.input): ignored; its hand differs from the others" }
        guard former.count + kept.count >= fewestExamples * handCount, !kept.isEmpty else {
            let seen = kept.count == shown.count ? "\(shown.count)" : "\(kept.count) of \(shown.count) alike"
            throw FlourishError(
                .usage,
                "too few examples of \(gesture.rawValue): \(seen); at least \(fewestExamples * handCount) hands are required; add pictures or a video"
            )
        }
        try check(kept, gesture, others, network)
        let new = thinned(kept, to: maximumExamples)
        let own = OwnGesture(
            gesture: gesture, reactionType: draft.reactionType, handCount: handCount,
            examples: thinned(former + new.map(\.example), to: maximumExamples))
        let classifier = GestureClassifier(network: network, learned: [own.learned(network)])
        let known = new.count { classifier.classify($0.hand).learned != nil }
        guard Double(known) >= minimumSimilarity * Double(new.count) else {
            throw FlourishError(
                .usage,
                "the examples of \(gesture.rawValue) differ too much: only \(known) of \(new.count) are similar"
            )
        }
        return Lesson(gesture: own, remarks: remarks)
    }

    /// Rejects a picture that is given twice, or was learned before: it is no further example.
    private static func refuseRepeated(
        _ shown: [ShownHand], _ former: [HandExample], needed: Int
    ) throws(FlourishError) {
        var origins: [HandExample: String] = [:]
        for hand in shown {
            let origin = former.contains(hand.example) ? "a learned example" : origins[hand.example]
            if let origin, origin != hand.input {
                throw FlourishError(
                    .usage,
                    "\(hand.input): shows the same picture as \(origin); give different ones: at least \(needed) hands are required"
                )
            }
            origins[hand.example] = hand.input
        }
    }

    /// Rejects hands that make another gesture.
    private static func check(
        _ hands: [ShownHand], _ gesture: ReactionGesture, _ others: GestureSet, _ network: GestureNetwork
    ) throws(FlourishError) {
        let classifier = GestureClassifier(network: network, learned: others.learned(network))
        var counts: [String: Int] = [:]
        for hand in hands {
            if let sign = classifier.classify(hand.hand).sign { counts[sign, default: 0] += 1 }
        }
        let maximum = counts.max { $0.value != $1.value ? $0.value < $1.value : $0.key > $1.key }
        guard let maximum, Double(maximum.value) > maximumMistakenShare * Double(hands.count) else { return }
        throw FlourishError(
            .usage,
            "\(maximum.value) of \(hands.count) examples of \(gesture.rawValue) are detected as \(maximum.key), an existing gesture; choose a more distinct hand sign"
        )
    }

    private static func thinned<Hand>(_ hands: [Hand], to count: Int) -> [Hand] {
        guard hands.count > count else { return hands }
        return (0..<count).map { hands[$0 * hands.count / count] }
    }
}
