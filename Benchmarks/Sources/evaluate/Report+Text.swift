import Foundation

extension Report {
    /// The figures as Markdown tables that are also readable as plain text.
    var text: String {
        var parts: [String] = []
        if !scores.isEmpty {
            parts += [
                scoreTable, kindTable, collectionTable, confusionTable, nonGestureTable,
            ]
        }
        if emptyFootage.videos > 0 || !holds.isEmpty {
            parts.append(falseTriggerText)
            parts += [groupTable, sourceTable, hitTable]
            if let peer { parts.append(peerText(peer)) }
            if !derived.isEmpty { parts.append(derivedText) }
            parts.append(holdTable(holds, hold: Self.defaultHold))
            parts.append(holdTable(shortHolds, hold: Self.shortHold))
        }
        if !conditions.isEmpty { parts.append(conditionTable) }
        return parts.joined(separator: "\n\n")
    }

    private var scoreTable: String {
        textTable(
            "Pictures, by gesture",
            [
                "gesture", "pictures", "shown", "right", "no hand found", "not recognised", "wrongly seen",
                "precision (95 %)", "recall (95 %)", "F1", "F1 of found",
            ],
            scores.map { score in
                [
                    score.gesture.rawValue, score.pictures, "\(score.shown)", "\(score.right)",
                    "\(score.withoutHand)", "\(score.notRecognised)", "\(score.wrong)",
                    score.precision.text, score.recall.text, number(score.f1),
                    number(score.f1OfFound),
                ]
            })
    }

    private var kindTable: String {
        textTable(
            "Gestures, by kind of picture",
            ["kind", "pictures", "shown", "right", "no hand found", "not recognised", "recall (95 %)"],
            kinds.filter { $0.truth != nil }.map { kind in
                let missed = kind.shown - kind.right
                let withoutHand = min(kind.withoutHand, missed)
                return [
                    kind.kind, kind.pictures, "\(kind.shown)", "\(kind.right)", "\(withoutHand)",
                    "\(missed - withoutHand)", SampleShare(kind.right, of: kind.shown).text,
                ]
            })
    }

    private var collectionTable: String {
        textTable(
            "Gestures, by source of the pictures; those with few pictures together",
            ["source", "shown", "right", "recall (95 %)"],
            collections.map { [$0.name, "\($0.recall.whole)", "\($0.recall.part)", $0.recall.text] })
    }

    private var confusionTable: String {
        let rows = (Gesture.allCases.map(\.rawValue) + ["none"]).filter { confusion[$0] != nil }
        return textTable(
            "What is shown (rows) and what was said (columns)", ["shown"] + Self.columns,
            rows.map { row in [row] + Self.columns.map { "\(confusion[row]?[$0] ?? 0)" } })
    }

    private var nonGestureTable: String {
        let rows = kinds.filter { $0.truth == nil }.map { kind in
            let taken = kind.takenFor.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
            return [
                kind.kind, kind.pictures, "\(kind.shown)", "\(kind.withoutHand)", "\(kind.wrong)",
                SampleShare(kind.wrong, of: kind.shown).text, taken.joined(separator: ", "),
            ]
        }
        return textTable(
            "Pictures without a gesture: \(nonGesturesTaken) of \(nonGestures) taken for one"
                + ", \(SampleShare(nonGesturesTaken, of: nonGestures).text)",
            ["kind", "pictures", "shown", "no hand found", "taken for one", "share (95 %)", "which"], rows)
    }

    private var falseTriggerText: String {
        let lines = falseTriggers.map { found in
            "- \(found.path): \(found.trigger.gesture) at \(seconds(found.trigger.time))"
        }
        let rate = EventRate(events: emptyFootage.falseTriggers, hours: emptyFootage.hours)
        return
            ([
                "Videos without a held gesture: \(rate.events) false triggers in \(hours(rate.hours)) hours"
                    + " (\(emptyFootage.videos) videos): \(rate.text) an hour"
            ]
            + (lines.isEmpty ? [] : ["", "False triggers in all videos:", ""] + lines))
            .joined(separator: "\n")
    }

    private var derivedText: String {
        let table = textTable(
            "Footage without gestures, derived from the above",
            ["kind", "clips", "hours", "false triggers", "an hour (95 %)"],
            derived.map { found in
                let rate = EventRate(events: found.falseTriggers.count, hours: found.hours)
                return [found.kind, "\(found.clips)", hours(rate.hours), "\(rate.events)", rate.text]
            })
        let lines = derived.flatMap { found in
            found.falseTriggers.map { "- \(found.kind): \($0.path): \($0.trigger.gesture)" }
        }
        return ([table] + (lines.isEmpty ? [] : [""] + lines)).joined(separator: "\n")
    }

    private func holdTable(_ holds: [HoldFinding], hold: Double) -> String {
        let mustFire = holds.filter { $0.mustFire(hold: hold) }
        let once = mustFire.count { $0.triggers.count == 1 }
        let rows = holds.map { found in
            [
                "\(found.path.split(separator: "/").last ?? "")", found.gesture.rawValue,
                seconds(found.start), seconds(found.end - found.start),
                found.isLongEnough(for: hold) ? "yes" : "", "\(found.triggers.count)",
                found.latency.map(seconds) ?? "–", limit(of: found, hold), found.sightLatency.map(seconds) ?? "–",
                found.condition ?? "",
            ]
        }
        return textTable(
            "Held gestures with a hold of \(seconds(hold)): "
                + "\(once) of \(mustFire.count) that must fire did, once: \(SampleShare(once, of: mustFire.count).text)",
            [
                "video", "gesture", "start", "length", "must fire", "fired", "start to trigger",
                "limit", "start to sight", "condition",
            ], rows)
    }

    /// Returns the longest time from a hold's start to its trigger, and whether it met the limit.
    private func limit(of found: HoldFinding, _ hold: Double) -> String {
        guard found.mustFire(hold: hold) else { return "" }
        let limit = hold + Self.allowance
        return seconds(limit) + (found.latency.map { $0 <= limit + 1e-6 ? " ok" : " exceeded" } ?? "")
    }

    func number(_ value: Double?) -> String { value.map { String(format: "%.3f", $0) } ?? "–" }

    func seconds(_ value: Double) -> String {
        // Adding 0 turns −0 into 0.
        String(format: "%.2f s", (value * 100).rounded() / 100 + 0)
    }
}

/// A Markdown table under a title.
func textTable(_ title: String, _ columns: [String], _ rows: [[String]]) -> String {
    let all = [columns] + rows
    let widths = columns.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
    let lines = all.map { row in
        "| "
            + zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
            .joined(separator: " | ") + " |"
    }
    let rule = "| " + widths.map { String(repeating: "-", count: $0) }.joined(separator: " | ") + " |"
    return ([title, "", lines[0], rule] + lines.dropFirst()).joined(separator: "\n")
}
