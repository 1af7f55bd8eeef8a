/// Splits the hands into training, calibration and validation sets.
package struct Split {
    package private(set) var training: [TrainingHand] = []
    /// For the temperature.
    package private(set) var calibration: [TrainingHand] = []
    /// For the figures.
    package private(set) var validation: [TrainingHand] = []

    /// - Parameter parts: one owner in `parts` goes to calibration, another to validation.
    ///   A project's owner is the project, so all of its hands are on one side.
    package init(_ hands: [TrainingHand], parts: UInt64 = 10) {
        for hand in hands {
            switch hash(hand.owner) % parts {
            case 0 where hand.source == "photographs": calibration.append(hand)
            case 1 where hand.source == "photographs": validation.append(hand)
            default: training.append(hand)
            }
        }
    }
}

/// FNV-1a: the same in every run, unlike Swift's own.
private func hash(_ text: String) -> UInt64 {
    text.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 } >> 8
}
