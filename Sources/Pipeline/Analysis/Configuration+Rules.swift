internal import Gestures
import Reactions

extension Configuration {
    /// What a hold must come to, as the state machine takes it.
    ///
    /// - Parameter learned: the gestures of somebody's own.
    func rules(learned: [FrameGesture]) -> GestureStateMachine.Configuration {
        var rules = GestureStateMachine.Configuration(hold: hold, cooldown: cooldown)
        rules.learned = learned
        rules.sensitivity = sensitivity
        for gesture in FrameGesture.allCases + learned { rules.sensitivities[gesture] = sensitivities[gesture.name] }
        return rules
    }
}
