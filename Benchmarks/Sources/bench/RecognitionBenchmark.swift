import Foundation

/// The cost of hand detection while no hand is visible: the CPU time of `flourish detect` beyond FFmpeg's for
/// decoding alone, as a share of one core at real time. It includes events and the transport of frames through the
/// pipeline.
struct RecognitionBenchmark {
    let options: Options
    let media: Media

    private static let seconds = 20
    /// Percent of one core.
    private static let limit = 8.0

    func run() throws -> Table {
        var table = Table(
            name: "recognition",
            title: "Recognition without hands in view: 1280×720, \(Self.seconds) s of "
                + "\(try media.describeTalkingHead()); the least of \(options.rounds) alternating runs",
            columns: ["frame rate", "detect, CPU s", "decoding alone, CPU s", "% of a core", "limit"])
        for rate in [25, 30, 60] {
            let input = try media.talkingHead(height: 720, seconds: Self.seconds, rate: rate)
            let decode = [
                try Child.locate("ffmpeg"), "-nostdin", "-v", "error", "-threads", "2", "-i", input,
                "-map", "0:v", "-f", "null", "-",
            ]
            let detect = [options.program, "detect", input, "--quiet"]
            var costs: [(detect: Double, decode: Double)] = []
            for _ in 0..<options.rounds {
                costs.append((try Child.run(detect).cpu, try Child.run(decode).cpu))
            }
            // Other load on a machine only adds to a program's time.
            let whole = costs.map(\.detect).min() ?? .nan, base = costs.map(\.decode).min() ?? .nan
            let share = (whole - base) / Double(Self.seconds) * 100
            table.rows.append([
                .number(Double(rate), places: 0), .number(whole, places: 2), .number(base, places: 2),
                .number(share, places: 1), .limit(Self.limit, places: 0, met: share <= Self.limit),
            ])
        }
        return table
    }
}
