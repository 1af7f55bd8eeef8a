import Foundation
import TestSupport
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

@Suite("Deferred photographs")
struct DevelopTests {
    /// Makes a recording with a reaction and photographs it with the options.
    private func photograph(_ bench: Workbench, _ photos: String, _ options: [String] = []) async throws -> EventLines {
        if !bench.files.contains("in.mp4") {
            try await bench.draw(PuppetClip(pose: "victory", hands: "left", seconds: 3), as: "in.mp4")
        }
        let result = try await bench.flourish(
            [
                "filter", "in.mp4", "out.mp4", "-y", "--events", "-", "--photos", photos, "--photo-quality", "quality",
                "--photo-type", "png", "--preset", "ultrafast",
            ] + options)
        try #require(result.exitCode == 0, "\(result.standardError)")
        return try EventLines(result.standardOutput)
    }

    private func isDegraded(_ bench: Workbench, _ path: String) throws -> Bool {
        String(decoding: try bench.bytes(path), as: UTF8.self).contains(#"{"degraded":true"#)
    }

    private func pixels(_ bench: Workbench, _ path: String) async throws -> Data {
        try await bench.ffmpeg(["-i", path, "-pix_fmt", "rgb24", "-f", "rawvideo", "pixels.raw"])
        return try bench.bytes("pixels.raw")
    }

    /// The names in the folder of deferred photographs.
    private func negatives(_ bench: Workbench) -> [String] {
        let folder = bench.file("moments/.flourish/negatives").path
        return ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    }

    @Test("Develop makes the same photograph as an immediate one", arguments: ["auto", "never"])
    func develop(smart: String) async throws {
        try await Workbench.with { bench in
            let events = try await photograph(bench, "moments", ["--photo-deferred", "later", "--smart-render", smart])
            let proxy = try #require(events.of("photoProxy").first)
            #expect(events.of("photoProxy").count == 1 && events.of("photoFinished").isEmpty)
            #expect(proxy["frames"]?.integer == 1 && proxy["photoQualityPrioritization"]?.string == "speed")
            let path = try #require(proxy["path"]?.string)
            #expect(try isDegraded(bench, path) && negatives(bench).count == 1)

            let result = try await bench.flourish(["photo", "--develop", "moments"])
            #expect(result.exitCode == 0 && result.standardError.isEmpty, "\(result.standardError)")
            #expect(result.standardOutput == path + "\n")
            #expect(try !isDegraded(bench, path) && negatives(bench).isEmpty)
            let again = try await bench.flourish(["photo", "--develop", "moments"])
            #expect(again.exitCode == 0 && again.standardOutput.isEmpty)

            let atOnce = try await photograph(bench, "others", ["--smart-render", smart]).of("photoFinished")
            let other = try #require(atOnce.first?["path"]?.string)
            #expect(try await pixels(bench, path) == pixels(bench, other))
            // FFmpeg would log a warning about JPEG's colours.
            _ = try await photograph(bench, "jpegs", ["--photo-deferred", "later", "--photo-type", "jpeg"])
            let quiet = try await bench.flourish(["photo", "--develop", "jpegs"])
            #expect(quiet.exitCode == 0 && quiet.standardError.isEmpty, "\(quiet.standardError)")
            // At the end of the run the photograph is the same, and its event is emitted.
            let ended = try await photograph(bench, "ended", ["--smart-render", smart, "--photo-deferred", "end"])
            #expect(ended.of("photoProxy").count == 1 && ended.of("photoFinished").count == 1)
            let finished = try #require(ended.of("photoFinished").first)
            #expect(finished["id"] == ended.of("photoProxy").first?["id"] && finished["frames"] == atOnce[0]["frames"])
            #expect(try await pixels(bench, try #require(finished["path"]?.string)) == pixels(bench, other))
        }
    }

    /// A folder with one proxy under several names.
    private func fill(_ bench: Workbench, _ count: Int) async throws -> [String] {
        let path = try #require(
            try await photograph(bench, "moments", ["--photo-deferred", "later"]).of("photoProxy").first?["path"]?
                .string)
        let negative = "moments/.flourish/negatives/" + path.dropFirst("moments/".count) + ".negative"
        for number in 2...count {
            try bench.write(try bench.bytes(path), as: "moments/\(number).png")
            try bench.write(try bench.bytes(negative), as: "moments/.flourish/negatives/\(number).png.negative")
        }
        return [path] + (2...count).map { "moments/\($0).png" }
    }

    @Test("Several develop runs share the work")
    func several() async throws {
        try await Workbench.with { bench in
            let all = try await fill(bench, 12)
            let results = try await withThrowingTaskGroup(of: ProgramResult.self) { group in
                for _ in 0..<3 { group.addTask { try await bench.flourish(["photo", "--develop", "moments"]) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(results.allSatisfy { $0.exitCode == 0 })
            let made = results.flatMap { $0.standardOutput.split(separator: "\n").map(String.init) }
            #expect(made.sorted() == all.sorted(), "each is made once")
            #expect(negatives(bench).isEmpty)
            for path in all { #expect(try !isDegraded(bench, path)) }
        }
    }

    @Test("Damaged, foreign, changed and missing files are reported, and the others are developed")
    func trouble() async throws {
        try await Workbench.with { bench in
            let all = try await fill(bench, 5)
            let place = "moments/.flourish/negatives/"
            try bench.write(try bench.bytes(place + "2.png.negative").dropLast(100), as: place + "2.png.negative")
            try bench.write("a letter", as: place + "letter.txt")
            try bench.write("no negative", as: place + "9.png.negative")
            try makeNamedPipe(at: bench.file(place + "8.png.negative"))
            try bench.write(try bench.bytes("moments/3.png") + Data([0]), as: "moments/3.png")
            try FileManager.default.removeItem(at: bench.file("moments/4.png"))
            let result = try await bench.flourish(["photo", "--develop", "moments", "--json"])
            #expect(result.exitCode == 65)
            let lines = result.standardError.split(separator: "\n").map(String.init)
            for name in ["2.png", "3.png", "4.png", "8.png", "9.png", "letter.txt"] {
                #expect(lines.count { $0.contains(name) } == 1, "\(name): \(lines)")
            }
            #expect(lines.count == 6)
            let made = try result.standardOutput.split(separator: "\n").map { try JSONValue(parsing: String($0)) }
            #expect(Set(made.compactMap { $0["path"]?.string }) == [all[0], all[4]])
            #expect(made.allSatisfy { ($0["resolvedSettings"]?["frames"]?.integer ?? 0) > 1 })
            // All deferred photographs that can still be finished are kept.
            #expect(negatives(bench).count == 6)
            #expect(!FileManager.default.fileExists(atPath: bench.file("moments/4.png").path))
            let forced = try await bench.flourish(["photo", "--develop", "moments", "-y"])
            #expect(forced.exitCode == 65 && forced.standardOutput == "moments/3.png\nmoments/4.png\n")
            #expect(try !isDegraded(bench, "moments/4.png"))

            #expect(try await bench.flourish(["photo", "--develop", "nowhere"]).exitCode == 66)
            #expect(try await bench.flourish(["photo", "--develop", "in.mp4"]).exitCode == 66)
            try FileManager.default.createDirectory(at: bench.file("empty"), withIntermediateDirectories: false)
            let empty = try await bench.flourish(["photo", "--develop", "empty"])
            #expect(empty.exitCode == 0 && empty.standardOutput.isEmpty)
        }
    }

    /// Runs the program on a video that arrives in real time, with photographs into `moments`. The video lasts longer
    /// than any test: a test may wait for minutes until it may start another program.
    ///
    /// Without `--live` it drops no frames. A live run on a busy machine may have a single frame of the last half
    /// second, and a photograph of one frame is never deferred.
    private func run(_ bench: Workbench, _ options: String) async throws -> RunningProgram {
        let run = try Program(executable: URL(filePath: "/bin/bash")).start(
            [
                "-c",
                """
                exec "$0" filter - out.mkv --no-gestures --preset ultrafast --events events.jsonl \
                    --photos moments --photo-quality quality --photo-type png --control c.sock \(options) \
                    < <(exec ffmpeg -v quiet -nostdin -re -f lavfi \
                        -i testsrc=s=160x120:r=30:d=\(Hang.seconds) -vf noise=c0s=20:allf=t \
                        -pix_fmt yuv420p -c:v libx264 -preset ultrafast -tune zerolatency -f nut -)
                """, Program.flourish.executable.path,
            ], in: bench.folder)
        try await bench.waits { FileManager.default.fileExists(atPath: bench.file("c.sock").path) }
        try await Task.sleep(for: .seconds(2))
        return run
    }

    @Test("Photographs that a killed run deferred can be developed")
    func killed() async throws {
        try await Workbench.with { bench in
            let run = try await run(bench, "--photo-deferred end")
            for _ in 0..<3 {
                let answer = try await bench.flourish(["photo", "--control", "c.sock", "--json"])
                let reported = try JSONValue(parsing: answer.standardOutput)
                #expect(reported["degraded"]?.boolean == true, "\(answer.standardError)")
            }
            let busy = try await bench.flourish(["photo", "--develop", "moments"])
            #expect(busy.exitCode == 0 && busy.standardOutput.isEmpty)
            #expect(busy.standardError.split(separator: "\n").count == 3, "\(busy.standardError)")
            run.send(signal: SIGKILL)
            _ = try await run.result(timeout: .seconds(60))
            #expect(negatives(bench).count == 3)
            let result = try await bench.flourish(["photo", "--develop", "moments"])
            #expect(result.exitCode == 0 && result.standardOutput.split(separator: "\n").count == 3)
            #expect(negatives(bench).isEmpty)
        }
    }

    @Test(
        "A live run finishes deferred photographs when it ends and while idle",
        .enabled(if: Sanitizer.current != .thread, "a photograph takes longer there than a run may after a signal"))
    func ended() async throws {
        try await Workbench.with { bench in
            let run = try await run(bench, "--live --photo-deferred idle")
            let first = try await bench.flourish(["photo", "--control", "c.sock"])
            let path = first.standardOutput.trimmingCharacters(in: .newlines)
            #expect(try isDegraded(bench, path))
            try await bench.waits { (try? !isDegraded(bench, path)) ?? false }
            _ = try await bench.flourish(["photo", "--control", "c.sock"])
            run.send(signal: SIGINT)
            _ = try await run.result(timeout: .seconds(60))
            #expect(negatives(bench).isEmpty)
            let events = try EventLines(String(contentsOf: bench.file("events.jsonl"), encoding: .utf8))
            #expect(events.of("photoProxy").count == 2 && events.of("photoFinished").count == 2)
            #expect(events.ended["framesDropped"]?.integer == 0)
        }
    }

    @Test("A folder that disappears during the stream is reported, and so is its return")
    func gone() async throws {
        try await Workbench.with { bench in
            let run = try await run(bench, "--live --photo-deferred later")
            #expect(try await bench.flourish(["photo", "--control", "c.sock"]).exitCode == 0)
            try FileManager.default.removeItem(at: bench.file("moments"))
            let lost = try await bench.flourish(["photo", "--control", "c.sock"])
            #expect(lost.exitCode != 0 && lost.standardError.contains("moments"), "\(lost.standardError)")
            try FileManager.default.createDirectory(at: bench.file("moments"), withIntermediateDirectories: false)
            // Its frames can no longer be stored, so the photograph is made at once.
            let back = try await bench.flourish(["photo", "--control", "c.sock", "--json"])
            #expect(back.exitCode == 0 && !back.standardOutput.contains("degraded"), "\(back.standardError)")
            run.send(signal: SIGINT)
            _ = try await run.result(timeout: .seconds(60))
            let events = try EventLines(String(contentsOf: bench.file("events.jsonl"), encoding: .utf8))
            #expect(events.of("photoProxy").count == 1 && events.of("photoFailed").count == 1)
            #expect(events.of("photoFinished").count == 1 && events.ended["framesDropped"]?.integer == 0)
        }
    }
}
