import Reactions

/// All markers of a plan on a timeline.
struct MarkerSheet: Sendable, Hashable {
    let source: ReactionPlan.Source
    let rate: TimecodeRate
    /// The recording's length in frames.
    let length: Int
    /// One for each reaction, in the order of the plan's reactions.
    private(set) var markers: [PlanMarker]

    /// - Parameter durations: how long each type of reaction lasts by itself, in seconds.
    init(_ plan: ReactionPlan, rate: TimecodeRate, durations: [ReactionType: Double]) {
        (source, self.rate) = (plan.source, rate)
        let length = max(1, rate.frame(at: plan.source.duration))
        self.length = length
        let ids = plan.numbers
        markers = zip(plan.reactions, ids).map { reaction, id in
            let seconds =
                reaction.endTime.map { $0 - reaction.startTime }
                ?? durations[reaction.reactionType] ?? Self.usualDuration
            let frame = min(max(0, rate.frame(at: reaction.startTime - plan.source.startTime)), length - 1)
            return PlanMarker(
                id: id, reactionType: reaction.reactionType, isEnabled: reaction.isEnabled, frame: frame,
                duration: max(1, min(rate.frame(at: seconds), length)), comment: Self.comment(on: reaction))
        }
        spread()
        for index in markers.indices {
            markers[index].duration = max(1, min(markers[index].duration, length - markers[index].frame))
        }
    }

    /// How long a reaction lasts whose effect is not installed here, in seconds.
    static let usualDuration = 3.0

    /// In the order of their times.
    var sorted: [PlanMarker] { markers.sorted { ($0.frame, $0.id) < ($1.frame, $1.id) } }

    /// Gives each marker a frame of its own: of two on one frame, editing programs keep only one.
    private mutating func spread() {
        let order = markers.indices.sorted { (markers[$0].frame, markers[$0].id) < (markers[$1].frame, markers[$1].id) }
        var next = 0
        for index in order {
            markers[index].frame = max(markers[index].frame, next)
            next = markers[index].frame + 1
        }
        var last = length - 1
        for index in order.reversed() {
            markers[index].frame = max(0, min(markers[index].frame, last))
            last = markers[index].frame - 1
        }
    }

    private static func comment(on reaction: ReactionPlan.Reaction) -> String {
        var parts: [String] = []
        if !reaction.isEnabled { parts.append(reaction.reason.map { "off: \($0.rawValue)" } ?? "off") }
        if let gesture = reaction.gesture { parts.append("gesture \(gesture.rawValue)") }
        if let confidence = reaction.confidence {
            parts.append("confidence \(JSONLine.rounded(confidence, places: 2).plainText)")
        }
        if let note = reaction.note { parts.append("note: \(note)") }
        return parts.joined(separator: ", ").onOneLine
    }
}
