/// Hits of holds that rest and that move against false triggers, for several rules of movement.
///
/// The sources are divided into two halves: a rule is chosen on one, and judged on the other.
struct MovementCurve: Sendable {
    /// A rule for `FLOURISH_MOVEMENT`: the longest distance from the beginning of a hold and the longest step, in palm
    /// lengths, then what a hold of a moving hand needs: the factor of its time, and its agreement.
    struct Rule: Sendable {
        let name: String
        let numbers: String
    }

    static let rules = [
        Rule(name: "the program's", numbers: ""),
        Rule(name: "hands rest", numbers: "1,0.8,1.25,0.8"),
        Rule(name: "less evidence", numbers: "3.5,1.6,1.2,0.75"),
        Rule(name: "more evidence", numbers: "3.5,1.6,1.6,0.9"),
        Rule(name: "anywhere", numbers: "20,20,1,0"),
    ]

    let inspection: VideoInspection
    let hold: Double
    let rules: [Rule]

    /// Returns the curve as a table.
    func table() throws -> String {
        let rows = try rules.flatMap { rule in
            let videos = try inspection.with(environment: ["FLOURISH_MOVEMENT": rule.numbers]).findings(hold: hold)
            let sources = Set(videos.map(\.source)).sorted()
            let first = Set(sources.enumerated().filter { $0.offset % 2 == 0 }.map(\.element))
            return [true, false].map { isFirst in
                row(rule, isFirst ? "first" : "second", videos.filter { first.contains($0.source) == isFirst })
            }
        }
        return textTable(
            "Holds of \(hold) s that fire, and false triggers, by rules of movement and half of the sources",
            ["rule", "half", "moving (95 %)", "at rest (95 %)"] + Self.groups.map { "\($0), an hour (95 %)" }, rows)
    }

    private static let groups = ["people", "generated", "signers", "other shapes"]

    private func row(_ rule: Rule, _ half: String, _ videos: [VideoFinding]) -> [String] {
        let holds = videos.flatMap(\.holds).filter { $0.mustFire(hold: hold) }
        let hits = [true, false].map { moves in
            let part = holds.filter { $0.moves == moves }
            let hits = SampleShare(part.count { !$0.triggers.isEmpty }, of: part.count)
            return "\(hits.part) of \(hits.whole): \(hits.text)"
        }
        let rates = Self.groups.map { group in
            let part = videos.filter { $0.isEmpty && $0.group == group }
            let rate = EventRate(
                events: part.reduce(0) { $0 + $1.falseTriggers.count },
                hours: part.reduce(0) { $0 + $1.seconds } / 3600)
            return "\(rate.events) in \(rate.hoursText) h: \(rate.text)"
        }
        return [rule.name, half] + hits + rates
    }
}
