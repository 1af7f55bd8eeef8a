import Foundation

/// The latency of a live stream: between decoder and encoder, from pipe to pipe, and at the start; and changes during
/// an hour of it.
struct LiveBenchmark {
    let options: Options
    let media: Media

    private static let rate = 30.0
    /// Options for a reaction during the whole run.
    private static func always(_ reaction: String) -> [String] {
        stride(from: 1, to: 60, by: 4).flatMap { ["--reaction", "\(reaction)@\($0)"] }
    }

    func run() throws -> [Table] {
        let data = try picture()
        var tables: [Table] = []
        var ours: [Double] = []
        for reaction in ["lasers", "confetti"] {
            let events = media.file("live.jsonl")
            ours = try PipedRun().latencies(
                flourish(Self.always(reaction) + ["--stats", "--events", events, "--overwrite"]), stream: data,
                rate: Self.rate)
            tables.append(try frames(of: reaction, events: events))
        }
        let reference = try PipedRun().latencies(try ffmpeg(), stream: data, rate: Self.rate)
        tables += [pipes(ours, reference), try recovery()]
        // The rest does not depend on the pictures' size.
        guard options.height == 720 else { return tables }
        return tables + [try startup(), try longRun(), try PipeMemory(options: options, media: media).run()]
    }

    private func picture() throws -> Data { try Data(contentsOf: URL(filePath: try stream(seconds: 30))) }

    /// Returns a head in the format of a live encoder.
    private func stream(seconds: Int) throws -> String {
        let output = media.file("live-\(options.height)-\(seconds).ts")
        guard !FileManager.default.fileExists(atPath: output) else { return output }
        try media.ffmpeg([
            "-i", try media.talkingHead(height: options.height, seconds: seconds), "-c:v", "libx264", "-preset",
            "veryfast",
            "-tune", "zerolatency", "-g", "60", "-c:a", "copy", "-f", "mpegts", output,
        ])
        return output
    }

    private func flourish(_ extra: [String]) -> [String] {
        [options.program, "filter", "-", "-", "--live", "--output-format", "mpegts"] + extra
    }

    private func ffmpeg() throws -> [String] {
        [
            try Child.locate("ffmpeg"), "-v", "error", "-i", "-", "-c:v", "libx264", "-preset", "veryfast",
            "-tune", "zerolatency", "-c:a", "copy", "-flush_packets", "1", "-f", "mpegts", "-",
        ]
    }

    // MARK: Between decoder and encoder

    /// Returns the worst of the reports of five seconds, without the first one, in which everything is loaded.
    private func frames(of reaction: String, events: String) throws -> Table {
        let lines = try String(contentsOfFile: events, encoding: .utf8).split(separator: "\n")
        var table = Table(
            name: "live-frames-\(reaction)",
            title: "Decoded frame to encoder, \(size), 30 fps in real time, gestures on, \(reaction) all the time, "
                + "the usual preset; the worst five seconds after the first five",
            columns: ["part", "p50 ms", "limit p50", "p99 ms", "limit p99"])
        let objects = lines.compactMap { try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
        let reports = objects.filter { $0["event"] as? String == "statistics" }.dropFirst()
            .compactMap { $0["stages"] as? [[String: Any]] }
        guard let names = reports.first?.compactMap({ $0["stage"] as? String }) else {
            throw BenchError("no statistics were reported")
        }
        func worst(_ name: String, _ key: String) -> Double {
            reports.joined().filter { $0["stage"] as? String == name }.compactMap { $0[key] as? Double }.max() ?? .nan
        }
        for name in names {
            let p50 = worst(name, "p50"), p99 = worst(name, "p99")
            let isJudged = name == "toEncoder"
            table.rows.append([
                .text(name), .number(p50 * 1000, places: 2),
                isJudged ? .limit(5, places: 0, met: p50 <= 0.005) : .text(""),
                .number(p99 * 1000, places: 2), isJudged ? .limit(15, places: 0, met: p99 <= 0.015) : .text(""),
            ])
        }
        let steps = objects.count { $0["event"] as? String == "qualityChanged" }
        table.rows.append([.text("steps of quality: \(steps)"), .text(""), .text(""), .text(""), .text("")])
        let dropped = objects.last?["framesDropped"] as? Int ?? -1
        table.rows.append([
            .text("frames left out: \(dropped)"), .text(""), .limit(0, places: 0, met: dropped == 0), .text(""),
            .text(""),
        ])
        return table
    }

    private var size: String { "\(options.height * 16 / 9)×\(options.height)" }

    // MARK: Other programs

    /// The limit on the recovery time after a disturbance, in seconds.
    private static let recoveryLimit = 3.0

    /// Other programs load the machine for a while.
    func recovery() throws -> Table {
        let stream = try picture()
        let (programs, seconds) = options.disturbance
        var table = Table(
            name: "live-recovery",
            title:
                "\(programs) busy programs for \(seconds) s beside a live run, \(size), 30 fps in real time, gestures on, "
                + "confetti all the time",
            columns: ["round", "lowered to", "s until full quality after their end", "limit"])
        for round in 1...options.longRounds {
            let events = media.file("recovery-\(round).jsonl")
            let watch = LiveDisturbance(events: events, programs: programs, seconds: seconds)
            watch.start()
            _ = try PipedRun().latencies(
                flourish(Self.always("confetti") + ["--events", events, "--overwrite"]), stream: stream, rate: Self.rate
            )
            let (lowest, seconds) = watch.finish()
            table.rows.append([
                .text("\(round)"), .text(lowest),
                seconds.map { .number($0, places: 1) } ?? .text("never"),
                .limit(Self.recoveryLimit, places: 0, met: seconds.map { $0 <= Self.recoveryLimit } ?? false),
            ])
        }
        return table
    }

    // MARK: From pipe to pipe

    private func pipes(_ ours: [Double], _ reference: [Double]) -> Table {
        var table = Table(
            name: "live-pipes", title: "Picture into a pipe to picture out of a pipe, the same with confetti",
            columns: ["program", "p50 ms", "p99 ms", "limit p99 (ffmpeg + 2 frames)"])
        let (limit, p99) = (percentile(reference, 0.99) * 1000 + 2000 / Self.rate, percentile(ours, 0.99) * 1000)
        table.rows.append([
            .text("ffmpeg"), .number(median(reference) * 1000, places: 1),
            .number(percentile(reference, 0.99) * 1000, places: 1), .text(""),
        ])
        table.rows.append([
            .text("flourish"), .number(median(ours) * 1000, places: 1), .number(p99, places: 1),
            .limit(limit, places: 1, met: p99 <= limit),
        ])
        return table
    }

    // MARK: The start

    private func startup() throws -> Table {
        let stream = try stream(seconds: 30)
        var times: [[Double]] = [[], []]
        let programs = [try ffmpeg(), flourish([])]
        for round in 0...options.rounds {
            for index in programs.indices {
                let time = try PipedRun.startup(programs[index], stream: stream)
                if round > 0 { times[index].append(time) }
            }
        }
        let (reference, ours) = (median(times[0]) * 1000, median(times[1]) * 1000)
        var table = Table(
            name: "live-start", title: "Start of the program to the first picture out of the pipe",
            columns: ["program", "ms", "limit (ffmpeg + 250)"])
        table.rows.append([.text("ffmpeg"), .number(reference, places: 0), .text("")])
        table.rows.append([
            .text("flourish"), .number(ours, places: 0),
            .limit(reference + 250, places: 0, met: ours <= reference + 250),
        ])
        return table
    }

    // MARK: An hour

    private func longRun() throws -> Table {
        let input = try media.looped(try media.talkingHead(height: 720, seconds: 60), count: options.minutes)
        let output = media.file("long.mkv"), events = media.file("long.jsonl")
        defer { for file in [input, output] { media.remove(file) } }
        let process = Process()
        process.executableURL = URL(filePath: options.program)
        process.arguments =
            [
                "filter", input, output, "--live", "--preset", "ultrafast", "--crf", "35", "--reaction", "confetti@5",
                "--events", events, "--stats", "--overwrite",
            ] + Child.whole
        process.standardError = FileHandle.nullDevice
        try process.run()
        let memory = LiveMemory.watch(process, events: events)
        guard process.terminationStatus == 0 else { throw BenchError("the long run failed") }
        let dropped = try lastEvent(events)["framesDropped"] as? Int ?? -1
        let offset = try media.soundOffset(output) - media.soundOffset(input)
        var table = Table(
            name: "live-long", title: "\(options.minutes) min of 1280×720, 30 fps, as fast as possible",
            columns: ["what", "value", "limit"])
        table.rows = [
            [.text("frames dropped"), .number(Double(dropped), places: 0), .limit(0, places: 0, met: dropped == 0)],
            [
                .text("memory after the first minute, growth in MB"), .number(memory / 1e6, places: 1),
                .limit(5, places: 0, met: memory <= 5e6),
            ],
            [
                .text("change of the end of sound against picture in ms"), .number(offset * 1000, places: 1),
                .limit(1, places: 0, met: abs(offset) <= 0.001),
            ],
        ]
        return table
    }

    private func lastEvent(_ path: String) throws -> [String: Any] {
        let line = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").last ?? ""
        return try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
    }
}
