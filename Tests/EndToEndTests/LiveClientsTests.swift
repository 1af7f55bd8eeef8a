import FlourishControl
import Foundation
import TestSupport
import Testing

/// A live run whose threads work concurrently with all clients: clients that query, change and photograph, observers,
/// and browsers on the panel. Meant for ThreadSanitizer: `Scripts/test --sanitize thread --filter LiveClientsTests`.
@Suite("A live run with all kinds of clients") struct LiveClientsTests {
    /// The time for which all clients are active.
    private static let span = Duration.seconds(12)

    private static let requests: [[String: JSONValue]] =
        ["confetti", "heart", "rain", "lasers"].map { ["command": .text("perform"), "reactionType": .text($0)] } + [
            ["command": .text("set"), "name": .text("intensity"), "value": .number(0.5)],
            ["command": .text("set"), "name": .text("calm"), "value": .flag(true)],
            ["command": .text("set"), "name": .text("gestures.victory"), "value": .flag(false)],
            ["command": .text("set"), "name": .text("gestureSnooze"), "value": .number(1)],
            ["command": .text("get")], ["command": .text("snapshot")],
            ["command": .text("photo"), "photoQualityPrioritization": .text("speed")],
            ["command": .text("set"), "name": .text("calm"), "value": .flag(false)], ["command": .text("cancel")],
        ]

    @Test func clientsDoNotDisturbTheVideo() async throws {
        try await Workbench.with { bench in
            let bash = Program(executable: URL(filePath: "/bin/bash"))
            // The program takes the place of the shell, so that signals reach it.
            let run = try bash.start(
                [
                    "-c",
                    """
                    exec "$0" filter - out.mkv --live --preset ultrafast --stats --photos photos --control c.sock --panel \
                        --progress json --events events.jsonl \
                        < <(exec ffmpeg -v quiet -nostdin -re -f lavfi -i testsrc2=s=320x180:r=25:d=\(Hang.seconds) \
                            -c:v libx264 -preset ultrafast -f nut -)
                    """, Program.flourish.executable.path,
                ], in: bench.folder)
            try await bench.waits { run.framesSoFar > 0 }
            let words = run.standardErrorSoFar.split(whereSeparator: \.isWhitespace)
            let url = String(try #require(words.first { $0.hasPrefix("http://") }))
            let path = bench.folder.path + "/c.sock"
            // Among so many clients none may be answered in time: this one connects first.
            _ = try ControlClient(path: path).ask(Self.requests[0])
            try await bench.waits { try bench.bytes("events.jsonl").contains(Data("effectStarted".utf8)) }
            let end = ContinuousClock.now + Self.span
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<4 {
                    group.addTask { await Self.onThread { Self.ask(path, from: number, until: end) } }
                    group.addTask { await Self.onThread { Self.observe(path, until: end) } }
                }
                for _ in 0..<2 { group.addTask { await Self.browse(bench, url, until: end) } }
            }
            #expect(run.isRunning, "\(run.standardErrorSoFar.suffix(4000))")
            _ = try ControlClient(path: path).ask(["command": .text("quit")])
            let result = try await run.result()
            #expect(result.exitCode == 0, "\(result.standardError.suffix(4000))")
            #expect(!result.standardError.contains("ThreadSanitizer"), "\(result.standardError.suffix(8000))")
            let events = try JSONValue.lines(
                of: String(decoding: bench.bytes("events.jsonl"), as: UTF8.self))
            #expect(try await bench.report("out.mkv").frameTimes.count == events.last?["framesOut"]?.integer)
            #expect(events.contains { $0["event"]?.string == "effectStarted" })
            let frames = events.compactMap { $0["frame"]?.integer }
            #expect(zip(frames, frames.dropFirst()).allSatisfy { $0 <= $1 })
        }
    }

    /// The call blocks, and tests need the threads of tasks.
    private static func onThread(_ work: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            Thread {
                work()
                continuation.resume()
            }.start()
        }
    }

    /// A client for each few requests. Requests that the run refuses for lack of time count as answered.
    private static func ask(_ path: String, from number: Int, until end: ContinuousClock.Instant) {
        var next = number
        while ContinuousClock.now < end, let client = try? ControlClient(path: path) {
            for _ in 0..<5 {
                _ = try? client.ask(requests[next % requests.count])
                next += 1
            }
        }
    }

    /// Observes for a while and disconnects.
    private static func observe(_ path: String, until end: ContinuousClock.Instant) {
        while ContinuousClock.now < end, let client = try? ControlClient(path: path) {
            guard (try? client.ask(["command": .text("observe")])) != nil else { return }
            for _ in 0..<4 { _ = try? client.nextLine() }
        }
    }

    private static func browse(_ bench: Workbench, _ url: String, until end: ContinuousClock.Instant) async {
        let pages = ["", "state", "preview.jpg", "events", "panel.js"].map { "'\(url)\($0)'" }.joined(separator: " ")
        while ContinuousClock.now < end {
            _ = try? await bench.shell("curl --silent --max-time 1 \(pages) > /dev/null; true")
        }
    }
}
