import Foundation
import TestSupport
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Runs that are killed at random instants, and restarted: `Scripts/fuzz kills` does it hundreds of times.
@Suite("Kills at random instants") struct KillTests {
    /// The number of runs that are killed, of all kinds together.
    private static let count = ProcessInfo.processInfo.environment["FLOURISH_KILLS"].flatMap(Int.init) ?? 9

    private enum Kind: String, CaseIterable {
        case whole, smart, folder
    }

    private static func arguments(_ kind: Kind) -> [String] {
        let usual = ["--no-gestures", "--reaction", "heart@0.1"]
        return switch kind {
        case .whole:
            ["filter", "calls/a.mp4", "out.mp4", "--overwrite", "--smart-render", "never", "--preset", "ultrafast"]
                + usual
        case .smart: ["filter", "calls/a.mp4", "out.mp4", "--overwrite", "--smart-render", "always"] + usual
        case .folder: ["filter", "calls", "--output-dir", "out", "--jobs", "2"] + usual
        }
    }

    @Test func restartedRunsSucceed() async throws {
        try await Workbench.with { bench in
            try FileManager.default.createDirectory(at: bench.file("calls"), withIntermediateDirectories: true)
            for name in ["a", "b", "c"] {
                try await bench.makeClip(
                    "calls/\(name).mp4", size: "320x180", seconds: name == "a" ? 20 : 3,
                    Coding.h264 + ["-g", "25"] + Coding.aac)
            }
            var generator = SeededGenerator(seed: 11)
            var (durations, wholes): ([Kind: Double], [Kind: Data]) = ([:], [:])
            for kind in Kind.allCases {
                // Bypasses the slots in which other programs wait before they start.
                let began = ContinuousClock.now
                let result = try await Program.flourish.start(Self.arguments(kind), in: bench.folder).result()
                try #require(result.exitCode == 0, "\(result.standardError)")
                durations[kind] = (.now - began) / .milliseconds(1)
                wholes[kind] = try bench.bytes(kind == .folder ? "out/b.mp4" : "out.mp4")
            }
            for number in 0..<Self.count {
                let kind = Kind.allCases[number % Kind.allCases.count]
                try? FileManager.default.removeItem(at: bench.file("out"))
                try bench.write("precious", as: "out.mp4")
                let run = try Program.flourish.start(Self.arguments(kind), in: bench.folder)
                let instant = Double.random(in: 0...1.1 * (durations[kind] ?? 100), using: &generator)
                try await Task.sleep(for: .milliseconds(instant))
                run.send(signal: SIGKILL)
                let killed = try await run.result()
                let what = Comment(rawValue: "\(kind.rawValue), killed after \(instant) ms")
                // The file under the output's name is complete.
                let now = try bench.bytes("out.mp4")
                #expect(now == Data("precious".utf8) || now == wholes[kind], what)
                #expect(killed.signal == SIGKILL || killed.exitCode == 0, what)
                let again = try await bench.flourish(Self.arguments(kind))
                #expect(again.exitCode == 0, "\(what): \(again.standardError)")
                #expect(try bench.bytes(kind == .folder ? "out/b.mp4" : "out.mp4") == wholes[kind], what)
                #expect(!bench.files.contains { $0.contains(".partial-") }, what)
                if kind == .folder {
                    let outputs = try FileManager.default.contentsOfDirectory(atPath: bench.file("out").path).sorted()
                    #expect(outputs == [".flourish", "a.mp4", "b.mp4", "c.mp4"], what)
                }
            }
        }
    }

    /// A killed review leaves a whole plan or none, and the next one resumes.
    @Test func killedReviewsResume() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip(
                "call.mp4", size: "320x180", seconds: 6, Coding.h264 + ["-g", "25"] + Coding.aac)
            func review() throws -> RunningProgram {
                // Its temporary files are deleted with the test.
                try Program.flourish.start(
                    ["review", "call.mp4"], environment: ["TMPDIR": bench.folder.path], in: bench.folder)
            }
            let isPlanned = { bench.files.contains("call.plan.json") }
            let began = ContinuousClock.now
            let first = try review()
            try await bench.waits(for: isPlanned)
            let duration = (.now - began) / .milliseconds(1)
            first.send(signal: SIGTERM)
            #expect(try await first.result().signal == nil)
            let whole = try bench.bytes("call.plan.json")
            var generator = SeededGenerator(seed: 12)
            for _ in 0..<max(2, Self.count / 4) {
                try FileManager.default.removeItem(at: bench.file("call.plan.json"))
                let run = try review()
                let instant = Double.random(in: 0...1.1 * duration, using: &generator)
                try await Task.sleep(for: .milliseconds(instant))
                run.send(signal: SIGKILL)
                _ = try await run.result()
                let what = Comment(rawValue: "killed after \(instant) ms")
                let left = isPlanned() ? try bench.bytes("call.plan.json") : whole
                #expect(left == whole, what)
                let again = try review()
                // Its signal handler is installed once it has printed its address.
                try await bench.waits { isPlanned() && again.standardErrorSoFar.contains("http://") }
                again.send(signal: SIGTERM)
                #expect(try await again.result().signal == nil, what)
                #expect(try bench.bytes("call.plan.json") == whole, what)
                #expect(!bench.files.contains { $0.hasPrefix("flourish-review-") }, what)
            }
        }
    }

    /// A review that is killed while it renders leaves a whole output or none, and no temporary file.
    @Test func killedReviewRenderingsResume() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip(
                "call.mp4", size: "320x180", seconds: 12, Coding.h264 + ["-g", "25"] + Coding.aac)
            func review() async throws -> (RunningProgram, String) {
                let run = try Program.flourish.start(
                    ["review", "call.mp4", "out.mp4"], environment: ["TMPDIR": bench.folder.path], in: bench.folder)
                try await bench.waits { run.standardErrorSoFar.contains("http://") }
                let words = run.standardErrorSoFar.split(whereSeparator: \.isWhitespace)
                let url = String(try #require(words.first { $0.hasPrefix("http://") }))
                try await bench.waits { bench.files.contains("call.plan.json") }
                return (run, url)
            }
            /// Sends a request for JSON, and ignores the answer.
            func ask(_ url: String, _ method: String, _ name: String, _ body: String, _ revision: Int = 0) async throws
            {
                let request = """
                    import http.client, sys, urllib.parse
                    url = urllib.parse.urlsplit(sys.argv[1])
                    client = http.client.HTTPConnection(url.hostname, url.port, timeout=20)
                    fields = {"Content-Type": "application/json", "If-Match": f'"{sys.argv[3]}"'}
                    client.request(sys.argv[2], url.path, sys.argv[4], fields)
                    client.getresponse().read()
                    """
                let sent = try await Program.onPath("python3").run(
                    ["-c", request, url + name, method, "\(revision)", body], in: bench.folder)
                #expect(sent.exitCode == 0, "\(sent.standardError)")
            }
            func render(_ url: String) async throws { try await ask(url, "POST", "render", #"{"replace": true}"#) }
            func end(_ run: RunningProgram) async throws {
                run.send(signal: SIGTERM)
                #expect(try await run.result().signal == nil)
            }
            let (first, url) = try await review()
            let reaction = #"{"reactions":{"1":{"reactionType":"heart","startTime":1}}}"#
            try await bench.waits { bench.files.contains("call.plan.json") }
            for revision in 0...4 { try await ask(url, "PATCH", "plan", reaction, revision) }
            let began = ContinuousClock.now
            try await render(url)
            try await bench.waits { bench.files.contains("out.mp4") }
            let duration = (.now - began) / .milliseconds(1)
            try await end(first)
            let whole = try bench.bytes("out.mp4")
            var generator = SeededGenerator(seed: 14)
            for _ in 0..<max(2, Self.count / 8) {
                try bench.write("precious", as: "out.mp4")
                let (run, url) = try await review()
                try await render(url)
                let instant = Double.random(in: 0...1.1 * duration, using: &generator)
                try await Task.sleep(for: .milliseconds(instant))
                run.send(signal: SIGKILL)
                _ = try await run.result()
                let what = Comment(rawValue: "killed \(instant) ms after Render")
                let left = try bench.bytes("out.mp4")
                #expect(left == Data("precious".utf8) || left == whole, what)
                try bench.write("precious", as: "out.mp4")
                let (again, next) = try await review()
                // It may still check whether the plan is for this recording.
                for _ in Hang.rounds(milliseconds: 500) {
                    guard try bench.bytes("out.mp4") != whole else { break }
                    try await render(next)
                    try await Task.sleep(for: .milliseconds(500))
                }
                try await end(again)
                #expect(try bench.bytes("out.mp4") == whole, what)
                #expect(bench.files == ["call.mp4", "call.plan.json", "out.mp4"], what)
            }
        }
    }
}
