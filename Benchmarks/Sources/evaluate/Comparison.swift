import Foundation

/// A report beside an earlier one of the same footage: whether any class has become worse.
struct Comparison: Sendable {
    /// A figure of both reports.
    private struct Row {
        var name: String
        var old: Double?
        var new: Double?
        /// The decimal places: 0 for counts.
        var places: Int
        /// The sign of a change for the worse; 0 if the figure is not judged.
        var worse: Double
    }

    private let old: ReportFigures
    private let new: ReportFigures
    /// The change for the worse of a share that is accepted, 0…1. Videos show so few gestures that every one counts.
    private let tolerance: Double

    /// - Throws: ``EvaluationError`` if the reports are of other footage.
    init(of new: ReportFigures, with old: ReportFigures, tolerance: Double) throws {
        if let (before, now) = zip(old.footage, new.footage).first(where: { $0 != $1 }) {
            throw EvaluationError("the earlier report is of other footage: \(before), not \(now)")
        }
        guard old.footage.count == new.footage.count else {
            throw EvaluationError("the earlier report has other gestures, or other groups of footage")
        }
        (self.old, self.new, self.tolerance) = (old, new, tolerance)
    }

    /// True if any judged figure is worse by more than the tolerance.
    var isWorse: Bool { rows.contains(where: isWorse) }

    /// The figures and the changes, as text.
    var text: String {
        let table = textTable(
            "Beside the earlier report: F1 and shares may be worse by \(decimals(tolerance, 3)), counts of videos not at all",
            ["figure", "old", "new", "difference", ""],
            rows.map { row in
                [
                    row.name, row.old.map { decimals($0, row.places) } ?? "–",
                    row.new.map { decimals($0, row.places) } ?? "–", difference(row), isWorse(row) ? "worse" : "",
                ]
            })
        return ([table] + list("Pictures with another answer", pictures) + list("Videos with another answer", videos))
            .joined(separator: "\n\n")
    }

    // MARK: Figures

    private var rows: [Row] {
        let classes = zip(old.ofAll, new.ofAll).flatMap { old, new in
            [
                row("precision", old, new, worse: 0) { ratio($0.right, $0.right + $0.wrong) },
                row("recall", old, new, worse: 0) { ratio($0.right, $0.shown) },
                row("F1", old, new, worse: -1) { ratio(2 * $0.right, $0.right + $0.shown + $0.wrong) },
            ]
        }
        let nonGestures = Row(
            name: "pictures without a gesture, taken for one", old: ratio(old.nonGesturesTaken, old.nonGestures),
            new: ratio(new.nonGesturesTaken, new.nonGestures), places: 4, worse: 1)
        let triggers = Row(
            name: "false triggers in all videos", old: Double(old.falseTriggers.count),
            new: Double(new.falseTriggers.count), places: 0, worse: 1)
        return classes + [nonGestures] + zip(old.holdScores, new.holdScores).flatMap(rows) + [triggers]
    }

    private func row(
        _ name: String, _ old: ReportFigures.Score, _ new: ReportFigures.Score, worse: Double,
        _ value: (ReportFigures.Score) -> Double?
    ) -> Row {
        Row(name: "\(new.gesture.rawValue): \(name)", old: value(old), new: value(new), places: 3, worse: worse)
    }

    /// Returns the figures of videos for one duration of holds.
    private func rows(_ old: ReportFigures.HoldScore, _ new: ReportFigures.HoldScore) -> [Row] {
        let hold = "hold of \(decimals(new.hold, 1)) s"
        let hits = zip(old.hitsByGesture, new.hitsByGesture).map { old, new in
            Row(
                name: "\(hold): \(new.name) fired, of \(new.hits.whole)", old: Double(old.hits.part),
                new: Double(new.hits.part), places: 0, worse: -1)
        }
        let groups = zip(old.groups, new.groups).filter { $1.group != "all" }.map { old, new in
            Row(
                name: "\(hold): false triggers, \(new.group)", old: Double(old.rate.events),
                new: Double(new.rate.events), places: 0, worse: 1)
        }
        return hits + groups
    }

    private func isWorse(_ row: Row) -> Bool {
        guard row.worse != 0, let old = row.old else { return false }
        // A share that no longer exists is the worst.
        guard let new = row.new else { return true }
        return (new - old) * row.worse > (row.places == 0 ? 0 : tolerance) + 1e-9
    }

    private func difference(_ row: Row) -> String {
        guard let old = row.old, let new = row.new, old != new else { return "" }
        return (new > old ? "+" : "−") + decimals(abs(new - old), row.places)
    }

    // MARK: Changes

    /// Each picture whose answer differs. A picture that is no error of a report has the answer of its label.
    private var pictures: [String] {
        let (before, now) = (Dictionary(grouping: old.errors, by: \.path), Dictionary(grouping: new.errors, by: \.path))
        return Set(before.keys).union(now.keys).sorted().compactMap { path in
            let (first, second) = (before[path]?.first, now[path]?.first)
            let truth = (second ?? first)?.truth
            let right = [truth].compactMap { $0 }
            let (past, present) = (first?.said ?? right, second?.said ?? right)
            guard past != present else { return nil }
            let verdict = present == right ? ": right now" : past == right ? ": wrong now" : ""
            return "\(path): \(words(past)) → \(words(present))\(verdict)"
        }
    }

    /// Each labelled hold that fires in one report only, with the default hold, and each false trigger of one report.
    private var videos: [String] {
        func fired(_ report: ReportFigures) -> Set<String> {
            Set(
                report.holds.filter { !$0.triggers.isEmpty }.map {
                    "\($0.path): \($0.gesture.rawValue) held from \(decimals($0.start, 1)) s"
                })
        }
        func falseTriggers(_ report: ReportFigures) -> Set<String> {
            Set(
                report.falseTriggers.map {
                    "\($0.path): false \($0.trigger.gesture) at \(decimals($0.trigger.time, 1)) s"
                })
        }
        func changes(_ found: (ReportFigures) -> Set<String>, _ gained: String, _ lost: String) -> [String] {
            found(new).subtracting(found(old)).sorted().map { "\($0): \(gained)" }
                + found(old).subtracting(found(new)).sorted().map { "\($0): \(lost)" }
        }
        return changes(fired, "fires now", "no longer fires") + changes(falseTriggers, "new", "gone")
    }

    private func words(_ gestures: [Gesture]) -> String {
        gestures.isEmpty ? "nothing" : gestures.map(\.rawValue).joined(separator: "+")
    }

    private func list(_ title: String, _ lines: [String]) -> [String] {
        ["\(title): \(lines.isEmpty ? "none" : "\(lines.count)")"]
            + (lines.isEmpty ? [] : [lines.map { "- \($0)" }.joined(separator: "\n")])
    }

    private func decimals(_ value: Double, _ places: Int) -> String { String(format: "%.\(places)f", value) }
}
