package import Reactions

/// What happened in a frame of a span, as a ``SpanFile`` keeps it: nothing is rounded, since another run tells it as its own.
package struct SpanEvent: Codable {
    private enum Kind: Codable {
        case started(
            id: Int, type: ReactionType, trigger: ReactionEvent.Trigger, gesture: ReactionGesture?,
            origin: PicturePoint, startTime: Double, detail: Double)
        case extended(id: Int, type: ReactionType, trigger: ReactionEvent.Trigger)
        case ended(id: Int, type: ReactionType, startTime: Double, endTime: Double)
        case inProgress([Effect])
        case adjusted(
            reason: String, previous: ReactionEvent.EncoderTargets, requested: ReactionEvent.EncoderTargets,
            notAdjustable: String?)
        case recovered(ReactionEvent.EncoderRecovery)
        case rate(ReactionEvent.FrameRateChange)
        case warning(code: ReactionEvent.WarningCode, message: String)
    }

    private struct Effect: Codable {
        var id: Int
        var type: ReactionType
        var startTime: Double
        var endTime: Double?
        var origin: PicturePoint
    }

    private var time: Double
    /// The frame's id.
    private var frame: Int
    private var kind: Kind

    /// - Returns: `nil` for what is not told in spans.
    init?(_ event: ReactionEvent) {
        time = event.time
        frame = event.frame
        switch event.kind {
        case .effectStarted(let effect):
            kind = .started(
                id: effect.id, type: effect.reactionType, trigger: effect.trigger, gesture: effect.gesture,
                origin: effect.origin, startTime: effect.startTime, detail: effect.detail)
        case .effectExtended(let id, let type, let trigger): kind = .extended(id: id, type: type, trigger: trigger)
        case .effectEnded(let end):
            kind = .ended(id: end.id, type: end.reactionType, startTime: end.startTime, endTime: end.endTime)
        case .effectsInProgress(let effects):
            kind = .inProgress(
                effects.map {
                    Effect(
                        id: $0.id, type: $0.reactionType, startTime: $0.startTime, endTime: $0.endTime,
                        origin: $0.origin)
                })
        case .encoderAdjusted(let change):
            kind = .adjusted(
                reason: change.reason, previous: change.previous, requested: change.requested,
                notAdjustable: change.notAdjustable)
        case .encoderRecovered(let recovery): kind = .recovered(recovery)
        case .frameRateChanged(let change): kind = .rate(change)
        case .warning(let code, let message): kind = .warning(code: code, message: message)
        case .streamStarted, .gesture, .candidate, .qualityChanged, .statistics, .photoProxy, .photoFinished,
            .photoFailed, .photoReadiness, .streamEnded:
            return nil
        }
    }

    /// The event as it was.
    package var event: ReactionEvent {
        let happened: ReactionEvent.Kind =
            switch kind {
            case .started(let id, let type, let trigger, let gesture, let origin, let startTime, let detail):
                .effectStarted(
                    .init(
                        id: id, reactionType: type, trigger: trigger, gesture: gesture, origin: origin,
                        startTime: startTime, detail: detail))
            case .extended(let id, let type, let trigger): .effectExtended(id: id, reactionType: type, trigger: trigger)
            case .ended(let id, let type, let startTime, let endTime):
                .effectEnded(.init(id: id, reactionType: type, startTime: startTime, endTime: endTime))
            case .inProgress(let effects):
                .effectsInProgress(
                    effects.map {
                        ReactionEffectState(
                            id: $0.id, reactionType: $0.type, startTime: $0.startTime, endTime: $0.endTime,
                            origin: $0.origin)
                    })
            case .adjusted(let reason, let previous, let requested, let notAdjustable):
                .encoderAdjusted(
                    .init(reason: reason, previous: previous, requested: requested, notAdjustable: notAdjustable))
            case .recovered(let recovery): .encoderRecovered(recovery)
            case .rate(let change): .frameRateChanged(change)
            case .warning(let code, let message): .warning(code: code, message: message)
            }
        return ReactionEvent(time: time, frame: frame, kind: happened)
    }
}
