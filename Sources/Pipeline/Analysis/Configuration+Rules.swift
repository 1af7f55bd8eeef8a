internal import Gestures
import Reactions

extension Configuration {
    /// What a hold must come to, as the state machine takes it.
    ///
    /// - Parameter learned: the gestures of somebody's own.
    func rules(learned: [FrameGesture]) -> GestureStateMachine.Configuration {
        var rules = GestureStateMachine.Configuration(hold: hold, cooldown: cooldown)
        rules.learned = learned
        var own: [FrameGesture: GestureSensitivity] = [:]
        for gesture in FrameGesture.allCases + learned {
            guard let name = ReactionGesture(rawValue: gesture.rawValue) else { continue }
            own[gesture] = sensitivities[name].map(GestureSensitivity.init)
        }
        rules.follow(GestureSensitivity(sensitivity), own: own)
        return rules
    }
}

extension GestureSensitivity {
    fileprivate init(_ sensitivity: Sensitivity) {
        self =
            switch sensitivity {
            case .low: .low
            case .normal: .normal
            case .high: .high
            }
    }
}
