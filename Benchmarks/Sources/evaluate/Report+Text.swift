import Foundation

extension Report {
    /// The figures as Markdown tables that are also readable as plain text.
    var text: String {
        var parts: [String] = []
        if !scores.isEmpty {
            parts += [
                scoreTable, kindTable, confusionTable, nonGestureTable,
            ]
        }
        if emptyFootage.videos > 0 || !holds.isEmpty {
            parts.append(falseTriggerText)
            parts.append(groupTable)
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
                "precision", "recall", "F1", "F1 of found",
            ],
            scores.map { score in
                [
                    score.gesture.rawValue, score.pictures, "\(score.shown)", "\(score.right)",
                    "\(score.withoutHand)", "\(score.notRecognised)", "\(score.wrong)",
                    number(score.precision), number(score.recall), number(score.f1),
                    number(score.f1OfFound),
                ]
            })
    }

    private var kindTable: String {
        textTable(
            "Gestures, by kind of picture",
            ["kind", "pictures", "shown", "right", "no hand found", "not recognised", "recall"],
            kinds.filter { $0.truth != nil }.map { kind in
                let missed = kind.shown - kind.right
                let withoutHand = min(kind.withoutHand, missed)
                return [
                    kind.kind, kind.pictures, "\(kind.shown)", "\(kind.right)", "\(withoutHand)",
                    "\(missed - withoutHand)", number(ratio(kind.right, kind.shown)),
                ]
            })
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
                taken.joined(separator: ", "),
            ]
        }
        return textTable(
            "Pictures without a gesture: \(nonGesturesTaken) of \(nonGestures) taken for one"
                + " (\(percent(ratio(nonGesturesTaken, nonGestures))))",
            ["kind", "pictures", "shown", "no hand found", "taken for one", "which"], rows)
    }

    private var falseTriggerText: String {
        let lines = falseTriggers.map { found in
            "- \(found.path): \(found.trigger.gesture) at \(seconds(found.trigger.time))"
        }
        let hours = String(format: "%.3f", emptyFootage.hours)
        return
            ([
                "Videos without a held gesture: \(emptyFootage.falseTriggers) false triggers in \(hours) hours"
                    + " (\(emptyFootage.videos) videos)"
            ]
            + (lines.isEmpty ? [] : ["", "False triggers in all videos:", ""] + lines))
            .joined(separator: "\n")
    }

    private var derivedText: String {
        let table = textTable(
            "Footage without gestures, derived from the above",
            ["kind", "clips", "hours", "false triggers"],
            derived.map { found in
                [
                    found.kind, "\(found.clips)", String(format: "%.3f", found.hours),
                    "\(found.falseTriggers.count)",
                ]
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
                + "\(once) of \(mustFire.count) that must fire did, once",
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

    private func percent(_ value: Double?) -> String {
        value.map { String(format: "%.1f %%", $0 * 100) } ?? "–"
    }

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
