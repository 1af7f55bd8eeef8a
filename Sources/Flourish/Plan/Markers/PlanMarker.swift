import Effects

/// A marker that stands for a reaction, in frames from the recording's first one.
struct PlanMarker: Sendable, Hashable {
    /// The number that finds the reaction again: its own, or the one that it would get.
    var id: Int
    var reactionType: ReactionType
    var isEnabled: Bool
    var frame: Int
    /// In frames, at least 1.
    var duration: Int
    /// What is known of the reaction, for whoever reviews it: one line that begins with a letter.
    var comment: String

    /// `thumbsUp #3`: programs that keep nothing else of a marker keep its name.
    var name: String { "\(reactionType) #\(id)" }
}

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
            let seconds = reaction.endTime.map { $0 - reaction.startTime }
                ?? durations[reaction.reactionType] ?? Self.usualDuration
            let frame = min(max(0, rate.frame(at: reaction.startTime - plan.source.startTime)), length - 1)
            return PlanMarker(
                id: id, reactionType: reaction.reactionType, isEnabled: reaction.isEnabled, frame: frame,
                duration: max(1, min(rate.frame(at: seconds), length)), comment: Self.comment(on: reaction))
        }
        spread()
        for index in markers.indices { markers[index].duration = max(1, min(markers[index].duration, length - markers[index].frame)) }
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
            parts.append("confidence \(SettingKind.plain(JSONLine.rounded(confidence, places: 2)))")
        }
        if let note = reaction.note { parts.append("note: \(note)") }
        return parts.joined(separator: ", ").onOneLine
    }
}

extension ReactionPlan {
    /// The number of each reaction: those without one get the next free ones, in the order of their starts.
    var numbers: [Int] {
        var numbers = reactions.map(\.id)
        var free = freeNumbers
        let order = reactions.indices.filter { numbers[$0] == nil }
            .sorted { (reactions[$0].startTime, $0) < (reactions[$1].startTime, $1) }
        for index in order {
            numbers[index] = free.next()
        }
        return numbers.compactMap(\.self)
    }

    /// Numbers that no reaction has: those behind the greatest, where that leaves room.
    var freeNumbers: some IteratorProtocol<Int> {
        let used = Set(reactions.compactMap(\.id))
        let greatest = used.max() ?? 0
        let first = greatest > 0 && greatest < 1 << 53 ? greatest + 1 : 1
        return (first...).lazy.filter { !used.contains($0) }.makeIterator()
    }
}

extension String {
    /// Line breaks and control characters as blanks.
    var onOneLine: String {
        String(String.UnicodeScalarView(unicodeScalars.map { scalar in
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: " "
            default: scalar
            }
        }))
    }
}
