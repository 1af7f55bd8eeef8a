package import Reactions

// The one place for these numbers; docs/recognition.md says what each choice costs and gains.
extension Sensitivity {
    /// What ``GestureTrack/Hold/agreement`` must reach for a gesture to fire.
    ///
    /// - A *thumb up* asks for more than the others: it is what hands that talk, rest or hold something are taken for.
    /// - No picture judges gestures of somebody's own, and the hands of a *heart* hide each other. Their readings are sure by 0.5
    ///   at least, the limit that rules or examples drew. Nothing can be asked below that, and above it only where
    ///   somebody asks for care.
    package func leastAgreement(of gesture: FrameGesture) -> Double {
        if gesture == .heart || gesture.isLearned { return self == .low ? 0.65 : GestureClassifier.threshold }
        return switch self {
        case .low: 0.85
        case .normal: gesture == .thumbsUp || gesture == .twoThumbsUp ? 0.7 : 0.6
        case .high: 0.55
        }
    }
}

extension GestureStateMachine.Configuration {
    /// How sure `gesture` must be over its hold. What counts for one hand counts for both, unless they have a sensitivity
    /// of their own.
    package func leastAgreement(of gesture: FrameGesture) -> Double {
        let ofOne = gesture.hands == 2 ? gesture.counterpart.flatMap { sensitivities[$0] } : nil
        return (sensitivities[gesture] ?? ofOne ?? sensitivity).leastAgreement(of: gesture)
    }
}
