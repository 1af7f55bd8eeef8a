import Reactions

/// The changes to a plan that follow from the markers that were read.
///
/// ```swift
/// let changes = try plan.apply(markers: bytes, from: .csv)
/// print(changes.moved, "moved,", changes.added, "added")
/// for line in changes.skipped { print(line) }
/// ```
public struct MarkerChanges: Sendable, Hashable {
    /// The number of reactions whose start has changed.
    public var moved = 0
    /// The number of reactions whose end or type has changed.
    public var changed = 0
    /// The number of reactions that were enabled.
    public var switchedOn = 0
    /// The number of reactions that were disabled.
    public var switchedOff = 0
    /// The number of reactions that were added.
    public var added = 0
    /// The markers that were ignored because their names are not those of reactions: one line for each, with its place.
    public var skipped: [String] = []

    /// True if the plan is unchanged.
    public var isEmpty: Bool { moved + changed + switchedOn + switchedOff + added == 0 }
}

/// Applies the markers of a file to a plan: compares the markers with those that Flourish writes for this plan, and
/// changes only what differs.
struct MarkerUpdate {
    private(set) var plan: ReactionPlan
    private(set) var changes = MarkerChanges()
    /// The markers that Flourish writes for the plan.
    private let sheet: MarkerSheet
    private let types: Set<ReactionType>

    /// - Parameter types: The reaction types that can be shown.
    init(_ plan: ReactionPlan, sheet: MarkerSheet, types: [ReactionType]) {
        (self.plan, self.sheet) = (plan, sheet)
        self.types = Set(types + ReactionType.builtIn + plan.reactions.map(\.reactionType))
    }

    /// - Throws: An error for an invalid marker, with its place.
    mutating func apply(_ found: FoundMarkers) throws(MarkerFault) {
        var (claims, loose) = try claim(found)
        var new: [FoundMarker] = []
        for var marker in loose {
            // The colour of a new marker has no meaning: a program may use red, the colour of disabled reactions, for
            // all of them.
            if !found.isExact { marker.isEnabled = nil }
            guard types.contains(ReactionType(rawValue: marker.title)) else {
                try skip(marker, found)
                continue
            }
            if let index = counterpart(of: marker, claims, found) { claims[index] = marker } else { new.append(marker) }
        }
        if claims.isEmpty, !plan.reactions.isEmpty {
            throw MarkerFault(
                "",
                "it has no marker of the plan's reactions, such as '\(sheet.sorted[0].name)'; to disable all reactions, edit the plan"
            )
        }
        for index in plan.reactions.indices {
            if let marker = claims[index] {
                try update(index, marker, found)
            } else if plan.reactions[index].isEnabled {
                plan.reactions[index].isEnabled = false
                changes.switchedOff += 1
            }
        }
        try add(new, found)
    }

    // MARK: Matching markers with reactions

    /// Finds the reactions of markers that have a number.
    ///
    /// - Returns: The marker of each reaction that has one, and the markers without a reaction.
    private func claim(_ found: FoundMarkers) throws(MarkerFault) -> ([Int: FoundMarker], [FoundMarker]) {
        let indices = Dictionary(sheet.markers.enumerated().map { ($1.id, $0) }) { first, _ in first }
        var (claims, loose): ([Int: FoundMarker], [FoundMarker]) = ([:], [])
        for marker in found.markers {
            guard let id = marker.id else {
                loose.append(marker)
                continue
            }
            guard let index = indices[id] else {
                // Markers that are no reactions may have numbers of the user's.
                if !types.contains(ReactionType(rawValue: marker.title)) {
                    loose.append(marker)
                    continue
                }
                throw MarkerFault(
                    marker.place,
                    "the plan has no reaction \(id); export its markers again, or remove the number for a new reaction"
                )
            }
            guard let other = claims[index] else {
                claims[index] = marker
                continue
            }
            // After a clip is split, both halves have all of its markers. But a copy at another place is a new
            // reaction.
            if abs(other.start - marker.start) <= found.tolerance { continue }
            let isOriginal = !isMoved(index, other, found)
            if !isOriginal { claims[index] = marker }
            loose.append(isOriginal ? marker : other)
        }
        return (claims, loose)
    }

    /// Returns the reaction that belongs to a marker without a number: an earlier import added it, or a program has
    /// dropped its number.
    private func counterpart(of marker: FoundMarker, _ claims: [Int: FoundMarker], _ found: FoundMarkers) -> Int? {
        plan.reactions.indices.first { index in
            claims[index] == nil && plan.reactions[index].reactionType.rawValue == marker.title
                && !isMoved(index, marker, found)
        }
    }

    /// Returns whether a marker was moved: it is neither where Flourish places the reaction's marker, nor at the
    /// reaction's exact start.
    private func isMoved(_ index: Int, _ marker: FoundMarker, _ found: FoundMarkers) -> Bool {
        let exact = plan.reactions[index].startTime - plan.source.startTime
        if abs(marker.start - exact) <= found.tolerance { return false }
        return found.isExact || abs(marker.start - sheet.rate.time(of: sheet.markers[index].frame)) > found.tolerance
    }

    private mutating func skip(_ marker: FoundMarker, _ found: FoundMarkers) throws(MarkerFault) {
        // A CSV table contains only reactions, so an unknown one is an error.
        if found.isExact {
            throw MarkerFault("\(marker.place): reactionType", "unknown reaction '\(marker.title.prefix(40))'")
        }
        changes.skipped.append("\(marker.place): '\(marker.title.prefix(40))' is not a reaction")
    }

    // MARK: Updating reactions

    private mutating func update(_ index: Int, _ marker: FoundMarker, _ found: FoundMarkers) throws(MarkerFault) {
        var reaction = plan.reactions[index]
        let old = reaction
        if isMoved(index, marker, found) {
            reaction.startTime = try start(of: marker, found)
            reaction.startPTS = nil
            reaction.endTime = old.endTime.map { $0 + reaction.startTime - old.startTime }
            changes.moved += 1
        }
        switch marker.length {
        case .unstated: break
        case .own: reaction.endTime = nil
        case .seconds(let seconds):
            if isResized(index, seconds, found) { reaction.endTime = reaction.startTime + seconds }
        }
        if reaction != old { reaction.endTime = reaction.endTime.map(ending) }
        let type = ReactionType(rawValue: marker.title)
        if type != old.reactionType, EDLMarkers.plain(old.reactionType.rawValue) != marker.title {
            if types.contains(type) { reaction.reactionType = type } else if found.isExact { try skip(marker, found) }
        }
        if reaction.reactionType != old.reactionType
            || (reaction.endTime != old.endTime && reaction.startTime == old.startTime)
        {
            changes.changed += 1
        }
        if let isEnabled = marker.isEnabled, isEnabled != old.isEnabled {
            reaction.isEnabled = isEnabled
            if isEnabled { changes.switchedOn += 1 } else { changes.switchedOff += 1 }
        }
        if let note = marker.note, note != old.note ?? "" {
            reaction.note = note.isEmpty ? nil : note
            changes.changed += 1
        }
        plan.reactions[index] = reaction
    }

    /// Returns whether a marker is longer or shorter than Flourish writes it. For a reaction without an end,
    /// ``MarkerSheet/usualDuration`` counts as unchanged, too: the effect's own duration may have been unknown where
    /// the marker was written.
    private func isResized(_ index: Int, _ seconds: Double, _ found: FoundMarkers) -> Bool {
        let reaction = plan.reactions[index]
        guard let end = reaction.endTime else {
            if found.isExact { return true }
            let made = [sheet.rate.time(of: sheet.markers[index].duration), MarkerSheet.usualDuration]
            return made.allSatisfy { abs($0 - seconds) > found.tolerance }
        }
        if abs(end - reaction.startTime - seconds) <= found.tolerance { return false }
        return found.isExact || abs(sheet.rate.time(of: sheet.markers[index].duration) - seconds) > found.tolerance
    }

    private mutating func add(_ markers: [FoundMarker], _ found: FoundMarkers) throws(MarkerFault) {
        guard !markers.isEmpty else { return }
        // The other reactions keep the numbers that their markers have.
        for (index, number) in plan.numbers.enumerated() { plan.reactions[index].id = number }
        var free = plan.freeNumbers
        for marker in markers.sorted(by: { $0.start < $1.start }) {
            var reaction = ReactionPlan.Reaction(
                ReactionType(rawValue: marker.title), at: try start(of: marker, found))
            reaction.id = free.next()
            reaction.isEnabled = marker.isEnabled ?? true
            if case .seconds(let seconds) = marker.length { reaction.endTime = ending(reaction.startTime + seconds) }
            if let note = marker.note, !note.isEmpty { reaction.note = note }
            plan.reactions.append(reaction)
            changes.added += 1
        }
    }

    /// Returns the reaction's start according to its marker, on the recording's clock.
    private func start(of marker: FoundMarker, _ found: FoundMarkers) throws(MarkerFault) -> Double {
        let source = plan.source
        guard marker.start > -found.tolerance, marker.start < source.duration else {
            let start = "'\(marker.title.prefix(40))' at \(ReactionPlan.seconds(marker.start)) s"
            let detail = "\(start) is not in the recording, which lasts \(ReactionPlan.seconds(source.duration)) s"
            throw MarkerFault(
                marker.place, detail + (found.remedy == nil ? "; " : ", ") + found.problem, remedy: found.remedy)
        }
        return JSONLine.rounded(source.startTime + max(0, marker.start), places: 6)
    }

    private func ending(_ time: Double) -> Double { JSONLine.rounded(min(time, plan.source.endTime), places: 6) }
}

/// A marker as read from a file.
struct FoundMarker: Sendable, Hashable {
    /// The length of a marker.
    enum Length: Sendable, Hashable {
        /// The file does not specify the length; the marker is a point.
        case unstated
        /// The effect's own duration.
        case own
        case seconds(Double)
    }

    /// The place in its file, such as `line 12`.
    var place: String
    /// The number of its reaction; `nil` for a marker that the user added.
    var id: Int?
    /// The marker's name without the reaction's number.
    var title: String
    /// The start, in seconds from the recording's first frame.
    var start: Double
    var length = Length.unstated
    /// The state of the reaction according to the marker's colour or a column; `nil` if the file does not state it.
    var isEnabled: Bool?
    /// The contents of a table's column for notes; `nil` if a file has no such column.
    var note: String?

    /// Splits a name such as `thumbsUp #3`.
    static func parse(name: some StringProtocol) -> (title: String, id: Int?) {
        let name = name.trimmed
        guard let hash = name.lastIndex(of: "#"), let id = Int(name[hash...].dropFirst()) else {
            return (String(name), nil)
        }
        return (String(name[..<hash].trimmed), id)
    }
}

/// All markers of a file, and the precision of their times.
struct FoundMarkers: Sendable, Hashable {
    var markers: [FoundMarker]
    /// The seconds by which a marker may differ and still counts as not moved.
    var tolerance: Double
    /// True if times are the plan's times rather than frames of a timeline.
    var isExact = false
    /// The end of the message about a marker outside the recording. The text is advice or, if there is a ``remedy``,
    /// the fact that the remedy concerns.
    var problem = "move it, or delete it"
    var remedy: FlourishError.Remedy?
}

extension StringProtocol {
    /// The text without surrounding blanks.
    var trimmed: SubSequence {
        let blanks: (Character) -> Bool = { $0.isWhitespace }
        guard let first = firstIndex(where: { !blanks($0) }), let last = lastIndex(where: { !blanks($0) }) else {
            return self[startIndex..<startIndex]
        }
        return self[first...last]
    }
}

/// An error in a file of markers, and its place.
struct MarkerFault: Error, Hashable {
    /// The place, such as `line 12`; empty for the file as a whole.
    var place: String
    var message: String
    /// True if an option is invalid.
    var isUsage = false
    /// The remedy, if an option is the remedy.
    var remedy: FlourishError.Remedy?

    init(_ place: String, _ message: String, isUsage: Bool = false, remedy: FlourishError.Remedy? = nil) {
        (self.place, self.message, self.isUsage, self.remedy) = (place, message, isUsage, remedy)
    }
}
