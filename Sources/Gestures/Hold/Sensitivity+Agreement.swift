package import Reactions

// The one place for these numbers; docs/recognition.md says what each choice costs and gains.
extension Sensitivity {
    /// What ``GestureTrack/Hold/agreement`` must reach for a built-in gesture.
    package var leastAgreement: Double {
        switch self {
        case .low: 0.85
        case .normal: 0.7
        case .high: 0.55
        }
    }

    /// The same for gestures of somebody's own, which no picture judges, and for hearts, whose hands hide each other.
    /// Their readings are sure by 0.5 at least, the limit that rules or examples drew. Nothing can be asked below that,
    /// and above it only where somebody asks for care.
    package var leastAgreementByPoints: Double {
        self == .low ? 0.65 : GestureClassifier.threshold
    }
}

extension GestureStateMachine.Configuration {
    /// Follows the sensitivity of all gestures, and of those that have one of their own.
    ///
    /// - Precondition: ``learned`` is set.
    package mutating func follow(_ general: Sensitivity, own: [FrameGesture: Sensitivity] = [:]) {
        leastAgreement = general.leastAgreement
        leastAgreements = [:]
        for gesture in [.heart] + learned {
            leastAgreements[gesture] = (own[gesture] ?? general).leastAgreementByPoints
        }
        for (gesture, sensitivity) in own where leastAgreements[gesture] == nil {
            leastAgreements[gesture] = sensitivity.leastAgreement
        }
    }

    /// How sure `gesture` must be over its hold. What counts for one hand counts for both, unless they have a limit of
    /// their own.
    package func leastAgreement(of gesture: FrameGesture) -> Double {
        if let own = leastAgreements[gesture] { return own }
        if gesture.hands == 2, let one = gesture.counterpart, let ofOne = leastAgreements[one] { return ofOne }
        return gesture.isLearned || gesture == .heart
            ? Sensitivity.normal.leastAgreementByPoints : leastAgreement
    }
}
