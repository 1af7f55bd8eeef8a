import Reactions

/// All markers of a plan on a timeline, as Flourish writes them: one for each reaction.
struct MarkerSheet: Sendable, Hashable {
    let source: ReactionPlan.Source
    let rate: TimecodeRate
    /// The recording's length in frames.
    let length: Int
    /// One marker for each reaction, in the order of the plan's reactions.
    private(set) var markers: [PlanMarker]

    /// - Parameter durations: The default duration of each type of reaction, in seconds.
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

    /// The duration of a reaction whose effect is not installed, in seconds.
    static let usualDuration = 3.0

    /// The markers by time.
    var sorted: [PlanMarker] { markers.sorted { ($0.frame, $0.id) < ($1.frame, $1.id) } }

    /// Gives each marker a separate frame. Of two markers on one frame, editing programs keep only one.
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

/// The marker of a reaction. Times are in frames from the recording's first frame.
struct PlanMarker: Sendable, Hashable {
    /// The reaction's number or, if the reaction has none, the number that it would get.
    var id: Int
    var reactionType: ReactionType
    var isEnabled: Bool
    var frame: Int
    /// The duration in frames, at least 1.
    var duration: Int
    /// A description of the reaction for reviewers: one line that begins with a letter.
    var comment: String

    /// The name, such as `thumbsUp #3`. Programs that drop all other data of a marker keep its name.
    var name: String { "\(reactionType) #\(id)" }
}

extension String {
    /// The text with line breaks and control characters as blanks.
    var onOneLine: String {
        String(
            String.UnicodeScalarView(
                unicodeScalars.map { scalar in
                    switch scalar.properties.generalCategory {
                    case .control, .lineSeparator, .paragraphSeparator: " "
                    default: scalar
                    }
                }))
    }
}

/// The two colours that indicate whether a reaction is enabled. Any other colour has no meaning.
enum MarkerColour: String, Sendable {
    case on = "green"
    case off = "red"

    /// Parses a colour's name as programs write it, in any case.
    init?(_ name: some StringProtocol) { self.init(rawValue: name.lowercased()) }

    var name: String { self == .on ? "Green" : "Red" }
}
