package import Reactions

/// The changes to a plan by the log of a meeting.
package struct MeetingChanges: Sendable, Hashable {
    /// The number of reactions that were added.
    package var added = 0
    /// The number of reactions that the plan had before.
    package var known = 0
    /// The number of reactions before the beginning or after the end of the recording.
    package var outside = 0
    /// The number of reactions that were sent while the meeting was not recorded.
    package var unrecorded = 0
    /// The symbols without a reaction, and their numbers, the most frequent first.
    package var unknown: [(symbol: String, count: Int)] { Self.sorted(unknownCounts) }
    /// The people whom the table of tiles lacks, and the numbers of their reactions, the most frequent first.
    package var strangers: [(person: String, count: Int)] { Self.sorted(strangerCounts) }

    fileprivate var unknownCounts: [String: Int] = [:]
    fileprivate var strangerCounts: [String: Int] = [:]

    private static func sorted(_ counts: [String: Int]) -> [(String, Int)] {
        counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { ($0.key, $0.value) }
    }
}

extension ReactionPlan {
    /// Adds the reactions of a meeting's log. Those that an earlier import added are not added again.
    ///
    /// - Parameters:
    ///   - log: The log.
    ///   - start: The time of the log's clock at the recording's first frame, in seconds; `nil` if not given.
    ///   - symbols: The reactions of symbols.
    ///   - people: The tiles of people; `nil` for none.
    /// - Throws: ``FlourishError/Code/usage`` if the start is missing, or if the plan lacks a tile.
    package mutating func add(
        _ log: MeetingLog, start: (seconds: Double, clock: MeetingLog.Clock)?, symbols: ReactionSymbols,
        people: PeopleTable?
    ) throws(FlourishError) -> MeetingChanges {
        let first = try log.start(given: start)
        try people?.check(for: self)
        var changes = MeetingChanges()
        changes.unrecorded = log.unrecorded
        var known = Set(reactions.map(Sent.init))
        var added: [Reaction] = []
        for entry in log.entries {
            guard let type = symbols.type(of: entry.symbol) else {
                changes.unknownCounts[String(entry.symbol.onOneLine.prefix(40)), default: 0] += 1
                continue
            }
            let seconds = log.seconds(of: entry, from: first)
            guard seconds >= 0, seconds < source.duration else {
                changes.outside += 1
                continue
            }
            var reaction = Reaction(type, at: JSONLine.rounded(source.startTime + seconds, places: 6))
            reaction.trigger = .request
            reaction.tile = entry.tile
            if let person = entry.person {
                reaction.note = String("\(person): \(entry.symbol)".onOneLine.prefix(200))
                if reaction.tile == nil, let people {
                    reaction.tile = people.tile(of: person)
                    if reaction.tile == nil {
                        changes.strangerCounts[String(person.onOneLine.prefix(60)), default: 0] += 1
                    }
                }
            }
            guard known.insert(Sent(reaction)).inserted else {
                changes.known += 1
                continue
            }
            added.append(reaction)
        }
        changes.added = added.count
        reactions += added.sorted { $0.startTime < $1.startTime }
        return changes
    }

    /// The identity of a reaction that a participant sent.
    private struct Sent: Hashable {
        let type: ReactionType
        let milliseconds: Int
        let tile: Int?
        let note: String?

        init(_ reaction: Reaction) {
            (type, tile, note) = (reaction.reactionType, reaction.tile, reaction.note)
            milliseconds = Int(exactly: (reaction.startTime * 1000).rounded()) ?? 0
        }
    }
}

extension MeetingLog {
    /// Returns the time of the log's clock at the recording's first frame, in seconds.
    ///
    /// - Throws: ``FlourishError/Code/usage``.
    fileprivate func start(given: (seconds: Double, clock: Clock)?) throws(FlourishError) -> Double {
        let example = clock == .world ? "2024-02-13T09:00:00Z" : "14:00:00"
        guard let given else {
            if clock == .recording { return 0 }
            throw FlourishError(
                .usage,
                "\(name): has times of a clock; give the time of the recording's first frame, such as --start \(example)"
            )
        }
        let isOfClock = (given.clock == .world) == (clock == .world)
        guard isOfClock else {
            throw FlourishError(.usage, "--start must be a time as \(name) has it, such as --start \(example)")
        }
        return given.seconds
    }

    /// Returns the seconds of a reaction from the recording's first frame.
    fileprivate func seconds(of entry: Entry, from start: Double) -> Double {
        let seconds = entry.seconds - start
        // A meeting may last past midnight.
        return clock == .day && seconds < -43_200 ? seconds + 86_400 : seconds
    }

    /// Returns the time of `--start`; `nil` if the text is no time.
    package static func start(_ text: String) -> (seconds: Double, clock: Clock)? { time(text) }
}
