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
                "kind", "composites", "layouts", "tiles", "found", "share", "at the end", "overlap", "extra tiles",
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
            ["kind", "held", "in the tile", "recall", "alone", "recall alone", "of those alone"],
            groups.map { kind, composites in
                let held = composites.flatMap(\.gestures)
                let found = held.count(where: \.isFound)
                let alone = held.count(where: \.isFoundAlone)
                return [
                    kind, "\(held.count)", "\(found)", share(found, held.count), "\(alone)", share(alone, held.count),
                    share(found, alone),
                ]
            })
    }

    private var falseTriggerTable: String {
        textTable(
            "False triggers per hour of a tile with an open camera, with the exact 95 % interval",
            ["kind", "tile hours", "false triggers", "per hour", "from", "to"],
            groups.map { kind, composites in
                let hours = composites.map(\.tileHours).reduce(0, +)
                let count = composites.reduce(0) { $0 + $1.falseTriggers.count }
                let interval = Poisson.interval(count)
                func rate(_ events: Double) -> String { hours > 0 ? String(format: "%.1f", events / hours) : "" }
                return [
                    kind, String(format: "%.3f", hours), "\(count)", rate(Double(count)), rate(interval.lower),
                    rate(interval.upper),
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
        whole > 0 ? String(format: "%.3f", Double(part) / Double(whole)) : ""
    }

    private func time(_ seconds: Double) -> String { String(format: "%.2f s", seconds) }
}

/// Exact confidence intervals of counts.
enum Poisson {
    /// Returns the 95 % interval of the expected count (Garwood, 1936).
    static func interval(_ count: Int) -> (lower: Double, upper: Double) {
        let lower = count == 0 ? 0 : solve { atMost(count - 1, $0) - 0.975 }
        return (lower, solve { atMost(count, $0) - 0.025 })
    }

    /// The probability of at most `count` events where `mean` are expected.
    private static func atMost(_ count: Int, _ mean: Double) -> Double {
        var term = exp(-mean)
        var sum = term
        for index in stride(from: 1, through: count, by: 1) {
            term *= mean / Double(index)
            sum += term
        }
        return sum
    }

    /// Finds the zero of a falling function.
    private static func solve(_ function: (Double) -> Double) -> Double {
        var low = 0.0
        var high = 700.0
        for _ in 0..<200 {
            let middle = (low + high) / 2
            if function(middle) > 0 { low = middle } else { high = middle }
        }
        return (low + high) / 2
    }
}
