import FlourishControl
import Foundation
import Testing
import TestSupport

@Suite("Remote control") struct ControlTests {
    private func client(_ bench: Workbench, _ arguments: [String]) async throws -> ProgramResult {
        try await bench.flourish(
            ["control"] + arguments, environment: ["FLOURISH_CONTROL": bench.folder.path + "/c.sock"])
    }

    @Test func aClientPerformsSetsAndObserves() async throws {
        try await Workbench.with { bench in
            let run = try await bench.startLongRun(["--control", "c.sock"])
            let watch = try Program.flourish.start(["control", "watch", "--control", "c.sock"], in: bench.folder)
            try await Hang.wait(milliseconds: 20) { watch.isRunning && watch.standardOutputSoFar.isEmpty }
            for arguments in [
                ["set", "intensity", "0.5"], ["perform", "heart", "--at", "0.25,0.5"],
                ["perform", "rain", "--control", "c.sock"],
            ] {
                #expect(try await client(bench, arguments).exitCode == 0, "\(arguments)")
            }
            #expect(try await client(bench, ["set", "intensity"]).standardOutput == "0.5\n")
            // On a busy machine the effect may end before it is cancelled.
            while try await client(bench, ["cancel", "heart"]).exitCode != 0 {
                #expect(try await client(bench, ["perform", "heart", "--at", "0.25,0.5"]).exitCode == 0)
                try #require(run.isRunning)
            }
            try await Hang.wait(milliseconds: 20) { watch.isRunning && !watch.standardOutputSoFar.contains("\"rain\"") }
            _ = try ControlClient(path: bench.folder.path + "/c.sock").ask(["command": .text("quit")])
            let result = try await run.result()
            #expect(result.exitCode == 0, "\(result.standardError)")
            let seen = try EventLines(try await watch.result().standardOutput)
            let started = seen.of("effectStarted")
            #expect(started.count >= 2 && started.allSatisfy { $0["trigger"]?.string == "request" })
            #expect(seen.of("effectStarted").first?["origin"]?["x"]?.number == 0.25)
            #expect(seen.of("propertyChanged").first?["name"]?.string == "intensity")
            #expect(seen.of("streamEnded").count == 1, "the last event reaches those who watch")
            let reported = try EventLines(String(decoding: bench.bytes("events.jsonl"), as: UTF8.self))
            #expect(reported.of("effectStarted") == seen.of("effectStarted"))
            #expect(!bench.files.contains { $0.hasPrefix("c.sock") })
            #expect(try await bench.report("out.mkv").frameTimes.count == reported.ended["framesOut"]?.integer)
        }
    }

    @Test func picturesOfTheOutputAreTaken() async throws {
        try await Workbench.with { bench in
            let run = try await bench.startLongRun(["--control", "c.sock"])
            let client = try ControlClient(path: bench.folder.path + "/c.sock")
            let text = try client.ask(["command": .text("snapshot")])["png"]?.plain
            let png = try #require(text.flatMap { Data(base64Encoded: $0) })
            try bench.write(png, as: "answer.png")
            let path = bench.folder.path + "/file.png"
            _ = try client.ask(["command": .text("snapshot"), "path": .text(path)])
            let take = ["photo", "--control", "c.sock", "-o", "now.png"]
            #expect(try await bench.flourish(take).exitCode == 0)
            expectRefusal(try await bench.flourish(take), code: 73, naming: "now.png exists")
            for name in ["answer.png", "file.png", "now.png"] {
                let stream = try await FFmpegTool.streams(of: bench.file(name)).first
                #expect(stream?["width"]?.integer == 160 && stream?["height"]?.integer == 120)
            }
            let output = bench.folder.path + "/out.mkv"
            let link = bench.folder.path + "/link.png"
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: output)
            for refused in [path, "relative.png", "/no/such/folder/a.png", path + "\0.png", output, link] {
                #expect(throws: (any Error).self) {
                    try client.ask(["command": .text("snapshot"), "path": .text(refused)])
                }
            }
            #expect(!bench.files.contains("out.mkv"), "only the run itself makes it")
            _ = try client.ask(["command": .text("quit")])
            #expect(try await run.result().exitCode == 0)
            #expect(bench.files.contains("out.mkv"))
        }
    }

    @Test func clientsPrintErrors() async throws {
        try await Workbench.with { bench in
            let refused = try await client(bench, ["perform", "heart"])
            #expect(refused.exitCode == 66 && refused.errorLines.count == 1)
            #expect(refused.standardError.contains("--control"))
            let nowhere = try await bench.flourish(
                ["control", "watch"], environment: ["FLOURISH_CONTROL": nil, "XDG_RUNTIME_DIR": nil])
            #expect(nowhere.exitCode == 64)

            let run = try await bench.startLongRun(["--control", "c.sock"])
            for arguments in [
                ["perform", "applause"], ["set", "speed", "2"], ["set", "calm", "perhaps"], ["cancel", "applause"],
                ["cancel", "--id", "99"], ["cancel", "rain", "--id", "1"],
                ["set", "gestureSnooze", "5:00"], ["set", "gestureSnooze", "soon"],
            ] {
                let result = try await client(bench, arguments)
                #expect(result.exitCode == 64 && result.errorLines.count == 1, "\(arguments)")
            }
            try await bench.ffmpeg(["-f", "lavfi", "-i", "testsrc2=s=64x64:d=0.2"] + Coding.h264 + ["in.mp4"])
            let second = try await bench.flourish(
                ["filter", "in.mp4", "out2.mkv", "--no-gestures", "--control", "c.sock"])
            #expect(second.exitCode == 73 && second.standardError.contains("another flourish"))
            run.send(signal: 15)
            _ = try await run.result()
        }
    }
}
