internal import Gestures
import Reactions

extension Configuration {
    /// What a hold must come to, as the state machine takes it.
    ///
    /// - Parameter learned: the gestures of somebody's own.
    func rules(learned: [FrameGesture]) -> GestureStateMachine.Configuration {
        var rules = GestureStateMachine.Configuration(hold: hold, cooldown: cooldown)
        rules.learned = learned
        var own: [FrameGesture: Sensitivity] = [:]
        for gesture in FrameGesture.allCases + learned { own[gesture] = sensitivities[gesture.name] }
        rules.follow(sensitivity, own: own)
        return rules
    }
}
