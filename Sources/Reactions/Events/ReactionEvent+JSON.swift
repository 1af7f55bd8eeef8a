import FoundationEssentials

/// Encodes events as lines of JSON, according to `docs/events.md`.
extension ReactionEvent {
    /// The version of the JSON contract. A breaking change increases it.
    public static let schema = 1

    /// The event's name in the JSON contract, such as `effectStarted`.
    public var name: String { kindName.rawValue }

    /// The names of all events in the JSON contract.
    public static let names = Name.allCases.map(\.rawValue)

    private enum Name: String, CaseIterable {
        case streamStarted, gesture, candidate, effectStarted, effectExtended, effectEnded,
            effectsInProgress, encoderAdjusted, encoderRecovered, frameRateChanged, layoutChanged, videoEffectsChanged,
            qualityChanged, statistics, warning, photoProxy, photoFinished, photoFailed, photoReadiness, streamEnded
    }

    private var kindName: Name {
        switch kind {
        case .streamStarted: .streamStarted
        case .gesture: .gesture
        case .candidate: .candidate
        case .effectStarted: .effectStarted
        case .effectExtended: .effectExtended
        case .effectEnded: .effectEnded
        case .effectsInProgress: .effectsInProgress
        case .encoderAdjusted: .encoderAdjusted
        case .encoderRecovered: .encoderRecovered
        case .frameRateChanged: .frameRateChanged
        case .layoutChanged: .layoutChanged
        case .videoEffectsChanged: .videoEffectsChanged
        case .qualityChanged: .qualityChanged
        case .statistics: .statistics
        case .warning: .warning
        case .photoProxy: .photoProxy
        case .photoFinished: .photoFinished
        case .photoFailed: .photoFailed
        case .photoReadiness: .photoReadiness
        case .streamEnded: .streamEnded
        }
    }

    /// The event as one line of JSON, without a newline. Fields are sorted by name, so equal events are equal lines.
    ///
    /// ```swift
    /// for await event in session.events { print(event.jsonLine) }
    /// ```
    public var jsonLine: String { JSONLine.encode(self) }
}

extension ReactionEvent: Encodable {
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: FieldName.self)
        try fields.encode(Self.schema, forKey: "schema")
        try fields.encode(name, forKey: "event")
        try fields.encode(seconds: time, forKey: "time")
        try fields.encode(frame, forKey: "frame")
        switch kind {
        case .streamStarted(let stream): try stream.encode(into: &fields)
        case .gesture(let gesture): try gesture.encode(into: &fields)
        case .candidate(let candidate): try candidate.encode(into: &fields)
        case .effectStarted(let effect): try effect.encode(into: &fields)
        case .effectExtended(let effect): try effect.encode(into: &fields)
        case .effectEnded(let effect): try effect.encode(into: &fields)
        case .effectsInProgress(let effects): try fields.encode(effects, forKey: "effects")
        case .encoderAdjusted(let adjustment): try adjustment.encode(into: &fields)
        case .encoderRecovered(let recovery):
            try fields.encode(seconds: recovery.endTime, forKey: "endTime")
            try fields.encode(seconds: recovery.seconds, forKey: "seconds")
            try fields.encode(JSONLine.rounded(recovery.usualQP, places: 2), forKey: "usualQP")
        case .frameRateChanged(let change):
            try fields.encode(seconds: change.from, forKey: "from")
            try fields.encode(seconds: change.to, forKey: "to")
            try fields.encode(change.reason, forKey: "reason")
        case .layoutChanged(let tiles): try fields.encode(tiles.map(\.rounded), forKey: "tiles")
        case .videoEffectsChanged(let effects):
            try fields.encode(effects.background.name, forKey: "background")
            try fields.encode(JSONLine.rounded(effects.portrait, places: 3), forKey: "portrait")
            try fields.encode(JSONLine.rounded(effects.studioLight, places: 3), forKey: "studioLight")
            try fields.encode(JSONLine.rounded(effects.autoFraming, places: 3), forKey: "autoFraming")
        case .qualityChanged(let change):
            try fields.encode(change.from, forKey: "from")
            try fields.encode(change.to, forKey: "to")
            try fields.encode(JSONLine.rounded(change.load, places: 3), forKey: "load")
        case .statistics(let statistics):
            try fields.encode(statistics.stages.map(\.rounded), forKey: "stages")
        case .warning(let code, let message):
            try fields.encode(code, forKey: "code")
            try fields.encode(message, forKey: "message")
        case .photoProxy(let photo), .photoFinished(let photo): try photo.encode(into: &fields)
        case .photoFailed(let id, let message):
            try fields.encode(id, forKey: "id")
            try fields.encode(message, forKey: "message")
        case .photoReadiness(let readiness): try fields.encode(readiness, forKey: "readiness")
        case .streamEnded(let summary): try summary.encode(into: &fields)
        }
    }
}

extension ReactionEvent.StreamDescription {
    fileprivate func encode(into fields: inout KeyedEncodingContainer<FieldName>) throws {
        try fields.encode(input, forKey: "input")
        try fields.encode(width, forKey: "width")
        try fields.encode(height, forKey: "height")
        try fields.encode(seconds: frameRate, forKey: "frameRate")
        try fields.encode(availableReactionTypes, forKey: "availableReactionTypes")
        try fields.encode(gesturesEnabled, forKey: "gesturesEnabled")
        try fields.encode(reactionsEnabled, forKey: "reactionsEnabled")
        try fields.encode(seconds: frameRateDuringEffects, forKey: "frameRateDuringEffects")
        try fields.encodeIfPresent(wholeReason, forKey: "wholeReason")
    }
}

extension ReactionEvent.GestureDetail {
    fileprivate func encode(into fields: inout KeyedEncodingContainer<FieldName>) throws {
        try fields.encode(gesture, forKey: "gesture")
        try fields.encode(handCount, forKey: "hands")
        try fields.encode(JSONLine.rounded(confidence, places: 3), forKey: "confidence")
        try fields.encode(origin.rounded, forKey: "origin")
        try fields.encode(seconds: heldSince, forKey: "heldSince")
        try fields.encodeIfPresent(tile?.rounded, forKey: "tile")
        try fields.encodeIfPresent(crop?.rounded, forKey: "crop")
    }
}

extension ReactionEvent.CandidateDetail {
    fileprivate func encode(into fields: inout KeyedEncodingContainer<FieldName>) throws {
        try fields.encode(gesture, forKey: "gesture")
        try fields.encode(handCount, forKey: "hands")
        try fields.encode(JSONLine.rounded(confidence, places: 3), forKey: "confidence")
        try fields.encode(origin.rounded, forKey: "origin")
        try fields.encode(seconds: heldSince, forKey: "heldSince")
        try fields.encode(seconds: heldUntil, forKey: "heldUntil")
        try fields.encode(seconds: held, forKey: "held")
        try fields.encode(seconds: hold, forKey: "hold")
        try fields.encode(reason, forKey: "reason")
        try fields.encodeIfPresent(tile?.rounded, forKey: "tile")
        try fields.encodeIfPresent(crop?.rounded, forKey: "crop")
    }
}

extension ReactionEvent.EffectDetail {
    fileprivate func encode(into fields: inout KeyedEncodingContainer<FieldName>) throws {
        try fields.encode(id, forKey: "id")
        try fields.encode(reactionType, forKey: "reactionType")
        try fields.encodeIfPresent(reactionType.systemImageName, forKey: "systemImageName")
        try fields.encode(trigger, forKey: "trigger")
        try fields.encodeIfPresent(gesture, forKey: "gesture")
        try fields.encode(origin.rounded, forKey: "origin")
        try fields.encode(seconds: startTime, forKey: "startTime")
        try fields.encodeNil(forKey: "endTime")
        if detail < 1 { try fields.encode(JSONLine.rounded(detail, places: 2), forKey: "detail") }
        try fields.encodeIfPresent(tile?.rounded, forKey: "tile")
        try fields.encodeIfPresent(crop?.rounded, forKey: "crop")
    }
}

extension ReactionEvent.EffectExtension {
    fileprivate func encode(into fields: inout KeyedEncodingContainer<FieldName>) throws {
        try fields.encode(id, forKey: "id")
        try fields.encode(reactionType, forKey: "reactionType")
        try fields.encode(trigger, forKey: "trigger")
        try fields.encodeIfPresent(tile?.rounded, forKey: "tile")
    }
}

extension ReactionEvent.EffectEnd {
    package func encode(into fields: inout KeyedEncodingContainer<FieldName>) throws {
        try fields.encode(id, forKey: "id")
        try fields.encode(reactionType, forKey: "reactionType")
        try fields.encode(seconds: startTime, forKey: "startTime")
        try fields.encode(seconds: endTime, forKey: "endTime")
        try fields.encodeIfPresent(encoder, forKey: "encoder")
        try fields.encodeIfPresent(tile?.rounded, forKey: "tile")
    }
}

extension ReactionEvent.EncoderAdjustment {
    package func encode(into fields: inout KeyedEncodingContainer<FieldName>) throws {
        try fields.encode(reason, forKey: "reason")
        try fields.encode(previous, forKey: "previous")
        try fields.encode(requested, forKey: "requested")
        if let notAdjustable {
            try fields.encode(notAdjustable, forKey: "notAdjustable")
        } else {
            try fields.encode(requested, forKey: "applied")
        }
    }
}

extension ReactionEvent.StreamSummary {
    fileprivate func encode(into fields: inout KeyedEncodingContainer<FieldName>) throws {
        try fields.encode(framesIn, forKey: "framesIn")
        try fields.encode(framesOut, forKey: "framesOut")
        try fields.encode(framesDropped, forKey: "framesDropped")
        let counts = effects.map { ($0.key.rawValue, $0.value) }
        try fields.encode(Dictionary(uniqueKeysWithValues: counts), forKey: "effectCounts")
        try fields.encode(seconds: seconds, forKey: "seconds")
        try fields.encodeIfPresent(sounds?.map(\.rounded), forKey: "sounds")
        guard let smartRender else { return }
        var nested = fields.nestedContainer(keyedBy: FieldName.self, forKey: "smartRender")
        try smartRender.encode(into: &nested)
    }
}

extension ReactionEvent.SmartRenderSummary {
    fileprivate func encode(into fields: inout KeyedEncodingContainer<FieldName>) throws {
        try fields.encode(framesCopied, forKey: "framesCopied")
        try fields.encode(framesEncoded, forKey: "framesEncoded")
        try fields.encode(spans.map(\.rounded), forKey: "spans")
        try fields.encode(timing.rounded, forKey: "timing")
    }
}

extension ReactionEvent.SmartRenderSummary.Span {
    fileprivate var rounded: Self {
        var copy = self
        copy.startTime = JSONLine.rounded(startTime, places: 3)
        copy.endTime = JSONLine.rounded(endTime, places: 3)
        return copy
    }
}

extension ReactionEvent.SmartRenderSummary.Timing {
    fileprivate var rounded: Self {
        Self(
            looking: JSONLine.rounded(looking, places: 3), rendering: JSONLine.rounded(rendering, places: 3),
            checking: JSONLine.rounded(checking, places: 3))
    }
}

extension ReactionEffectState: Encodable {
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: FieldName.self)
        try fields.encode(id, forKey: "id")
        try fields.encode(reactionType, forKey: "reactionType")
        try fields.encodeIfPresent(reactionType.systemImageName, forKey: "systemImageName")
        try fields.encode(origin.rounded, forKey: "origin")
        try fields.encode(seconds: startTime, forKey: "startTime")
        try fields.encode(seconds: endTime, forKey: "endTime")
        try fields.encodeIfPresent(tile?.rounded, forKey: "tile")
    }
}

extension ReactionEvent.StageLatency {
    /// The latency with its times rounded to microseconds.
    fileprivate var rounded: Self {
        var copy = self
        for path in [\Self.p50, \.p95, \.p99, \.max] {
            copy[keyPath: path] = JSONLine.rounded(self[keyPath: path], places: 6)
        }
        return copy
    }
}

extension PicturePoint {
    /// The point with three decimal places, which are finer than a pixel of most pictures, and readable.
    var rounded: PicturePoint {
        PicturePoint(x: JSONLine.rounded(x, places: 3), y: JSONLine.rounded(y, places: 3))
    }
}
