import Foundation

extension Report {
    /// False triggers by kind of footage.
    var groupTable: String {
        textTable(
            "False triggers in videos without a held gesture, by group",
            ["hold", "group", "videos", "hours", "with hands", "false triggers", "an hour",
             "an hour with hands"],
            holdScores.flatMap { score in
                score.groups.map { group in
                    [
                        seconds(score.hold), group.group, "\(group.videos)", hours(group.hours),
                        hours(group.hoursWithHands), "\(group.falseTriggers)", rate(group.perHour),
                        rate(group.perHourWithHands),
                    ]
                }
            })
    }

    private func hours(_ value: Double) -> String { String(format: "%.3f", value) }

    private func rate(_ value: Double?) -> String { value.map { String(format: "%.1f", $0) } ?? "–" }
}
