import Foundation

/// The cost of a call of the C library beyond drawing and recognition, at 1080p: the time of a call in which neither happens,
/// relative to one that draws.
struct LibraryBenchmark {
    let options: Options
    let media: Media

    /// A line of `Benchmarks/Library/cost.c`: milliseconds of a call.
    private struct Cost: Decodable {
        var format: String
        var idle: Double
        var drawn: Double
    }

    /// The maximum share of a call's own time.
    private static let limit = 0.02

    func run() throws -> [Table] {
        guard let program = options.libraryClient else { throw BenchError("--library-client is missing") }
        let lines = try (0..<options.rounds).flatMap { _ in
            try Child.output(of: [program], in: media.scratch).split(separator: UInt8(ascii: "\n")).map {
                try JSONDecoder().decode(Cost.self, from: Data($0))
            }
        }
        var table = Table(
            name: "library",
            title: "Calls of the C library at 1920×1080: milliseconds without and with an effect (confetti); "
                + "medians of \(options.rounds) runs",
            columns: ["format", "without", "with", "share %", "limit %"])
        for format in ["I420", "NV12", "BGRX", "RGBA", "BGR", "RGB"] {
            let costs = lines.filter { $0.format == format }
            let idle = median(costs.map(\.idle)), drawn = median(costs.map(\.drawn))
            let share = idle / drawn
            table.rows.append([
                .text(format), .number(idle, places: 4), .number(drawn, places: 2), .number(100 * share, places: 2),
                .limit(100 * Self.limit, places: 0, met: share <= Self.limit),
            ])
        }
        return [table]
    }
}
