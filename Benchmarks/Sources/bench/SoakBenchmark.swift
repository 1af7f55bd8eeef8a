import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A live run in real time, for as long as somebody has, through a pipe of each kind: clients of the socket and of the
/// panel come and go, reactions are shown, settings change. Memory, descriptors and threads must stay what they were.
struct SoakBenchmark {
    let options: Options
    let media: Media

    private static let containers = ["nut", "matroska", "mpegts"]
    /// What counts for nothing, in seconds: everything is loaded then.
    private static let start = 30.0
    /// How far memory may rise, in bytes: what the first effects and clients need is taken meanwhile.
    private static let room = 16e6

    func run() throws -> [Table] {
        let input = try media.talkingHead(height: 720, seconds: 60)
        var table = Table(
            name: "soak",
            title: "\(options.minutes) min of live 1280×720, 30 fps, in real time, with clients, through each pipe",
            columns: [
                "container", "frames", "left out", "memory, growth in MB", "limit", "descriptors", "limit", "threads",
                "limit",
                "A/V drift in ms", "limit",
            ])
        for container in Self.containers { table.rows.append(try row(container, input)) }
        return [table]
    }

    private func row(_ container: String, _ input: String) throws -> [Table.Cell] {
        let events = media.file("soak.jsonl"), output = media.file("soak.mkv"), socket = media.file("soak.sock")
        defer { for file in [events, output] { media.remove(file) } }
        let seconds = Double(options.minutes * 60) / Double(Self.containers.count)
        let (feeder, program, pipe) = (Process(), Process(), Pipe())
        feeder.executableURL = URL(filePath: try Child.locate("ffmpeg"))
        feeder.arguments = [
            "-nostdin", "-v", "error", "-re", "-stream_loop", "-1", "-i", input, "-t", "\(seconds)", "-c", "copy", "-f",
            container, "-",
        ]
        feeder.standardOutput = pipe
        program.executableURL = URL(filePath: options.program)
        program.arguments = [
            "filter", "-", output, "--live", "--preset", "ultrafast", "--crf", "35", "--events", events, "--stats",
            "--control", socket, "--panel", "--quiet",
        ]
        program.standardInput = pipe
        program.standardError = FileHandle.nullDevice
        try program.run()
        try feeder.run()
        // Both have their ends of it.
        try pipe.fileHandleForReading.close()
        try pipe.fileHandleForWriting.close()
        let growth = try watch(program, socket: socket)
        feeder.waitUntilExit()
        guard program.terminationStatus == 0 else {
            throw BenchError("the program ended with \(program.terminationStatus)")
        }
        let last = try String(contentsOfFile: events, encoding: .utf8).split(separator: "\n").last ?? ""
        let end = try JSONSerialization.jsonObject(with: Data(last.utf8)) as? [String: Any] ?? [:]
        let drift = abs(try media.soundOffset(output) - media.soundOffset(input)) * 1000
        return [
            .text(container), .number(Double(end["framesOut"] as? Int ?? -1), places: 0),
            .number(Double(end["framesDropped"] as? Int ?? -1), places: 0),
            .number(growth.memory / 1e6, places: 1),
            .limit(Self.room / 1e6, places: 0, met: growth.memory <= Self.room),
            .number(growth.descriptors, places: 0), .limit(4, places: 0, met: growth.descriptors <= 4),
            .number(growth.threads, places: 0), .limit(2, places: 0, met: growth.threads <= 2),
            .number(drift, places: 1), .limit(100, places: 0, met: drift <= 100),
        ]
    }

    private struct Use {
        var memory = 0.0, descriptors = 0.0, threads = 0.0
    }

    /// Has clients come and go until the program ends.
    ///
    /// - Returns: by how much what it uses between clients has grown since the beginning.
    private func watch(_ program: Process, socket: String) throws -> Use {
        signal(SIGPIPE, SIG_IGN)
        let began = Date.now
        var (first, largest): (Use?, Use) = (nil, Use())
        var round = 0
        while program.isRunning {
            talk(at: socket, round)
            round += 1
            Thread.sleep(forTimeInterval: 2)
            guard Date.now.timeIntervalSince(began) > Self.start, let now = use(program.processIdentifier) else {
                continue
            }
            first = first ?? now
            largest.memory = max(largest.memory, now.memory)
            largest.descriptors = max(largest.descriptors, now.descriptors)
            largest.threads = max(largest.threads, now.threads)
        }
        program.waitUntilExit()
        guard let first else { return Use() }
        return Use(
            memory: largest.memory - first.memory, descriptors: largest.descriptors - first.descriptors,
            threads: largest.threads - first.threads)
    }

    /// A few clients: one asks, one watches, one leaves in the middle of a line.
    private func talk(at path: String, _ round: Int) {
        guard let client = try? LiveSocket(path), let watcher = try? LiveSocket(path), let rude = try? LiveSocket(path)
        else { return }
        watcher.say(#"{"command": "observe"}"#)
        let type = ["confetti", "heart", "balloons", "lasers"][round % 4]
        client.say(#"{"command": "perform", "reactionType": "\#(type)"}"#)
        client.say(#"{"command": "set", "name": "intensity", "value": \#(round % 2 == 0 ? 0.6 : 1)}"#)
        client.say(#"{"command": "get"}"#)
        rude.say(String(repeating: "{", count: round % 3 == 0 ? 100_000 : 10))
        usleep(300_000)
        client.drain()
        watcher.drain()
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
