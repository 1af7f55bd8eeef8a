import Foundation

/// The figures about galleries, as tables.
struct GalleryReport: Encodable, Sendable {
    var composites: [GalleryScore]

    var text: String {
        [layoutTable, gestureTable, falseTriggerTable, costTable, mistakes].joined(separator: "\n\n")
    }

    /// The kinds in their usual order, each with its composites, then all.
    private var groups: [(kind: String, composites: [GalleryScore])] {
        let kinds = GalleryPlan.Kind.allCases.map(\.rawValue)
        let others = Set(composites.map(\.kind)).subtracting(kinds).sorted()
        return (kinds + others).map { kind in (kind, composites.filter { $0.kind == kind }) }
            .filter { !$0.1.isEmpty } + [("all", composites)]
    }

    private var layoutTable: String {
        textTable(
            "Tiles found with an overlap of \(LayoutScore.minimumOverlap) a second after each start of a layout",
            [
                "kind", "composites", "layouts", "tiles", "found", "share (95 %)", "at the end (95 %)", "overlap",
                "extra tiles",
                "exact layouts", "stray changes",
            ],
            groups.map { kind, composites in
                let layouts = composites.flatMap(\.layouts)
                let tiles = layouts.reduce(0) { $0 + $1.tiles }
                let found = layouts.reduce(0) { $0 + $1.found }
                let overlaps = layouts.map { $0.overlap * Double($0.tiles) }.reduce(0, +)
                return [
                    kind, "\(composites.count)", "\(layouts.count)", "\(tiles)", "\(found)", share(found, tiles),
                    share(layouts.reduce(0) { $0 + $1.foundAtEnd }, tiles),
                    tiles > 0 ? String(format: "%.3f", overlaps / Double(tiles)) : "",
                    "\(layouts.reduce(0) { $0 + $1.extra })", "\(layouts.count(where: \.isExact))",
                    "\(layouts.reduce(0) { $0 + $1.strayChanges })",
                ]
            })
    }

    private var gestureTable: String {
        textTable(
            "Gestures held in a tile, and the same clips alone at the same size",
            ["kind", "held", "in the tile", "recall (95 %)", "alone", "recall alone (95 %)", "of those alone (95 %)"],
            groups.map { kind, composites in
                let held = composites.flatMap(\.gestures)
                let found = held.count(where: \.isFound)
                let alone = held.count(where: \.isFoundAlone)
                return [
                    kind, "\(held.count)", "\(found)", share(found, held.count), "\(alone)", share(alone, held.count),
                    share(held.count { $0.isFound && $0.isFoundAlone }, alone),
                ]
            })
    }

    private var falseTriggerTable: String {
        textTable(
            "False triggers per hour of a tile with an open camera",
            ["kind", "tile hours", "false triggers", "an hour (95 %)"],
            groups.map { kind, composites in
                let hours = composites.map(\.tileHours).reduce(0, +)
                let count = composites.reduce(0) { $0 + $1.falseTriggers.count }
                return [
                    kind, String(format: "%.3f", hours), "\(count)", EventRate(events: count, hours: hours).text,
                ]
            })
    }

    private var costTable: String {
        textTable(
            "CPU time", ["kind", "seconds of video", "CPU seconds", "CPU seconds a second"],
            groups.map { kind, composites in
                let seconds = composites.map(\.seconds).reduce(0, +)
                let cpu = composites.map(\.cpu).reduce(0, +)
                return [
                    kind, String(format: "%.0f", seconds), String(format: "%.1f", cpu),
                    seconds > 0 ? String(format: "%.2f", cpu / seconds) : "",
                ]
            })
    }

    /// Lists every layout, gesture and trigger that is wrong.
    private var mistakes: String {
        let layouts = composites.flatMap(\.layouts).filter { !$0.isExact || $0.strayChanges > 0 }.map {
            "- \($0.composite) (\($0.kind)) \(time($0.from))…\(time($0.until)): \($0.found) of \($0.tiles) tiles,"
                + " \($0.extra) extra, \($0.strayChanges) stray changes, overlap \(String(format: "%.2f", $0.overlap))"
        }
        let gestures = composites.flatMap(\.gestures).filter { !$0.isFound && $0.isFoundAlone }.map {
            "- \($0.composite) (\($0.kind)) tile \($0.tile), \($0.width)×\($0.height): \($0.label) at"
                + " \(time($0.from))…\(time($0.until)) of \($0.source)"
        }
        let triggers = composites.flatMap(\.falseTriggers).map { trigger in
            "- \(trigger.composite) (\(trigger.kind)) \(trigger.gesture) at \(time(trigger.time)),"
                + " \(trigger.tile.map { "tile \($0)" } ?? "no tile"): \(trigger.source ?? "")"
        }
        return [
            ("Layouts that differ", layouts), ("Gestures missed in the tile and found alone", gestures),
            ("False triggers", triggers),
        ].map { ([$0 + ": \($1.count)", ""] + $1).joined(separator: "\n") }.joined(separator: "\n\n")
    }

    private func share(_ part: Int, _ whole: Int) -> String {
        SampleShare(part, of: whole).text
    }

    private func time(_ seconds: Double) -> String { String(format: "%.2f s", seconds) }
}
