import Gestures
import HandPose
import Pipeline
import Reactions

extension FrameInspection {
    init(_ analysis: HandAnalyser.Analysis, time: Double, isStill: Bool) {
        let observation = analysis.observation
        self.time = time
        hands = zip(analysis.hands, observation.hands).map(HandInspection.init)
        gesture = observation.gesture?.name
        reactionType = analysis.reactionType
        if isStill, gesture != nil {
            reason = "an image is not held"
        } else {
            reason =
                gesture == nil
                ? observation.reason ?? "no gesture" : analysis.status.description
        }
    }
}

extension HandInspection {
    fileprivate init(_ hand: HandLandmarks, _ reading: HandReading) {
        landmarks = hand.points.map { [$0.x, $0.y, $0.z] }
        handedness = hand.handedness.rawValue
        presence = hand.presence
        gesture = reading.sign.map(HandSign.init)
        confidence = reading.confidence
        reason = reading.reason
    }
}
