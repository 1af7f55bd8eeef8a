import Flourish

/// What `--stats` says at the end, in milliseconds.
enum StatisticsTable {
    static func text(_ statistics: ReactionEvent.Statistics) -> String {
        var lines = [row("latency in ms", ["p50", "p95", "p99", "max", "frames"])]
        for stage in statistics.stages {
            let times = [stage.p50, stage.p95, stage.p99, stage.max].map(milliseconds)
            lines.append(row(stage.stage.rawValue, times + [String(stage.count)]))
        }
        return lines.map { $0 + "\n" }.joined()
    }

    private static func row(_ name: String, _ values: [String]) -> String {
        let padding = String(repeating: " ", count: max(0, 14 - name.count))
        return name + padding + values.map { String(repeating: " ", count: max(1, 10 - $0.count)) + $0 }.joined()
    }

    /// With two decimal places.
    private static func milliseconds(_ seconds: Double) -> String {
        let hundredths = Int((seconds * 100_000).rounded())
        let fraction = hundredths % 100
        return "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction)"
    }
}
