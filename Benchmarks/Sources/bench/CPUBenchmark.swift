import Foundation

/// The CPU time of `flourish filter` over that of `ffmpeg` with the same decoder, encoder and settings. The runs
/// alternate, so that a busy moment of the machine affects all of them.
struct CPUBenchmark {
    let options: Options
    let media: Media

    private struct Contender {
        let name: String
        let arguments: [String]
        let limit: Double?
        var aim: Double?
        var runs: [Cost] = []
    }

    func run() throws -> Table {
        let input = try media.talkingHead(height: 720, seconds: 20)
        let output = media.file("out.mp4")
        var contenders = try contenders(input: input, output: output)
        // The first run only warms the caches.
        for round in 0...options.rounds {
            for index in contenders.indices {
                let cost = try Child.run(contenders[index].arguments)
                media.remove(output)
                if round > 0 { contenders[index].runs.append(cost) }
            }
        }
        return try table(of: contenders)
    }

    private func contenders(input: String, output: String) throws -> [Contender] {
        let encoder = ["--preset", "veryfast", "--crf", "23", "--quiet"] + Child.whole
        let filter = [options.program, "filter", input, output] + encoder
        return [
            Contender(
                name: "ffmpeg",
                arguments: [
                    try Child.locate("ffmpeg"), "-nostdin", "-v", "error", "-y", "-i", input,
                    "-c:v", "libx264", "-preset", "veryfast", "-crf", "23", "-c:a", "copy",
                    "-movflags", "+faststart", output,
                ], limit: nil),
            Contender(name: "flourish filter", arguments: filter, limit: 1.20, aim: 1.10),
            Contender(
                name: "flourish filter --no-gestures", arguments: filter + ["--no-gestures"],
                limit: 1.05, aim: 1.02),
        ]
    }

    private func table(of contenders: [Contender]) throws -> Table {
        var table = Table(
            name: "cpu",
            title: "CPU time: 1280×720, 30 fps, 20 s of \(try media.describeTalkingHead()), "
                + "x264 veryfast CRF 23, audio copied; median of \(options.rounds) alternating runs",
            columns: ["program", "CPU s", "elapsed s", "ratio", "limit", "aim"])
        for contender in contenders {
            let cpu = median(contender.runs.map(\.cpu))
            // Each run is compared with the reference of its own round.
            let ratio = median(zip(contender.runs, contenders[0].runs).map { $0.cpu / $1.cpu })
            table.rows.append([
                .text(contender.name), .number(cpu, places: 2),
                .number(median(contender.runs.map(\.wall)), places: 2),
                .number(ratio, places: 3),
                contender.limit.map { .limit($0, places: 2, met: ratio <= $0) } ?? .text(""),
                contender.aim.map { .aim($0, places: 2, reached: ratio <= $0) } ?? .text(""),
            ])
        }
        return table
    }
}
