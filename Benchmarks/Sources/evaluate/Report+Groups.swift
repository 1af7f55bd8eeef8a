import Foundation

extension Report {
    /// False triggers by kind of footage.
    var groupTable: String {
        textTable(
            "False triggers in videos without a held gesture, by group", ["hold", "group"] + Self.rateColumns,
            holdScores.flatMap { score in
                score.groups.map { [seconds(score.hold), $0.group] + rateCells($0) }
            })
    }

    /// False triggers by source: videos of one source show the same people and rooms.
    var sourceTable: String {
        textTable(
            "False triggers in videos without a held gesture, by source",
            ["hold", "group", "source"] + Self.rateColumns,
            holdScores.flatMap { score in
                score.sources.map { [seconds(score.hold), $0.group, $0.source ?? ""] + rateCells($0) }
            })
    }

    /// The recall of labelled holds, by gesture and source.
    var hitTable: String {
        textTable(
            "Labelled holds that are long enough, and fired", ["hold", "of", "long enough", "fired", "recall (95 %)"],
            holdScores.flatMap { score in
                ([score.hits] + score.hitsByGesture + score.hitsBySource).map { found in
                    [
                        seconds(score.hold), found.name, "\(found.hits.whole)", "\(found.hits.part)", found.hits.text,
                    ]
                }
            })
    }

    /// Both programs on the same videos. Their rates are not set side by side: only samples on which they differ
    /// count.
    func peerText(_ peer: Peer.Findings) -> String {
        let rows = zip(holdScores, peer.holds).flatMap { ours, its in
            [
                pairRow("videos with a false trigger", ours.hold, ours.firing, its.firing),
                pairRow("holds that fired", ours.hold, ours.fired, its.fired),
            ]
        }
        return textTable(
            "Beside MediaPipe's canned gesture recogniser, which knows a thumb up, a thumb down and a victory, but"
                + " neither horns nor hearts; McNemar's exact test",
            ["hold", "counted", "of", "both", "only ours", "only its", "probability"], rows)
    }

    private func pairRow(_ name: String, _ hold: Double, _ ours: [Bool], _ its: [Bool]) -> [String] {
        let test = PairedTest(ours, its)
        return [
            seconds(hold), name, "\(ours.count)", "\(zip(ours, its).count { $0 && $1 })", "\(test.onlyFirst)",
            "\(test.onlySecond)", test.text,
        ]
    }

    private static let rateColumns = [
        "videos", "hours", "false triggers", "an hour (95 %)", "hours with hands", "an hour with hands (95 %)",
    ]

    private func rateCells(_ score: GroupScore) -> [String] {
        [
            "\(score.videos)", hours(score.rate.hours), "\(score.rate.events)", score.rate.text,
            hours(score.rateWithHands.hours), score.rateWithHands.text,
        ]
    }

    func hours(_ value: Double) -> String { String(format: "%.3f", value) }
}
