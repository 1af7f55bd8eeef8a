import Foundation

/// The cost of effects: drawing on one core, nothing while none runs, less than FFmpeg's `overlay`, three at once in
/// real time, and the same for each pixel at every size.
///
/// The program measures its own drawing (`flourish preview TYPE --measure`), with segmentation and blending, in
/// processor time of the drawing thread, without the encoder's time.
struct EffectsBenchmark {
    let options: Options
    let media: Media

    /// The output of `preview --measure`.
    private struct Measurement: Decodable {
        var frames: Int
        var meanMilliseconds: Double
        var maximumMilliseconds: Double
        var firstMilliseconds: Double
        var copyMilliseconds: Double
        var idleCopies: Int
        var idleLooks: Int
        var idleMilliseconds: Double
    }

    private struct Reaction: Decodable { var reactionType: String }

    func run() throws -> [Table] {
        let types = try JSONDecoder().decode(
            [Reaction].self,
            from: Child.output(of: [options.program, "reactions", "--json"], in: media.scratch)
        ).map(\.reactionType)
        return try drawing(types) + [
            overlay(), three(), growth(["balloons", "confetti", "fireworks"]), flashes(types),
        ]
    }

    /// - Parameter people: indicates whether people are segmented; the models are hidden if not.
    private func measure(
        _ type: String, height: Int, people: Bool = true, rounds: Int? = nil
    ) throws -> [Measurement] {
        let command = [options.program, "preview", type, "--measure"]
        let picture = try media.picture(height: height)
        let hiding = people ? [] : [try Child.locate("env"), "FLOURISH_HOME=/nonexistent"]
        return try (0..<(rounds ?? options.rounds)).map { _ in
            let data = try Child.output(of: hiding + command + ["--background", picture], in: media.scratch)
            return try JSONDecoder().decode(Measurement.self, from: data)
        }
    }

    /// Each effect at two sizes, and the cost of a frame while no effect runs.
    private func drawing(_ types: [String]) throws -> [Table] {
        var table = Table(
            name: "effects",
            title: "Drawing: milliseconds a frame on one core, before "
                + "\(try media.describeTalkingHead()); median of \(options.rounds) runs of the best of three",
            columns: ["effect", "size", "frames", "mean", "mean limit", "worst", "worst limit", "first"])
        var idle = Table(
            name: "idle", title: "Frames that no effect touches, each of 300: copies, searches for people",
            columns: ["size", "copies", "copies limit", "searches", "searches limit", "ms a frame"])
        for (height, mean, worst) in [(720, 2.5, 5.0), (1080, 5.0, 9.0)] {
            var last: [Measurement] = []
            for type in types {
                let runs = try measure(type, height: height)
                let usual = median(runs.map(\.meanMilliseconds))
                let slowest = median(runs.map(\.maximumMilliseconds))
                table.rows.append([
                    .text(type), .text("\(height * 16 / 9)x\(height)"),
                    .number(Double(runs[0].frames), places: 0), .number(usual, places: 2),
                    .limit(mean, places: 1, met: usual <= mean), .number(slowest, places: 2),
                    .limit(worst, places: 1, met: slowest <= worst),
                    .number(median(runs.map(\.firstMilliseconds)), places: 2),
                ])
                last = runs
            }
            let copies = last.map(\.idleCopies).max() ?? 0, inferences = last.map(\.idleLooks).max() ?? 0
            idle.rows.append([
                .text("\(height * 16 / 9)x\(height)"), .number(Double(copies), places: 0),
                .limit(0, places: 0, met: copies == 0), .number(Double(inferences), places: 0),
                .limit(0, places: 0, met: inferences == 0),
                .number(median(last.map(\.idleMilliseconds)), places: 4),
            ])
        }
        return [table, idle]
    }

    /// The filter `overlay` with a full-frame RGBA animation drawn beforehand, measured in the same minutes.
    private func overlay() throws -> Table {
        var table = Table(
            name: "overlay",
            title: "CPU milliseconds a frame at 1280×720: FFmpeg's overlay of a "
                + "pre-rendered full-frame RGBA animation (a run without it subtracted), and ours with the copy "
                + "of the frame and the search for people; median of \(options.rounds) alternating runs",
            columns: ["effect", "overlay", "ours", "ratio", "limit"])
        let input = try media.talkingHead(height: 720, seconds: 5)
        let animation = try media.animation(size: "1280x720")
        for type in ["confetti", "fireworks"] {
            var pairs: [(theirs: Double, ours: Double)] = []
            for _ in 0..<options.rounds {
                let with = try filterCost(input, animation, "[1]format=yuva420p[o];[0][o]overlay")
                let without = try filterCost(input, animation, "[1]nullsink;[0]null")
                let own = try JSONDecoder().decode(
                    Measurement.self,
                    from: Child.output(
                        of: [
                            options.program, "preview", type, "--measure", "--background", media.picture(height: 720),
                        ],
                        in: media.scratch))
                pairs.append(((with - without) / 150 * 1000, own.meanMilliseconds + own.copyMilliseconds))
            }
            let theirs = median(pairs.map(\.theirs)), ours = median(pairs.map(\.ours))
            table.rows.append([
                .text(type), .number(theirs, places: 2), .number(ours, places: 2),
                .number(ours / theirs, places: 2), .limit(1, places: 2, met: ours < theirs),
            ])
        }
        return table
    }

    private func filterCost(_ input: String, _ animation: [String], _ graph: String) throws -> Double {
        try Child.run(
            [try Child.locate("ffmpeg"), "-nostdin", "-v", "error", "-filter_threads", "1", "-i", input] + animation
                + ["-filter_complex", graph, "-an", "-frames:v", "150", "-f", "null", "-"]
        ).cpu
    }

    /// Three effects over the whole clip, with decoding and encoding, on two cores.
    private func three() throws -> Table {
        var table = Table(
            name: "three",
            title: "Confetti, fireworks and lasers at once, 1920×1080, 150 frames decoded, drawn on and "
                + "encoded with x264 veryfast on two cores; best of \(options.rounds) runs, the start of the program included",
            columns: ["frames a second", "of CPU time on two cores", "limit"])
        let input = try media.talkingHead(height: 1080, seconds: 5)
        let output = media.file("three.mp4")
        let pinned = (try? Child.locate("taskset")).map { [$0, "-c", "0,1"] } ?? []
        let runs = try (0..<options.rounds).map { _ in
            defer { media.remove(output) }
            return try Child.run(
                pinned + [options.program, "filter", input, output, "--no-gestures", "--preset", "veryfast", "--quiet"]
                    + Child.whole
                    + ["confetti", "fireworks", "lasers"].flatMap { ["--reaction", $0] })
        }
        let wall = 150 / (runs.map(\.wall).min() ?? .infinity)
        let cpu = 150 / (runs.map(\.cpu).min() ?? .infinity) * 2
        table.rows.append([
            .number(wall, places: 1), .number(cpu, places: 1), .limit(30, places: 0, met: wall >= 30),
        ])
        return table
    }

    /// The cost of a pixel at four sizes. Effects scale with the picture, so that they touch the same share of it at
    /// every size; segmentation, which costs the same at each, is left out.
    private func growth(_ types: [String]) throws -> Table {
        let heights = [360, 720, 1080, 2160]
        var table = Table(
            name: "growth", title: "Growth: nanoseconds for each pixel of the picture, without the search for people",
            columns: ["effect"] + heights.map { "\($0)p" } + ["2160p over 720p", "limit"])
        for type in types {
            let costs = try heights.map { height in
                median(try measure(type, height: height, people: false, rounds: 1).map(\.meanMilliseconds)) * 1e6
                    / Double(height * height * 16 / 9)
            }
            table.rows.append(
                [.text(type)] + costs.map { .number($0, places: 2) }
                    + [
                        .number(costs[3] / costs[1], places: 2),
                        .limit(1.25, places: 2, met: costs[3] <= costs[1] * 1.25),
                    ])
        }
        return table
    }

    /// The factor by which FFmpeg's `photosensitivity` filter would dim: 1 leaves a frame unchanged.
    private func flashes(_ types: [String]) throws -> Table {
        var table = Table(
            name: "flashes", title: "FFmpeg's photosensitivity filter: frames that it would change",
            columns: ["effect", "intensity", "frames", "changed", "limit"])
        for type in types {
            for intensity in ["0.5", "1"] {
                let video = media.file("flashes.mp4")
                defer { media.remove(video) }
                _ = try Child.run(
                    [
                        options.program, "preview", type, video, "--size", "640x360", "--intensity", intensity, "--crf",
                        "12",
                    ])
                let text = String(
                    decoding: try Child.output(
                        of: [
                            try Child.locate("ffmpeg"), "-nostdin", "-v", "error", "-i", video, "-vf",
                            "photosensitivity=bypass=1,metadata=print:file=-", "-f", "null", "-",
                        ], in: media.scratch), as: UTF8.self)
                let factors = text.split(separator: "\n").filter { $0.contains("photosensitivity.factor=") }
                let changed = factors.count { !$0.hasSuffix("=1.000000") }
                table.rows.append([
                    .text(type), .text(intensity), .number(Double(factors.count), places: 0),
                    .number(Double(changed), places: 0), .limit(0, places: 0, met: changed == 0 && !factors.isEmpty),
                ])
            }
        }
        return table
    }
}
