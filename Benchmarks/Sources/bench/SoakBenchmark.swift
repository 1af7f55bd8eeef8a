import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A live run in real time, of any length, through a pipe of each kind and over a connection that is lost and
/// restored: clients of the socket and of the panel connect and disconnect, reactions are shown, settings change.
/// Memory, descriptors and threads must stay constant, sound must stay in sync, and every missing picture must be
/// reported.
struct SoakBenchmark {
    let options: Options
    let media: Media

    /// The allowed growth of memory, in bytes, for the needs of the first effects and clients.
    private static let room = 16e6
    /// The allowed drift between sound and pictures, in milliseconds.
    private static let maximumDrift = 1.0

    func run() throws -> [Table] {
        signal(SIGPIPE, SIG_IGN)
        let input = try media.talkingHead(height: 720, seconds: 60)
        var table = Table(
            name: "soak",
            title: "\(options.minutes) min of live 1280×720, 30 fps, in real time, with clients",
            columns: [
                "input", "frames", "left out", "lost untold", "limit", "returns", "limit", "memory in MB",
                "growth in MB", "limit", "descriptors", "limit", "threads", "limit", "A/V drift in ms", "limit",
            ])
        let ways: [SoakFeed.Way] = [
            .pipe("nut"), .pipe("matroska"), .pipe("mpegts"), .network(port: Int.random(in: 20_000..<30_000)),
        ]
        for way in ways {
            table.rows.append(try row(SoakFeed(way, input, seconds: options.minutes * 60 / ways.count)))
        }
        return [table]
    }

    private func row(_ feed: SoakFeed) throws -> [Table.Cell] {
        let events = media.file("soak.jsonl"), output = media.file("soak.ts"), errors = media.file("soak.txt")
        let socket = media.file("soak.sock")
        defer { for file in [events, output, errors] { media.remove(file) } }
        let program = Process()
        program.executableURL = URL(filePath: options.program)
        program.arguments =
            ["filter"] + feed.arguments + [
                output, "--live", "--preset", "ultrafast", "--crf", "35", "--events", events, "--stats", "--control",
                socket, "--panel", "--quiet",
            ]
        try Data().write(to: URL(filePath: errors))
        program.standardError = try FileHandle(forWritingTo: URL(filePath: errors))
        try feed.start(program)
        let use = watch(program, SoakClients(socket: socket, errors: errors), from: feed.settling)
        guard program.terminationStatus == 0 else {
            let log = (try? String(contentsOfFile: errors, encoding: .utf8)) ?? ""
            throw BenchError("the program ended with \(program.terminationStatus): \(log.suffix(500))")
        }
        let (run, fed) = (try RunEvents(events), try feed.times(media))
        let recorded = try PacketTimes(of: output, in: media.scratch)
        let lost = fed.pictures.count * feed.count - recorded.pictures.count - run.leftOut
        // Infinity cannot be written as JSON.
        let drift = min(fed.drift(of: recorded, times: feed.count) * 1000, 99_999)
        return [
            .text(feed.name), .number(Double(recorded.pictures.count), places: 0),
            .number(Double(run.leftOut), places: 0), .number(Double(lost), places: 0),
            .limit(0, places: 0, met: lost == 0), .number(Double(run.returns), places: 0),
            .limit(Double(feed.count - 1), places: 0, met: run.returns == feed.count - 1),
            .number(use.largest.memory / 1e6, places: 0), .number(use.growth.memory / 1e6, places: 1),
            .limit(Self.room / 1e6, places: 0, met: use.growth.memory <= Self.room),
            .number(use.growth.descriptors, places: 0), .limit(4, places: 0, met: use.growth.descriptors <= 4),
            .number(use.growth.threads, places: 0), .limit(2, places: 0, met: use.growth.threads <= 2),
            .number(drift, places: 2), .limit(Self.maximumDrift, places: 0, met: drift <= Self.maximumDrift),
        ]
    }

    /// The program's events about the run.
    private struct RunEvents {
        /// Dropped frames.
        var leftOut: Int
        /// The number of reconnections.
        var returns: Int

        init(_ events: String) throws {
            let lines = try String(contentsOfFile: events, encoding: .utf8).split(separator: "\n")
            let end = try JSONSerialization.jsonObject(with: Data((lines.last ?? "").utf8)) as? [String: Any] ?? [:]
            guard let dropped = end["framesDropped"] as? Int else { throw BenchError("the run reported no end") }
            leftOut = dropped
            returns = lines.count { $0.contains("\"inputResumed\"") }
        }
    }

    private struct Use {
        var memory = 0.0, descriptors = 0.0, threads = 0.0
    }

    /// Runs clients until the program ends.
    ///
    /// - Parameter start: the seconds that are ignored at the start.
    /// - Returns: the maximum use of resources between clients, and its growth since then.
    private func watch(
        _ program: Process, _ clients: SoakClients, from start: Double
    ) -> (largest: Use, growth: Use) {
        let began = Date.now
        var (first, largest): (Use?, Use) = (nil, Use())
        var round = 0
        while program.isRunning {
            clients.visit(round)
            round += 1
            Thread.sleep(forTimeInterval: 2)
            guard Date.now.timeIntervalSince(began) > start, let now = use(program.processIdentifier) else {
                continue
            }
            first = first ?? now
            largest.memory = max(largest.memory, now.memory)
            largest.descriptors = max(largest.descriptors, now.descriptors)
            largest.threads = max(largest.threads, now.threads)
        }
        program.waitUntilExit()
        guard let first else { return (largest, Use()) }
        return (
            largest,
            Use(
                memory: largest.memory - first.memory, descriptors: largest.descriptors - first.descriptors,
                threads: largest.threads - first.threads)
        )
    }

    private func use(_ id: Int32) -> Use? {
        guard let status = try? String(contentsOfFile: "/proc/\(id)/status", encoding: .utf8),
            let open = try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(id)/fd").count
        else { return nil }
        func field(_ name: String) -> Double {
            let line = status.split(separator: "\n").first { $0.hasPrefix(name) } ?? ""
            return line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Double($0) } ?? 0
        }
        return Use(memory: field("VmRSS:") * 1024, descriptors: Double(open), threads: field("Threads:"))
    }
}
