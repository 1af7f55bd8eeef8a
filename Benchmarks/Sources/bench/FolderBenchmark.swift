import Foundation

/// The overhead of a batch beside the work on each recording: finding it, its journal entry, and naming its output.
/// Its input is many copies of one clip of ten seconds.
struct FolderBenchmark {
    let options: Options
    let media: Media

    /// Milliseconds for each recording.
    private static let limit = 30.0

    /// The relevant part of a line of `--progress json`.
    private struct Line: Decodable {
        var state: String?
        var workSeconds: Double?
        var elapsedSeconds: Double?
        var remainingSeconds: Double?
        var fraction: Double?
        var files: Int?
        var done: Bool?
    }

    func run() throws -> [Table] {
        let clip = try media.talkingHead(height: 360, seconds: 10)
        let calls = media.file("calls")
        try FileManager.default.createDirectory(atPath: calls, withIntermediateDirectories: true)
        for number in 1...options.clips {
            try FileManager.default.copyItem(atPath: clip, toPath: "\(calls)/\(number).mp4")
        }
        let alone = try (0..<options.rounds).map { _ in
            try Child.run([options.program, "filter", clip, media.file("alone.mp4"), "--quiet", "--overwrite"]).wall
        }
        // Run one after the other, the overhead is the rest.
        let first = try filter(calls, "one", jobs: 1)
        let again = try filter(calls, "one", jobs: 1)
        let beside = try filter(calls, "beside", jobs: nil)
        return [overhead(first, again), times(first, beside, alone: median(alone))]
    }

    private struct Run {
        var wall: Double
        var memory: Int
        var work: Double
        /// The error of the estimates after a tenth of the work, as a share of the time.
        var error: Double
    }

    private func filter(_ calls: String, _ output: String, jobs: Int?) throws -> Run {
        let messages = media.file("messages")
        let jobs = jobs.map { ["--jobs", "\($0)"] } ?? []
        let cost = try Child.run(
            [
                "/bin/sh", "-c", #"exec "$0" "$@" 2> '"# + messages + "'", options.program, "filter", calls,
                "--output-dir", media.file(output), "--progress", "json",
            ] + jobs)
        let lines = try String(contentsOfFile: messages, encoding: .utf8).split(separator: "\n")
            .compactMap { try? JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
        let work = lines.compactMap { $0.state == "done" ? $0.workSeconds : nil }.reduce(0, +)
        let end = lines.last { $0.files != nil && $0.done == nil }?.elapsedSeconds ?? cost.wall
        let estimates = lines.filter { $0.files != nil && (0.1...0.9).contains($0.fraction ?? 0) }
        let errors = estimates.compactMap { line -> Double? in
            guard let elapsed = line.elapsedSeconds, let left = line.remainingSeconds else { return nil }
            return abs(elapsed + left - end) / end
        }
        return Run(wall: cost.wall, memory: cost.peakMemory, work: work, error: errors.max() ?? 0)
    }

    private func overhead(_ first: Run, _ again: Run) -> Table {
        var table = Table(
            name: "folder",
            title: "A folder of calls, beside the work itself: \(options.clips) clips of 10 s, 640×360, one job",
            columns: ["", "seconds", "of them work", "ms beside it for each", "limit"])
        for (name, run) in [("filtered", first), ("done before", again)] {
            let each = (run.wall - run.work) * 1000 / Double(options.clips)
            table.rows.append([
                .text(name), .number(run.wall, places: 2), .number(run.work, places: 2), .number(each, places: 1),
                .limit(Self.limit, places: 0, met: each <= Self.limit),
            ])
        }
        return table
    }

    private func times(_ first: Run, _ beside: Run, alone: Double) -> Table {
        var table = Table(
            name: "folder times", title: "The same clips in other ways",
            columns: ["", "seconds for each", "MB at the peak", "estimate off by at most, %"])
        let count = Double(options.clips)
        table.rows.append([.text("a command for each"), .number(alone, places: 3), .text(""), .text("")])
        for (name, run) in [("one job", first), ("as many jobs as by default", beside)] {
            table.rows.append([
                .text(name), .number(run.wall / count, places: 3), .number(Double(run.memory) / 1e6, places: 0),
                .number(run.error * 100, places: 0),
            ])
        }
        return table
    }
}
