package import Gestures
public import Reactions

/// A gesture that was taught, and the reaction that it triggers.
public struct OwnGesture: Sendable, Hashable {
    /// The gesture, by the name that events call it.
    public let gesture: ReactionGesture
    /// What it triggers.
    public let reactionType: ReactionType
    /// How many hands make it, both alike: 1 or 2.
    public let handCount: Int
    /// The hands that were shown.
    package let examples: [HandExample]

    /// How many hands were shown.
    public var exampleCount: Int { examples.count }

    package init(gesture: ReactionGesture, reactionType: ReactionType, handCount: Int, examples: [HandExample]) {
        self.gesture = gesture
        self.reactionType = reactionType
        self.handCount = handCount
        self.examples = examples
    }

    /// What the recognition looks for.
    package func learned(_ network: GestureNetwork) -> LearnedGesture {
        LearnedGesture(
            gesture: .learned(gesture, hands: handCount), examples: examples, network: network)
    }
}
