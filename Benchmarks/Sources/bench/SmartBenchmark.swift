import Foundation

/// The savings of smart rendering: a talk with an effect once a minute, compared with FFmpeg's transcoding of it.
///
/// The runs of a round follow each other, and each is compared with those of its own round.
struct SmartBenchmark {
    let options: Options
    let media: Media

    private static let seconds = 300.0
    /// One a minute.
    private static let reactions = ["thumbsUp@30", "heart@90", "balloons@150", "confetti@210", "fireworks@270"]
        .flatMap { ["--reaction", $0] }

    /// The limit of a ratio: the measured value, with tolerance for other load on the machine; and the target.
    private struct Bound {
        var limit: Double
        var aim: Double

        func cells(_ ratio: Double, places: Int = 3) -> [Table.Cell] {
            [
                .number(ratio, places: places), .limit(limit, places: 2, met: ratio <= limit),
                .aim(aim, places: 2, reached: ratio <= aim),
            ]
        }
    }

    /// A way of filtering the talk.
    private struct Way {
        var name: String
        var options: [String]
        /// Of the elapsed time over FFmpeg's.
        var usual: Bound?
        var veryfast: Bound?
        var runs: [SmartRun] = []
    }

    /// The runs in each round, beside the ways.
    private struct Rounds {
        var transcodings: [Cost] = []
        var quick: [Cost] = []
        var detections: [Cost] = []
        var decodings: [Cost] = []
        var plans: [Cost] = []
        var bits: (source: Double, output: Double) = (0, 0)
    }

    func run() throws -> [Table] {
        let input = try media.longTalk()
        var ways = Self.ways
        let rounds = try measure(input, &ways)
        if let path = options.plot {
            try plot(input, ways, rounds).write(toFile: path, atomically: true, encoding: .utf8)
        }
        return [times(ways, rounds), parts(ways), analysis(rounds), bits(rounds), try phone()]
    }

    private static var ways: [Way] {
        [
            Way(
                name: "flourish filter, one reaction a minute", options: reactions,
                usual: Bound(limit: 0.65, aim: 0.12), veryfast: Bound(limit: 1.25, aim: 0.35)),
            Way(
                name: "flourish filter, no reaction", options: [],
                usual: Bound(limit: 0.50, aim: 0.06), veryfast: Bound(limit: 0.95, aim: 0.18)),
            Way(name: "flourish filter --no-gestures, one reaction a minute", options: ["--no-gestures"] + reactions),
        ]
    }

    // MARK: Running

    private func measure(_ input: String, _ ways: inout [Way]) throws -> Rounds {
        var rounds = Rounds()
        let output = media.file("smart.mp4"), plan = media.file("smart.plan.json")
        rounds.bits.source = try videoBits(input)
        for _ in 0..<options.longRounds {
            rounds.transcodings.append(try transcode(input))
            rounds.quick.append(try transcode(input, ["-preset", "veryfast"]))
            for index in ways.indices {
                ways[index].runs.append(try filter(input, output, ways[index].options))
                if index == 0 { rounds.bits.output = try videoBits(output) }
                media.remove(output)
            }
            rounds.detections.append(try report(["detect"], Child.run([options.program, "detect", input, "--quiet"])))
            rounds.decodings.append(
                try report(
                    ["ffmpeg, decoding alone"],
                    Child.run([
                        try Child.locate("ffmpeg"), "-nostdin", "-v", "error", "-i", input, "-map", "0:v", "-f", "null",
                        "-",
                    ])))
            rounds.plans.append(
                try report(
                    ["plan"], Child.run([options.program, "plan", input, "--output", plan, "--overwrite", "--quiet"])))
        }
        return rounds
    }

    private func filter(_ input: String, _ output: String, _ more: [String]) throws -> SmartRun {
        var run = try SmartRun(options.program, input, output, more, events: media.file("smart.jsonl"))
        run.cost = report(["filter"] + more, run.cost)
        return run
    }

    /// Prints progress during runs that take minutes.
    private func report(_ what: [String], _ cost: Cost) -> Cost {
        let line =
            String(format: "bench: %.1f s elapsed, %.1f s CPU: ", cost.wall, cost.cpu) + what.joined(separator: " ")
            + "\n"
        FileHandle.standardError.write(Data(line.utf8))
        return cost
    }

    private func transcode(_ input: String, _ more: [String] = []) throws -> Cost {
        let output = media.file("transcoded.mp4")
        defer { media.remove(output) }
        return report(
            ["ffmpeg"] + more,
            try Child.run(
                [try Child.locate("ffmpeg"), "-nostdin", "-v", "error", "-y", "-i", input, "-c:v", "libx264"] + more + [
                    output
                ]))
    }

    private func videoBits(_ path: String) throws -> Double {
        let sizes = String(
            decoding: try Child.output(
                of: [
                    try Child.locate("ffprobe"), "-v", "error", "-select_streams", "v", "-show_entries", "packet=size",
                    "-of",
                    "csv=p=0", path,
                ], in: media.scratch), as: UTF8.self)
        return sizes.split(whereSeparator: { $0 == "\n" || $0 == "," }).compactMap { Double($0) }.reduce(0, +) * 8
    }

    // MARK: Tables

    /// Elapsed times.
    private func times(_ ways: [Way], _ rounds: Rounds) -> Table {
        var table = Table(
            name: "smart",
            title:
                "Smart rendering: elapsed time for 5 min of talks, 1280×720, 30 fps, H.264 by FFmpeg's defaults, over that of "
                + "ffmpeg's transcoding by its defaults and by veryfast; median of \(options.longRounds) alternating runs",
            columns: [
                "program", "elapsed s", "CPU s", "CPU ratio", "peak MB", "ratio", "limit", "aim", "ratio to veryfast",
                "limit ", "aim ",
            ])
        func add(_ name: String, _ costs: [Cost], usual: Bound? = nil, veryfast: Bound? = nil) {
            let ratios = [rounds.transcodings, rounds.quick].map { base in
                median(zip(costs, base).map { $0.wall / $1.wall })
            }
            table.rows.append(
                [
                    .text(name), .number(median(costs.map(\.wall)), places: 1),
                    .number(median(costs.map(\.cpu)), places: 1),
                    .number(median(zip(costs, rounds.transcodings).map { $0.cpu / $1.cpu }), places: 3),
                    .number(Double(costs.map(\.peakMemory).max() ?? 0) / 1e6, places: 0),
                ]
                    + zip(ratios, [usual, veryfast]).flatMap { ratio, bound in
                        bound?.cells(ratio) ?? [.number(ratio, places: 3), .text(""), .text("")]
                    })
        }
        add("ffmpeg", rounds.transcodings)
        add("ffmpeg -preset veryfast", rounds.quick)
        for way in ways { add(way.name, way.runs.map(\.cost), usual: way.usual, veryfast: way.veryfast) }
        return table
    }

    /// The time of each phase.
    private func parts(_ ways: [Way]) -> Table {
        var table = Table(
            name: "smart-time",
            title: "Where it goes: seconds, as the program tells; the rest is its start and its end",
            columns: ["program", "analysis", "rendering", "checking", "rest", "frames copied", "encoded", "spans"])
        for way in ways {
            let summaries = way.runs.compactMap(\.summary)
            let rest = way.runs.compactMap { run in
                run.summary.map { run.cost.wall - $0.timing.looking - $0.timing.rendering - $0.timing.checking }
            }
            table.rows.append([
                .text(way.name), .number(median(summaries.map(\.timing.looking)), places: 1),
                .number(median(summaries.map(\.timing.rendering)), places: 1),
                .number(median(summaries.map(\.timing.checking)), places: 1), .number(median(rest), places: 1),
                .number(Double(summaries[0].framesCopied), places: 0),
                .number(Double(summaries[0].framesEncoded), places: 0),
                .number(Double(summaries[0].spans.count), places: 0),
            ])
        }
        return table
    }

    /// The first of the two passes.
    private func analysis(_ rounds: Rounds) -> Table {
        var table = Table(
            name: "smart-analysis", title: "Analysis of the same talks without encoding",
            columns: ["what", "value", "limit", "aim"])
        let ratio = median(zip(rounds.detections, rounds.decodings).map { $0.cpu / $1.cpu })
        let speed = median(rounds.plans.map { Self.seconds / $0.wall })
        table.rows = [
            [
                .text("flourish detect, CPU s"), .number(median(rounds.detections.map(\.cpu)), places: 1), .text(""),
                .text(""),
            ],
            [
                .text("ffmpeg, decoding alone, CPU s"), .number(median(rounds.decodings.map(\.cpu)), places: 1),
                .text(""), .text(""),
            ],
            [.text("their ratio")] + Bound(limit: 3.3, aim: 0.9).cells(ratio, places: 2),
            [
                .text("flourish plan, times real time"), .number(speed, places: 1),
                .limit(3, places: 0, met: speed >= 3), .aim(20, places: 0, reached: speed >= 20),
            ],
        ]
        return table
    }

    private func bits(_ rounds: Rounds) -> Table {
        var table = Table(
            name: "smart-bits", title: "Video bits of the talks with one reaction a minute, in Mb",
            columns: ["source", "output", "ratio"])
        table.rows.append([
            .number(rounds.bits.source / 1e6, places: 1), .number(rounds.bits.output / 1e6, places: 1),
            .number(rounds.bits.output / rounds.bits.source, places: 3),
        ])
        return table
    }

    /// A recording that is expensive to decode and to encode.
    private func phone() throws -> Table {
        let input = try media.phone(), output = media.file("phone.mp4")
        var costs: (theirs: [Cost], ours: [SmartRun]) = ([], [])
        for _ in 0..<options.longRounds {
            costs.theirs.append(try transcode(input))
            costs.ours.append(try filter(input, output, ["--reaction", "thumbsUp@30"]))
            media.remove(output)
        }
        var table = Table(
            name: "smart-phone",
            title:
                "The same for a minute of a phone's recording with one reaction: HEVC, 1920×1080, 60 fps, an IDR a second; "
                + "ffmpeg transcodes to H.264",
            columns: [
                "ffmpeg, elapsed s", "flourish, elapsed s", "analysis", "rendering", "checking", "frames encoded",
                "peak MB",
                "ratio", "limit", "aim",
            ])
        let summaries = costs.ours.compactMap(\.summary)
        table.rows.append(
            [
                .number(median(costs.theirs.map(\.wall)), places: 1),
                .number(median(costs.ours.map(\.cost.wall)), places: 1),
                .number(median(summaries.map(\.timing.looking)), places: 1),
                .number(median(summaries.map(\.timing.rendering)), places: 1),
                .number(median(summaries.map(\.timing.checking)), places: 1),
                .number(Double(summaries[0].framesEncoded), places: 0),
                .number(Double(costs.ours.map(\.cost.peakMemory).max() ?? 0) / 1e6, places: 0),
            ]
                + Bound(limit: 0.90, aim: 0.15).cells(
                    median(zip(costs.ours, costs.theirs).map { $0.cost.wall / $1.wall })))
        media.remove(input)
        return table
    }

    // MARK: Plot

    /// The whole is encoded once more for the plot.
    private func plot(_ input: String, _ ways: [Way], _ rounds: Rounds) throws -> String {
        let output = media.file("whole.mp4")
        let whole = try filter(input, output, ways[0].options + Child.whole).cost
        media.remove(output)
        // Both phases run concurrently there: the elapsed time is divided by processor time.
        let analysis = min(1, median(rounds.detections.map(\.cpu)) / whole.cpu)
        let usual = median(rounds.transcodings.map(\.wall))
        var plot = TimePlot(title: "Elapsed time over that of ffmpeg's transcoding by its defaults")
        plot.bars.append(
            .init(
                name: "all encoded", parts: [analysis, 1 - analysis, 0].map { $0 * whole.wall / usual }))
        for (name, way) in zip(["one reaction a minute", "no reaction", "one, --no-gestures"], ways) {
            let summaries = way.runs.compactMap(\.summary?.timing)
            plot.bars.append(
                .init(
                    name: name,
                    parts: [summaries.map(\.looking), summaries.map(\.rendering), summaries.map(\.checking)].map {
                        median($0) / usual
                    }
                ))
        }
        return plot.svg
    }
}
