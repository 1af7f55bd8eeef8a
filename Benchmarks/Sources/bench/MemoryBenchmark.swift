import Foundation

/// Peak memory at 1080p, for a short input and a long one: it may not grow with length. An effect runs in both, since
/// drawing has buffers of its own.
struct MemoryBenchmark {
    let options: Options
    let media: Media

    /// Bytes; "below 400 MB".
    private static let limit = 400_000_000
    /// The allowed growth with the long input, for fragmentation.
    private static let growth = 1.10

    func run() throws -> Table {
        var table = Table(
            name: "memory", title: "Peak memory of flourish filter, 1920×1080, 30 fps",
            columns: ["input", "preset", "elapsed s", "peak MB", "limit MB"])
        let minute = try media.talkingHead(height: 1080, seconds: 60)
        let usual = try filter(minute, preset: nil)
        add(usual, "1 min", preset: "default", limit: Self.limit, to: &table)
        let short = try filter(minute, preset: "ultrafast")
        add(short, "1 min", preset: "ultrafast", limit: Self.limit, to: &table)
        let looped = try media.looped(minute, count: options.minutes)
        let long = try filter(looped, preset: "ultrafast")
        media.remove(looped)
        let longLimit = min(Self.limit, Int(Double(short.peakMemory) * Self.growth))
        add(long, "\(options.minutes) min", preset: "ultrafast", limit: longLimit, to: &table)
        return table
    }

    private func filter(_ input: String, preset: String?) throws -> Cost {
        let output = media.file("out.mp4")
        defer { media.remove(output) }
        return try Child.run(
            [options.program, "filter", input, output, "--quiet", "--reaction", "confetti@5"] + Child.whole
                + (preset.map { ["--preset", $0] } ?? []))
    }

    private func add(
        _ cost: Cost, _ input: String, preset: String, limit: Int, to table: inout Table
    ) {
        table.rows.append([
            .text(input), .text(preset), .number(cost.wall, places: 1),
            .number(Double(cost.peakMemory) / 1e6, places: 1),
            .limit(Double(limit) / 1e6, places: 1, met: cost.peakMemory < limit),
        ])
    }
}
