import Foundation
import Testing
import TestSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

@Suite("Photographs in a run")
struct RunPhotoTests {
    @Test("Each reaction is photographed within its hold on every route", arguments: ["auto", "never"])
    func reactions(smart: String) async throws {
        try await Workbench.with { bench in
            try await bench.draw(PuppetClip(pose: "victory", hands: "left", seconds: 4), as: "in.mp4")
            func run(_ output: String, _ photos: [String]) async throws -> EventLines {
                let result = try await bench.flourish(
                    ["filter", "in.mp4", output, "--events", "-", "--smart-render", smart] + photos)
                try #require(result.exitCode == 0, "\(result.standardError)")
                return try EventLines(result.standardOutput)
            }
            let events = try await run("out.mp4", ["--photos", "moments", "--photo-type", "png"])
            let photo = try #require(events.of("photoFinished").first)
            let gesture = try #require(events.of("gesture").first)
            #expect(events.of("photoFinished").count == 1 && events.of("photoFailed").isEmpty)
            let time = try #require(photo["photoTime"]?.number), fired = try #require(gesture["time"]?.number)
            #expect(time <= fired + 0.001 && time > fired - 0.55)
            #expect(photo["reactionType"]?.string == "balloons" && photo["zeroShutterLag"]?.boolean == true)
            #expect((photo["choice"]?["candidates"]?.integer ?? 0) >= 4 && photo["frames"]?.integer == 5)
            let path = try #require(photo["path"]?.string)
            #expect(path.hasPrefix("moments/in-000") && path.hasSuffix("-balloons.png"))
            // The photograph shows the recording, and not the output.
            try await bench.ffmpeg(["-ss", "\(time - 0.001)", "-i", "in.mp4", "-frames:v", "1", "then.png"])
            #expect(try await bench.likeness(path, "then.png") > 26)

            // Photographs do not change the video, and the same run takes the same ones.
            let plain = try await run("plain.mp4", [])
            #expect(try bench.bytes("plain.mp4") == bench.bytes("out.mp4"))
            #expect(plain.of("photoFinished").isEmpty)
            _ = try await run("again.mp4", ["--photos", "more", "--photo-type", "png"])
            let file = String(path.dropFirst("moments/".count))
            #expect(try bench.bytes("more/" + file) == bench.bytes(path))
        }
    }

    @Test("Photographs are reported once when the recording is encoded as a whole after analysis")
    func wholes() async throws {
        try await Workbench.with { bench in
            try await bench.draw(PuppetClip(pose: "victory", hands: "left", start: 0.1, seconds: 2), as: "in.mp4")
            let result = try await bench.flourish([
                "filter", "in.mp4", "out.mp4", "--events", "-", "--photos", "moments", "--hold", "0.3",
            ])
            try #require(result.exitCode == 0, "\(result.standardError)")
            let events = try EventLines(result.standardOutput)
            #expect(events.of("photoFinished").count == 1)
            #expect(try FileManager.default.contentsOfDirectory(atPath: bench.file("moments").path).count == 1)
        }
    }

    @Test(
        "Scheduled reactions are photographed at their start, a plan's at the plan's time",
        arguments: ["auto", "never"])
    func planned(smart: String) async throws {
        try await Workbench.with { bench in
            try await bench.draw(PuppetClip(pose: "victory", hands: "left", start: 3, seconds: 12), as: "in.mp4")
            func run(_ output: String, _ options: [String]) async throws -> [String] {
                let result = try await bench.flourish(
                    ["filter", "in.mp4", output, "--events", "-", "--smart-render", smart, "--photo-type", "png"]
                        + options)
                try #require(result.exitCode == 0, "\(result.standardError)")
                return try EventLines(result.standardOutput).of("photoFinished").compactMap { $0["path"]?.string }
            }
            let alone = try await run("a.mp4", ["--photos", "a", "--no-gestures", "--reaction", "heart@1.5"])
            #expect(alone == ["a/in-0001.500-heart.png"])
            try await bench.ffmpeg(["-ss", "1.499", "-i", "in.mp4", "-frames:v", "1", "then.png"])
            #expect(try await bench.likeness(alone[0], "then.png") > 26)

            let plan = try await bench.flourish(["plan", "in.mp4", "--reaction", "heart@1.5"])
            try #require(plan.exitCode == 0, "\(plan.standardError)")
            let planned = try await run("b.mp4", ["--photos", "b", "--plan", "in.plan.json"])
            #expect(planned.count == 2 && planned.first == "b/in-0001.500-heart.png")
            #expect(planned.last?.hasSuffix("-balloons.png") == true)
            // Photographs do not change the video.
            _ = try await run("c.mp4", ["--photos", "c", "--photo-with-effects", "--plan", "in.plan.json"])
            #expect(bench.names(in: "c").count == 2 && bench.names(in: "c").allSatisfy { $0.hasSuffix("-effects.png") })
            let plain = try await bench.flourish([
                "filter", "in.mp4", "d.mp4", "--smart-render", smart, "--plan", "in.plan.json",
            ])
            #expect(plain.exitCode == 0)
            #expect(try bench.bytes("d.mp4") == bench.bytes("b.mp4"))
        }
    }

    @Test("A photograph of a part has the recording's time", arguments: ["auto", "never"])
    func partTimes(smart: String) async throws {
        try await Workbench.with { bench in
            try await bench.ffmpeg(
                [
                    "-f", "lavfi", "-i", "testsrc=s=320x240:r=10:d=4", "-metadata",
                    "creation_time=2024-02-29T12:00:00Z",
                ] + Coding.h264 + ["in.mp4"])
            for deferred in ["off", "later"] {
                let result = try await bench.flourish([
                    "filter", "in.mp4", "out.mp4", "-y", "--no-gestures", "--reaction", "heart@3", "--start", "2",
                    "--photos", deferred, "--photo-type", "png", "--photo-quality", "quality", "--photo-deferred",
                    deferred, "--smart-render", smart,
                ])
                try #require(result.exitCode == 0, "\(result.standardError)")
                _ = try await bench.flourish(["photo", "--develop", deferred])
                let name = try #require(bench.names(in: deferred).first { $0.hasSuffix("-heart.png") })
                let reported = String(decoding: try bench.bytes("\(deferred)/\(name)"), as: UTF8.self)
                #expect(reported.contains("2024:02:29 12:00:03"), "\(deferred)")
            }
        }
    }

    @Test("Photographs of a batch mirror the output folders, under full names")
    func many() async throws {
        try await Workbench.with { bench in
            try FileManager.default.createDirectory(
                at: bench.file("calls/monday"), withIntermediateDirectories: true)
            try await bench.ffmpeg([
                "-f", "lavfi", "-i", "testsrc=s=320x240:r=10:d=2", "-c:v", "libx264", "calls/one.mp4", "-c", "copy",
                "-c:v", "libx264", "calls/one.mkv", "-c:v", "libx264", "calls/monday/one.mp4",
            ])
            let command = [
                "filter", "calls", "--output-dir", "out", "--recursive", "--no-gestures", "--reaction", "heart@1",
                "--photos",
                "moments",
            ]
            let first = try await bench.flourish(command)
            try #require(first.exitCode == 0, "\(first.standardError)")
            let names = ["one.mkv-0001.000-heart.jpg", "one.mp4-0001.000-heart.jpg"]
            #expect(bench.names(in: "moments") == ["monday"] + names)
            #expect(bench.names(in: "moments/monday") == [names[1]])
            // A run with photographs skips finished outputs that have them, and repeats those without.
            #expect(try await bench.flourish(command).standardError.contains("3 done before"))
            let without = try await bench.flourish(Array(command.dropLast(2)))
            #expect(without.standardError.contains("3 done;"))
        }
    }

    @Test("Photographs of a batch replace only their own files", arguments: ["off", "later"])
    func foreignFiles(deferred: String) async throws {
        try await Workbench.with { bench in
            for folder in ["calls", "moments"] {
                try FileManager.default.createDirectory(at: bench.file(folder), withIntermediateDirectories: true)
            }
            try await bench.ffmpeg(
                ["-f", "lavfi", "-i", "testsrc=s=320x240:r=10:d=2"] + Coding.h264 + ["calls/one.mp4"])
            try bench.write("notes", as: "moments/one.mp4-0001.000-heart.jpg")
            let command = [
                "filter", "calls", "--output-dir", "out", "--no-gestures", "--reaction", "heart@1", "--photos",
                "moments",
                "--photo-quality", "quality", "--photo-deferred", deferred,
            ]
            let names = ["one.mp4-0001.000-heart-2.jpg", "one.mp4-0001.000-heart.jpg"]
            // The second run repeats all.
            for intensity in ["1", "0.5"] {
                let result = try await bench.flourish(command + ["--intensity", intensity])
                #expect(result.exitCode == 0 && result.standardError.contains("1 done;"), "\(result.standardError)")
                #expect(bench.names(in: "moments").filter { $0.hasPrefix("one") } == names)
                #expect(try bench.bytes("moments/" + names[1]) == Data("notes".utf8))
            }
            let result = try await bench.flourish(command + ["--intensity", "0.7", "--overwrite"])
            #expect(result.exitCode == 0, "\(result.standardError)")
            #expect(try bench.bytes("moments/" + names[1]) != Data("notes".utf8))
        }
    }

    @Test("Develop finishes the photographs of a batch in all folders")
    func developingMany() async throws {
        try await Workbench.with { bench in
            for folder in ["calls/monday", "moments"] {
                try FileManager.default.createDirectory(at: bench.file(folder), withIntermediateDirectories: true)
            }
            try await bench.ffmpeg([
                "-f", "lavfi", "-i", "testsrc=s=320x240:r=10:d=2", "-c:v", "libx264", "calls/one.mp4", "-c:v",
                "libx264",
                "calls/monday/one.mp4",
            ])
            // A link in a circle.
            try FileManager.default.createSymbolicLink(
                atPath: bench.file("moments/again").path, withDestinationPath: ".")
            let result = try await bench.flourish([
                "filter", "calls", "--output-dir", "out", "--recursive", "--no-gestures", "--reaction", "heart@1",
                "--photos", "moments", "--photo-quality", "quality", "--photo-deferred", "later",
            ])
            try #require(result.exitCode == 0, "\(result.standardError)")
            let developed = try await bench.flourish(["photo", "--develop", "moments"])
            #expect(developed.exitCode == 0 && developed.standardError.isEmpty, "\(developed.standardError)")
            #expect(
                developed.standardOutput
                    == "moments/one.mp4-0001.000-heart.jpg\nmoments/monday/one.mp4-0001.000-heart.jpg\n")
            #expect(try await bench.flourish(["photo", "--develop", "moments"]).standardOutput.isEmpty)
        }
    }

    @Test("Photographs with effects show them fully developed")
    func effects() async throws {
        try await Workbench.with { bench in
            try await bench.draw(PuppetClip(pose: "victory", hands: "left", seconds: 6), as: "in.mp4")
            let result = try await bench.flourish([
                "filter", "in.mp4", "out.mp4", "--events", "-", "--photos", "moments", "--photo-clean",
                "--photo-with-effects", "--photo-quality", "speed", "--preset", "ultrafast",
            ])
            try #require(result.exitCode == 0, "\(result.standardError)")
            let photos = try EventLines(result.standardOutput).of("photoFinished")
            #expect(photos.map { $0["content"]?.string } == ["clean", "withEffects"])
            let paths = photos.compactMap { $0["path"]?.string }
            #expect(paths.last?.hasSuffix("-balloons-effects.jpg") == true)
            // Including balloons.
            #expect(try await bench.likeness(paths[0], paths[1]) < 25)
        }
    }

    @Test("A folder that cannot be created prevents the run, one that disappears does not end it")
    func folders() async throws {
        try await Workbench.with { bench in
            try await bench.draw(PuppetClip(pose: "victory", hands: "left", seconds: 3), as: "in.mp4")
            try bench.write("a file", as: "file")
            let refused = try await bench.flourish(["filter", "in.mp4", "out.mp4", "--photos", "file/moments"])
            #expect(refused.exitCode == 73 && refused.standardError.contains("file/moments"))
            #expect(!bench.files.contains("out.mp4"))
            let alone = try await bench.flourish(["filter", "in.mp4", "out.mp4", "--photo-quality", "speed"])
            #expect(alone.exitCode == 64 && alone.standardError.contains("--photo-quality requires --photos"))
            for option in ["--photo-deferred later", "--fast-capture"] {
                let idle = try await bench.flourish(
                    ["filter", "in.mp4", "out.mp4", "--photos", "moments"]
                        + option.split(separator: " ").map(String.init))
                #expect(idle.exitCode == 64 && idle.standardError.contains("requires --photo-quality quality"))
            }
            // A folder in which not even root can create a file.
            try FileManager.default.createSymbolicLink(
                at: bench.file("full"), withDestinationURL: URL(filePath: "/proc/self/fd"))
            let result = try await bench.flourish(["filter", "in.mp4", "out.mp4", "--photos", "full", "--events", "-"])
            #expect(result.exitCode == 0, "\(result.standardError)")
            let events = try EventLines(result.standardOutput)
            #expect(events.of("photoFailed").count == 1 && events.of("photoFinished").isEmpty)
            #expect(events.effects == ["balloons"])
            #expect(result.standardError.contains("warning: full/in-000"), "\(result.standardError)")
        }
    }

    @Test("A live run answers twenty requests in two seconds, each with its own instant")
    func requests() async throws {
        try await Workbench.with { bench in
            let bash = Program(executable: URL(filePath: "/bin/bash"))
            // Each picture is a little brighter than the one before, which identifies it.
            let run = try bash.start(
                [
                    "-c",
                    """
                    exec "$0" filter - out.mkv --live --no-gestures --preset ultrafast --events events.jsonl \
                        --photos moments --photo-quality speed --photo-type png --control c.sock \
                        < <(exec ffmpeg -v quiet -nostdin -re -f lavfi -i color=gray:s=64x48:r=30:d=\(Hang.seconds) \
                            -vf format=yuv444p,geq=lum='16+mod(N\\,200)':cb=128:cr=128,format=yuv420p \
                            -c:v libx264 -preset ultrafast -qp 0 -tune zerolatency -f nut -)
                    """, Program.flourish.executable.path,
                ], in: bench.folder)
            try await bench.waits { FileManager.default.fileExists(atPath: bench.file("c.sock").path) }
            try await Task.sleep(for: .seconds(2))
            let replies = try await bash.succeed(
                [
                    "-c",
                    """
                    for i in $(seq 20); do "$0" photo --control c.sock --json & sleep 0.1; done; wait
                    """, Program.flourish.executable.path,
                ], in: bench.folder)
            run.send(signal: SIGINT)
            _ = try await run.result(timeout: .seconds(60))
            let lines = try replies.standardOutput.split(separator: "\n").map { try JSONValue(parsing: String($0)) }
            #expect(lines.count == 20)
            #expect(Set(lines.compactMap { $0["path"]?.string }).count == 20)
            for line in lines {
                let time = try #require(line["time"]?.number), path = try #require(line["path"]?.string)
                try await bench.ffmpeg(["-i", path, "-pix_fmt", "gray", "-f", "rawvideo", "luma.raw"])
                let luma = try bench.bytes("luma.raw")
                let mean = Double(luma.reduce(0) { $0 + Int($1) }) / Double(luma.count) * 219 / 255
                let number = (time * 30).rounded().truncatingRemainder(dividingBy: 200)
                #expect(abs(mean - number) < 0.8, "\(path) shows \(mean)")
            }
            let text = try String(contentsOf: bench.file("events.jsonl"), encoding: .utf8)
            let events = try EventLines(text)
            #expect(events.of("photoFinished").count == 20)
            #expect(events.of("photoReadiness").first?["readiness"]?.string == "ready")
            #expect(events.ended["framesDropped"]?.integer == 0)
        }
    }
}
