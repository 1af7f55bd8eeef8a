import Reactions

/// What reading markers back did to a plan.
public struct MarkerChanges: Sendable, Hashable {
    /// Reactions that start at another time now.
    public var moved = 0
    /// Reactions that end at another time now, or are of another type.
    public var changed = 0
    /// Reactions that are shown now and were not.
    public var switchedOn = 0
    /// Reactions that are not shown any more.
    public var switchedOff = 0
    /// Reactions that are new.
    public var added = 0
    /// Markers that are called like no reaction, each with its place; they were passed over.
    public var skipped: [String] = []

    /// Whether the plan is as it was.
    public var isEmpty: Bool { moved + changed + switchedOn + switchedOff + added == 0 }
}

/// Does to a plan what somebody did to its markers.
struct MarkerUpdate {
    private(set) var plan: ReactionPlan
    private(set) var changes = MarkerChanges()
    /// Where the markers stood.
    private let sheet: MarkerSheet
    private let types: Set<ReactionType>

    /// - Parameter types: the reactions that can be shown here.
    init(_ plan: ReactionPlan, sheet: MarkerSheet, types: [ReactionType]) {
        (self.plan, self.sheet) = (plan, sheet)
        self.types = Set(types + ReactionType.builtIn + plan.reactions.map(\.reactionType))
    }

    /// - Throws: a marker that cannot be, with its place.
    mutating func apply(_ found: FoundMarkers) throws(MarkerFault) {
        var (claims, loose) = try claim(found)
        var new: [FoundMarker] = []
        for var marker in loose {
            // Programs have a colour of their own for new markers, which may be red.
            if !found.isExact { marker.isEnabled = nil }
            guard types.contains(ReactionType(rawValue: marker.title)) else {
                try skip(marker, found)
                continue
            }
            if let index = twin(of: marker, claims, found) { claims[index] = marker } else { new.append(marker) }
        }
        if claims.isEmpty, !plan.reactions.isEmpty {
            throw MarkerFault(
                "",
                "there is no marker of the plan's reactions in it, such as '\(sheet.sorted[0].name)'; to switch all of them off, edit the plan"
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

    // MARK: Which marker stands for which reaction

    /// Finds the reactions of markers that have a number.
    ///
    /// - Returns: the marker of each reaction that has one, and those markers that are of none.
    private func claim(_ found: FoundMarkers) throws(MarkerFault) -> ([Int: FoundMarker], [FoundMarker]) {
        let indices = Dictionary(sheet.markers.enumerated().map { ($1.id, $0) }) { first, _ in first }
        var (claims, loose): ([Int: FoundMarker], [FoundMarker]) = ([:], [])
        for marker in found.markers {
            guard let id = marker.id else {
                loose.append(marker)
                continue
            }
            guard let index = indices[id] else {
                // Somebody's own numbering is none of ours.
                if !types.contains(ReactionType(rawValue: marker.title)) {
                    loose.append(marker)
                    continue
                }
                throw MarkerFault(
                    marker.place,
                    "the plan has no reaction \(id); export its markers again, or take the number away for a new reaction"
                )
            }
            guard let other = claims[index] else {
                claims[index] = marker
                continue
            }
            // Two halves of a clip have each all of its markers; but a copy at another place is a new reaction.
            if abs(other.start - marker.start) <= found.tolerance { continue }
            let isOriginal = !isMoved(index, other, found)
            if !isOriginal { claims[index] = marker }
            loose.append(isOriginal ? marker : other)
        }
        return (claims, loose)
    }

    /// The reaction that a marker without a number was read as before, or whose number a program has dropped.
    private func twin(of marker: FoundMarker, _ claims: [Int: FoundMarker], _ found: FoundMarkers) -> Int? {
        plan.reactions.indices.first { index in
            claims[index] == nil && plan.reactions[index].reactionType.rawValue == marker.title
                && !isMoved(index, marker, found)
        }
    }

    /// Whether a marker stands neither where the reaction's was put nor where the reaction starts.
    private func isMoved(_ index: Int, _ marker: FoundMarker, _ found: FoundMarkers) -> Bool {
        let exact = plan.reactions[index].startTime - plan.source.startTime
        if abs(marker.start - exact) <= found.tolerance { return false }
        return found.isExact || abs(marker.start - sheet.rate.time(of: sheet.markers[index].frame)) > found.tolerance
    }

    private mutating func skip(_ marker: FoundMarker, _ found: FoundMarkers) throws(MarkerFault) {
        // A table is of reactions alone.
        if found.isExact {
            throw MarkerFault("\(marker.place): reactionType", "there is no reaction '\(marker.title.prefix(40))'")
        }
        changes.skipped.append("\(marker.place): '\(marker.title.prefix(40))' is no reaction")
    }

    // MARK: What becomes of a reaction

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
        case .unsaid: break
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

    /// Whether a marker is longer or shorter than it was made. The effect's own duration may not be known here, or
    /// where it was made.
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
        // The others keep the numbers that their markers have.
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

    /// When a marker has its reaction start, on the recording's clock.
    private func start(of marker: FoundMarker, _ found: FoundMarkers) throws(MarkerFault) -> Double {
        let source = plan.source
        guard marker.start > -found.tolerance, marker.start < source.duration else {
            let start = "'\(marker.title.prefix(40))' at \(ReactionPlan.seconds(marker.start)) s"
            let told = "\(start) is not in the recording, which lasts \(ReactionPlan.seconds(source.duration)) s"
            throw MarkerFault(
                marker.place, told + (found.remedy == nil ? "; " : ", ") + found.problem, remedy: found.remedy)
        }
        return JSONLine.rounded(source.startTime + max(0, marker.start), places: 6)
    }

    private func ending(_ time: Double) -> Double { JSONLine.rounded(min(time, plan.source.endTime), places: 6) }
}
