import Foundation

/// The latency of `flourish camera` from a camera to a reader, at 30 frames a second.
///
/// Camera and reader are `Benchmarks/Camera/latency.c`, in a private PipeWire session.
struct CameraBenchmark {
    let options: Options
    let media: Media

    /// A line of `latency.c`: milliseconds, counts, and the share of a core.
    private struct Phase: Decodable {
        var phase: String
        var median: Double
        var p99: Double
        var longest: Double
        var sent: Int
        var missing: Int
        var cpu: Double
    }

    private static let effect = "confetti"
    /// The aims at 720p: milliseconds, and the share of a core in percent.
    private static let medianAim = 5.0, p99Aim = 15.0, idleCPU = 8.0
    private static let seconds = 30

    func run() throws -> [Table] {
        guard let client = options.cameraClient else { throw BenchError("--camera-client is missing") }
        let (width, height) = (options.height * 16 / 9, options.height)
        let film = media.scratch.appending(path: "film.yuv").path
        _ = try Child.run([
            try Child.locate("ffmpeg"), "-v", "error", "-y", "-i", try media.talkingHead(), "-t", "4", "-vf",
            "fps=30,scale=\(width):\(height)", "-pix_fmt", "yuyv422", "-f", "rawvideo", film,
        ])
        let session = options.repository + "/Benchmarks/Camera/session"
        let phases = try (0..<options.rounds).flatMap { _ in
            try Child.output(
                of: [
                    session, client, options.program, film, "\(width)", "\(height)", "30", "\(Self.seconds)",
                    Self.effect,
                ], in: media.scratch
            ).split(separator: UInt8(ascii: "\n")).map { try JSONDecoder().decode(Phase.self, from: Data($0)) }
        }
        var table = Table(
            name: "camera",
            title: "flourish camera, \(width)×\(height) at 30 frames a second, \(try media.describeTalkingHead()): "
                + "milliseconds from the camera to the reader; medians of \(options.rounds) rounds of \(Self.seconds) s",
            columns: [
                "phase", "median", "aim", "99th percentile", "aim", "longest", "sent", "missing", "CPU %", "aim",
            ])
        for name in ["no reader", "idle", Self.effect] {
            let rounds = phases.filter { $0.phase == name }
            let (middle, late) = (median(rounds.map(\.median)), median(rounds.map(\.p99)))
            let cpu = 100 * median(rounds.map(\.cpu))
            let cpuAim: Double? = name == "no reader" ? 0.1 : name == "idle" ? Self.idleCPU : nil
            table.rows.append([
                .text(name), .number(middle, places: 1),
                .aim(Self.medianAim, places: 0, reached: middle <= Self.medianAim),
                .number(late, places: 1), .aim(Self.p99Aim, places: 0, reached: late <= Self.p99Aim),
                .number(median(rounds.map(\.longest)), places: 1),
                .number(median(rounds.map { Double($0.sent) }), places: 0),
                .number(median(rounds.map { Double($0.missing) }), places: 0), .number(cpu, places: 1),
                cpuAim.map { .aim($0, places: 1, reached: cpu <= $0) } ?? .text(""),
            ])
        }
        return [table]
    }
}
