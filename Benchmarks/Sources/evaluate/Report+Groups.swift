import Foundation

extension Report {
    /// False triggers by kind of footage.
    var groupTable: String {
        textTable(
            "False triggers in videos without a held gesture, by group",
            [
                "hold", "group", "videos", "hours", "with hands", "false triggers", "an hour",
                "an hour with hands",
            ],
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

    /// Both programs side by side.
    func peerText(_ peer: Peer.Findings) -> String {
        let pairs = zip(holdScores, peer.holds)
        let triggers = textTable(
            "Beside MediaPipe's canned gesture recogniser, which knows a thumb up, a thumb down and a victory, but"
                + " neither horns nor hearts: false triggers",
            [
                "hold", "group", "hours", "ours", "its", "ours an hour", "its an hour",
                "ours an hour with hands", "its an hour with hands",
            ],
            pairs.flatMap { ours, its in
                zip(ours.groups, its.groups).map { our, its in
                    [
                        seconds(ours.hold), our.group, hours(our.hours), "\(our.falseTriggers)",
                        "\(its.falseTriggers)", rate(our.perHour), rate(its.perHour),
                        rate(our.perHourWithHands), rate(its.perHourWithHands),
                    ]
                }
            })
        let hits = textTable(
            "Beside it: labelled holds that are long enough, and fired",
            ["hold", "long enough", "ours", "its"],
            pairs.map { ours, its in
                [seconds(ours.hold), "\(ours.mustFire)", "\(ours.hits)", "\(its.hits)"]
            })
        return [triggers, hits].joined(separator: "\n\n")
    }

    private func hours(_ value: Double) -> String { String(format: "%.3f", value) }

    private func rate(_ value: Double?) -> String { value.map { String(format: "%.1f", $0) } ?? "–" }
}
